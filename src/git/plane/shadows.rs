//! Files that answer in a ref's place: Git looks for `main` in `.git/main` before it looks in `refs/heads/main`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::files;
use super::super::open::Repository;
use super::files::names;

/// Refs of Git's own that stand at the top of a Git directory, and files that look like one.
const PSEUDO: &[&[u8]] = &[
    b"HEAD",
    b"ORIG_HEAD",
    b"FETCH_HEAD",
    b"MERGE_HEAD",
    b"CHERRY_PICK_HEAD",
    b"REVERT_HEAD",
    b"REBASE_HEAD",
    b"BISECT_HEAD",
    b"BISECT_START",
    b"BISECT_EXPECTED_REV",
    b"AUTO_MERGE",
    b"MERGE_AUTOSTASH",
    b"NOTES_MERGE_PARTIAL",
    b"NOTES_MERGE_REF",
    b"shallow",
    b"packed-refs",
];

/// Directories of Git's own, in which no name of a ref is looked for first.
const DIRECTORIES: &[&[u8]] = &[
    b"objects",
    b"refs",
    b"logs",
    b"hooks",
    b"info",
    b"modules",
    b"worktrees",
    b"lfs",
    b"annex",
    b"svn",
    b"rr-cache",
    b"rebase-merge",
    b"rebase-apply",
    b"sequencer",
    b"branches",
    b"remotes",
    b"cordon.kept",
];

/// Whether Git itself keeps a ref of its own under this name at the top of a Git directory.
pub fn is_pseudo_ref(name: &[u8]) -> bool {
    PSEUDO.contains(&name)
}

/// Whether this is a directory of Git's own at the top of a Git directory.
pub fn is_gits_own_directory(name: &[u8]) -> bool {
    DIRECTORIES.contains(&name)
}

/// A ref is no larger than this.
const SMALL: u64 = 1024;

/// How deep unknown directories are looked into, and how many of their files.
const DEPTH: usize = 6;
const MOST: usize = 2000;

/// The files that look like a ref where none belongs.
pub fn find(repository: &Repository) -> Vec<PathBuf> {
    let location = &repository.location;
    let mut found = at_top(&location.git_dir, repository);
    if location.common_dir != location.git_dir {
        found.extend(at_top(&location.common_dir, repository));
    }
    found
}

fn at_top(git_dir: &Path, repository: &Repository) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MOST;
    for path in names(git_dir) {
        let Some(name) = path.file_name().map(std::ffi::OsStr::as_encoded_bytes) else { continue };
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        if metadata.is_dir() && !is_gits_own_directory(name) {
            let shorts = short_names(repository);
            below(git_dir, &path, &shorts, DEPTH, &mut left, &mut found);
        } else if metadata.is_file() && metadata.len() <= SMALL && !is_pseudo_ref(name) && is_ref(&path) {
            found.push(path);
        }
    }
    found
}

fn below(top: &Path, at: &Path, shorts: &HashSet<Vec<u8>>, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for path in names(at) {
        let Some(more) = left.checked_sub(1) else { return };
        *left = more;
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        let name = path.strip_prefix(top).unwrap_or(&path).as_os_str().as_encoded_bytes();
        if metadata.is_dir() {
            below(top, &path, shorts, depth, left, found);
        } else if metadata.is_file() && metadata.len() <= SMALL && shorts.contains(name) && is_ref(&path) {
            found.push(path);
        }
    }
}

/// What people and scripts call the refs that there are.
fn short_names(repository: &Repository) -> HashSet<Vec<u8>> {
    let names = repository.refs().map(|refs| refs.all.keys()).ok().into_iter().flatten();
    let prefixes: [&[u8]; 4] = [b"refs/", b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    names.flat_map(|name| prefixes.iter().filter_map(|prefix| name.strip_prefix(*prefix))).map(<[u8]>::to_vec).collect()
}

/// Whether the content is an object id, or names another ref.
fn is_ref(path: &Path) -> bool {
    let Ok(Some(bytes)) = files::read(path) else { return false };
    let line = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    bytes.starts_with(b"ref:") || (matches!(line.len(), 40 | 64) && line.iter().all(u8::is_ascii_hexdigit))
}
