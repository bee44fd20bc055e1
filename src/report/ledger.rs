//! The trail of checks, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::formats::span::{cell, code};
use super::session;
use super::session_json::ListedForm;
use super::style::{ACCEPTED, REJECTED, paint};
use super::words::counted;
use crate::audit::verdict::{SCHEMA_VERSION, Verdict};
use crate::json;
use crate::ledger::record::{Effect, Ledger, Side, digest_text, mode_text};
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// One line of the list of sessions.
#[derive(Serialize)]
pub struct Row<'a> {
    /// The session.
    #[serde(flatten)]
    pub listed: ListedForm<'a>,
    /// What the check said; `null` for a session without one.
    pub passed: Option<bool>,
}

/// A trail that is whole.
pub struct Intact {
    /// How many sessions there are.
    pub sessions: usize,
    /// How many records the session has that was asked about.
    pub records: usize,
    /// Whether a verdict is bound to it.
    pub has_verdict: bool,
    /// The key that has signed it, if one was asked for.
    pub signed_by: Option<String>,
}

/// A trail that is not.
pub struct Broken {
    /// The first session that is broken; `None` for the index.
    pub session: Option<String>,
    /// The first broken record of its ledger, from 1.
    pub record: Option<usize>,
    /// Why.
    pub reason: String,
}

#[derive(Serialize)]
struct EffectForm<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    path: &'a RepoPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before: Option<&'a RepoPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<SideForm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<SideForm>,
}

#[derive(Serialize, Default)]
struct SideForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
}

#[derive(Serialize)]
struct SessionForm<'a> {
    schema_version: u32,
    session: &'a str,
    actor: &'a Text,
    command: &'a [Text],
    outcome: &'static str,
    exit_code: i64,
    duration_s: &'a serde_json::Number,
    started_at: &'a str,
    finished_at: &'a str,
    effects: Vec<EffectForm<'a>>,
    verdict: Option<&'a Verdict>,
}

/// A session and its verdict as one object.
pub fn json(ledger: &Ledger, verdict: Option<&Verdict>) -> Vec<u8> {
    let (started, finished) = (&ledger.started, &ledger.finished);
    json::pretty(&SessionForm {
        schema_version: SCHEMA_VERSION,
        session: &started.id,
        actor: &started.actor,
        command: &started.command,
        outcome: finished.outcome.name(),
        exit_code: finished.exit_code,
        duration_s: &finished.duration_s,
        started_at: &started.ts,
        finished_at: &finished.ts,
        effects: ledger.events.iter().map(|event| effect(&event.effect)).collect(),
        verdict,
    })
}

fn effect(effect: &Effect) -> EffectForm<'_> {
    let whole = |side: &Side| SideForm {
        entry_type: Some(side.entry_type.name()),
        sha256: Some(digest_text(&side.digest)),
        size: Some(side.size),
        mode: side.mode.map(mode_text),
    };
    let mode = |mode: u16| SideForm { mode: Some(mode_text(mode)), ..SideForm::default() };
    let (before, after) = match effect {
        Effect::Created { side, .. } => (None, Some(whole(side))),
        Effect::Modified { before, after, .. } => (Some(whole(before)), Some(whole(after))),
        Effect::MetadataModified { before, after, .. } => (Some(mode(*before)), Some(mode(*after))),
        Effect::Deleted { entry_type, digest, .. } => {
            let sha256 = Some(digest_text(digest));
            (Some(SideForm { entry_type: Some(entry_type.name()), sha256, ..SideForm::default() }), None)
        }
        Effect::Renamed { digest, size, .. } => {
            let sha256 = Some(digest_text(digest));
            (None, Some(SideForm { sha256, size: Some(*size), ..SideForm::default() }))
        }
    };
    EffectForm { name: effect.name(), path: effect.path(), path_before: effect.path_before(), before, after }
}

/// A session and its verdict for people.
pub fn show(ledger: &Ledger, verdict: Option<&Verdict>) -> String {
    let line = verdict.map_or_else(
        || "Verdict: none, this session is no check\n".to_owned(),
        |verdict| {
            let word = if verdict.passed { paint(ACCEPTED, "ACCEPTED") } else { paint(REJECTED, "REJECTED") };
            format!("Verdict: {word}, {}\n", counted(verdict.violations.len() as u64, "violation"))
        },
    );
    line + &session::summary(ledger)
}

/// A report in Markdown. Names stand in code spans, where nothing but a backtick has a meaning.
pub fn markdown(ledger: &Ledger, verdict: Option<&Verdict>) -> String {
    let (started, finished) = (&ledger.started, &ledger.finished);
    let command: Vec<String> = started.command.iter().map(Text::plain).collect();
    let mut out = format!(
        "# Session {}\n\n| | |\n|---|---|\n| actor | {} |\n| command | {} |\n| began | {} |\n| outcome | {}, exit {} |\n",
        started.id,
        cell(&started.actor.plain()),
        cell(&command.join(" ")),
        plain(started.ts.as_bytes()),
        finished.outcome.name(),
        finished.exit_code
    );
    if let Some(verdict) = verdict {
        let word = if verdict.passed { "**accepted**" } else { "**rejected**" };
        let label = cell(&verdict.label.plain());
        let tree = verdict.tree.as_deref().map_or_else(|| "none".to_owned(), cell);
        write!(
            out,
            "| verdict | {word} |\n| label | {label} |\n| baseline | {} |\n| tree | {tree} |\n| anchor | {} |\n",
            cell(&verdict.baseline),
            cell(&verdict.anchor)
        )
        .expect("writing to a String cannot fail");
        section(&mut out, "Violations", verdict.violations.iter().map(|violation| code(&violation.plain())));
        let zone = |row: &crate::audit::touched::Unobserved| {
            format!("{}: {} ({})", code(&row.zone.plain()), row.count, plain(row.reason.as_bytes()))
        };
        section(&mut out, "Not told", verdict.unobserved.iter().map(zone));
    }
    let told = ledger.events.iter().map(|event| {
        let from = event.effect.path_before().map_or_else(String::new, |path| format!("{} to ", code(&path.plain())));
        format!("{}: {from}{}", event.effect.name().trim_start_matches("file."), code(&event.effect.path().plain()))
    });
    section(&mut out, "Net effects", told);
    out
}

