//! `.stone/` on disk: held by descriptors from the beginning to the end, so that a directory that is swapped for a link
//! leads nowhere else.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{Access, AtFlags, FlockOperation};
use rustix::io::Errno;

use super::files::{self, Replacement, TEMPORARY};
use super::index::{self, Index, Row};
use super::record::Ledger;
use super::verify::{Broken, verify};
use super::{chain, id};
use crate::error::{Error, Kind, Result};
use crate::policy::escape;
use crate::snapshot::{open, sync};

/// The directory at the top of a workspace.
pub const DIRECTORY: &str = ".stone";
/// The ledger of a session.
pub const EVENTS: &str = "events.jsonl";
const SESSIONS: &str = "sessions";
const INDEX: &str = "index.jsonl";

/// The permissions of a new file that holds no secret, before the process's own mask.
const PUBLIC: u16 = 0o644;

/// So long somebody who writes a session is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to sleep between two attempts.
const AGAIN: Duration = Duration::from_millis(2);

/// The time now as a ledger has it.
pub fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A file that stands beside a ledger.
#[derive(Debug, Clone)]
pub struct Beside<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its permissions, before the process's own mask.
    pub mode: u16,
}

/// `.stone/` of one workspace.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    directory: OwnedFd,
    sessions: Option<OwnedFd>,
}

impl Store {
    /// The store of the workspace `root`, to read; `None` when there is none.
    pub fn open(root: &Path) -> Result<Option<Store>> {
        let path = root.join(DIRECTORY);
        let fd = open::root(root).map_err(|error| cannot_open(root, error))?;
        let directory = match open::directory(&fd, DIRECTORY.as_bytes()) {
            Err(Errno::NOENT) => return Ok(None),
            opened => opened.map_err(|error| no_directory(&path, error))?,
        };
        let sessions = match open::directory(&directory, SESSIONS.as_bytes()) {
            Err(Errno::NOENT) => None,
            opened => Some(opened.map_err(|error| no_directory(&path.join(SESSIONS), error))?),
        };
        Ok(Some(Store { path, directory, sessions }))
    }

    /// The store of the workspace `root`, to write; its directories are made if they are not there.
    pub fn create(root: &Path) -> Result<Store> {
        let path = root.join(DIRECTORY);
        let fd = open::root(root).map_err(|error| cannot_open(root, error))?;
        let directory = files::make_directory(&fd, DIRECTORY).map_err(|error| no_directory(&path, error))?;
        let sessions =
            files::make_directory(&directory, SESSIONS).map_err(|error| no_directory(&path.join(SESSIONS), error))?;
        // What cannot be written at the end is better refused at the beginning.
        for (place, fd) in [(path.clone(), &directory), (path.join(SESSIONS), &sessions)] {
            rustix::fs::accessat(fd, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).map_err(|error| {
                Error::new(Kind::Workspace, format!("cannot write into {}", plain(&place)))
                    .caused_by(error)
                    .hint("Mend its permissions, then try again.")
            })?;
        }
        let store = Store { path, directory, sessions: Some(sessions) };
        store.index_bytes()?;
        Ok(store)
    }

    /// Where it is, to show it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself.
    pub fn directory(&self) -> &OwnedFd {
        &self.directory
    }

