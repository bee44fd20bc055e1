//! Collects what new commits of one checkout come to: their paths, each commit in numbers, and what they show besides.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::diff::tree::{Recorder, recorder};
use gix::objs::{FindExt as _, TreeRefIter};

use super::graph::{Commit, Graph};
use super::ground::Ground;
use super::holders::{Reach, Tips};
use super::layers::{self, Counted, Counter};
use super::lines::Lines;
use super::objects::Objects;
use super::standing::{self, Standing};
use super::today::Recorded;
use super::trees::{self, Trees, recorded};
use super::wholes::{Whole, Wholes};
use crate::audit::evidence::{Change, Layer, Mode, Place, Stage};
use crate::audit::links::Mark;
use crate::audit::undo::Holders;
use crate::audit::verdict::Metrics;
use crate::error::Result;
use crate::policy::path::RepoPath;

/// One path between two trees.
pub type Sides = (Option<Recorded>, Option<Recorded>);

/// Every path that differs between two trees.
pub type Paths = BTreeMap<RepoPath, Sides>;

/// The trees that each commit is compared with as a whole; none is the empty one.
pub type Bases = HashMap<ObjectId, Vec<ObjectId>>;

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
    counted: Counted,
    sides: Sides,
    commit: ObjectId,
    reach: Reach,
}

/// Collects the new commits of one checkout, parents before their children.
pub struct Commits<'a> {
    ground: &'a dyn Ground,
    tips: &'a Tips,
    objects: Objects,
    counter: Counter,
    trees: Trees,
    tallies: BTreeMap<RepoPath, Tally>,
    counted: HashMap<(RepoPath, Sides), Counted>,
    marked: HashSet<(RepoPath, Recorded)>,
    /// What was a link in some commit: where one goes, others may lead elsewhere.
    links: HashSet<RepoPath>,
    stages: Vec<Stage>,
    marks: Vec<Mark>,
    paths: usize,
    /// The wholes that commits to come build on.
    wholes: Wholes,
}

