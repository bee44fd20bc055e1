//! A picture of everything below a directory, to prove that an operation touched nothing.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What is known about each path: type and mode, owner, inode, a digest of the content, and of all but
/// directories size and mtime.
pub type Picture = BTreeMap<PathBuf, String>;

/// Pictures all of `root` except Cordon's own directories.
pub fn picture(root: &Path) -> Picture {
    let mut all = Picture::new();
    add(root, &mut all);
    all
}

/// What differs between two pictures, a line a path.
pub fn differences(before: &Picture, after: &Picture) -> Vec<String> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    gone.chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| format!("{}: {:?} -> {:?}", path.display(), before.get(path), after.get(path)))
        .collect()
}

/// Expects that two pictures are equal.
#[track_caller]
pub fn assert_untouched(before: &Picture, after: &Picture) {
    let lines = differences(before, after);
    assert!(lines.is_empty(), "touched:\n{}", lines.join("\n"));
}

fn add(path: &Path, all: &mut Picture) {
    let meta = fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let content = if meta.is_file() {
        digest(&fs::read(path).unwrap_or_default())
    } else if meta.is_symlink() {
        digest(fs::read_link(path).unwrap().as_os_str().as_bytes())
    } else {
        String::new()
    };
    let (mode, owner, inode) = (meta.mode(), meta.uid(), meta.ino());
    let line = if meta.is_dir() {
        format!("{mode:o} {owner} {inode}")
    } else {
        format!("{mode:o} {owner} {inode} {} {}.{:09} {content}", meta.size(), meta.mtime(), meta.mtime_nsec())
    };
    all.insert(path.to_path_buf(), line);
    if meta.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() != ".cordon" && entry.file_name() != ".stone" {
                add(&entry.path(), all);
            }
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    format!("{:02x?}", &digest[..8])
}