    /// The bytes of a file at the top; `None` when there is nothing.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.directory, name).map_err(|error| self.unreadable(Kind::Workspace, Path::new(name), error))
    }

    /// The sessions that are known.
    pub fn index(&self) -> Result<Index> {
        Ok(Index::parse(&self.index_bytes()?))
    }

    /// The bytes of a file of a session; `None` when there is none of that name, or no such session.
    pub fn file(&self, session: &str, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(directory) = self.session(session)? else { return Ok(None) };
        files::read(&directory, name).map_err(|error| self.unreadable(Kind::Ledger, &place(session, name), error))
    }

    /// The ledger of a session and its bytes, read once: verified, or what is wrong with it. `None` when there is none.
    #[expect(clippy::type_complexity, reason = "each part has its meaning, and one caller takes them apart")]
    pub fn ledger(&self, session: &str) -> Result<Option<(Vec<u8>, std::result::Result<Ledger, Broken>)>> {
        let bytes = self.file(session, EVENTS)?;
        Ok(bytes.map(|bytes| {
            let read = verify(&bytes, Some(session));
            (bytes, read)
        }))
    }

    /// An id for a session that begins now.
    pub fn next_id(&self) -> Result<String> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| Error::new(Kind::Io, format!("no random numbers: {error}")))?;
        let millis = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Ok(id::next(millis, u128::from_le_bytes(random), self.index()?.last_id()))
    }

    /// Writes a session: its ledger, what stands beside it, and its line in the index. It is there as a whole or not at
    /// all, and when this comes back it is on disk. Gives back the bytes of the ledger.
    pub fn seal(&self, ledger: &Ledger, beside: &[Beside<'_>]) -> Result<Vec<u8>> {
        let bytes = chain::encode(ledger);
        require_intact(ledger, &bytes)?;
        self.seal_encoded(ledger, &bytes, beside, &[])?;
        rustix::fs::fsync(&self.directory).map_err(|error| self.cannot_write(Path::new(INDEX), error))?;
        Ok(bytes)
    }

    /// The same for whoever has encoded the ledger already and found it intact. What is in `company` is brought to the
    /// disk with the session, in the same step. The line in the index is on disk once [`Store::directory`] was
    /// synchronised, which is left to the caller.
    pub fn seal_encoded(
        &self,
        ledger: &Ledger,
        bytes: &[u8],
        beside: &[Beside<'_>],
        company: &[BorrowedFd<'_>],
    ) -> Result<()> {
        let session = &ledger.started.id;
        let _writing = self.write_alone()?;
        let events = Beside { name: EVENTS, bytes, mode: PUBLIC };
        let index = self.next_index(&Row::of(ledger));
        self.write_session(session, &[std::slice::from_ref(&events), beside].concat(), index.as_ref().ok(), company)
            .map_err(|error| self.cannot_write(&place(session, ""), error))?;
        // Only now, so that the index never names a session that is not there; one that it cannot name is there all the same.
        index?.put(&self.directory).map_err(|error| self.cannot_write(Path::new(INDEX), error))
    }

    /// Adds a file to a session, where none of that name may be.
    pub fn add(&self, session: &str, beside: &Beside<'_>) -> Result<()> {
        let place = place(session, beside.name);
        let missing = || Error::new(Kind::Ledger, format!("there is no session {}", escape::plain(session.as_bytes())));
        let directory = self.session(session)?.ok_or_else(missing)?;
        let _writing = self.write_alone()?;
        let temporary = format!("{TEMPORARY}{}", beside.name);
        let written = files::remove(&directory, &temporary)
            .and_then(|()| files::create(&directory, &temporary, beside.bytes, beside.mode))
            .and_then(|_| files::place(&directory, &temporary, beside.name));
        if written.is_err() {
            // The failure that is told is the first one.
            let _ = files::remove(&directory, &temporary);
        }
        written.and_then(|()| rustix::fs::fsync(&directory)).map_err(|error| self.cannot_write(&place, error))
    }

    /// Removes a file at the top; whether it was there.
    pub fn remove(&self, name: &str) -> Result<bool> {
        let there = open::stat(&self.directory, name.as_bytes()).is_ok();
        files::remove(&self.directory, name).map_err(|error| self.cannot_write(Path::new(name), error))?;
        Ok(there)
    }

    /// Removes what a killed process left half written. What cannot be removed is somebody else's, and no matter.
    pub fn sweep(&self) -> Result<()> {
        let _writing = self.write_alone()?;
        let left = |directory: &OwnedFd| {
            let names = files::names(directory).unwrap_or_default();
            names.into_iter().filter(|name| name.starts_with(TEMPORARY)).collect::<Vec<_>>()
        };
        if let Some(sessions) = &self.sessions {
            for name in left(sessions) {
                let _ = files::remove_directory(sessions, &name);
            }
        }
        for name in left(&self.directory) {
            let _ = files::remove_unheld(&self.directory, &name);
        }
        Ok(())
    }

    fn session(&self, session: &str) -> Result<Option<OwnedFd>> {
        let Some(sessions) = self.sessions.as_ref().filter(|_| id::is_id(session.as_bytes())) else { return Ok(None) };
        match open::directory(sessions, session.as_bytes()) {
            Err(Errno::NOENT) => Ok(None),
            opened => opened.map(Some).map_err(|error| self.unreadable(Kind::Ledger, &place(session, ""), error)),
        }
    }

    fn index_bytes(&self) -> Result<Vec<u8>> {
        let bytes = files::read(&self.directory, INDEX);
        Ok(bytes.map_err(|error| self.unreadable(Kind::Workspace, Path::new(INDEX), error))?.unwrap_or_default())
    }

    /// The index with one more row, beside the one that is read until it is put in its place.
    fn next_index(&self, row: &Row) -> Result<Replacement> {
        let old = self.index_bytes()?;
        let mode = open::stat(&self.directory, INDEX.as_bytes()).map_or(PUBLIC, |stat| stat.permissions);
        let new = index::with_row(&old, row);
        Replacement::prepare(&self.directory, INDEX, &new, mode)
            .map_err(|error| self.cannot_write(Path::new(INDEX), error))
    }

    /// Writes a session; the new index reaches the disk with it, and is not in its place yet.
    fn write_session(
        &self,
        session: &str,
        files: &[Beside<'_>],
        index: Option<&Replacement>,
        company: &[BorrowedFd<'_>],
    ) -> std::result::Result<(), Errno> {
        let sessions = self.sessions.as_ref().ok_or(Errno::NOENT)?;
        let temporary = format!("{TEMPORARY}{session}");
        let write = || {
            let directory = files::make_directory(sessions, &temporary)?;
            let new = |file: &Beside<'_>| files::write_new(&directory, file.name, file.bytes, file.mode);
            let written = files.iter().map(new).collect::<std::result::Result<Vec<_>, Errno>>()?;
            let others = [directory.as_fd()].into_iter().chain(index.map(AsFd::as_fd)).chain(company.iter().copied());
            sync::together(&written.iter().map(AsFd::as_fd).chain(others).collect::<Vec<_>>())?;
            files::place(sessions, &temporary, session)?;
            rustix::fs::fsync(sessions)
        };
        let written = write();
        if written.is_err() {
            // The failure that is told is the first one.
            let _ = files::remove_directory(sessions, &temporary);
            if let Some(index) = index {
                index.drop_from(&self.directory);
            }
        }
        written
    }

    /// Waits until nobody else writes into this store; whoever does holds the directory locked.
    fn write_alone(&self) -> Result<OwnedFd> {
        let give_up = Instant::now() + PATIENCE;
        let own = open::directory(&self.directory, b".").map_err(|error| no_directory(&self.path, error))?;
        loop {
            match rustix::fs::flock(&own, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(own),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < give_up => std::thread::sleep(AGAIN),
                Err(Errno::WOULDBLOCK) => {
                    return Err(Error::new(Kind::Busy, format!("somebody keeps {} locked", plain(&self.path)))
                        .hint("Find who holds it, with `lslocks` for example, and end it."));
                }
                Err(error) => return Err(self.cannot_write(Path::new(""), error)),
            }
        }
    }

    fn unreadable(&self, kind: Kind, name: &Path, error: Errno) -> Error {
        let path = plain(&self.path.join(name));
        match error {
            Errno::INVAL | Errno::ISDIR | Errno::LOOP | Errno::NXIO | Errno::NOTDIR => {
                Error::new(kind, format!("{path} is a link or of another kind than it should be"))
                    .hint("Links are not followed there. Look at it, and move it away.")
            }
            _ => Error::new(kind, format!("cannot read {path}")).caused_by(error),
        }
    }

    fn cannot_write(&self, name: &Path, error: Errno) -> Error {
        Error::io(format!("cannot write {}", plain(&self.path.join(name))), error)
            .hint("No part of it is left. Make room or mend the permissions, then try again.")
    }
}

/// Fails unless the bytes are the whole and intact ledger that they are meant to be: nothing else may be written.
pub fn require_intact(ledger: &Ledger, bytes: &[u8]) -> Result<()> {
    verify(bytes, Some(&ledger.started.id))
        .map(drop)
        .map_err(|broken| Error::new(Kind::Ledger, format!("the ledger of this session would not be intact: {broken}")))
}

/// Where the ledger of a session is, in its workspace.
pub fn ledger_path(session: &str) -> String {
    format!("{DIRECTORY}/{SESSIONS}/{session}/{EVENTS}")
}

/// Where a file of a session is, below `.stone/`.
fn place(session: &str, name: &str) -> PathBuf {
    Path::new(SESSIONS).join(session).join(name)
}

fn cannot_open(root: &Path, error: Errno) -> Error {
    Error::new(Kind::Workspace, format!("cannot open the workspace {}", plain(root))).caused_by(error)
}

fn no_directory(path: &Path, error: Errno) -> Error {
    let error = Error::new(Kind::Workspace, format!("{} cannot be used as a directory", plain(path))).caused_by(error);
    error.hint("It must be a real directory of yours, and no link. Look at it, and move it away.")
}

fn plain(path: &Path) -> String {
    escape::plain(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
