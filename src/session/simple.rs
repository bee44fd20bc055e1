//! The commands that only look at the state, or remove it.

use std::path::Path;

use super::anchor::Anchor;
use super::aside::Aside;
use super::engine::Engine;
use super::lock::Lock;
use super::observer::require_baseline;
use super::running;
use super::state::Phase;
use super::store::{Record, Store};
use super::unsaved;
use crate::agent::ended::Ended;
use crate::audit::answer::{AgentStatus, ResetReport, Status};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::error::Result;
use crate::git::control::Control;
use crate::git::locate;
use crate::policy::envelope::Envelope;
use crate::policy::file::territory::Claims;
use crate::policy::text::Text;

/// Where the armed envelope stands. Reads without the lock, so that it can be asked while a check runs.
pub fn status(start: &Path) -> Result<Status> {
    let (record, anchor, store) = whole(start)?;
    let rearmed = anchor.rearmed()?;
    // A Cordon that was killed could not write down that its agent was ended with it.
    let is_running = record.state.phase == Phase::Running && running::is_under_way(&store);
    let phase =
        if record.state.phase == Phase::Running && !is_running { Phase::Interrupted } else { record.state.phase };
    let agent = record.config.agent.map(|engine| agent_status(engine, record.state.last_agent));
    Ok(Status {
        agent,
        schema_version: SCHEMA_VERSION,
        mode: record.config.mode.name().to_owned(),
        label: record.config.label,
        role: record.config.role,
        baseline: record.config.baseline,
        policy: record.config.policy,
        verify: record.config.verify,
        verify_timeout: record.config.verify_timeout,
        created_at: record.config.created_at,
        phase: phase.name().to_owned(),
        attempt: record.state.attempt,
        max_attempts: record.state.max_attempts,
        last_error: record.state.last_error,
        last_audit: record.state.last_audit,
        anchor: record.anchor,
        rearmed,
    })
}

fn agent_status(engine: Engine, last: Option<Ended>) -> AgentStatus {
    let Engine { name, timeout, .. } = engine;
    let ended = last.is_some();
    let (failure, reported) = last.map(|last| (last.failure, last.reported)).unwrap_or_default();
    AgentStatus { name, timeout, ended, failure, turns: reported.turns, cost_usd: reported.cost_usd }
}

/// The armed envelope.
pub fn armed_envelope(start: &Path) -> Result<Envelope> {
    Ok(whole(start)?.0.config.policy)
}

/// Who owns what, as the armed commit says it; `None` where it has no policy file.
pub fn armed_claims(start: &Path) -> Result<Option<Claims>> {
    Ok(whole(start)?.0.config.territory)
}

/// Removes `.cordon/` and no file of the user; the anchor in the Git directory keeps that it was done. Kept work that is
/// nowhere else is dropped only if `discard_kept` says so.
pub fn reset(start: &Path, discard_kept: bool) -> Result<ResetReport> {
    let location = match locate::locate(start) {
        Ok(location) => location,
        Err(error) => {
            let store = orphaned(start).ok_or(error)?;
            let path = Text::from_bytes(store.directory().as_os_str().as_encoded_bytes());
            return Ok(ResetReport { schema_version: SCHEMA_VERSION, removed: store.remove()?, path });
        }
    };
    let store = Store::at(&location.root);
    let path = Text::from_bytes(store.directory().as_os_str().as_encoded_bytes());
    let anchor = Anchor::at(&location.git_dir);
    let aside = Aside::at(&location.git_dir);
    if !store.exists() && !anchor.needs_reset() && !aside.exists() {
        return Ok(ResetReport { schema_version: SCHEMA_VERSION, removed: false, path });
    }
    let _lock = Lock::take(&location.git_dir)?;
    // With the state goes the only trace of an agent that a killed Cordon left at work.
    running::refuse_leftovers(&store)?;
    if !discard_kept {
        unsaved::refuse(&location, &store, &anchor)?;
    }
    let ended = anchor.vouch(store.record()).ok().map(|record| (record.state.phase, record.config.baseline));
    // An envelope may be armed whose directory is gone.
    let was_armed = anchor.needs_reset();
    let removed = store.remove()? || was_armed;
    aside.remove()?;
    anchor.reset(ended)?;
    Ok(ResetReport { schema_version: SCHEMA_VERSION, removed, path })
}

/// The record of an envelope whose files are all there and belong together, and the anchor that vouches for it.
fn whole(start: &Path) -> Result<(Record, Anchor, Store)> {
    let location = locate::locate(start)?;
    let anchor = Anchor::at(&location.git_dir);
    let store = Store::at(&location.root);
    let record = anchor.vouch(store.record())?;
    let fingerprint = store.fingerprint(&record.state)?;
    require_baseline(&record, &Control::decode(&fingerprint.control)?)?;
    Ok((record, anchor, store))
}

/// Where the state is when the repository itself is gone: the nearest directory upwards that has it.
fn orphaned(start: &Path) -> Option<Store> {
    let start = std::fs::canonicalize(start).ok()?;
    start.ancestors().map(Store::at).find(Store::exists)
}
