//! How the files of `.stone/` are read and written: below a held descriptor, without following a link or waiting for
//! anybody, and whole or not at all.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::snapshot::open;

/// How the names of files begin that are not in place yet.
pub(super) const TEMPORARY: &str = ".tmp-";

/// No file of a ledger is longer; what is longer is a trap for whoever reads it.
const LONGEST: u64 = 1 << 30;

/// Opens the directory `name` of `parent`, which is made if it is not there.
pub(super) fn make_directory<P: AsFd>(parent: P, name: &str) -> Result<OwnedFd, Errno> {
    match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => open::directory(parent, name.as_bytes()),
        Err(error) => Err(error),
    }
}

/// The bytes of the regular file `name` of `parent`, read once; `None` when there is nothing.
pub(super) fn read<P: AsFd>(parent: P, name: &str) -> Result<Option<Vec<u8>>, Errno> {
    let (file, stat) = match open::file(parent, name.as_bytes()) {
        Err(Errno::NOENT) => return Ok(None),
        opened => opened?,
    };
    if stat.size > LONGEST {
        return Err(Errno::FBIG);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0).saturating_add(1));
    file.take(LONGEST).read_to_end(&mut bytes).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(Some(bytes))
}

/// Writes the new file `name` of `parent` to the disk.
pub(super) fn create<P: AsFd>(parent: P, name: &str, bytes: &[u8], mode: u16) -> Result<File, Errno> {
    let file = write_new(parent, name, bytes, mode)?;
    rustix::fs::fsync(&file)?;
    Ok(file)
}

/// Writes the new file `name` of `parent`, which need not be on disk yet.
pub(super) fn write_new<P: AsFd>(parent: P, name: &str, bytes: &[u8], mode: u16) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode.into());
    let mut file = File::from(rustix::fs::openat(parent, name, flags, mode)?);
    file.write_all(bytes).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(file)
}

/// Moves `from` to `to` in `parent`, where nothing may stand.
pub(super) fn place<P: AsFd>(parent: P, from: &str, to: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(&parent, from, &parent, to, RenameFlags::NOREPLACE) {
        // Some file systems do not know the flag; a name that was free a moment ago is free still.
        Err(Errno::INVAL | Errno::NOSYS) if open::stat(&parent, to.as_bytes()) == Err(Errno::NOENT) => {
            rustix::fs::renameat(&parent, from, &parent, to)
        }
        other => other,
    }
}

/// The next content of a file, which is the old or the new one at any time.
pub(super) struct Replacement {
    name: &'static str,
    temporary: String,
    file: File,
}

impl Replacement {
    /// Writes the content beside the file `name` of `parent`; it is on disk once its descriptor was synchronised.
    pub(super) fn prepare<P: AsFd>(parent: P, name: &'static str, bytes: &[u8], mode: u16) -> Result<Self, Errno> {
        let temporary = format!("{TEMPORARY}{name}");
        remove(&parent, &temporary)?;
        let written = write_new(&parent, &temporary, bytes, mode).and_then(|file| {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode.into()))?;
            Ok(file)
        });
        match written {
            Ok(file) => Ok(Replacement { name, temporary, file }),
            Err(error) => {
                // The failure that is told is the first one.
                let _ = remove(&parent, &temporary);
                Err(error)
            }
        }
    }

    /// Puts it in the place of the file; that is on disk once `parent` was synchronised.
    pub(super) fn put<P: AsFd>(&self, parent: P) -> Result<(), Errno> {
        let put = rustix::fs::renameat(&parent, &*self.temporary, &parent, self.name);
        if put.is_err() {
            self.drop_from(&parent);
        }
        put
    }

    /// Removes it, because what belongs to it could not be written.
    pub(super) fn drop_from<P: AsFd>(&self, parent: P) {
        // Whoever drops it tells another failure.
        let _ = remove(parent, &self.temporary);
    }
}

impl AsFd for Replacement {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Removes a file, if it is there.
pub(super) fn remove<P: AsFd>(parent: P, name: &str) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a file that nobody holds an advisory lock on: whoever does is just about to put it in place.
pub(super) fn remove_unheld<P: AsFd>(parent: P, name: &str) -> Result<(), Errno> {
    let held = open::file(&parent, name.as_bytes()).is_ok_and(|(file, _)| {
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
    });
    if held { Ok(()) } else { remove(parent, name) }
}

/// Removes a directory that holds nothing but files, if it is there.
pub(super) fn remove_directory<P: AsFd>(parent: P, name: &str) -> Result<(), Errno> {
    let directory = match open::directory(&parent, name.as_bytes()) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    for entry in names(&directory)? {
        remove(&directory, &entry)?;
    }
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// The names in a directory, those that are no UTF-8 left out: none of them is ours.
pub(super) fn names(directory: &OwnedFd) -> Result<Vec<String>, Errno> {
    let mut found = Vec::new();
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_str().unwrap_or_default();
        if !matches!(name, "" | "." | "..") {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}
