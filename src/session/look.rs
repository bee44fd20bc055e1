//! One look at the work tree: a walk with progress, and the clock tick of its file system.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::api::Progress;
use crate::error::{Error, Result};
use crate::policy::escape;
use crate::snapshot::entry::{Snapshot, Time};
use crate::snapshot::walk;

/// Walks the work tree.
pub fn walk(root: &Path, progress: Progress<'_>) -> Result<Snapshot> {
    walk::walk(root, &|seen| progress("reading the work tree", seen))
}

/// The time that the file system of `root` gives to a file that is written now.
///
/// The file has no name, so nobody sees it and nothing of it is left.
pub fn tick(root: &Path) -> Result<Time> {
    let io = |error: std::io::Error| {
        Error::io(format!("cannot write into {}", escape::plain(root.as_os_str().as_encoded_bytes())), error)
    };
    let file = tempfile::tempfile_in(root).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    let time = Time { secs: metadata.ctime(), nanos: u32::try_from(metadata.ctime_nsec()).unwrap_or(0) };
    Ok(time)
}

/// The time of day, RFC 3339 in UTC.
pub fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// Does two things, at the same time if that is worth it.
pub fn beside<A: Send, B>(parallel: bool, first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    if !parallel {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        (first.join().expect("a thread that returns its errors does not panic"), second)
    })
}
