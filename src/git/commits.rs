//! Collects what new commits of one checkout come to: their paths, each commit in numbers, and what they show besides.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::ObjectId;
use gix::diff::tree::{Recorder, recorder};
use gix::objs::tree::{EntryKind, EntryMode};
use gix::objs::{FindExt as _, TreeRefIter};

use super::graph::{Commit, Graph};
use super::holders::{Reach, Tips};
use super::layers::{self, Counted};
use super::lines::{Drivers, Lines};
use super::objects::Objects;
use super::reader::{Reader, blob_id};
use super::standing::{self, Links, Standing, Tree};
use super::today::{Recorded, Today};
use crate::audit::evidence::{Change, Layer, Mode, Place, Stage};
use crate::audit::links::Mark;
use crate::audit::undo::Holders;
use crate::audit::verdict::Metrics;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;

/// One path between two trees.
type Sides = (Option<Recorded>, Option<Recorded>);

/// Every path that differs between two trees.
type Paths = BTreeMap<RepoPath, Sides>;

/// What was found.
pub struct Found {
    /// The paths, in the layer of commits.
    pub changes: Vec<Change>,
    /// Each commit in numbers.
    pub stages: Vec<Stage>,
    /// What the paths show besides content.
    pub marks: Vec<Mark>,
    /// What holds the commits of each path, where it can be told.
    pub holders: Vec<(RepoPath, Holders)>,
}

/// What all new commits did to one path.
struct Tally {
    lines: Lines,
    size_before: Option<u64>,
    size_after: Option<u64>,
    sides: Sides,
    commit: ObjectId,
    reach: Reach,
}

/// Collects the new commits of one checkout, newest first.
pub struct Commits<'a> {
    today: &'a Today<'a>,
    tips: &'a Tips,
    objects: Objects,
    reader: Reader,
    drivers: Drivers,
    tallies: BTreeMap<RepoPath, Tally>,
    counted: HashMap<(RepoPath, Sides), Counted>,
    marked: HashSet<(RepoPath, Recorded)>,
    stages: Vec<Stage>,
    marks: Vec<Mark>,
    paths: usize,
}

impl<'a> Commits<'a> {
    /// Nothing collected yet.
    pub fn new(today: &'a Today<'a>, tips: &'a Tips) -> Result<Commits<'a>> {
        Ok(Commits {
            today,
            tips,
            objects: Objects::of(&today.repository.gix),
            reader: today.reader()?,
            drivers: today.frozen.drivers(),
            tallies: BTreeMap::new(),
            counted: HashMap::new(),
            marked: HashSet::new(),
            stages: Vec::new(),
            marks: Vec::new(),
            paths: 0,
        })
    }

    /// How many paths were looked at, each as often as a commit has it.
    pub fn paths(&self) -> usize {
        self.paths
    }

    /// One commit: its own paths, of a merge those that are as in none of its parents, and its difference from `base`.
    pub fn add(&mut self, graph: &mut Graph, commit: &Commit, base: Option<ObjectId>) -> Result<()> {
        let (first, others) = match commit.parents.split_first() {
            Some((first, others)) => (Some(graph.require(*first)?.tree), others),
            None => (None, &[][..]),
        };
        let mut own = self.diff(first, commit.tree)?;
        for parent in others {
            let differs = self.diff(Some(graph.require(*parent)?.tree), commit.tree)?;
            own.retain(|path, _| differs.contains_key(path));
        }
        self.paths += own.len();
        let whole = if first == base && others.is_empty() { None } else { Some(self.diff(base, commit.tree)?) };
        for (path, sides) in &own {
            self.tally(path, *sides, commit.id)?;
        }
        self.whole(commit, whole.as_ref().unwrap_or(&own))
    }

    /// A commit of known history by its difference from `base` alone.
    pub fn add_whole(&mut self, commit: &Commit, base: ObjectId) -> Result<()> {
        let whole = self.diff(Some(base), commit.tree)?;
        self.whole(commit, &whole)
    }

    /// What was collected.
    pub fn finish(self) -> Found {
        let prefix = &self.today.frozen.prefix;
        let held = |(path, tally): (&RepoPath, &Tally)| {
            self.tips.holders(tally.reach).map(|holders| (prefix.join(path.as_bytes()), holders))
        };
        let holders = self.tallies.iter().filter_map(held).collect();
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
            commit: Some(tally.commit.to_string()),
            content: tally.sides.1.map(|recorded| recorded.id),
        };
        let changes = self.tallies.into_iter().map(change).collect();
        Found { changes, stages: self.stages, marks: self.marks, holders }
    }

