//! The Git tree of the audited work tree: the id that `git add -A` and `git write-tree` would give, worked out in memory.
//!
//! The tree of the baseline is edited where the work tree differs from it. Nothing is written to the object store, and no
//! filter driver is run.

use std::collections::{BTreeSet, HashMap};

use gix::ObjectId;

use super::baseline::is_checked_out;
use super::control::Frozen;
use super::lfs;
use super::locate;
use super::objects::Objects;
use super::observe::Scene;
use super::open::Repository;
use super::reader::blob_id;
use super::rebuild::{self, Edits};
use super::staged;
use super::today::{Recorded, Today, recorded};
use crate::audit::evidence::{Change, ChangeKind, Layer, Mode};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Class, Kind};

/// The id of the tree, in hex. `nested` are repositories that appeared since arm, and `changes` what differs.
///
/// `None` where Git would make no tree of it either or what it would store cannot be known: a file that cannot be read, a
/// repository without a commit, a filter driver that is not run, a tree of the baseline that is gone.
pub fn id(today: &Today<'_>, scene: &Scene<'_>, nested: &[RepoPath], changes: &[Change]) -> Option<String> {
    let auditor = Auditor { today, scene, left: left_index(today, scene, changes) };
    let mut edits = auditor.edits(changes)?;
    auditor.nested(nested, &mut edits)?;
    auditor.filtered(&mut edits)?;
    auditor.modes(&mut edits)?;
    write(&today.repository, today.frozen, &edits).ok().map(|id| id.to_string())
}

/// The submodules that left the index and are not checked out: Git takes what lies there for files of its own.
fn left_index(today: &Today<'_>, scene: &Scene<'_>, changes: &[Change]) -> BTreeSet<RepoPath> {
    let left = changes.iter().filter(|change| change.mode_before == Some(Mode::Gitlink) && change.mode_after.is_none());
    left.map(|change| change.path.clone())
        .filter(|path| today.in_index(path.as_bytes()).is_none() && !is_checked_out(scene.now, path))
        .collect()
}

/// What one change does to the tree.
enum Edit {
    Nothing,
    Remove,
    Store(Recorded),
    Unknown,
}

struct Auditor<'a> {
    today: &'a Today<'a>,
    scene: &'a Scene<'a>,
    left: BTreeSet<RepoPath>,
}

