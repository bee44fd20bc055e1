//! `run`: arms an envelope, lets an agent work in it, and judges what it did, as one operation.

use std::path::Path;

use super::api::{RunRequest, Watch};
use super::arm::{self, Fresh};
use super::attempt::{Attempt, Stop, cannot_start};
use super::durable::Writer;
use crate::agent::ended::Ran;
use crate::error::{Error, Kind, Result};
use crate::git::locate;
use crate::policy::signal;
use crate::process::agent;
use crate::process::supervisor::Supervisor;

/// Arms an envelope over the repository that holds `start` and makes the first attempt.
///
/// # Errors
/// Of kind `Agent` when the agent cannot start; nothing is armed then. Everything else is as for `arm` and `check`.
pub fn run(start: &Path, request: &RunRequest, watch: &dyn Watch) -> Result<Ran> {
    let engine = &request.engine;
    engine.validate()?;
    let root = locate::locate(start)?.root;
    agent::locate(&engine.program(), &root).map_err(|why| cannot_start(engine, &why))?;
    let mut supervisor = supervisor()?;
    // The agent need not wait for the disk: what arm writes is there before anything is judged.
    let writer = Writer::later();
    let report = |phrase: &str, done: u64| watch.report(phrase, done);
    let fresh = arm::arm_with(start, &request.arm, Some(engine), &writer, &report)?;
    if let Some(signal) = supervisor.interrupted() {
        fresh.undo();
        return Err(Error::new(
            Kind::Interrupted(u8::try_from(signal).unwrap_or(0)),
            format!("interrupted by {}", signal::words(signal)),
        )
        .hint("Nothing is armed; run again when you are ready."));
    }
    watch.armed(&fresh.warnings);
    let Fresh { store, anchor, lock, record, .. } = &fresh;
    let attempt = Attempt { root: &root, store, anchor, lock, record: record.clone(), watch };
    match attempt.make(engine, &mut supervisor) {
        Ok(ran) => Ok(ran),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::NotStarted(error)) => {
            fresh.undo();
            Err(error)
        }
    }
}

/// Somebody to watch over the agent, whose keeper starts while the envelope is armed.
pub fn supervisor() -> Result<Supervisor> {
    let cannot = |error| Error::io("cannot watch over programs", error);
    let mut supervisor = Supervisor::new().map_err(cannot)?;
    supervisor.keeper().map_err(cannot)?;
    Ok(supervisor)
}
