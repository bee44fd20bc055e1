//! `resume`: another attempt of the agent in the envelope that stands, told what the one before left behind.

use std::path::Path;

use super::api::Watch;
use super::attempt::{Attempt, Stop};
use super::opened::Opened;
use super::run::supervisor;
use super::state::{Phase, State};
use super::store::Record;
use super::{check, look};
use crate::agent::ended::Ran;
use crate::audit::finding::{Finding, Severity};
use crate::error::{Error, Result};
use crate::policy::text::Text;

/// So many findings are named before the rest is only counted.
const NAMED: usize = 10;

/// Makes the next attempt over the repository that holds `start`.
///
/// # Errors
/// Refused when no agent is part of the envelope, when its work was accepted, when no attempt is left, and when what is
/// there already left the envelope: then the hints say how it is brought back.
pub fn resume(start: &Path, watch: &dyn Watch) -> Result<Ran> {
    let Opened { root, store, anchor, record, lock, .. } = Opened::at(start)?;
    let Some(engine) = record.config.agent.clone() else {
        return Err(Error::refused("no agent is part of this envelope: it was armed with cordon arm")
            .hint("Let your agent work, then run cordon check. cordon run arms an envelope with an agent."));
    };
    require_another(&record)?;
    watch.report("comparing what changed", 0);
    let outside: Vec<Finding> = check::preview(&root, &store, &record)?.findings;
    let outside: Vec<&Finding> = outside.iter().filter(|finding| finding.severity == Severity::Violation).collect();
    if let Some(first) = outside.first() {
        let state = State {
            phase: Phase::Rejected,
            last_error: Some(first.message.clone()),
            updated_at: look::now(),
            ..record.state.clone()
        };
        store.update(&state)?;
        return Err(left_the_envelope(&outside));
    }
    let mut supervisor = supervisor()?;
    let attempt = Attempt { root: &root, store: &store, anchor: &anchor, lock: &lock, record, watch };
    attempt.make(&engine, &mut supervisor).map_err(|stop| match stop {
        Stop::NotStarted(error) | Stop::Failed(error) => error,
    })
}

/// Whether the state has room for another attempt.
fn require_another(record: &Record) -> Result<()> {
    let state = &record.state;
    if state.phase == Phase::Accepted {
        return Err(Error::refused("the last check accepted the work: there is nothing to resume")
            .hint("Run cordon reset, then commit."));
    }
    if state.attempt >= state.max_attempts {
        let attempts = if state.max_attempts == 1 { "the only attempt was" } else { "all attempts were" };
        return Err(Error::refused(format!("{attempts} made: {} of {}", state.attempt, state.max_attempts))
            .hint("Finish by hand and run cordon check, or cordon reset and run again with more --max-attempts."));
    }
    Ok(())
}

fn left_the_envelope(outside: &[&Finding]) -> Error {
    let what = if outside.len() == 1 { "1 violation".to_owned() } else { format!("{} violations", outside.len()) };
    let error = Error::refused(format!("what is there already is outside of the envelope, with {what}"));
    let named = outside.iter().take(NAMED).map(|finding| {
        let undo = finding.undo.as_ref().map_or_else(|| finding.advice(), |undo| format!("Undo it: {}", shell(undo)));
        format!("{}. {undo}", crate::audit::finding::sentence(&finding.message))
    });
    let error = named.fold(error, Error::hint);
    match outside.len().saturating_sub(NAMED) {
        0 => error,
        rest => error.hint(format!("And {rest} more; cordon check lists all.")),
    }
}

/// A command as it is typed into a shell.
fn shell(command: &Text) -> String {
    crate::policy::escape::typed(command.as_bytes())
}
