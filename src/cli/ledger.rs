//! `cordon ledger`.

use std::path::Path;

use super::args::ledger::{Ledger, LedgerAction, Named, Show, Sign, Verify};
use super::reports::{self, Answer};
use super::terminal::{Terminal, talk};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::text::Text;
use crate::report;
use crate::report::formats::report::Report;
use crate::report::formats::table::Format;
use crate::report::json::for_a_log;
use crate::report::session_json::ListedForm;
use crate::session::api::{Fault, Trail, Whole, signing};

/// Reads the trail of checks, or signs one.
pub fn run(repo: &Path, arguments: &Ledger, format: Option<Format>, terminal: &mut Terminal) -> Result<Exit> {
    match &arguments.action {
        LedgerAction::Keygen { file } => keygen(file, terminal),
        action => {
            let trail = Trail::open(repo)?;
            match action {
                LedgerAction::List => list(&trail, terminal),
                LedgerAction::Show(arguments) => show(&trail, arguments, terminal),
                LedgerAction::Verify(verify) => self::verify(&trail, verify, terminal),
                LedgerAction::Path(Named { session }) => path(&trail, session, terminal),
                LedgerAction::Export(Named { session }) => export(&trail, session, format, terminal),
                LedgerAction::Sign(sign) => self::sign(&trail, sign, terminal),
                LedgerAction::Keygen { .. } => Ok(Exit::Accepted),
            }
        }
    }
}

fn list(trail: &Trail, terminal: &mut Terminal) -> Result<Exit> {
    let (listed, broken) = trail.list();
    for line in broken {
        talk(&report::error::warning(&format!("line {line} of .stone/index.jsonl names no session")));
    }
    let rows: Vec<report::ledger::Row<'_>> = listed
        .iter()
        .map(|listed| report::ledger::Row {
            listed: ListedForm {
                session: &listed.row.id,
                started_at: &listed.row.started_at,
                actor: listed.actor.as_ref(),
                outcome: &listed.row.outcome,
            },
            passed: listed.passed,
        })
        .collect();
    terminal.answer(|| report::ledger::list(&rows), || report::ledger::list_json(&rows, broken))?;
    Ok(Exit::Accepted)
}

/// A session that is whole, or the refusal to tell anything of it.
pub(super) fn whole(trail: &Trail, name: &str) -> Result<(String, Whole)> {
    let id = trail.resolve(name)?;
    let whole = trail.whole(&id).map_err(|fault| {
        Error::state(format!("session {id} is not intact: {}", fault.reason))
            .hint("cordon ledger verify names the first session that is broken.")
    })?;
    Ok((id, whole))
}

fn show(trail: &Trail, Show { named, reports }: &Show, terminal: &mut Terminal) -> Result<Exit> {
    reports::prepare(reports)?;
    let (_, Whole { ledger, audit, .. }) = reports::settle(reports, whole(trail, &named.session))?;
    let verdict = audit.as_ref().map(|audit| &audit.verdict);
    let answer = Answer {
        human: &|| report::ledger::show(&ledger, verdict),
        json: &|| report::ledger::json(&ledger, verdict),
        report: verdict.map(|verdict| Report { verdict, session: Some(&ledger) }),
    };
    reports::deliver(reports, &answer, terminal)?;
    Ok(Exit::Accepted)
}

fn verify(trail: &Trail, arguments: &Verify, terminal: &mut Terminal) -> Result<Exit> {
    let key = arguments.key.as_deref().map(signing::public_key).transpose()?;
    let id = trail.resolve(&arguments.named.session)?;
    let verified = trail.verify().and_then(|sessions| {
        let whole = trail.whole(&id)?;
        if let Some(key) = &key {
            signing::check(trail, &id, whole.statement.as_deref(), key)?;
        }
        Ok(report::ledger::Intact {
            sessions,
            records: whole.ledger.records(),
            has_verdict: whole.audit.is_some(),
            signed_by: key.as_ref().map(crate::ledger::dsse::PublicKey::id),
        })
    });
    let verified =
        verified.map_err(|Fault { session, record, reason }| report::ledger::Broken { session, record, reason });
    terminal.answer(|| report::ledger::verified(&id, &verified), || report::ledger::verified_json(&id, &verified))?;
    Ok(if verified.is_ok() { Exit::Accepted } else { Exit::Rejected })
}

fn path(trail: &Trail, name: &str, terminal: &mut Terminal) -> Result<Exit> {
    let id = trail.resolve(name)?;
    let path = trail.store.path().join("sessions").join(id);
    let path = Text::from_bytes(path.as_os_str().as_encoded_bytes());
    terminal.answer(|| format!("{}\n", path.plain()), || report::ledger::path_json(&path))?;
    Ok(Exit::Accepted)
}

fn export(trail: &Trail, name: &str, format: Option<Format>, terminal: &mut Terminal) -> Result<Exit> {
    let (id, Whole { ledger, audit, statement }) = whole(trail, name)?;
    let verdict = audit.as_ref().map(|audit| &audit.verdict);
    match (format, statement) {
        (Some(Format::Intoto), Some(statement)) => terminal.raw(&statement)?,
        (Some(Format::Intoto), None) => {
            return Err(Error::refused(format!("session {id} holds no check, so there is no statement of it")));
        }
        (Some(Format::Human | Format::Markdown), _) => {
            terminal.raw(report::ledger::markdown(&ledger, verdict).as_bytes())?;
        }
        _ => terminal.raw(&for_a_log(&report::ledger::json(&ledger, verdict)))?,
    }
    Ok(Exit::Accepted)
}

fn keygen(file: &Path, terminal: &mut Terminal) -> Result<Exit> {
    let (public, id) = signing::keygen(file)?;
    let text = |path: &Path| Text::from_bytes(path.as_os_str().as_encoded_bytes());
    let (private, public) = (text(file), text(&public));
    terminal.answer(
        || report::ledger::keys(&private, &public, &id),
        || report::ledger::keys_json(&private, &public, &id),
    )?;
    Ok(Exit::Accepted)
}

fn sign(trail: &Trail, arguments: &Sign, terminal: &mut Terminal) -> Result<Exit> {
    let id = trail.resolve(&arguments.named.session)?;
    let key = signing::sign(trail, &id, &arguments.key)?;
    terminal.answer(|| report::ledger::signed(&id, &key), || report::ledger::signed_json(&id, &key))?;
    Ok(Exit::Accepted)
}
