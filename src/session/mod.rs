//! The state machine: arm, check, status, diff, reset, and the files that they keep under `.cordon/`.

mod anchor;
pub mod api;
mod arm;
mod check;
pub mod config;
mod diff;
mod hook;
mod lock;
mod look;
mod opened;
mod register;
mod rescue;
mod simple;
pub mod state;
pub mod store;
mod unsaved;
mod verify;
mod warnings;
