//! History as a layer of its own: every commit that is new since arming publishes its paths with the next push, also
//! those that a later commit took back.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::diff::tree::{Recorder, recorder};
use gix::objs::tree::{EntryKind, EntryMode};
use gix::objs::{FindExt as _, TreeRefIter};

use super::graph::{Commit, Graph};
use super::layers;
use super::lines::{Drivers, Lines};
use super::objects::Objects;
use super::reader::{Reader, blob_id};
use super::tips;
use super::today::{Recorded, Today};
use crate::audit::evidence::{Change, Drift, DriftKind, Evidence, Layer, Mode};
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// More new commits than this are not looked at one by one.
const MAX_COMMITS: usize = 10_000;

/// Nor are more changed paths, counted once for each commit.
const MAX_PATHS: usize = 1_000_000;

/// Adds what new history of one checkout shows.
///
/// # Errors
/// When an object of the baseline or of new history is missing: there can be no verdict without it.
pub fn add(today: &Today<'_>, evidence: &mut Evidence) -> Result<()> {
    let own = today.frozen.prefix.is_root();
    let baseline = ObjectId::from_hex(today.frozen.commit.as_bytes()).expect("gitoxide wrote this id");
    let head = today.repository.head()?;
    let known = today.frozen.tips.iter().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok());
    let mut fresh = tips::live(&today.repository, head.commit)?;
    for tip in known.clone().chain([baseline]) {
        fresh.remove(&tip);
    }
    let moved = head.commit != Some(baseline);
    if fresh.is_empty() && !moved {
        return Ok(());
    }
    let mut graph = Graph::of(&today.repository)?;
    require_baseline(&mut graph, baseline)?;
    if own && moved && !head.commit.map_or(Ok(false), |tip| graph.descends(tip, baseline))? {
        evidence.drifts.push(lost(baseline));
    }
    let mut past = Past::new(today)?;
    let news = graph.news(fresh.iter().copied(), known.chain([baseline]), MAX_COMMITS)?;
    let mut whole = !news.too_many;
    if whole {
        for commit in &news.commits {
            past.commit(&mut graph, commit)?;
            whole = past.paths <= MAX_PATHS;
            if !whole {
                break;
            }
        }
    }
    if !whole {
        evidence.drifts.push(too_long(&today.frozen.prefix));
    }
    // What a merge brought from history that was known shows in no diff of a new commit.
    let tree = graph.require(baseline)?.tree;
    for tip in fresh.into_iter().chain(head.commit) {
        let new = news.commits.iter().any(|commit| commit.id == tip);
        if head.commit == Some(tip) || (new && graph.descends(tip, baseline)?) {
            past.net(tree, graph.require(tip)?.tree)?;
        }
    }
    layers::merge(&mut evidence.changes, past.changes());
    Ok(())
}

/// A baseline that was pruned cannot be compared with.
fn require_baseline(graph: &mut Graph, baseline: ObjectId) -> Result<()> {
    graph.require(baseline).map(drop).map_err(|error| {
        Error::repository(format!("the baseline {baseline} is gone from the repository")).caused_by(error).hint(
            "Without it nothing can be compared: fetch it again, or cordon reset and look at the changes yourself.",
        )
    })
}

fn lost(baseline: ObjectId) -> Drift {
    Drift {
        kind: DriftKind::BaselineLost,
        subject: Text::from(baseline.to_string()),
        what: Text::from("amended, rebased or left behind"),
        undo: Some(Text::from(format!("git reset --soft {baseline}"))),
    }
}

fn too_long(prefix: &RepoPath) -> Drift {
    let subject = if prefix.is_root() { Text::from("the repository") } else { Text::default().path(prefix) };
    let what = format!("more than {MAX_COMMITS} new commits, or {MAX_PATHS} paths in them: not looked at one by one");
    Drift { kind: DriftKind::HistoryTooLong, subject, what: Text::from(what), undo: None }
}

/// One path between two trees.
type Sides = (Option<Recorded>, Option<Recorded>);

/// What all new commits did to one path.
struct Tally {
    lines: Lines,
    size_before: Option<u64>,
    size_after: Option<u64>,
    sides: Sides,
}

/// Collects the paths of new history of one checkout.
struct Past<'a> {
    today: &'a Today<'a>,
    objects: Objects,
    reader: Reader,
    drivers: Drivers,
    tallies: BTreeMap<RepoPath, Tally>,
    paths: usize,
}

