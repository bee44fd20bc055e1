//! Rights that no permission bit shows: file capabilities, which stand in an extended attribute, and device nodes.

use std::path::Path;

use rustix::fs::FileType;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::files;
use super::open::Repository;
use crate::audit::links::{Mark, MarkKind};
use crate::policy::options;
use crate::policy::path::RepoPath;
use crate::snapshot::delta::Difference;
use crate::snapshot::digest;
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};

/// The attribute, see capabilities(7).
const ATTRIBUTE: &str = "security.capability";

/// No version of the attribute is longer.
const LONGEST: usize = 64;

/// The capabilities of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capable {
    /// The file, relative to the whole work tree.
    pub path: RepoPath,
    /// The bytes of the attribute, in hex.
    pub value: String,
}

/// The programs that had capabilities at arm. Packages and build output may bring them along, so they are not asked.
pub fn at_arm(root: &Path, snapshot: &Snapshot) -> Vec<Capable> {
    let mut found = Vec::new();
    for listing in snapshot.listings() {
        for entry in listing.entries().iter().filter(|entry| is_program(entry)) {
            let path = listing.path_of(entry);
            if matters(&path, entry.class)
                && let Some(value) = capabilities(root, &path)
            {
                found.push(Capable { path, value });
            }
        }
    }
    found
}

/// The programs that have capabilities now and had not, or had others. Setting them changes the time of the inode, so that
/// only what differs has to be asked.
pub fn marks(root: &Path, known: &[Capable], delta: &[Difference]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for difference in delta {
        let (Some(after), path) = (difference.after.as_ref().filter(|after| is_program(after)), &difference.path)
        else {
            continue;
        };
        let class = difference.before.as_ref().map_or(after.class, |before| before.class);
        if !matters(path, class) {
            continue;
        }
        let Some(value) = capabilities(root, path) else { continue };
        if !known.iter().any(|old| old.path == *path && old.value == value) {
            marks.push(Mark::on_disk(path.clone(), MarkKind::Capabilities));
        }
    }
    marks
}

/// Whether a device node is at `inside`, relative to the work tree of `repository`, other than the one without a device that
/// stands for a deleted file in the upper layer of an overlay file system.
pub fn is_device(repository: &Repository, inside: &[u8]) -> bool {
    let Ok(stat) = rustix::fs::lstat(files::below(&repository.location.root, inside)) else { return false };
    let kind = FileType::from_raw_mode(stat.st_mode);
    matches!(kind, FileType::CharacterDevice | FileType::BlockDevice) && stat.st_rdev != 0
}

/// Only what can be executed can use them.
fn is_program(entry: &Entry) -> bool {
    entry.stat.kind == Kind::File && entry.stat.permissions & 0o111 != 0
}

fn matters(path: &RepoPath, class: Class) -> bool {
    matches!(class, Class::Tracked(_)) || !options::is_built_in_output(path.as_bytes())
}

/// The attribute in hex; `None` where there is none, or where the file system has no attributes.
fn capabilities(root: &Path, path: &RepoPath) -> Option<String> {
    let mut value = [0; LONGEST];
    match rustix::fs::lgetxattr(files::below(root, path.as_bytes()), ATTRIBUTE, &mut value[..]) {
        Ok(len) => Some(digest::hex(&value[..len])),
        // Longer than any version of it, so it is there.
        Err(Errno::RANGE) => Some("too long".to_owned()),
        Err(_) => None,
    }
}