impl Auditor<'_> {
    /// Uncommitted work of arm, then what changed on disk since.
    fn edits(&self, changes: &[Change]) -> Option<Edits> {
        let mut edits = Edits::new();
        for kept in self.scene.control.kept.iter().filter(|kept| !self.is_inner(&kept.path)) {
            edits.insert(kept.path.clone(), self.scene.baseline.entry(kept.path.as_bytes()).and_then(recorded));
        }
        edits.extend(self.left.iter().map(|path| (path.clone(), None)));
        let on_disk = changes.iter().filter(|change| change.layers.contains(&Layer::Worktree));
        for change in on_disk.filter(|change| !self.is_inner(&change.path)) {
            match self.edit(change) {
                Edit::Nothing => {}
                Edit::Remove => drop(edits.insert(change.path.clone(), None)),
                Edit::Store(now) => drop(edits.insert(change.path.clone(), Some(now))),
                Edit::Unknown => return None,
            }
        }
        Some(edits)
    }

    fn edit(&self, change: &Change) -> Edit {
        // The index keeps a submodule as it was recorded as long as a directory is in its place.
        if change.mode_before == Some(Mode::Gitlink) && change.kind == ChangeKind::Deleted {
            let now = self.scene.now.entry(change.path.as_bytes()).map(|entry| entry.stat.kind);
            return if now == Some(Kind::Directory) { Edit::Nothing } else { Edit::Remove };
        }
        match (change.kind, change.mode_after, change.content) {
            // A repository without any file is added by `nested`.
            (ChangeKind::Added, None, _) => Edit::Nothing,
            (ChangeKind::Deleted, _, _) | (_, None | Some(Mode::Other), _) => Edit::Remove,
            (_, Some(mode), Some(id)) => Edit::Store(Recorded { id, mode }),
            (_, Some(_), None) => Edit::Unknown,
        }
    }

    /// Whether a path lies in a submodule, of which the tree has only the commit.
    fn is_inner(&self, path: &RepoPath) -> bool {
        let parents = std::iter::successors(Some(path.parent()), |directory| Some(directory.parent()));
        parents.take_while(|directory| !directory.is_root()).any(|directory| {
            let entry = self.scene.baseline.entry(directory.as_bytes());
            entry.is_some_and(|entry| matches!(entry.class, Class::Gitlink(_))) && !self.left.contains(&directory)
        })
    }

    /// A repository in which Git tracks nothing of this one is stored as its commit, whatever lies in it.
    fn nested(&self, nested: &[RepoPath], edits: &mut Edits) -> Option<()> {
        let mut stored: Vec<&RepoPath> = Vec::new();
        for directory in nested.iter().collect::<BTreeSet<_>>() {
            let is_inner = stored.iter().any(|outer| directory.is_within(outer.as_bytes()));
            if is_inner || self.tracks_below(directory) || self.is_inner(directory) {
                continue;
            }
            let root = super::files::below(&self.today.repository.location.root, directory.as_bytes());
            // What is no repository to Git is a directory like any other.
            let Ok(location) = locate::at_top(&root) else { continue };
            let head = Repository::open(location).and_then(|inner| inner.head()).ok()?.commit;
            let id = head.filter(|id| id.kind() == self.today.repository.gix.object_hash())?;
            edits.retain(|path, _| !path.is_within(directory.as_bytes()));
            edits.insert(directory.clone(), Some(Recorded { id: blob_id(id), mode: Mode::Gitlink }));
            stored.push(directory);
        }
        Some(())
    }

    fn tracks_below(&self, directory: &RepoPath) -> bool {
        if let Some(index) = self.today.index() {
            return !index.names(directory.as_bytes()).is_empty();
        }
        let mut below = self.scene.baseline.listings().iter();
        below.any(|listing| {
            listing.path.is_within(directory.as_bytes())
                && listing.entries().iter().any(|entry| recorded(entry).is_some())
        })
    }

    /// Files of filter drivers: what Git LFS would store can be worked out, what another driver would store cannot.
    fn filtered(&self, edits: &mut Edits) -> Option<()> {
        let drivers = drivers(&self.today.repository);
        if drivers.is_empty() || edits.is_empty() {
            return Some(());
        }
        let mut reader = self.today.reader().ok()?;
        for (path, edit) in edits.iter_mut() {
            let Some(now) = edit.as_mut().filter(|now| matches!(now.mode, Mode::File | Mode::Executable)) else {
                continue;
            };
            let filter = reader.attributes(path).ok()?.filter;
            match filter.value().filter(|name| drivers.contains(*name)) {
                None => {}
                Some(name) if name == lfs::DRIVER => now.id = reader.stored_by_lfs(path, now.id).ok()?.ok()?,
                Some(_) => return None,
            }
        }
        Some(())
    }

    /// Where Git ignores the permissions on disk, it goes on with the modes that the index has.
    fn modes(&self, edits: &mut Edits) -> Option<()> {
        if !self.today.frozen.ignores_modes {
            return Some(());
        }
        let committed: HashMap<Vec<u8>, Recorded> = staged::committed_modes(self.today).ok()?;
        let is_file = |mode: &Mode| matches!(mode, Mode::File | Mode::Executable);
        for (path, edit) in edits.iter_mut() {
            let Some(now) = edit.as_mut().filter(|now| is_file(&now.mode)) else { continue };
            let indexed = self
                .today
                .index()
                .map_or_else(|| committed.get(path.as_bytes()).copied(), |index| index.recorded(path.as_bytes()));
            now.mode = indexed.map(|indexed| indexed.mode).filter(is_file).unwrap_or(Mode::File);
        }
        Some(())
    }
}

/// The filter drivers that Git would run on the way into the store.
fn drivers(repository: &Repository) -> BTreeSet<Vec<u8>> {
    let snapshot = repository.gix.config_snapshot();
    let sections = snapshot.plumbing().sections_by_name("filter").into_iter().flatten();
    sections
        .filter(|section| section.value("clean").is_some() || section.value("process").is_some())
        .filter_map(|section| section.header().subsection_name().map(|name| name.to_vec()))
        .collect()
}

fn write(repository: &Repository, frozen: &Frozen, edits: &Edits) -> Result<ObjectId> {
    let id = ObjectId::from_hex(frozen.tree.as_bytes()).expect("gitoxide wrote this id");
    if edits.is_empty() {
        return Ok(id);
    }
    rebuild::edited(&Objects::of(&repository.gix), repository.gix.object_hash(), id, edits)
}
