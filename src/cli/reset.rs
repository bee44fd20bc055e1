//! `cordon reset`.

use std::path::Path;

use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::session::api;
use crate::{json, report};

/// Removes Cordon's state.
pub fn run(repo: &Path, terminal: &mut Terminal) -> Result<Exit> {
    let done = api::reset(repo)?;
    terminal.answer(|| report::status::reset(&done), || json::pretty(&done))?;
    Ok(Exit::Accepted)
}
