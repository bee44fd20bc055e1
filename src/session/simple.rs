//! The commands that only look at the state, or remove it.

use std::path::Path;

use super::anchor::Anchor;
use super::lock::Lock;
use super::store::Store;
use crate::audit::answer::{ResetReport, Status};
use crate::error::{Error, Result};
use crate::git::locate;
use crate::policy::envelope::Envelope;
use crate::policy::text::Text;

/// Where the armed envelope stands. Reads without the lock, so that it can be asked while a check runs.
pub fn status(start: &Path) -> Result<Status> {
    let location = locate::locate(start)?;
    let anchor = Anchor::at(&location.git_dir);
    let record = anchor.vouch(Store::at(&location.root).record())?;
    let rearmed = anchor.rearmed()?;
    let last_audit = record.state.last_audit.as_ref().map(raw).transpose()?;
    Ok(Status {
        mode: record.config.mode.name().to_owned(),
        label: record.config.label,
        baseline: record.config.baseline,
        phase: record.state.phase.name().to_owned(),
        attempt: record.state.attempt,
        max_attempts: record.state.max_attempts,
        last_error: record.state.last_error,
        last_audit,
        anchor: record.anchor,
        rearmed,
    })
}

/// The armed envelope.
pub fn armed_envelope(start: &Path) -> Result<Envelope> {
    let location = locate::locate(start)?;
    Ok(Anchor::at(&location.git_dir).vouch(Store::at(&location.root).record())?.config.policy)
}

/// Removes `.cordon/` and no file of the user; the anchor in the Git directory keeps that it was done.
pub fn reset(start: &Path) -> Result<ResetReport> {
    let location = locate::locate(start)?;
    let store = Store::at(&location.root);
    let path = Text::from_bytes(store.directory().as_os_str().as_encoded_bytes());
    let anchor = Anchor::at(&location.git_dir);
    if !store.exists() && !anchor.needs_reset() {
        return Ok(ResetReport { removed: false, path });
    }
    let _lock = Lock::take(&location.git_dir)?;
    let ended = anchor.vouch(store.record()).ok().map(|record| record.state.phase);
    let removed = store.remove()?;
    anchor.reset(ended)?;
    Ok(ResetReport { removed, path })
}

fn raw(summary: &crate::audit::verdict::Summary) -> Result<Box<serde_json::value::RawValue>> {
    let text = String::from_utf8(crate::json::line(summary)).unwrap_or_default();
    serde_json::value::RawValue::from_string(text.trim_end().to_owned())
        .map_err(|error| Error::state("the last audit cannot be shown").caused_by(error))
}
