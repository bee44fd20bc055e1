//! `cordon check`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::Check;
use super::ledger;
use super::progress::Progress;
use super::reports::{self, Answer};
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::text::Text;
use crate::report::formats::report::Report;
use crate::session::api::{self, CheckOptions, Expected, Trail, Whole};
use crate::{json, report};

/// Judges what changed since arming.
pub fn run(repo: &Path, arguments: &Check, terminal: &mut Terminal) -> Result<Exit> {
    let reports = &arguments.reports;
    reports::prepare(reports)?;
    let anchor = arguments.anchor.as_deref().map(Expected::parse).transpose()?;
    let actor = Text::from_bytes(arguments.actor.as_bytes());
    let command = std::env::args_os().map(|word| Text::from_bytes(word.as_bytes())).collect();
    let options = CheckOptions { rehash: arguments.rehash, anchor, actor, command };
    let progress = Progress::start();
    let verdict = api::check(repo, &options, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let verdict = reports::settle(reports, verdict)?;
    let session = match &verdict.session {
        Some(id) if reports::tell_session(reports, terminal) => Some(ledger::whole(&Trail::open(repo)?, id)?.1),
        _ => None,
    };
    let answer = Answer {
        human: &|| report::verdict::human(&verdict),
        json: &|| json::pretty(&verdict),
        report: Some(Report { verdict: &verdict, session: session.as_ref().map(|Whole { ledger, .. }| ledger) }),
    };
    reports::deliver(reports, &answer, terminal)?;
    Ok(if verdict.passed { Exit::Accepted } else { Exit::Rejected })
}
