//! What the hooks of an agent ask: advice before a write, words to begin with, findings before the end.
//!
//! Hooks advise and the gate decides. So nothing here takes the lock or writes the state, and whatever cannot be known or
//! goes wrong is answered with silence.

mod advice;
mod armed;
mod denials;
mod guard;
mod place;

pub use advice::{pre_tool_use, session_start, stop};
