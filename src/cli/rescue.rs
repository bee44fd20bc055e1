//! `cordon rescue`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::Rescue;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::path::RepoPath;
use crate::session::api;
use crate::{json, report};

/// Writes kept work into a new directory.
pub fn run(repo: &Path, arguments: &Rescue, terminal: &mut Terminal) -> Result<Exit> {
    // A shell completes directories with a slash at the end.
    let path = |bytes: &[u8]| RepoPath::from(bytes.strip_suffix(b"/").unwrap_or(bytes));
    let paths: Vec<RepoPath> = arguments.paths.iter().map(|word| path(word.as_bytes())).collect();
    let done = api::rescue(repo, &paths, arguments.to.as_deref())?;
    terminal.answer(|| report::status::rescued(&done), || json::pretty(&done))?;
    Ok(Exit::Accepted)
}
