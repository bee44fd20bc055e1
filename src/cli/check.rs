//! `cordon check`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::Check;
use super::ledger;
use super::progress::Progress;
use super::reports::{self, Answer};
use super::terminal::Terminal;
use crate::audit::verdict::Verdict;
use crate::error::Result;
use crate::exit::Exit;
use crate::ledger::record::Ledger;
use crate::policy::text::Text;
use crate::report::formats::report::Report;
use crate::session::api::{self, CheckOptions, Expected, Trail};
use crate::{json, report};

/// Judges what changed since arming.
pub fn run(repo: &Path, arguments: &Check, terminal: &mut Terminal) -> Result<Exit> {
    let reports = &arguments.reports;
    reports::prepare(reports)?;
    let tell_session = reports::tell_session(reports, terminal);
    let (verdict, session) = reports::settle(reports, judge(repo, arguments, tell_session))?;
    let answer = Answer {
        human: &|| report::verdict::human(&verdict),
        json: &|| json::pretty(&verdict),
        report: Some(Report { verdict: &verdict, session: session.as_ref() }),
    };
    reports::deliver(reports, &answer, terminal)?;
    Ok(if verdict.passed { Exit::Accepted } else { Exit::Rejected })
}

/// The verdict, and if it is asked for the session that it is recorded in.
fn judge(repo: &Path, arguments: &Check, tell_session: bool) -> Result<(Verdict, Option<Ledger>)> {
    let anchor = arguments.anchor.as_deref().map(Expected::parse).transpose()?;
    let actor = Text::from_bytes(arguments.actor.as_bytes());
    let command = std::env::args_os().map(|word| Text::from_bytes(word.as_bytes())).collect();
    let options = CheckOptions { rehash: arguments.rehash, anchor, actor, command };
    let progress = Progress::start();
    let verdict = api::check(repo, &options, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let verdict = verdict?;
    let session = match &verdict.session {
        Some(id) if tell_session => Some(ledger::whole(&Trail::open(repo)?, id)?.1.ledger),
        _ => None,
    };
    Ok((verdict, session))
}
