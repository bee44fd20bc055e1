//! PURE. A whole ledger, read without trust: the chain, the canonical form, the structure, and the session it belongs to.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::chain;
use super::effects::compare;
use super::read::{self, Line, Reason, Record};
use super::record::{Event, Finished, Ledger, Outcome, Started};
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;

/// What is wrong with a ledger: the first broken record, from 1, and why, in words that are safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which record, from 1.
    pub record: usize,
    /// Why, as the rest of a sentence that begins with the record.
    pub reason: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {} {}", self.record, self.reason)
    }
}

/// The session that these bytes record, if they are its whole and untouched ledger. `id` is the session whose directory
/// they were found in.
pub fn verify(bytes: &[u8], id: Option<&str>) -> Result<Ledger, Broken> {
    let lines = lines(bytes)?;
    let last = lines.len();
    let mut reader = Reader { prev: chain::genesis(), subjects: HashSet::new(), started: None, events: Vec::new() };
    for (at, line) in lines.iter().enumerate() {
        let broken = |reason| Broken { record: at + 1, reason };
        let place = Place { first: at == 0, last: at + 1 == last };
        if let Some(finished) = reader.take(line, place, id).map_err(broken)? {
            let Reader { started: Some(started), events, .. } = reader else {
                return Err(broken("stands before the record `session.started`".into()));
            };
            return Ok(Ledger { started, events, finished });
        }
    }
    Err(Broken { record: last, reason: "is the last one and no `session.finished`: what followed is missing".into() })
}

/// What the first record says, of a ledger that may be broken.
pub fn opening(bytes: &[u8]) -> Option<Started> {
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    match read::line(first).ok()?.record {
        Record::Started(started) => Some(started),
        _ => None,
    }
}

/// The lines, each without its newline.
fn lines(bytes: &[u8]) -> Result<Vec<&[u8]>, Broken> {
    if bytes.is_empty() {
        return Err(Broken { record: 1, reason: "is missing: the ledger is empty".into() });
    }
    let Some(whole) = bytes.strip_suffix(b"\n") else {
        let record = bytes.split(|byte| *byte == b'\n').count();
        return Err(Broken { record, reason: "does not end with a newline".into() });
    };
    Ok(whole.split(|byte| *byte == b'\n').collect())
}

/// Where a line stands.
#[derive(Clone, Copy)]
struct Place {
    first: bool,
    last: bool,
}

/// What is known of the records so far.
struct Reader {
    /// The digest that the next line must carry.
    prev: String,
    /// The paths that an event is about already.
    subjects: HashSet<RepoPath>,
    started: Option<Started>,
    events: Vec<Event>,
}

impl Reader {
    /// Reads the next line; gives back the last record when it is reached.
    fn take(&mut self, bytes: &[u8], place: Place, id: Option<&str>) -> Result<Option<Finished>, Reason> {
        let Line { prev, record } = read::line(bytes)?;
        if prev != self.prev {
            let before =
                if place.first { "does not begin the chain" } else { "does not follow from the record before" };
            return Err(format!("{before}: one of the two was changed, moved or removed"));
        }
        if !is_canonical(&record, &prev, bytes) {
            return Err("is not in the canonical form".into());
        }
        self.prev = chain::link(bytes);
        match record {
            Record::Started(_) if !place.first => Err("is a `session.started` that is not the first record".into()),
            Record::Started(started) => self.start(started, id).map(|()| None),
            _ if place.first => Err("is the first one and no `session.started`".into()),
            Record::Event(event) => self.event(event).map(|()| None),
            Record::Finished(_) if !place.last => Err("is a `session.finished` that is not the last record".into()),
            Record::Finished(finished) => self.finish(finished).map(Some),
        }
    }

    fn start(&mut self, started: Started, id: Option<&str>) -> Result<(), Reason> {
        if let Some(id) = id.filter(|id| *id != started.id) {
            return Err(format!("belongs to the session {}, not to {}", started.id, plain(id.as_bytes())));
        }
        self.started = Some(started);
        Ok(())
    }

    fn event(&mut self, event: Event) -> Result<(), Reason> {
        let effect = &event.effect;
        for path in [Some(effect.path()), effect.path_before()].into_iter().flatten() {
            if !self.subjects.insert(path.clone()) {
                return Err(format!("is the second one about `{}`", path.plain()));
            }
        }
        if self.events.last().is_some_and(|last| compare(&last.effect, effect) != Ordering::Less) {
            return Err("is out of order: events are sorted by type, path and path before".into());
        }
        self.events.push(event);
        Ok(())
    }

    fn finish(&self, finished: Finished) -> Result<Finished, Reason> {
        if finished.outcome == Outcome::Incomplete && !self.events.is_empty() {
            return Err("says that the session is incomplete, and there are events".into());
        }
        Ok(finished)
    }
}

/// Whether a line is written as this program or the older one writes it.
fn is_canonical(record: &Record, prev: &str, bytes: &[u8]) -> bool {
    match record {
        Record::Started(record) => is_written(record, prev, bytes),
        Record::Event(record) => is_written(record, prev, bytes),
        Record::Finished(record) => is_written(record, prev, bytes),
    }
}

fn is_written(record: &impl super::record::Record, prev: &str, bytes: &[u8]) -> bool {
    chain::line(record, prev).as_bytes() == bytes || chain::older_line(record, prev).as_bytes() == bytes
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
