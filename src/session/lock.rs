//! One operation at a time: an advisory lock on a zero-length file in the Git directory.
//!
//! The lock goes away with the process, however it ends. The file stays, except after a refused first arm: then it is
//! removed while it is still locked, and whoever waited for it notices that the path no longer leads to it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::{Error, Kind, Result};
use crate::policy::escape;

/// The name in the Git directory.
pub const NAME: &str = "cordon.lock";

/// A lock that is held until it is dropped.
pub struct Lock {
    file: File,
    path: PathBuf,
    created: bool,
}

impl Lock {
    /// Takes the lock, or fails at once when another operation holds it.
    pub fn take(git_dir: &Path) -> Result<Lock> {
        let path = git_dir.join(NAME);
        // A file that was removed between opening and locking is no lock; the next round opens its successor.
        for _ in 0..100 {
            require_plain(&path)?;
            let (file, created) = open(&path).map_err(|error| cannot_lock(&path, error))?;
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => {}
                Err(fs4::TryLockError::WouldBlock) => return Err(busy()),
                Err(fs4::TryLockError::Error(error)) => return Err(cannot_lock(&path, error)),
            }
            if is_at(&file, &path) {
                return Ok(Lock { file, path, created });
            }
        }
        Err(busy())
    }

    /// Whether the file is still where it was locked, empty as it was.
    pub fn is_intact(&self) -> bool {
        is_at(&self.file, &self.path) && self.file.metadata().is_ok_and(|metadata| metadata.len() == 0)
    }

    /// Removes the file if this lock has created it, for an operation that is to leave nothing behind.
    pub fn forget(self) {
        if self.created {
            let _ = std::fs::remove_file(&self.path);
        }
        drop(self.file);
    }
}

/// Refuses a link or anything else that Cordon did not make: a lock that lies elsewhere locks nothing here.
fn require_plain(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let name = escape::plain(path.as_os_str().as_encoded_bytes());
            Err(Error::state(format!("{name} is no regular file"))
                .hint("Somebody put it in the place of Cordon's lock: look at what it is, then remove it."))
        }
        _ => Ok(()),
    }
}

fn open(path: &Path) -> std::io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed());
    match options.clone().create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok((options.open(path)?, false)),
        Err(error) => Err(error),
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

fn busy() -> Error {
    Error::new(Kind::Busy, "another Cordon operation is running on this repository")
        .hint("Wait until it has ended, then try again; a killed one holds no lock.")
}

fn cannot_lock(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot lock {}", escape::plain(path.as_os_str().as_encoded_bytes())), error)
}
