//! What the index of one checkout says today, next to what it said at arm.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::baseline::ATTRIBUTES;
use super::control::Frozen;
use super::excludes::{self, Excludes};
use super::ground::Ground;
use super::index::{self, Index};
use super::kept::{self, Kept};
use super::layers::Counter;
use super::observe::Scene;
use super::open::Repository;
use super::reader::{Reader, object_id};
use crate::audit::evidence::{HidingFlag, Mode};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::pattern::PatternSet;
use crate::snapshot::digest;
use crate::snapshot::entry::{BlobId, Class, Entry, Kind, Snapshot};

/// One checkout at check: the frozen rules, and the index as it stands.
pub struct Today<'a> {
    /// What was kept at arm.
    pub frozen: &'a Frozen,
    /// The repository, opened anew.
    pub repository: Repository,
    /// The files whose lines count in no budget.
    pub uncounted: PatternSet,
    baseline: &'a Snapshot,
    kept: &'a [Kept],
    /// The index, where it is not byte for byte the one of arm.
    index: Option<Index>,
    /// What a sparse checkout left out of the work tree at arm, by its path in the whole work tree.
    left_out: BTreeMap<RepoPath, Recorded>,
}

/// A tracked path in one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// The blob.
    pub id: BlobId,
    /// The mode.
    pub mode: Mode,
}

impl<'a> Today<'a> {
    /// Reads the index unless it is the one of arm.
    pub fn new(repository: Repository, frozen: &'a Frozen, scene: &Scene<'a>) -> Result<Today<'a>> {
        let path = repository.location.git_dir.join("index");
        let unchanged = match &frozen.index_sha256 {
            Some(sum) => digest::hex(&index::file_digest(&path)?) == *sum,
            None => false,
        };
        let index = if unchanged { None } else { Some(repository.index()?) };
        let left_out = if frozen.is_sparse { left_out(&repository, frozen, scene.baseline)? } else { BTreeMap::new() };
        let uncounted = PatternSet::compile(&scene.control.uncounted)?;
        Ok(Today {
            frozen,
            repository,
            uncounted,
            baseline: scene.baseline,
            kept: &scene.control.kept,
            index,
            left_out,
        })
    }

    /// What the baseline has at a path that a sparse checkout left out of the work tree at arm.
    pub fn left_out(&self, path: &RepoPath) -> Option<Recorded> {
        self.left_out.get(path).copied()
    }

    /// The entry of arm at `path`, relative to the whole work tree.
    pub fn entry_at_arm(&self, path: &[u8]) -> Option<&Entry> {
        self.baseline.entry(path)
    }

    /// What the baseline has at `path`, relative to the whole work tree.
    pub fn in_baseline(&self, path: &[u8]) -> Option<Recorded> {
        let on_disk = self.baseline.entry(path).and_then(recorded);
        on_disk.or_else(|| if self.left_out.is_empty() { None } else { self.left_out(&RepoPath::from(path)) })
    }

    /// What the index had at arm at `path`, relative to the whole work tree.
    pub fn at_arm(&self, path: &[u8]) -> Option<Recorded> {
        match self.kept(path) {
            Some(kept) => kept.in_index(),
            None => self.in_baseline(path),
        }
    }

    /// What the index may have at `path` while it has `now`: what it had at arm, or uncommitted work of arm as it was,
    /// which somebody added where nothing was staged that this could replace.
    pub fn expected(&self, path: &[u8], now: Option<Recorded>) -> Option<Recorded> {
        let adopted = self.kept(path).is_some_and(|kept| !kept.staged) && now == self.in_baseline(path);
        if adopted { now } else { self.at_arm(path) }
    }

    /// What was kept of a path because HEAD did not have it so.
    pub fn kept(&self, path: &[u8]) -> Option<&'a Kept> {
        if self.kept.is_empty() { None } else { kept::find(self.kept, path) }
    }

    /// What the index has at `path`, relative to this checkout, today.
    pub fn in_index(&self, inside: &[u8]) -> Option<Recorded> {
        match &self.index {
            None => self.at_arm(self.frozen.prefix.join(inside).as_bytes()),
            Some(index) => index.recorded(inside),
        }
    }

    /// The index, where it was written since arm.
    pub fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// The paths that left the index or came into it since arm, relative to the whole work tree.
    pub fn moved_in_index(&self) -> Vec<RepoPath> {
        let Some(index) = &self.index else { return Vec::new() };
        let prefix = &self.frozen.prefix;
        let mut moved = Vec::new();
        for entry in index.entries() {
            let path = prefix.join(entry.path);
            if self.at_arm(path.as_bytes()).is_none() && self.kept(path.as_bytes()).is_none() {
                moved.push(path);
            }
        }
        for listing in self.baseline.listings().iter().filter(|listing| listing.path.is_within(prefix.as_bytes())) {
            for entry in
                listing.entries().iter().filter(|entry| matches!(entry.class, Class::Tracked(_) | Class::Gitlink(_)))
            {
                let path = listing.path_of(entry);
                let inside = super::baseline::within(prefix, path.as_bytes());
                let missing = index.recorded(inside).is_none() && self.kept(path.as_bytes()).is_none();
                if !inside.is_empty() && missing && !self.is_inner(&path) {
                    moved.push(path);
                }
            }
        }
        let gone = |path: &&RepoPath| index.recorded(super::baseline::within(prefix, path.as_bytes())).is_none();
        moved.extend(self.left_out.keys().filter(gone).cloned());
        for kept in self.kept.iter().filter(|kept| kept.path.is_within(prefix.as_bytes()) && !self.is_inner(&kept.path))
        {
            let now = index.recorded(super::baseline::within(prefix, kept.path.as_bytes()));
            if now != self.expected(kept.path.as_bytes(), now) {
                moved.push(kept.path.clone());
            }
        }
        moved.sort();
        moved.dedup();
        moved
    }

    /// The tracked paths that a flag hides, relative to the whole work tree.
    pub fn hidden(&self) -> Vec<(RepoPath, HidingFlag)> {
        let hidden = self.index.as_ref().map_or_else(Vec::new, Index::hidden);
        let hidden = hidden.into_iter().map(|(path, flag)| (self.frozen.prefix.join(path.as_bytes()), flag));
        // What a sparse checkout left out is judged by what lies there, flag or no flag.
        hidden.filter(|(path, flag)| *flag != HidingFlag::SkipWorktree || self.left_out(path).is_none()).collect()
    }

    /// A reader under the frozen attributes.
    pub fn reader(&self) -> Result<Reader> {
        Reader::new(&self.repository, self.frozen, &self.baseline_files(ATTRIBUTES))
    }

    /// The frozen exclude rules.
    pub fn excludes(&self) -> Result<Excludes> {
        Excludes::new(&self.repository, self.baseline_files(excludes::FILE_NAME), &self.frozen.excludes)
    }

    /// The baseline's regular files of this name in this checkout, relative to it.
    fn baseline_files(&self, name: &[u8]) -> Vec<(RepoPath, ObjectId)> {
        let prefix = &self.frozen.prefix;
        let mut files = Vec::new();
        for listing in self.baseline.listings().iter().filter(|listing| listing.path.is_within(prefix.as_bytes())) {
            let Some(entry) = listing.position(name).map(|at| &listing.entries()[at]) else { continue };
            if let (Class::Tracked(id), Kind::File) = (&entry.class, entry.stat.kind) {
                let path = listing.path_of(entry);
                if !self.is_inner(&path) {
                    // Attributes count as the index has them, exclude rules as they lie on disk; so it was at arm.
                    let id = match self.at_arm(path.as_bytes()) {
                        _ if name == excludes::FILE_NAME => *id,
                        Some(staged) => staged.id,
                        None => continue,
                    };
                    files.push((RepoPath::from(super::baseline::within(prefix, path.as_bytes())), object_id(&id)));
                }
            }
        }
        let named = |path: &&RepoPath| path.name() == name;
        for (path, recorded) in self.left_out.iter().filter(|(path, _)| named(path)) {
            if matches!(recorded.mode, Mode::File | Mode::Executable) {
                let inside = RepoPath::from(super::baseline::within(prefix, path.as_bytes()));
                files.push((inside, object_id(&recorded.id)));
            }
        }
        files
    }

    /// Whether a path of this checkout lies in a submodule of it, so that another checkout answers for it.
    pub fn is_inner(&self, path: &RepoPath) -> bool {
        let mut directory = path.parent();
        while directory.as_bytes().len() > self.frozen.prefix.as_bytes().len() {
            if self.baseline.entry(directory.as_bytes()).is_some_and(|entry| matches!(entry.class, Class::Gitlink(_))) {
                return true;
            }
            directory = directory.parent();
        }
        false
    }
}

