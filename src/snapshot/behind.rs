//! What stands behind a link that leads out of the repository, remembered within bounds: a file of any size, or the
//! first entries of a directory in the order of their paths, with digests of what is not too large.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::digest;
use super::entry::{Kind, Stat, Time};
use super::open;
use crate::policy::path::RepoPath;

/// So many entries of a directory are remembered; what comes behind them is not looked at.
const ENTRIES: usize = 2000;

/// Digests of one link may cost the reading of so many bytes. A file that is larger counts as changed once its times do.
const BYTES: u64 = 64 * 1024 * 1024;

/// One file, link, directory or other thing, and when it was last touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Relative to what the link leads to; empty for that itself.
    pub path: RepoPath,
    /// `f`, `l`, `d` or `s` for a FIFO, socket or device.
    kind: char,
    size: u64,
    /// Device, inode, and the times in seconds and nanoseconds.
    stat: (u64, u64, i64, u32, i64, u32),
    /// SHA-256 of the content, where it was read.
    sha256: Option<String>,
}

/// What stands behind the link at `link`; empty when nothing does, or when it cannot be read.
pub fn look(link: &Path) -> Vec<Seen> {
    let mut budget = BYTES;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let Ok(stat) = rustix::fs::stat(link).map(|stat| Stat::of(&stat)) else { return Vec::new() };
    if !matches!(stat.kind, Kind::File | Kind::Directory) {
        return vec![seen(RepoPath::new(""), &stat, None)];
    }
    let Ok(fd) = rustix::fs::openat(CWD, link, flags, Mode::empty()) else { return Vec::new() };
    if stat.kind == Kind::Directory {
        return tree(fd, &mut budget);
    }
    let sum = affordable(&stat, &mut budget).then(|| digest::opened(fd.into(), &stat).ok()).flatten();
    vec![seen(RepoPath::new(""), &stat, sum)]
}

/// Whether `now` shows other content than `before`. Times alone are no change where there is a digest.
pub fn differs(before: &[Seen], now: &[Seen]) -> bool {
    before.len() != now.len() || before.iter().zip(now).any(|(old, new)| old.differs(new))
}

impl Seen {
    fn differs(&self, now: &Seen) -> bool {
        let content = match (&self.sha256, &now.sha256) {
            (Some(old), Some(new)) => old != new,
            _ => self.kind == 'f' && self.stat != now.stat,
        };
        self.path != now.path || self.kind != now.kind || self.size != now.size || content
    }
}

/// Breadth first, each directory in the order of its names, so that the bound cuts at the same place every time.
fn tree(top: OwnedFd, budget: &mut u64) -> Vec<Seen> {
    let mut all = Vec::new();
    let mut waiting = VecDeque::from([(RepoPath::new(""), top)]);
    while let Some((path, fd)) = waiting.pop_front() {
        for name in names(&fd) {
            if all.len() == ENTRIES {
                return all;
            }
            let Ok(stat) = open::stat(&fd, &name) else { continue };
            let below = path.join(&name);
            let readable = matches!(stat.kind, Kind::File | Kind::Symlink) && affordable(&stat, budget);
            let sum = readable.then(|| digest::content(&fd, &name, stat.kind).ok()).flatten();
            all.push(seen(below.clone(), &stat, sum.map(|(sum, _)| sum)));
            // As many directories as entries can wait, each with a descriptor; the bound keeps that small.
            if stat.kind == Kind::Directory
                && waiting.len() < 256
                && let Ok(inner) = open::directory(&fd, &name)
            {
                waiting.push_back((below, inner));
            }
        }
    }
    all
}

fn names(fd: &OwnedFd) -> Vec<Vec<u8>> {
    let read = || -> Result<Vec<Vec<u8>>, Errno> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(fd.as_fd())? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name().to_bytes().to_vec());
            }
        }
        names.sort();
        Ok(names)
    };
    read().unwrap_or_default()
}

fn affordable(stat: &Stat, budget: &mut u64) -> bool {
    let fits = stat.size <= *budget;
    *budget -= if fits { stat.size } else { 0 };
    fits
}

fn seen(path: RepoPath, stat: &Stat, sum: Option<[u8; 32]>) -> Seen {
    let kind = match stat.kind {
        Kind::File => 'f',
        Kind::Symlink => 'l',
        Kind::Directory => 'd',
        Kind::Special => 's',
    };
    let Time { secs, nanos } = stat.mtime;
    let times = (stat.device, stat.inode, secs, nanos, stat.ctime.secs, stat.ctime.nanos);
    Seen { path, kind, size: stat.size, stat: times, sha256: sum.map(|sum| digest::hex(&sum)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_remembered_by_content_and_not_by_times() {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::write(at("a/b/file"), "one").unwrap();
        std::os::unix::fs::symlink("a/b", at("link")).unwrap();
        let before = look(outside.path());
        assert_eq!(before.iter().map(|seen| seen.path.plain()).collect::<Vec<_>>(), ["a", "link", "a/b", "a/b/file"]);
        std::fs::remove_file(at("a/b/file")).unwrap();
        std::fs::write(at("a/b/file"), "one").unwrap();
        assert!(!differs(&before, &look(outside.path())));
        std::fs::write(at("a/b/file"), "two").unwrap();
        assert!(differs(&before, &look(outside.path())));
        std::fs::write(at("a/b/file"), "one").unwrap();
        std::fs::write(at("more"), "").unwrap();
        assert!(differs(&before, &look(outside.path())));
        assert!(look(&at("missing")).is_empty());
    }

    #[test]
    fn the_bound_cuts_at_the_same_place() {
        let outside = tempfile::tempdir().unwrap();
        for n in 0..ENTRIES + 10 {
            std::fs::write(outside.path().join(format!("{n:05}")), "x").unwrap();
        }
        let before = look(outside.path());
        assert_eq!(before.len(), ENTRIES);
        assert!(!differs(&before, &look(outside.path())));
    }
}
