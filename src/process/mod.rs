//! Other programs: started in a group of their own, watched to the end, and never outlived by what they started.
//!
//! [`child`] runs one program under limits, [`verifier`] runs the commands of an envelope with it. `group` knows who is
//! left of a process group, `capture` keeps the head of a stream, `exit_watch` says when a child ended, `interrupt`
//! turns Cordon's own signals into something that a poll loop can wait for, and `resolve` finds an executable before
//! anything is started.

pub mod capture;
pub mod child;
mod environment;
mod exit_watch;
mod group;
pub mod interrupt;
mod resolve;
pub mod verifier;