impl Ground for Today<'_> {
    fn repository(&self) -> &Repository {
        &self.repository
    }

    fn prefix(&self) -> &RepoPath {
        &self.frozen.prefix
    }

    fn uncounted(&self) -> &PatternSet {
        &self.uncounted
    }

    fn counter(&self) -> Result<Counter> {
        let objects = self.repository.objects();
        let attributes = self.frozen.attributes_of(objects.clone(), &self.baseline_files(ATTRIBUTES))?;
        Ok(Counter::new(objects, attributes, self.frozen.drivers()))
    }

    fn is_known(&self, path: &[u8]) -> Result<bool> {
        Ok(self.entry_at_arm(path).is_some())
    }

    fn recorded(&self, path: &[u8]) -> Result<Option<Recorded>> {
        Ok(self.in_baseline(path))
    }

    fn links(&self) -> Result<Vec<RepoPath>> {
        let links = super::outside::tracked_links(self.baseline, &self.frozen.prefix);
        Ok(links.into_iter().filter(|path| !self.is_inner(path)).collect())
    }
}

/// What the tree of arm has and the work tree of arm had not.
fn left_out(repository: &Repository, frozen: &Frozen, baseline: &Snapshot) -> Result<BTreeMap<RepoPath, Recorded>> {
    let tree = ObjectId::from_hex(frozen.tree.as_bytes()).expect("gitoxide wrote this id");
    let entries = super::tree::entries(repository, tree)?.into_iter();
    let named =
        entries.map(|entry| (frozen.prefix.join(entry.path.as_bytes()), Recorded { id: entry.id, mode: entry.mode }));
    Ok(named.filter(|(path, _)| baseline.entry(path.as_bytes()).is_none()).collect())
}

/// What an entry of the fingerprint stands for in the baseline.
pub fn recorded(entry: &Entry) -> Option<Recorded> {
    match entry.class {
        Class::Gitlink(id) => Some(Recorded { id, mode: Mode::Gitlink }),
        Class::Tracked(id) => {
            let mode = match entry.stat.kind {
                Kind::Symlink => Mode::Symlink,
                _ if entry.stat.is_executable() => Mode::Executable,
                _ => Mode::File,
            };
            Some(Recorded { id, mode })
        }
        Class::Ignored | Class::Unclassified => None,
    }
}