impl<'a> Commits<'a> {
    /// Nothing collected yet.
    pub fn new(ground: &'a dyn Ground, tips: &'a Tips) -> Result<Commits<'a>> {
        let objects = ground.repository().objects();
        Ok(Commits {
            ground,
            tips,
            trees: Trees::new(objects.clone(), None),
            objects,
            counter: ground.counter()?,
            tallies: BTreeMap::new(),
            counted: HashMap::new(),
            marked: HashSet::new(),
            links: HashSet::new(),
            stages: Vec::new(),
            marks: Vec::new(),
            paths: 0,
            wholes: Wholes::default(),
        })
    }

    /// How many paths were looked at, each as often as a commit has it.
    pub fn paths(&self) -> usize {
        self.paths
    }

    /// Which commits are to come.
    pub fn expect(&mut self, commits: &[Rc<Commit>]) {
        self.wholes.expect(commits);
    }

    /// One commit: its own paths, of a merge those that are as in none of its parents, and its difference from its bases. Of
    /// several, a path that is as in any of them does not differ.
    pub fn add(&mut self, graph: &mut Graph, commit: &Commit, bases: &Bases) -> Result<()> {
        let (first, others) = match commit.parents.split_first() {
            Some((first, others)) => (Some(graph.require(*first)?.tree), others),
            None => (None, &[][..]),
        };
        let mut own = diff(&self.objects, first, commit.tree)?;
        for parent in others {
            let differs = diff(&self.objects, Some(graph.require(*parent)?.tree), commit.tree)?;
            own.retain(|path, _| differs.contains_key(path));
        }
        self.paths += own.len();
        for (path, sides) in &own {
            self.tally(path, *sides, commit.id)?;
        }
        let from = &bases[&commit.id];
        let whole = match self.wholes.of_parent(commit, bases) {
            Some((whole, copied)) => {
                self.paths += copied;
                self.whole_from(commit, whole, &own)?
            }
            None if others.is_empty() && *from == first.as_slice() => self.whole(commit, own)?,
            None => {
                let whole = self.diff_from(from, commit.tree)?;
                self.whole(commit, whole)?
            }
        };
        self.wholes.keep(commit.id, whole);
        Ok(())
    }

    /// A commit of known history by its difference from `base` alone.
    pub fn add_whole(&mut self, commit: &Commit, base: ObjectId) -> Result<()> {
        let whole = diff(&self.objects, Some(base), commit.tree)?;
        self.whole(commit, whole).map(drop)
    }

    /// The difference between two trees, counted as Git would count it: what merging the second brings to the first.
    pub fn net(&mut self, before: ObjectId, after: ObjectId) -> Result<Vec<Change>> {
        let paths = diff(&self.objects, Some(before), after)?;
        self.paths += paths.len();
        let prefix = self.ground.prefix().clone();
        let mut changes = Vec::with_capacity(paths.len());
        for (path, sides) in paths {
            let counted = self.count(&path, sides)?;
            changes.push(change(prefix.join(path.as_bytes()), Layer::Head, sides, &counted));
        }
        Ok(changes)
    }

    /// What was collected.
    pub fn finish(self) -> Found {
        let prefix = self.ground.prefix();
        let held = |(path, tally): (&RepoPath, &Tally)| {
            self.tips.holders(tally.reach).map(|holders| (prefix.join(path.as_bytes()), holders))
        };
        let holders = self.tallies.iter().filter_map(held).collect();
        let change = |(path, tally): (RepoPath, Tally)| Change {
            commit: Some(tally.commit.to_string()),
            ..change(prefix.join(path.as_bytes()), Layer::Commit, tally.sides, &tally.counted)
        };
        let changes = self.tallies.into_iter().map(change).collect();
        let stages = self.stages.into_iter().rev().collect();
        Found { changes, stages, marks: self.marks, holders }
    }

    /// A commit against its bases: in numbers, with the paths that no commit has shown yet, and the marks.
    fn whole(&mut self, commit: &Commit, paths: Paths) -> Result<Whole> {
        self.paths += paths.len();
        let mut whole = Whole { paths, metrics: Metrics::default() };
        for (path, sides) in &whole.paths {
            let numbers = self.numbers(path, *sides)?;
            whole.metrics = Metrics::sum([whole.metrics, numbers].into_iter());
            match self.tallies.get_mut(path) {
                Some(tally) => tally.reach |= self.tips.reach(commit.id),
                None => self.tally(path, *sides, commit.id)?,
            }
        }
        let all = whole.paths.keys();
        self.stage(commit, &whole, all)?;
        Ok(whole)
    }

    /// The same for a commit whose only parent differs from the same base by `whole`, so that only its own paths are new.
    fn whole_from(&mut self, commit: &Commit, mut whole: Whole, own: &Paths) -> Result<Whole> {
        for (path, (before, after)) in own {
            let known = whole.paths.remove(path);
            if let Some(sides) = known {
                whole.metrics = whole.metrics.without(self.numbers(path, sides)?);
            }
            let sides = (known.map_or(*before, |(before, _)| before), *after);
            if sides.0 != sides.1 {
                whole.metrics = Metrics::sum([whole.metrics, self.numbers(path, sides)?].into_iter());
                whole.paths.insert(path.clone(), sides);
            }
        }
        self.stage(commit, &whole, own.keys())?;
        Ok(whole)
    }

    /// One commit in numbers, and the marks of those of its paths that may be new.
    fn stage<'p>(&mut self, commit: &Commit, whole: &Whole, own: impl Iterator<Item = &'p RepoPath>) -> Result<()> {
        let place = Place::Commit(commit.id.to_string());
        let is_link = |side: Option<Recorded>| side.is_some_and(|side| side.mode == Mode::Symlink);
        let (mut new, mut relinked) = (HashSet::new(), false);
        for path in own {
            // What is as in the base again may have been anything before.
            let (before, after) = whole.paths.get(path).copied().unwrap_or_default();
            relinked |= is_link(before) || is_link(after) || self.links.contains(path);
            if is_link(after) {
                self.links.insert(path.clone());
            }
            let standing = after.map(|after| (path.clone(), after));
            new.extend(standing.filter(|standing| !self.marked.contains(standing)));
        }
        self.marks(&place, commit.tree, &whole.paths, &new, relinked)?;
        self.marked.extend(new);
        self.stages.push(Stage { place, metrics: whole.metrics });
        Ok(())
    }

    /// The marks of new paths; those of all links where one came, went or changed, because links lead by way of each other.
    fn marks(
        &mut self,
        place: &Place,
        tree: ObjectId,
        whole: &Paths,
        new: &HashSet<(RepoPath, Recorded)>,
        relinked: bool,
    ) -> Result<()> {
        let mut wanted: BTreeSet<&RepoPath> = new.iter().map(|(path, _)| path).collect();
        if relinked {
            let is_link = |after: Option<Recorded>| after.is_some_and(|after| after.mode == Mode::Symlink);
            wanted.extend(whole.iter().filter(|(_, sides)| is_link(sides.1)).map(|(path, _)| path));
        }
        let standing = wanted.into_iter().filter_map(|inside| {
            let (before, after) = whole.get(inside).copied()?;
            Some(Standing { inside, before, after: after? })
        });
        let tree = self.trees.at(Some(tree));
        self.marks.extend(standing::marks(self.ground, place, tree, standing, relinked)?);
        Ok(())
    }

    /// One path in numbers.
    fn numbers(&mut self, path: &RepoPath, sides: Sides) -> Result<Metrics> {
        let counted = self.count(path, sides)?;
        let full = self.ground.prefix().join(path.as_bytes());
        Ok(counted.metrics(!self.ground.uncounted().is_match(full.as_bytes())))
    }

    fn count(&mut self, path: &RepoPath, sides: Sides) -> Result<Counted> {
        let key = (path.clone(), sides);
        if let Some(counted) = self.counted.get(&key) {
            return Ok(*counted);
        }
        let counted = self.counter.count(path, sides.0, sides.1)?;
        self.counted.insert(key, counted);
        Ok(counted)
    }

    fn tally(&mut self, path: &RepoPath, sides: Sides, commit: ObjectId) -> Result<()> {
        let counted = self.count(path, sides)?;
        let tally = self.tallies.entry(path.clone()).or_insert(Tally {
            counted: Counted { lines: Lines::default(), size_before: counted.size_before, size_after: None },
            sides: (sides.0, None),
            commit,
            reach: 0,
        });
        tally.reach |= self.tips.reach(commit);
        tally.commit = commit;
        let (all, lines) = (&mut tally.counted, counted.lines);
        all.lines.added = all.lines.added.saturating_add(lines.added);
        all.lines.deleted = all.lines.deleted.saturating_add(lines.deleted);
        all.lines.binary |= lines.binary;
        if sides.1.is_some() {
            // Where the newest commit took it back, what it took back is what counts.
            (all.size_after, tally.sides.1) = (counted.size_after, sides.1);
        }
        Ok(())
    }

    /// Every path by which a tree differs from all of these; from the empty tree where there are none.
    fn diff_from(&self, bases: &[ObjectId], after: ObjectId) -> Result<Paths> {
        let mut paths = diff(&self.objects, bases.first().copied(), after)?;
        for base in bases.iter().skip(1) {
            let differs = diff(&self.objects, Some(*base), after)?;
            paths.retain(|path, _| differs.contains_key(path));
        }
        Ok(paths)
    }
}

