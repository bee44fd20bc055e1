//! Links among the files of a Git directory: what Git writes there by name goes to wherever the link leads, and what it
//! reads is somebody else's.
//!
//! Symbolic links are found wherever Git keeps files of its own, by listing the directories. Hard links matter only for
//! files that Git writes in place; most it replaces by another.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::files::{Rule, Seen, Watched};
use crate::policy::text::Text;

/// Directories that are looked at with all that is in them.
const DEEP: &[&str] = &["info", "logs", "objects/info", "refs", "rr-cache", "worktrees"];

/// Directories that are looked at themselves, and not what is in them.
const FLAT: &[&str] = &["objects/pack"];

/// Git keeps nothing deeper than a ref's name goes.
const DEPTH: usize = 32;

/// What stands at the top and is replaced, never written to.
const REPLACED: &[&[u8]] = &[b"HEAD", b"config", b"config.worktree", b"index", b"packed-refs", b"shallow"];

/// The links below the Git directories, sorted by path.
pub fn find<'a>(git_dirs: impl IntoIterator<Item = &'a PathBuf>) -> Vec<Watched> {
    let mut found = Vec::new();
    for git_dir in git_dirs {
        list(git_dir, 0, &|path| !REPLACED.contains(&name(path)), &mut found);
        for directory in DEEP {
            let directory = git_dir.join(directory);
            let is_log = directory.ends_with("logs");
            if !is_link(&directory) {
                list(&directory, DEPTH, &|_| is_log, &mut found);
            }
        }
        let nested = DEEP.iter().chain(FLAT).map(|directory| git_dir.join(directory));
        found.extend(nested.filter(|directory| directory.parent() != Some(git_dir)).filter_map(symbolic));
    }
    found.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// Adds what is a link in a directory, and in those below it. Of files that Git writes in place, hard links count too.
fn list(directory: &Path, depth: usize, in_place: &dyn Fn(&Path) -> bool, found: &mut Vec<Watched>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_symlink() {
            found.extend(symbolic(path));
        } else if kind.is_dir() {
            if let Some(depth) = depth.checked_sub(1) {
                list(&path, depth, in_place, found);
            }
        } else if kind.is_file() && in_place(&path) && entry.metadata().is_ok_and(|metadata| metadata.nlink() > 1) {
            found.push(watched(path, Seen::Shared));
        }
    }
}

fn symbolic(path: PathBuf) -> Option<Watched> {
    let target = std::fs::read_link(&path).ok()?;
    Some(watched(path, Seen::Link(Text::from_bytes(target.into_os_string().into_encoded_bytes()))))
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn name(path: &Path) -> &[u8] {
    path.file_name().map(std::ffi::OsStr::as_encoded_bytes).unwrap_or_default()
}

fn watched(path: PathBuf, seen: Seen) -> Watched {
    Watched { rule: Rule::Link, path: Text::from_bytes(path.into_os_string().into_encoded_bytes()), seen }
}
