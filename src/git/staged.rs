//! The index as a layer of its own: what is staged counts, whatever the file on disk looks like.

use std::collections::HashMap;

use gix::ObjectId;

use super::baseline::within;
use super::ground::Ground as _;
use super::index::{Index, IndexEntry};
use super::layers::{self, Counter};
use super::objects::Objects;
use super::standing::{self, Links, Standing, Tree};
use super::today::{Recorded, Today};
use crate::audit::evidence::{self, Change, Mode, Place};
use crate::audit::links::Mark;
use crate::audit::verdict::Metrics;
use crate::error::Result;
use crate::policy::path::RepoPath;

/// One path whose entry, or one side of whose conflict, is not what the baseline has.
struct Staged {
    inside: RepoPath,
    baseline: Option<Recorded>,
    sides: Vec<Recorded>,
}

/// What the index of one checkout comes to.
#[derive(Default)]
pub struct Layer {
    /// Every path that the index has and the baseline has not, or has otherwise. What left the index is found by
    /// [`super::triage`], because for Git the file is gone.
    pub changes: Vec<Change>,
    /// The difference from the baseline in numbers, with what left the index.
    pub metrics: Metrics,
    /// What these paths show besides content.
    pub marks: Vec<Mark>,
}

/// Reads the index as a layer; `beside` are the changes that were found of the checkout otherwise.
///
/// # Errors
/// When a staged object is missing: nobody can say what the next commit would hold.
pub fn layer(today: &Today<'_>, beside: &[Change]) -> Result<Layer> {
    let Some(index) = today.index() else { return Ok(Layer::default()) };
    let staged = staged(today, index)?;
    let left = left(today, index, beside);
    if staged.is_empty() && left.is_empty() {
        return Ok(Layer::default());
    }
    let (mut counter, prefix) = (today.counter()?, &today.frozen.prefix);
    let mut describe = |staged: &Staged| describe(&mut counter, prefix, staged);
    let changes = staged.iter().map(&mut describe).collect::<Result<Vec<_>>>()?;
    let gone = left.iter().map(&mut describe).collect::<Result<Vec<_>>>()?;
    let standing = staged.iter().flat_map(|staged| {
        let Staged { inside, baseline, sides } = staged;
        sides.iter().map(move |side| Standing { inside, before: *baseline, after: *side })
    });
    let mut indexed = Indexed { index, objects: today.repository.objects() };
    let was_link = |staged: &Staged| staged.baseline.is_some_and(|before| before.mode == Mode::Symlink);
    let unlinked = staged.iter().chain(&left).any(was_link);
    let marks = standing::marks(today, &Place::Index, &mut indexed, standing, unlinked)?;
    let metrics = Metrics::of(changes.iter().chain(&gone), &today.uncounted);
    // Uncommitted work of arm is compared with the index of arm by `Today::expected`, and is counted here alone.
    let is_work = |change: &Change| today.kept(change.path.as_bytes()).is_some();
    Ok(Layer { changes: changes.into_iter().filter(|change| !is_work(change)).collect(), metrics, marks })
}

fn staged(today: &Today<'_>, index: &Index) -> Result<Vec<Staged>> {
    let committed = committed_modes(today)?;
    let mut found: Vec<Staged> = Vec::new();
    for entry in index.entries() {
        let Some(mode) = entry.mode else { continue };
        let path = today.frozen.prefix.join(entry.path);
        let now = Recorded { id: entry.id, mode };
        let mut baseline = today.in_baseline(path.as_bytes());
        if today.kept(path.as_bytes()).is_some() {
            if today.expected(path.as_bytes(), Some(now)) == Some(now) {
                continue;
            }
            baseline = baseline.or_else(|| today.at_arm(path.as_bytes()));
        } else {
            baseline = baseline.map(|kept| committed.get(entry.path).copied().unwrap_or(kept));
        }
        if baseline == Some(now) {
            continue;
        }
        note(&mut found, &entry, baseline, now);
    }
    Ok(found)
}

/// The paths of the baseline that left the index.
fn left(today: &Today<'_>, index: &Index, beside: &[Change]) -> Vec<Staged> {
    let indexed = beside.iter().filter(|change| change.layers.contains(&evidence::Layer::Index));
    indexed
        .filter_map(|change| {
            let inside = RepoPath::from(within(&today.frozen.prefix, change.path.as_bytes()));
            let baseline = today.in_baseline(change.path.as_bytes())?;
            index.recorded(inside.as_bytes()).is_none().then(|| Staged {
                inside,
                baseline: Some(baseline),
                sides: Vec::new(),
            })
        })
        .collect()
}

fn note(found: &mut Vec<Staged>, entry: &IndexEntry<'_>, baseline: Option<Recorded>, now: Recorded) {
    match found.last_mut().filter(|last| last.inside.as_bytes() == entry.path) {
        Some(last) => last.sides.push(now),
        None => found.push(Staged { inside: RepoPath::from(entry.path), baseline, sides: vec![now] }),
    }
}

/// Where Git ignores the permissions on disk, those are not the modes of the baseline: the tree has them.
pub fn committed_modes(today: &Today<'_>) -> Result<HashMap<Vec<u8>, Recorded>> {
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

fn describe(counter: &mut Counter, prefix: &RepoPath, staged: &Staged) -> Result<Change> {
    let &Staged { ref inside, baseline, ref sides } = staged;
    let last = sides.last().copied();
    let mut change = Change {
        path: prefix.join(inside.as_bytes()),
        kind: layers::kind(baseline, last),
        layers: vec![evidence::Layer::Index],
        added: 0,
        deleted: 0,
        binary: false,
        size_before: None,
        size_after: None,
        mode_before: baseline.map(|recorded| recorded.mode),
        mode_after: last.map(|recorded| recorded.mode),
        commit: None,
        content: last.map(|recorded| recorded.id),
    };
    let none = sides.is_empty().then_some(None);
    for side in sides.iter().copied().map(Some).chain(none) {
        let numbers = counter.count(inside, baseline, side)?;
        change.added += numbers.lines.added;
        change.deleted += numbers.lines.deleted;
        change.binary |= numbers.lines.binary;
        (change.size_before, change.size_after) = (numbers.size_before, numbers.size_after);
    }
    Ok(change)
}

/// The links and names of the index.
struct Indexed<'a> {
    index: &'a Index,
    objects: Objects,
}

impl Links for Indexed<'_> {
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>> {
        self.index.recorded(inside).map_or(Ok(None), |recorded| standing::text(&self.objects, recorded))
    }
}

impl Tree for Indexed<'_> {
    fn names(&mut self, directory: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(self.index.names(directory))
    }
}
