//! Writes files whole: a reader finds the old content or the new, never a half. When they reach the disk is the caller's
//! choice: at once, or while something else runs.

use std::fs::File;
use std::io::{Result, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tempfile::NamedTempFile;

use crate::snapshot::sync;

/// How temporary files begin, so that those of a killed process can be told and removed.
pub const TEMPORARY: &str = ".tmp-";

/// Whoever writes, and what it still owes the disk.
#[derive(Clone)]
pub struct Writer {
    owed: Option<Arc<Mutex<Vec<File>>>>,
}

impl Writer {
    /// What it writes is on disk when it returns.
    pub fn at_once() -> Writer {
        Writer { owed: None }
    }

    /// What it writes is on disk after [`Writer::settle`].
    pub fn later() -> Writer {
        Writer { owed: Some(Arc::default()) }
    }

    /// Replaces files of a directory one after the other, in order; each is whole at any time.
    pub fn replace(&self, directory: &Path, files: &[(&'static str, &[u8])]) -> Result<()> {
        let prepared = self.prepare(directory, files)?;
        sync::together(&prepared.awaited())?;
        self.put(prepared, None)
    }

    /// Writes files beside those that they are to replace.
    pub fn prepare(&self, directory: &Path, files: &[(&'static str, &[u8])]) -> Result<Prepared> {
        let files = files.iter().map(|(name, bytes)| prepare(directory, bytes).map(|file| (*name, file)));
        Ok(Prepared {
            directory: directory.to_path_buf(),
            files: files.collect::<Result<_>>()?,
            at_once: self.owed.is_none(),
        })
    }

    /// Puts files in their places, in order. `beside` is a directory that is brought to the disk in the same step as theirs.
    pub fn put(&self, prepared: Prepared, beside: Option<BorrowedFd<'_>>) -> Result<()> {
        for (name, file) in prepared.files {
            let file = file.persist(prepared.directory.join(name)).map_err(|error| error.error)?;
            self.owe(file);
        }
        let directory = File::open(prepared.directory)?;
        if self.owed.is_none() {
            let both: Vec<_> = [directory.as_fd()].into_iter().chain(beside).collect();
            return Ok(sync::together(&both)?);
        }
        self.owe(directory);
        if let Some(beside) = beside {
            self.owe(File::from(beside.try_clone_to_owned()?));
        }
        Ok(())
    }

    /// Brings to disk what is owed, beside whatever the caller does meanwhile.
    pub fn settle(&self) -> Settling {
        let owed =
            self.owed.as_ref().map(|owed| std::mem::take(&mut *owed.lock().unwrap_or_else(PoisonError::into_inner)));
        let owed = owed.filter(|owed| !owed.is_empty());
        Settling(owed.map(|owed| std::thread::spawn(move || owed.iter().try_for_each(File::sync_all))))
    }

    fn owe(&self, file: File) {
        if let Some(owed) = &self.owed {
            owed.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        }
    }
}

fn prepare(directory: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(directory)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Files that are written and not in their places yet; dropped, they are gone.
pub struct Prepared {
    directory: PathBuf,
    files: Vec<(&'static str, NamedTempFile)>,
    at_once: bool,
}

impl Prepared {
    /// What must be on disk before it is put in its place.
    pub fn awaited(&self) -> Vec<BorrowedFd<'_>> {
        let files = self.files.iter().filter(|_| self.at_once);
        files.map(|(_, file)| file.as_file().as_fd()).collect()
    }
}

/// Files that are on their way to disk.
#[must_use = "nobody knows whether the files reached the disk before its end"]
pub struct Settling(Option<JoinHandle<Result<()>>>);

impl Settling {
    /// Waits until they are there.
    pub fn end(self) -> Result<()> {
        match self.0 {
            Some(thread) => thread.join().expect("a thread that returns its errors does not panic"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_before_it_is_settled_and_settled_once() {
        let directory = tempfile::tempdir().unwrap();
        let writer = Writer::later();
        writer.replace(directory.path(), &[("a", b"1"), ("b", b"2")]).unwrap();
        assert_eq!(std::fs::read(directory.path().join("b")).unwrap(), b"2");
        let settling = writer.settle();
        assert!(settling.0.is_some(), "two files and their directory are owed");
        settling.end().unwrap();
        assert!(writer.settle().0.is_none(), "nothing is owed twice");
    }

    #[test]
    fn at_once_owes_nothing_and_a_failed_write_leaves_the_old_content() {
        let directory = tempfile::tempdir().unwrap();
        let writer = Writer::at_once();
        writer.replace(directory.path(), &[("a", b"1")]).unwrap();
        assert!(writer.settle().0.is_none());
        std::fs::create_dir(directory.path().join("b")).unwrap();
        assert!(writer.replace(directory.path(), &[("b", b"2")]).is_err());
        let names: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}
