//! Ignored entries that are not as they were at arm: those whose change could be a violation are told with their bytes, the
//! others are counted by place.

use super::baseline::within;
use super::observe::Scene;
use super::oversize;
use super::reader::{Reader, Seen, in_parallel};
use super::touched::{self, Trace};
use crate::audit::evidence::Evidence;
use crate::audit::ignored::{Ignored, IgnoredKind};
use crate::audit::touched::left_out;
use crate::error::Result;
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Entry, Kind};

/// New ignored files are read for the ledger until they come to so many bytes ...
const BYTES: u64 = 64 << 20;

/// ... or so many files, the smallest first: at most they are noted, and a check must stay quick.
const FILES: usize = 2_000;

/// An ignored file whose bytes were read because its stat said nothing.
pub struct Reread {
    /// The path.
    pub path: RepoPath,
    /// The digest of arm.
    pub before: [u8; 32],
    /// The digest now, or why there is none.
    pub now: Seen<[u8; 32]>,
}

/// Files that were read for the audit already: equal bytes may have other permissions.
pub fn reread(scene: &Scene<'_>, found: &[Reread], evidence: &mut Evidence) {
    for Reread { path, before, now } in found {
        let (Some(old), Some(new)) = (scene.baseline.entry(path.as_bytes()), scene.now.entry(path.as_bytes())) else {
            continue;
        };
        if let Ok(now) = now
            && now == before
            && old.stat.permissions != new.stat.permissions
            && old.stat.kind == Kind::File
        {
            let side = |entry: &Entry| crate::audit::touched::OnDisk { stat: entry.stat, sha256: *now, target: None };
            note(path, touched::told(path, Some(side(old)), Some(side(new))), evidence);
        }
    }
}

/// What is told of the ignored entries of one checkout.
pub fn trace(
    prefix: &RepoPath,
    scene: &Scene<'_>,
    rules: &AuditRules,
    reader: &Reader,
    entries: &[Ignored],
    evidence: &mut Evidence,
) -> Result<()> {
    let mut told: Vec<&Ignored> = Vec::new();
    for entry in entries {
        match left_out(rules, entry) {
            Some((zone, reason)) => evidence.omissions.note(zone, reason),
            None => told.push(entry),
        }
    }
    for entry in beyond_the_budget(scene, &mut told) {
        let zone = crate::audit::ignored::top(&entry.path).plain();
        evidence.omissions.note(zone, "more new ignored files than are read");
    }
    let traces = in_parallel(reader, &told, |reader, entry| one(prefix, scene, reader, entry))?;
    for (entry, trace) in told.iter().zip(traces) {
        note(&entry.path, trace?, evidence);
    }
    Ok(())
}

/// Adds one trace to the evidence.
pub fn note(path: &RepoPath, trace: Trace, evidence: &mut Evidence) {
    match trace {
        Trace::Same => {}
        Trace::Differs(touched) => evidence.touched.push(*touched),
        Trace::Lost => evidence.omissions.note(path.as_bytes(), "its bytes of arm are not known"),
        Trace::TooLarge => evidence.omissions.note(path.as_bytes(), "too large to be read"),
        Trace::Unread => evidence.unread.push(path.clone()),
    }
}

fn one(prefix: &RepoPath, scene: &Scene<'_>, reader: &mut Reader, entry: &Ignored) -> Result<Trace> {
    let path = entry.path.as_bytes();
    let with_content = |entry: &&Entry| touched::has_content(entry.stat.kind);
    let at_arm = scene.baseline.entry(path).filter(with_content);
    let before = match at_arm {
        None => None,
        Some(entry) => match ignored_before(reader, entry) {
            Some(before) => Some(before),
            None => return Ok(Trace::Lost),
        },
    };
    if scene.now.entry(path).is_some_and(|now| oversize::is_left_out(at_arm, now)) {
        return Ok(Trace::TooLarge);
    }
    let inside = RepoPath::from(within(prefix, path));
    let after = match scene.now.entry(path).filter(with_content) {
        None => None,
        Some(now) => match touched::after(reader, &inside, now.stat, None)? {
            Ok(after) => Some(after),
            Err(_) => return Ok(Trace::Unread),
        },
    };
    Ok(touched::told(&entry.path, before, after))
}

/// An ignored entry is in no object store: all that is known is its digest.
fn ignored_before(reader: &Reader, entry: &Entry) -> Option<crate::audit::touched::OnDisk> {
    entry.digest.and_then(|_| touched::before_of_entry(reader, entry))
}

/// Takes out of `told` the new files that are too many to be read.
fn beyond_the_budget<'a>(scene: &Scene<'_>, told: &mut Vec<&'a Ignored>) -> Vec<&'a Ignored> {
    let size = |entry: &Ignored| scene.now.entry(entry.path.as_bytes()).map_or(0, |entry| entry.stat.size);
    let (mut new, known): (Vec<&Ignored>, Vec<&Ignored>) =
        told.iter().copied().partition(|entry| entry.kind == IgnoredKind::Added);
    new.sort_by_key(|entry| size(entry));
    let mut sum = 0_u64;
    let fits = new.iter().take(FILES).take_while(|entry| {
        sum = sum.saturating_add(size(entry));
        sum <= BYTES
    });
    let rest = new.split_off(fits.count());
    *told = known.into_iter().chain(new).collect();
    rest
}
