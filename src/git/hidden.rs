//! Sorts what no index lists into hidden and visible, directory by directory from the top.

use std::collections::{BTreeSet, HashSet};

use super::baseline::within;
use super::excludes::{Excludes, FILE_NAME};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Class, Kind, Listing, Snapshot};

/// What the exclude rules make of the entries that are not tracked.
#[derive(Default)]
pub struct Sorted {
    /// Places of hidden entries: the listing, and the entry in it.
    pub hidden: Vec<(usize, usize)>,
    /// Files and links that nothing hides.
    pub visible: Vec<RepoPath>,
    /// Directories that nothing hides and that could not be read, with the words of the system.
    pub unreadable: Vec<(RepoPath, String)>,
    /// Untracked exclude files in directories that are not hidden: they have a say in their directory.
    pub exclude_files: Vec<RepoPath>,
}

/// Sorts the unclassified entries of the checkout at `prefix`; `inner` are its submodules.
pub fn sort(
    snapshot: &Snapshot,
    prefix: &RepoPath,
    inner: &BTreeSet<&[u8]>,
    excludes: &mut Excludes,
) -> Result<Sorted> {
    let mut sorted = Sorted::default();
    let mut hidden_directories: HashSet<RepoPath> = HashSet::new();
    let mut foreign: HashSet<&[u8]> = inner.iter().copied().collect();
    for (at, listing) in snapshot.listings().iter().enumerate() {
        let path = listing.path.as_bytes();
        if !listing.path.is_within(prefix.as_bytes()) {
            continue;
        }
        // Parents come before their children, so one look at the parent is enough.
        let parent = crate::snapshot::open::split(path).0;
        if foreign.contains(path) || foreign.contains(parent) {
            foreign.insert(path);
            continue;
        }
        let all_hidden = hidden_directories.contains(&listing.path);
        if let Some(error) = listing.error.as_ref().filter(|_| !all_hidden) {
            sorted.unreadable.push((listing.path.clone(), error.clone()));
        }
        entries(at, listing, prefix, all_hidden, excludes, &mut hidden_directories, &mut sorted)?;
    }
    Ok(sorted)
}

fn entries(
    at: usize,
    listing: &Listing,
    prefix: &RepoPath,
    all_hidden: bool,
    excludes: &mut Excludes,
    hidden_directories: &mut HashSet<RepoPath>,
    sorted: &mut Sorted,
) -> Result<()> {
    for (position, entry) in listing.entries().iter().enumerate() {
        if entry.class != Class::Unclassified {
            continue;
        }
        let path = listing.path_of(entry);
        if listing.path == *prefix && listing.name(entry) == b".git" {
            continue;
        }
        let is_directory = entry.stat.kind == Kind::Directory;
        if all_hidden || excludes.hide(within(prefix, path.as_bytes()), is_directory)? {
            sorted.hidden.push((at, position));
            if is_directory {
                hidden_directories.insert(path);
            }
        } else if listing.name(entry) == b".git" {
            // A repository inside the work tree that is no submodule.
            sorted.visible.push(path);
        } else if matches!(entry.stat.kind, Kind::File | Kind::Symlink) {
            if listing.name(entry) == FILE_NAME && entry.stat.kind == Kind::File {
                sorted.exclude_files.push(RepoPath::from(within(prefix, path.as_bytes())));
            }
            sorted.visible.push(path);
        }
    }
    Ok(())
}
