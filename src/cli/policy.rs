//! `cordon policy`.

use super::args::Policy;
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::report::policy;

/// Shows the built-in tables; no repository is needed.
pub fn run(arguments: &Policy, terminal: &mut Terminal) -> Result<Exit> {
    if !arguments.show_defaults {
        return Err(Error::usage("nothing to show").hint("cordon policy --show-defaults"));
    }
    terminal.answer(policy::human, policy::json)?;
    Ok(Exit::Accepted)
}
