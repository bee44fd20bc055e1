//! Other programs: started by a keeper, watched to the end, and never outlived by what they started.
//!
//! `supervisor` runs one program after the other under limits, `supervise` is its loop, `verifier` runs the commands
//! of an envelope with it, and `agent` an agent. `keeper` is the process that starts them and lets nothing of them remain, `starter` the last
//! step before each, `link` the line between the two sides, `program` what travels over it, `tree` who descends from whom.
//! `leftovers` finds who survived a keeper that was killed together with Cordon.
//! `child` has the words for all of that, `capture` keeps the head of a stream, `interrupt` turns Cordon's own signals
//! into something that a poll loop can wait for, and `resolve` finds an executable before anything is started.
//! `observed` runs a command that nobody limits and whose group is waited for, `tail` passes on what it writes, and
//! `mask` keeps it from writing into a directory.

pub mod agent;
pub mod capture;
pub mod child;
mod environment;
pub mod interrupt;
pub mod keeper;
pub mod leftovers;
mod link;
pub mod mask;
pub mod observed;
pub mod program;
mod resolve;
mod starter;
mod supervise;
pub mod supervisor;
mod tail;
mod tree;
pub mod verifier;
