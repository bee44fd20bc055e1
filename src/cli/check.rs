//! `cordon check`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::Check;
use super::progress::Progress;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::text::Text;
use crate::session::api::{self, CheckOptions, Expected};
use crate::{json, report};

/// Judges what changed since arming.
pub fn run(repo: &Path, arguments: &Check, terminal: &mut Terminal) -> Result<Exit> {
    let anchor = arguments.anchor.as_deref().map(Expected::parse).transpose()?;
    let actor = Text::from_bytes(arguments.actor.as_bytes());
    let command = std::env::args_os().map(|word| Text::from_bytes(word.as_bytes())).collect();
    let options = CheckOptions { rehash: arguments.rehash, anchor, actor, command };
    let progress = Progress::start();
    let verdict = api::check(repo, &options, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let verdict = verdict?;
    terminal.answer(|| report::verdict::human(&verdict), || json::pretty(&verdict))?;
    Ok(if verdict.passed { Exit::Accepted } else { Exit::Rejected })
}
