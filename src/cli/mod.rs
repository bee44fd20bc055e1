//! The command line: arguments, one file a command, and the terminal.

pub mod app;
pub mod args;
mod arm;
mod check;
mod colour;
mod diff;
mod explain;
mod number;
mod policy;
mod progress;
mod reset;
mod status;
mod terminal;
mod usage;
