//! What every black-box test stands on: hermetic repositories, bounded child processes, and readable results.

#[path = "../../shared/counterpart.rs"]
pub mod counterpart;
pub mod disk;
pub mod json;
pub mod outcome;
pub mod run;
pub mod sandbox;
pub mod tree;
