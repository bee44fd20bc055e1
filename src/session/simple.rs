//! The commands that only look at the state, or remove it.

use std::path::Path;

use super::check::require_baseline;
use super::lock::Lock;
use super::store::{Record, Store};
use crate::audit::answer::{ResetReport, Status};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::error::Result;
use crate::git::control::Control;
use crate::git::locate;
use crate::policy::envelope::Envelope;
use crate::policy::text::Text;

/// Where the armed envelope stands. Reads without the lock, so that it can be asked while a check runs.
pub fn status(start: &Path) -> Result<Status> {
    let record = whole(start)?;
    Ok(Status {
        schema_version: SCHEMA_VERSION,
        mode: record.config.mode.name().to_owned(),
        label: record.config.label,
        baseline: record.config.baseline,
        policy: record.config.policy,
        verify: record.config.verify,
        verify_timeout: record.config.verify_timeout,
        created_at: record.config.created_at,
        phase: record.state.phase.name().to_owned(),
        attempt: record.state.attempt,
        max_attempts: record.state.max_attempts,
        last_error: record.state.last_error,
        last_audit: record.state.last_audit,
        anchor: record.anchor,
    })
}

/// The armed envelope.
pub fn armed_envelope(start: &Path) -> Result<Envelope> {
    Ok(whole(start)?.config.policy)
}

/// Removes `.cordon/` and nothing else.
pub fn reset(start: &Path) -> Result<ResetReport> {
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
    if !store.exists() {
        return Ok(ResetReport { schema_version: SCHEMA_VERSION, removed: false, path });
    }
    let _lock = Lock::take(&location.git_dir)?;
    let removed = store.remove()?;
    Ok(ResetReport { schema_version: SCHEMA_VERSION, removed, path })
}

/// The record of an envelope whose files are all there and belong together.
fn whole(start: &Path) -> Result<Record> {
    let store = Store::at(&locate::locate(start)?.root);
    let record = store.record()?;
    let fingerprint = store.fingerprint(&record.state)?;
    require_baseline(&record, &Control::decode(&fingerprint.control)?)?;
    Ok(record)
}

/// Where the state is when the repository itself is gone: the nearest directory upwards that has it.
fn orphaned(start: &Path) -> Option<Store> {
    let start = std::fs::canonicalize(start).ok()?;
    start.ancestors().map(Store::at).find(Store::exists)
}
