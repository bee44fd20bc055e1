//! Sessions of `stone` for people: what a command has changed, and which sessions there are.

use std::fmt::Write as _;

use crate::ledger::record::{Backend, Confinement, Effect, Ledger, Outcome};
use crate::ledger::verify::Broken;
use crate::policy::escape::plain;
use crate::policy::shell;

/// What stands for a type of event, as wide as the widest and two more.
fn label(effect: &Effect) -> &'static str {
    match effect {
        Effect::Created { .. } => "CREATED     ",
        Effect::Deleted { .. } => "DELETED     ",
        Effect::MetadataModified { .. } => "METADATA    ",
        Effect::Modified { .. } => "MODIFIED    ",
        Effect::Renamed { .. } => "RENAMED     ",
    }
}

/// The summary of a session.
pub fn summary(ledger: &Ledger) -> String {
    let (started, finished) = (&ledger.started, &ledger.finished);
    let command: Vec<String> = started.command.iter().map(|word| shell::word(word.as_bytes())).collect();
    let mut out = format!(
        "Session: {}\nDeclared actor: {}\nCommand: {}\nOutcome: {}\nDuration: {:.1} seconds\n",
        started.id,
        started.actor.plain(),
        command.join(" "),
        finished.outcome.name(),
        finished.duration_s.as_f64().unwrap_or_default(),
    );
    if let Some(confinement) = started.confinement {
        out.push_str(&confined(confinement));
    }
    out.push('\n');
    if finished.outcome == Outcome::Incomplete {
        out.push_str("The final snapshot could not be completed:\nthe net effects of this session are unknown.\n");
    } else if ledger.events.is_empty() {
        out.push_str("No net effects detected.\n");
    } else {
        out.push_str("Net effects detected:\n");
        for event in &ledger.events {
            let from =
                event.effect.path_before().map_or_else(String::new, |path| format!("{} \u{2192} ", path.plain()));
            writeln!(out, "{} {from}{}", label(&event.effect), event.effect.path().plain())
                .expect("a String takes all");
        }
        out.push_str("\nThe order shown does not necessarily represent\nthe chronological order of the operations.\n");
    }
    out
}

/// What became of an attestation; a receipt is kept under `name`.
pub fn attested(attested: &Result<(), String>, name: &str) -> String {
    match attested {
        Ok(()) => format!("Attestation: receipt accepted and saved as {name}\n"),
        Err(why) => format!("Attestation FAILED: {why}\n"),
    }
}

/// That a receipt was there already.
pub fn receipt_present(name: &str) -> String {
    format!("Receipt already present: {name} (receipts are never replaced).\n")
}

fn confined(confinement: Confinement) -> String {
    if confinement.backend == Backend::None {
        return "Confinement: none\n".into();
    }
    let scope = if confinement.signal_scope { ", signal scope" } else { "" };
    format!("Confinement: {} ({} profile{scope})\n", confinement.backend.name(), confinement.profile.name())
}

/// That a ledger is whole, and that there is a receipt for it.
pub fn intact(ledger: &Ledger, receipt: bool) -> String {
    let receipt =
        if receipt { "Receipt present: its signature is not checked here; `witness verify` does that.\n" } else { "" };
    format!("Ledger intact: {} records, hash chain and structure verified.\n{receipt}", ledger.records())
}

/// That it is not.
pub fn broken(broken: &Broken) -> String {
    format!("Ledger NOT intact: {broken}\n")
}

/// One line of the list of sessions: id, start, actor and outcome.
pub fn row(id: &str, started_at: &str, actor: &str, outcome: &str) -> String {
    format!("{id:<26}  {started_at:<20}  {actor:<16}  {outcome}\n")
}

/// The list of sessions.
pub fn list<'a>(sessions: impl Iterator<Item = (&'a str, &'a str, Option<String>, &'a str)>) -> String {
    let rows: String = sessions
        .map(|(id, started_at, actor, outcome)| {
            let actor = actor.unwrap_or_else(|| "?".into());
            row(&plain(id.as_bytes()), &plain(started_at.as_bytes()), &actor, &plain(outcome.as_bytes()))
        })
        .collect();
    if rows.is_empty() { "No sessions recorded.\n".into() } else { row("ID", "STARTED", "ACTOR", "OUTCOME") + &rows }
}
