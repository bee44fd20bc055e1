//! Black-box tests: a real repository, a real git, and the `cordon` program as a user starts it.
//!
//! They are one program, so that the helpers are compiled once and every one of them is in use. `CORDON_BIN` names
//! another `cordon` to test, `CORDON_TEST_GIT` another git to compare with, `CORDON_TEST_CLAUDE` the real agent to drive, and
//! `CORDON_TEST_ALL` turns what would be skipped without root or without that agent into a failure.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test, which is what it is for")]

mod agent;
mod agreement;
mod anchor;
mod arming;
mod audited;
mod caches;
mod canary;
mod cases;
mod checking;
mod claude;
mod cli;
mod codes;
mod common;
mod excludes;
mod faults;
mod hook;
mod ignored;
mod init;
mod layers;
mod ledger;
mod lfs;
mod links;
mod objects;
mod operations;
mod oversize;
mod plane;
mod policy;
mod premerge;
mod protected;
mod regressions;
mod reports;
mod roles;
mod setup;
mod sparse;
mod special;
mod state;
mod steering;
mod strays;
mod submodules;
mod talk;
mod undo;
mod vouching;
mod wip;
