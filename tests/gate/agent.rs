//! `cordon run` and `cordon resume`, with shell scripts as agents.
//!
//! `CORDON_TEST_REPEAT` says how often each of the endings happens.

pub mod common;
mod endings;
mod escapes;
mod interrupted;
mod resume;
mod seen;
mod starts;
mod tampering;
