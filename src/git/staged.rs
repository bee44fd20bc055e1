//! The index as a layer of its own: what is staged counts, whatever the file on disk looks like.

use std::collections::HashMap;

use gix::ObjectId;

use super::index::{Index, IndexEntry};
use super::layers;
use super::lines::Drivers;
use super::reader::Reader;
use super::today::{Recorded, Today};
use crate::audit::evidence::{Change, Layer};
use crate::error::Result;
use crate::policy::path::RepoPath;

/// One path whose entry, or one side of whose conflict, is not what the baseline has.
struct Staged {
    inside: RepoPath,
    baseline: Option<Recorded>,
    sides: Vec<Recorded>,
}

/// Every path of `today`'s checkout that the index has and the baseline has not, or has otherwise. What left the index
/// is found by [`super::triage`], because for Git the file is gone.
///
/// # Errors
/// When a staged object is missing: nobody can say what the next commit would hold.
pub fn changes(today: &Today<'_>) -> Result<Vec<Change>> {
    let Some(index) = today.index() else { return Ok(Vec::new()) };
    let staged = staged(today, index)?;
    if staged.is_empty() {
        return Ok(Vec::new());
    }
    let (mut reader, drivers) = (today.reader()?, today.frozen.drivers());
    staged.into_iter().map(|staged| describe(&mut reader, &drivers, &today.frozen.prefix, &staged)).collect()
}

fn staged(today: &Today<'_>, index: &Index) -> Result<Vec<Staged>> {
    let committed = committed_modes(today)?;
    let mut found: Vec<Staged> = Vec::new();
    for entry in index.entries() {
        let Some(mode) = entry.mode else { continue };
        let path = today.frozen.prefix.join(entry.path);
        // Uncommitted work of arm has an index of its own to be compared with, see `Today::expected`.
        if today.kept(path.as_bytes()).is_some() {
            continue;
        }
        let baseline = today.in_baseline(path.as_bytes());
        let baseline = baseline.map(|kept| committed.get(entry.path).copied().unwrap_or(kept));
        let now = Recorded { id: entry.id, mode };
        if baseline == Some(now) {
            continue;
        }
        note(&mut found, &entry, baseline, now);
    }
    Ok(found)
}

fn note(found: &mut Vec<Staged>, entry: &IndexEntry<'_>, baseline: Option<Recorded>, now: Recorded) {
    match found.last_mut().filter(|last| last.inside.as_bytes() == entry.path) {
        Some(last) => last.sides.push(now),
        None => found.push(Staged { inside: RepoPath::from(entry.path), baseline, sides: vec![now] }),
    }
}

/// Where Git ignores the permissions on disk, those are not the modes of the baseline: the tree has them.
fn committed_modes(today: &Today<'_>) -> Result<HashMap<Vec<u8>, Recorded>> {
    if !today.frozen.ignores_modes {
        return Ok(HashMap::new());
    }
    let tree = ObjectId::from_hex(today.frozen.tree.as_bytes()).expect("gitoxide wrote this id");
    let entries = super::tree::entries(&today.repository, tree)?;
    Ok(entries
        .into_iter()
        .map(|entry| (entry.path.as_bytes().to_vec(), Recorded { id: entry.id, mode: entry.mode }))
        .collect())
}

fn describe(reader: &mut Reader, drivers: &Drivers, prefix: &RepoPath, staged: &Staged) -> Result<Change> {
    let &Staged { ref inside, baseline, ref sides } = staged;
    let last = sides.last().copied();
    let mut change = Change {
        path: prefix.join(inside.as_bytes()),
        kind: layers::kind(baseline, last),
        layers: vec![Layer::Index],
        added: 0,
        deleted: 0,
        binary: false,
        size_before: None,
        size_after: None,
        mode_before: baseline.map(|recorded| recorded.mode),
        mode_after: last.map(|recorded| recorded.mode),
        content: last.map(|recorded| recorded.id),
    };
    for side in sides {
        let counted = layers::count(reader, drivers, inside, baseline, Some(*side))?;
        change.added += counted.lines.added;
        change.deleted += counted.lines.deleted;
        change.binary |= counted.lines.binary;
        (change.size_before, change.size_after) = (counted.size_before, counted.size_after);
    }
    Ok(change)
}
