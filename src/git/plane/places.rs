//! Where repositories lie inside a repository: submodules, nested ones, bare ones under any name, and the Git directories
//! of submodules that are not checked out.

use std::path::{Path, PathBuf};

use super::super::files::below;
use super::super::locate::{self, Location};
use super::super::open::Repository;
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Kind, Listing, Snapshot};

/// How deep the Git directories of submodules are looked for; their names may hold slashes.
const DEPTH: usize = 16;

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    /// A work tree, with `.git` in it.
    WorkTree,
    /// A Git directory without a work tree, in the place of an ordinary directory.
    Bare,
    /// A Git directory below `modules` of the repository's own.
    Module,
}

/// A place where a repository lies, or seems to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The directory, relative to the work tree; for a module as if the Git directory were `.git`.
    pub path: RepoPath,
    /// What kind of place.
    pub home: Home,
}

/// All places, sorted by path.
pub fn all(repository: &Repository, snapshot: &Snapshot) -> Vec<Place> {
    let mut places = Vec::new();
    for listing in snapshot.listings().iter().filter(|listing| !listing.path.is_root()) {
        if listing.position(b".git").is_some() {
            places.push(Place { path: listing.path.clone(), home: Home::WorkTree });
        }
        if is_bare(listing) {
            places.push(Place { path: listing.path.clone(), home: Home::Bare });
        }
    }
    let modules = repository.location.common_dir.join("modules");
    self::modules(&modules, &RepoPath::from(b".git/modules".as_slice()), DEPTH, &mut places);
    places.sort();
    places
}

/// What Git takes for a repository of its own: HEAD, and objects and refs or a way to them.
fn is_bare(listing: &Listing) -> bool {
    let at = |name: &[u8]| listing.position(name).map(|at| listing.entries()[at].stat.kind);
    let directory = |name: &[u8]| matches!(at(name), Some(Kind::Directory | Kind::Symlink));
    at(b"HEAD").is_some() && (at(b"commondir").is_some() || (directory(b"objects") && directory(b"refs")))
}

fn modules(directory: &Path, path: &RepoPath, depth: usize, places: &mut Vec<Place>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        let inner = path.join(entry.file_name().as_encoded_bytes());
        if locate::is_git_directory(&entry.path()) {
            modules(&entry.path().join("modules"), &inner.join(b"modules"), depth, places);
            places.push(Place { path: inner, home: Home::Module });
        } else {
            modules(&entry.path(), &inner, depth, places);
        }
    }
}

impl Place {
    /// The directory on disk.
    pub fn directory(&self, repository: &Repository) -> PathBuf {
        match (self.home, self.path.as_bytes().strip_prefix(b".git/")) {
            (Home::Module, Some(inside)) => below(&repository.location.common_dir, inside),
            _ => below(&repository.location.root, self.path.as_bytes()),
        }
    }

    /// Where the parts of the repository are.
    pub fn locate(&self, repository: &Repository) -> Result<Location> {
        let directory = self.directory(repository);
        if self.home == Home::WorkTree { locate::at_top(&directory) } else { locate::without_work_tree(&directory) }
    }
}
