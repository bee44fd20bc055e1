//! `cordon policy`.

use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::report::policy;

/// Shows the built-in tables; no repository is needed.
pub fn run(terminal: &mut Terminal) -> Result<Exit> {
    let width = terminal.width();
    terminal.answer(|| policy::human(width), policy::json)?;
    Ok(Exit::Accepted)
}
