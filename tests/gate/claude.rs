//! The real Claude Code, driven through a stand-in for its model service that listens on the loopback only.
//!
//! `CORDON_TEST_CLAUDE` names the program; `scripts/test` installs it and sets the variable. Without it these tests are
//! not part of the run.

mod hooks;
mod launch;
mod rig;
mod runs;
mod service;
