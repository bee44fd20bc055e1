//! The state machine: arm, check, run, resume, status, diff, reset, and the files that they keep under `.cordon/`.

mod anchor;
pub mod api;
mod arm;
mod attempt;
mod attempt_files;
mod check;
pub mod config;
mod diff;
pub mod engine;
mod hook;
mod lock;
mod look;
mod opened;
mod progress;
mod register;
mod rescue;
mod resume;
mod run;
mod running;
mod simple;
pub mod state;
pub mod store;
mod unsaved;
mod verify;
mod warnings;
