//! Sessions of `stone` for programs.

use serde::Serialize;

use crate::audit::verdict::SCHEMA_VERSION;
use crate::json;
use crate::ledger::record::{Effect, Ledger};
use crate::ledger::store;
use crate::ledger::verify::Broken;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

#[derive(Serialize)]
struct SessionForm<'a> {
    schema_version: u32,
    session: &'a str,
    ledger: String,
    actor: &'a Text,
    command: &'a [Text],
    outcome: &'static str,
    exit_code: i64,
    duration_s: &'a serde_json::Number,
    started_at: &'a str,
    finished_at: &'a str,
    confinement: Option<ConfinementForm>,
    effects: Vec<EffectForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attestation: Option<AttestationForm<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ConfinementForm {
    backend: &'static str,
    profile: &'static str,
    signal_scope: bool,
}

#[derive(Serialize)]
struct AttestationForm<'a> {
    accepted: bool,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct EffectForm<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    path: &'a RepoPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before: Option<&'a RepoPath>,
}

/// A session on one line, because what its command wrote may stand before it.
pub fn session(ledger: &Ledger, attested: Option<&Result<(), String>>, notes: &[String]) -> Vec<u8> {
    let (started, finished) = (&ledger.started, &ledger.finished);
    let confinement = started.confinement.map(|confinement| ConfinementForm {
        backend: confinement.backend.name(),
        profile: confinement.profile.name(),
        signal_scope: confinement.signal_scope,
    });
    json::line(&SessionForm {
        schema_version: SCHEMA_VERSION,
        session: &started.id,
        ledger: store::ledger_path(&started.id),
        actor: &started.actor,
        command: &started.command,
        outcome: finished.outcome.name(),
        exit_code: finished.exit_code,
        duration_s: &finished.duration_s,
        started_at: &started.ts,
        finished_at: &finished.ts,
        confinement,
        effects: ledger.events.iter().map(|event| effect(&event.effect)).collect(),
        attestation: attested.map(attestation),
        notes,
    })
}

fn attestation(attested: &Result<(), String>) -> AttestationForm<'_> {
    AttestationForm { accepted: attested.is_ok(), reason: attested.as_ref().err().map(String::as_str) }
}

#[derive(Serialize)]
struct ReceiptForm<'a> {
    schema_version: u32,
    session: &'a str,
    accepted: bool,
    already_present: bool,
}

/// That there is a receipt for a session, and whether it was there already.
pub fn receipt(session: &str, already_present: bool) -> Vec<u8> {
    json::pretty(&ReceiptForm { schema_version: SCHEMA_VERSION, session, accepted: !already_present, already_present })
}

fn effect(effect: &Effect) -> EffectForm<'_> {
    EffectForm { name: effect.name(), path: effect.path(), path_before: effect.path_before() }
}

#[derive(Serialize)]
struct VerifiedForm<'a> {
    schema_version: u32,
    session: &'a str,
    intact: bool,
    records: Option<usize>,
    broken_record: Option<usize>,
    reason: Option<&'a str>,
    receipt: bool,
}

/// Whether a ledger is whole.
pub fn verified(session: &str, ledger: Result<&Ledger, &Broken>, receipt: bool) -> Vec<u8> {
    json::pretty(&VerifiedForm {
        schema_version: SCHEMA_VERSION,
        session,
        intact: ledger.is_ok(),
        records: ledger.ok().map(Ledger::records),
        broken_record: ledger.err().map(|broken| broken.record),
        reason: ledger.err().map(|broken| broken.reason.as_str()),
        receipt,
    })
}

#[derive(Serialize)]
struct ListForm<'a> {
    schema_version: u32,
    sessions: Vec<ListedForm<'a>>,
    broken_lines: &'a [usize],
}

/// One session of a list.
#[derive(Serialize)]
pub struct ListedForm<'a> {
    /// The session.
    pub session: &'a str,
    /// When it began.
    pub started_at: &'a str,
    /// Who says to have run it.
    pub actor: Option<&'a Text>,
    /// How it ended.
    pub outcome: &'a str,
}

/// The sessions of a workspace, and the lines of the index that name none.
pub fn list<'a>(sessions: impl Iterator<Item = ListedForm<'a>>, broken_lines: &'a [usize]) -> Vec<u8> {
    json::pretty(&ListForm { schema_version: SCHEMA_VERSION, sessions: sessions.collect(), broken_lines })
}
