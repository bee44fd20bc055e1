//! `cordon reset`.

use std::path::Path;

use super::args::Reset;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::session::api;
use crate::{json, report};

/// Removes Cordon's state.
pub fn run(repo: &Path, arguments: &Reset, terminal: &mut Terminal) -> Result<Exit> {
    let done = api::reset(repo, arguments.discard_kept)?;
    terminal.answer(|| report::status::reset(&done), || json::pretty(&done))?;
    Ok(Exit::Accepted)
}
