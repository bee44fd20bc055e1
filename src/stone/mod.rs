//! A session of `stone`: a command runs in a directory, and what it has changed there goes into a ledger.
//!
//! `run` is a session from its beginning to its end, `observe` looks at the directory before and after it, `config` is what
//! the user has set, `read` finds and verifies sessions that are there, `confine` keeps the command
//! away from its record, and `attest` has an authority vouch for when a ledger
//! was there.

pub mod attest;
pub mod config;
mod confine;
mod observe;
pub mod read;
pub mod run;
