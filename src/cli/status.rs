//! `cordon status`.

use std::path::Path;

use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::session::api;
use crate::{json, report};

/// Shows what is armed.
pub fn run(repo: &Path, terminal: &mut Terminal) -> Result<Exit> {
    let status = api::status(repo)?;
    terminal.answer(|| report::status::human(&status), || json::pretty(&status))?;
    Ok(Exit::Accepted)
}
