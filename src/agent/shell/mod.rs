//! Which files a command line plainly writes: a reading of the shell's language that knows what it does not know.
//!
//! Whatever depends on variables, globs, substitutions or on a program's own mind is passed over in silence: a hook that
//! cries at honest work is switched off, and the gate sees every write anyway.

mod act;
mod commands;
mod git;
mod lexer;
mod options;
mod programs;
mod reader;
mod rows;
mod spelling;
mod state;
mod word;
mod wrappers;

pub use act::{Act, Effect, Place};
pub use reader::read;

#[cfg(test)]
mod tests;
