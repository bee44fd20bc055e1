//! The command line: arguments, one file a command, and the terminal.

pub mod app;
pub mod args;
mod arm;
mod check;
mod codes;
mod colour;
mod diff;
mod explain;
mod gate;
mod hook;
mod ledger;
mod number;
mod options;
mod paths;
mod policy;
mod progress;
mod reports;
mod rescue;
mod reset;
mod run;
mod run_args;
mod status;
pub mod stone;
mod terminal;
mod usage;
mod whose;