impl<'a> Past<'a> {
    fn new(today: &'a Today<'a>) -> Result<Past<'a>> {
        Ok(Past {
            today,
            objects: Objects::of(&today.repository.gix),
            reader: today.reader()?,
            drivers: today.frozen.drivers(),
            tallies: BTreeMap::new(),
            paths: 0,
        })
    }

    /// The paths of one commit: of a merge those that are as in none of its parents.
    fn commit(&mut self, graph: &mut Graph, commit: &Commit) -> Result<()> {
        let (first, others) = match commit.parents.split_first() {
            Some((first, others)) => (Some(graph.require(*first)?.tree), others),
            None => (None, &[][..]),
        };
        let mut changed = self.diff(first, commit.tree)?;
        for parent in others {
            let differs = self.diff(Some(graph.require(*parent)?.tree), commit.tree)?;
            changed.retain(|path, _| differs.contains_key(path));
        }
        self.paths += changed.len();
        changed.into_iter().try_for_each(|(path, sides)| self.tally(path, sides))
    }

    /// The paths between the baseline and a tip that no commit has shown yet.
    fn net(&mut self, before: ObjectId, after: ObjectId) -> Result<()> {
        let mut changed = self.diff(Some(before), after)?;
        changed.retain(|path, _| !self.tallies.contains_key(path));
        changed.into_iter().try_for_each(|(path, sides)| self.tally(path, sides))
    }

    fn tally(&mut self, path: RepoPath, sides: Sides) -> Result<()> {
        let counted = layers::count(&mut self.reader, &self.drivers, &path, sides.0, sides.1)?;
        let tally = self.tallies.entry(path).or_insert(Tally {
            lines: Lines::default(),
            size_before: None,
            size_after: counted.size_after,
            sides: (None, sides.1),
        });
        tally.lines.added = tally.lines.added.saturating_add(counted.lines.added);
        tally.lines.deleted = tally.lines.deleted.saturating_add(counted.lines.deleted);
        tally.lines.binary |= counted.lines.binary;
        // Newer commits come first, so that the last one to be told says what was there before all of them.
        (tally.size_before, tally.sides.0) = (counted.size_before, sides.0);
        if tally.sides.1.is_none() {
            // The newest commit took it back; what it took back is what counts.
            (tally.size_after, tally.sides.1) = (counted.size_after, sides.1);
        }
        Ok(())
    }

    fn changes(self) -> Vec<Change> {
        let prefix = &self.today.frozen.prefix;
        let change = |(path, tally): (RepoPath, Tally)| Change {
            path: prefix.join(path.as_bytes()),
            kind: layers::kind(tally.sides.0, tally.sides.1),
            layers: vec![Layer::Commit],
            added: tally.lines.added,
            deleted: tally.lines.deleted,
            binary: tally.lines.binary,
            size_before: tally.size_before,
            size_after: tally.size_after,
            mode_before: tally.sides.0.map(|recorded| recorded.mode),
            mode_after: tally.sides.1.map(|recorded| recorded.mode),
            content: tally.sides.1.map(|recorded| recorded.id),
        };
        self.tallies.into_iter().map(change).collect()
    }

    /// Every path that differs between two trees; `None` is the empty tree.
    fn diff(&self, before: Option<ObjectId>, after: ObjectId) -> Result<BTreeMap<RepoPath, Sides>> {
        let unreadable = |tree: ObjectId| {
            move |error: gix::Error| {
                Error::repository(format!("the tree {tree} cannot be read"))
                    .caused_by(error)
                    .hint("Objects may be missing or damaged: run git fsck, or fetch them again.")
            }
        };
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let before = match before {
            Some(tree) => self.objects.find_tree_iter(&tree, &mut old).map_err(unreadable(tree))?,
            None => TreeRefIter::from_bytes(b"", after.kind()),
        };
        let now = self.objects.find_tree_iter(&after, &mut new).map_err(unreadable(after))?;
        let mut recorder = Recorder::default();
        gix::diff::tree(before, now, gix::diff::tree::State::default(), &self.objects, &mut recorder)
            .map_err(|error| unreadable(after)(gix::Error::from_error(error)))?;
        let mut paths: BTreeMap<RepoPath, Sides> = BTreeMap::new();
        for record in recorder.records {
            let (path, before, now) = sides(record);
            let known = paths.entry(RepoPath::new(path)).or_default();
            // A file that became a directory is told in two records.
            (known.0, known.1) = (known.0.or(before), known.1.or(now));
        }
        paths.retain(|_, (before, now)| before.is_some() || now.is_some());
        Ok(paths)
    }
}

fn sides(record: recorder::Change) -> (Vec<u8>, Option<Recorded>, Option<Recorded>) {
    match record {
        recorder::Change::Addition { entry_mode, oid, path, .. } => (path.into(), None, recorded(entry_mode, oid)),
        recorder::Change::Deletion { entry_mode, oid, path, .. } => (path.into(), recorded(entry_mode, oid), None),
        recorder::Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path } => {
            (path.into(), recorded(previous_entry_mode, previous_oid), recorded(entry_mode, oid))
        }
    }
}

/// An entry of a tree; `None` for a directory, whose own entries are told one by one.
fn recorded(mode: EntryMode, id: ObjectId) -> Option<Recorded> {
    let mode = match mode.kind() {
        EntryKind::Tree => return None,
        EntryKind::Blob => Mode::File,
        EntryKind::BlobExecutable => Mode::Executable,
        EntryKind::Link => Mode::Symlink,
        EntryKind::Commit => Mode::Gitlink,
    };
    Some(Recorded { id: blob_id(id), mode })
}
