//! `cordon gate`.

use std::io::Read as _;
use std::path::Path;

use super::args::Gate;
use super::progress::Progress;
use super::reports::{self, Answer};
use super::terminal::{Terminal, talk};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::report::formats::report::Report;
use crate::session::api::{self, GateOptions};
use crate::{json, report};

/// Judges a change that is to be merged.
pub fn run(repo: &Path, arguments: &Gate, terminal: &mut Terminal) -> Result<Exit> {
    if arguments.pre_receive {
        return pre_receive(repo, arguments, terminal);
    }
    let verify = match (arguments.verify, arguments.no_verify) {
        (false, false) => None,
        (verify, _) => Some(verify),
    };
    let options = GateOptions {
        base: arguments.base.clone(),
        head: arguments.head.clone(),
        role: arguments.role.clone(),
        verify,
    };
    let reports = &arguments.reports;
    reports::prepare(reports)?;
    let progress = Progress::start();
    let verdict = api::gate(repo, &options, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let verdict = reports::settle(reports, verdict)?;
    let answer = Answer {
        human: &|| report::verdict::human(&verdict),
        json: &|| json::pretty(&verdict),
        report: Some(Report { verdict: &verdict, session: None }),
    };
    reports::deliver(reports, &answer, terminal)?;
    Ok(if verdict.passed { Exit::Accepted } else { Exit::Rejected })
}

/// The longest list of refs that a push may bring, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Judges a push. Its pusher sees what goes to standard error; JSON is only for who asks for it.
fn pre_receive(repo: &Path, arguments: &Gate, terminal: &mut Terminal) -> Result<Exit> {
    let mut input = Vec::new();
    std::io::stdin()
        .take(LONGEST)
        .read_to_end(&mut input)
        .map_err(|error| Error::io("cannot read what the push updates", error))?;
    let pushed = api::pre_receive(repo, &input, arguments.role.as_deref())?;
    talk(&report::push::human(&pushed));
    terminal.answer(String::new, || json::pretty(&pushed))?;
    Ok(if pushed.passed { Exit::Accepted } else { Exit::Rejected })
}