    /// A commit against its base: in numbers, with the paths that no commit has shown yet, and the marks.
    fn whole(&mut self, commit: &Commit, whole: &Paths) -> Result<()> {
        self.paths += whole.len();
        let mut metrics = Metrics::default();
        for (path, sides) in whole {
            let counted = self.count(path, *sides)?;
            let full = self.today.frozen.prefix.join(path.as_bytes());
            let numbers = counted.metrics(!self.today.uncounted.is_match(full.as_bytes()));
            metrics = Metrics::sum([metrics, numbers].into_iter());
            match self.tallies.get_mut(path) {
                Some(tally) => tally.reach |= self.tips.reach(commit.id),
                None => self.tally(path, *sides, commit.id)?,
            }
        }
        let place = Place::Commit(commit.id.to_string());
        self.marks(&place, commit.tree, whole)?;
        self.stages.push(Stage { place, metrics });
        Ok(())
    }

    /// The marks of paths that were not looked at with the same content before; all of them where a link is new, because
    /// links lead by way of each other.
    fn marks(&mut self, place: &Place, tree: ObjectId, whole: &Paths) -> Result<()> {
        let after = whole.iter().filter_map(|(path, sides)| Some((path.clone(), sides.1?)));
        let new: HashSet<(RepoPath, Recorded)> = after.filter(|standing| !self.marked.contains(standing)).collect();
        let links = new.iter().any(|(_, after)| after.mode == Mode::Symlink);
        let standing = whole.iter().filter_map(|(path, sides)| {
            let after = sides.1?;
            let wanted = (links && after.mode == Mode::Symlink) || new.contains(&(path.clone(), after));
            wanted.then_some(Standing { inside: path, before: sides.0, after })
        });
        let mut tree = Committed { objects: &self.objects, tree };
        self.marks.extend(standing::marks(self.today, place, &mut tree, standing)?);
        self.marked.extend(new);
        Ok(())
    }

    fn count(&mut self, path: &RepoPath, sides: Sides) -> Result<Counted> {
        let key = (path.clone(), sides);
        if let Some(counted) = self.counted.get(&key) {
            return Ok(*counted);
        }
        let counted = layers::count(&mut self.reader, &self.drivers, path, sides.0, sides.1)?;
        self.counted.insert(key, counted);
        Ok(counted)
    }

    fn tally(&mut self, path: &RepoPath, sides: Sides, commit: ObjectId) -> Result<()> {
        let counted = self.count(path, sides)?;
        let tally = self.tallies.entry(path.clone()).or_insert(Tally {
            lines: Lines::default(),
            size_before: None,
            size_after: counted.size_after,
            sides: (None, sides.1),
            commit,
            reach: 0,
        });
        tally.reach |= self.tips.reach(commit);
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

    /// Every path that differs between two trees; `None` is the empty tree.
    fn diff(&self, before: Option<ObjectId>, after: ObjectId) -> Result<Paths> {
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
        let mut paths = Paths::new();
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

/// The tree of a commit.
struct Committed<'a> {
    objects: &'a Objects,
    tree: ObjectId,
}

impl Committed<'_> {
    /// The entries of a directory; none where there is no such directory.
    fn directory(&self, path: &[u8]) -> Result<Vec<(Vec<u8>, EntryMode, ObjectId)>> {
        let mut tree = self.tree;
        let mut entries = self.entries(tree)?;
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let below = entries.iter().find(|(entry, mode, _)| entry == name && mode.is_tree());
            let Some((_, _, id)) = below else { return Ok(Vec::new()) };
            tree = *id;
            entries = self.entries(tree)?;
        }
        Ok(entries)
    }

    fn entries(&self, tree: ObjectId) -> Result<Vec<(Vec<u8>, EntryMode, ObjectId)>> {
        let unreadable = |error: gix::Error| {
            Error::repository(format!("the tree {tree} cannot be read"))
                .caused_by(error)
                .hint("Objects may be missing or damaged: run git fsck, or fetch them again.")
        };
        let mut buffer = Vec::new();
        let found = self.objects.find_tree_iter(&tree, &mut buffer).map_err(unreadable)?;
        found
            .map(|entry| entry.map(|entry| (entry.filename.to_vec(), entry.mode, entry.oid.to_owned())))
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| unreadable(gix::Error::from_error(error)))
    }
}

impl Links for Committed<'_> {
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>> {
        let (directory, name) = crate::snapshot::open::split(inside);
        let entries = self.directory(directory)?;
        let found = entries.iter().find(|(entry, ..)| entry == name).and_then(|(_, mode, id)| recorded(*mode, *id));
        found.map_or(Ok(None), |recorded| standing::text(self.objects, recorded))
    }
}

impl Tree for Committed<'_> {
    fn names(&mut self, directory: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(self.directory(directory)?.into_iter().map(|(name, ..)| name).collect())
    }
}
