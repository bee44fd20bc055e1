//! The gate before a merge: what a branch brings to its base, judged by a role of the base's own policy. No state, no
//! envelope, and no work tree but where verifiers run.

mod ci;
mod judging;
mod merge;
mod push;
mod verifying;

pub use merge::{GateOptions, gate};
pub use push::pre_receive;
