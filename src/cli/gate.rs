//! `cordon gate`.

use std::path::Path;

use super::args::Gate;
use super::progress::Progress;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::session::api::{self, GateOptions};
use crate::{json, report};

/// Judges a change that is to be merged.
pub fn run(repo: &Path, arguments: &Gate, terminal: &mut Terminal) -> Result<Exit> {
    let options =
        GateOptions { base: arguments.base.clone(), head: arguments.head.clone(), role: arguments.role.clone() };
    let progress = Progress::start();
    let verdict = api::gate(repo, &options, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let verdict = verdict?;
    terminal.answer(|| report::verdict::human(&verdict), || json::pretty(&verdict))?;
    Ok(if verdict.passed { Exit::Accepted } else { Exit::Rejected })
}