fn section(out: &mut String, title: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.map(|row| format!("- {row}\n")).collect();
    if !rows.is_empty() {
        write!(out, "\n## {title}\n\n{}", rows.concat()).expect("writing to a String cannot fail");
    }
}

/// The list of sessions for people.
pub fn list(rows: &[Row<'_>]) -> String {
    if rows.is_empty() {
        return "No sessions recorded.\n".to_owned();
    }
    let mut out = format!("{:<26}  {:<20}  {:<9}  {:<11}  ACTOR\n", "ID", "STARTED", "VERDICT", "OUTCOME");
    for row in rows {
        let verdict = match row.passed {
            Some(true) => "accepted",
            Some(false) => "rejected",
            None => "-",
        };
        let listed = &row.listed;
        let actor = listed.actor.map_or_else(|| "?".to_owned(), Text::plain);
        let (id, began, outcome) =
            (plain(listed.session.as_bytes()), plain(listed.started_at.as_bytes()), plain(listed.outcome.as_bytes()));
        writeln!(out, "{id:<26}  {began:<20}  {verdict:<9}  {outcome:<11}  {actor}").expect("a String takes all");
    }
    out
}

/// The list of sessions for programs.
pub fn list_json(sessions: &[Row<'_>], broken_lines: &[usize]) -> Vec<u8> {
    #[derive(Serialize)]
    struct ListForm<'a> {
        schema_version: u32,
        sessions: &'a [Row<'a>],
        broken_lines: &'a [usize],
    }
    json::pretty(&ListForm { schema_version: SCHEMA_VERSION, sessions, broken_lines })
}

/// Whether a trail is whole, for people.
pub fn verified(id: &str, verified: &Result<Intact, Broken>) -> String {
    match verified {
        Ok(intact) => {
            let verdict = if intact.has_verdict { "with the verdict that is bound to it" } else { "which is no check" };
            let signed =
                intact.signed_by.as_ref().map_or_else(String::new, |key| format!("Signed by the key {key}.\n"));
            format!(
                "{} session {id}: {}, {verdict}.\nThe trail is whole: {}.\n{signed}",
                paint(ACCEPTED, "INTACT"),
                counted(intact.records as u64, "record"),
                counted(intact.sessions as u64, "session")
            )
        }
        Err(broken) => {
            let place = broken.session.as_ref().map_or_else(|| "the index".to_owned(), |id| format!("session {id}"));
            format!("{} {place}: {}\n", paint(REJECTED, "BROKEN"), broken.reason)
        }
    }
}

/// Whether a trail is whole, for programs.
pub fn verified_json(id: &str, verified: &Result<Intact, Broken>) -> Vec<u8> {
    #[derive(Serialize)]
    struct VerifiedForm<'a> {
        schema_version: u32,
        session: &'a str,
        intact: bool,
        sessions: Option<usize>,
        records: Option<usize>,
        has_verdict: Option<bool>,
        signed_by: Option<&'a str>,
        broken_session: Option<&'a str>,
        broken_record: Option<usize>,
        reason: Option<&'a str>,
    }
    let (intact, broken) = (verified.as_ref().ok(), verified.as_ref().err());
    json::pretty(&VerifiedForm {
        schema_version: SCHEMA_VERSION,
        session: id,
        intact: intact.is_some(),
        sessions: intact.map(|intact| intact.sessions),
        records: intact.map(|intact| intact.records),
        has_verdict: intact.map(|intact| intact.has_verdict),
        signed_by: intact.and_then(|intact| intact.signed_by.as_deref()),
        broken_session: broken.and_then(|broken| broken.session.as_deref()),
        broken_record: broken.and_then(|broken| broken.record),
        reason: broken.map(|broken| broken.reason.as_str()),
    })
}

/// Where a session lies, for programs.
pub fn path_json(path: &Text) -> Vec<u8> {
    #[derive(Serialize)]
    struct PathForm<'a> {
        path: &'a Text,
    }
    json::pretty(&PathForm { path })
}

/// Where the keys are.
pub fn keys(private: &Text, public: &Text, id: &str) -> String {
    format!("private key  {}\npublic key   {}\nkey id       {id}\n", private.plain(), public.plain())
}

/// The same for programs.
pub fn keys_json(private: &Text, public: &Text, key: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct KeysForm<'a> {
        private: &'a Text,
        public: &'a Text,
        key: &'a str,
    }
    json::pretty(&KeysForm { private, public, key })
}

/// That a session is signed.
pub fn signed(session: &str, key: &str) -> String {
    format!("Signed session {session} with the key {key}.\n")
}

/// The same for programs.
pub fn signed_json(session: &str, key: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct SignedForm<'a> {
        session: &'a str,
        key: &'a str,
    }
    json::pretty(&SignedForm { session, key })
}