/// Every path that differs between two trees; `None` is the empty tree.
pub fn diff(objects: &Objects, before: Option<ObjectId>, after: ObjectId) -> Result<Paths> {
    let unreadable = |tree: ObjectId| move |error: gix::Error| trees::unreadable(tree, error);
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let before = match before {
        Some(tree) => objects.find_tree_iter(&tree, &mut old).map_err(unreadable(tree))?,
        None => TreeRefIter::from_bytes(b"", after.kind()),
    };
    let now = objects.find_tree_iter(&after, &mut new).map_err(unreadable(after))?;
    let mut recorder = Recorder::default();
    gix::diff::tree(before, now, gix::diff::tree::State::default(), objects, &mut recorder)
        .map_err(|error| unreadable(after)(gix::Error::from_error(error)))?;
    let (mut paths, mut seen) = (Paths::new(), HashSet::new());
    for record in recorder.records {
        // A path that is twice in one tree: Git checks out one of the two, and its index knows the other.
        if let Some(path) = after_of(&record)
            && !seen.insert(path.to_vec())
        {
            return Err(trees::named_twice(after, path));
        }
        let (path, before, now) = sides(record);
        let known = paths.entry(RepoPath::new(path)).or_default();
        // A file that became a directory is told in two records.
        (known.0, known.1) = (known.0.or(before), known.1.or(now));
    }
    paths.retain(|_, (before, now)| before.is_some() || now.is_some());
    Ok(paths)
}

/// One path between two recorded sides.
fn change(path: RepoPath, layer: Layer, sides: Sides, counted: &Counted) -> Change {
    Change {
        path,
        kind: layers::kind(sides.0, sides.1),
        layers: vec![layer],
        added: counted.lines.added,
        deleted: counted.lines.deleted,
        binary: counted.lines.binary,
        size_before: counted.size_before,
        size_after: counted.size_after,
        mode_before: sides.0.map(|recorded| recorded.mode),
        mode_after: sides.1.map(|recorded| recorded.mode),
        commit: None,
        content: sides.1.map(|recorded| recorded.id),
    }
}

/// The path of a record about something that the newer tree has, a directory included.
fn after_of(record: &recorder::Change) -> Option<&[u8]> {
    match record {
        recorder::Change::Addition { path, .. } | recorder::Change::Modification { path, .. } => Some(path),
        recorder::Change::Deletion { .. } => None,
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
