//! One session at a time: `.stone/lock` says which one and which process, and who holds an advisory lock on it is alive.
//!
//! Older programs only look whether the file is there, and remove it when they end. So a lock counts as long as its process
//! runs or somebody holds it; otherwise it is taken over.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;
use serde::Deserialize;

use super::canonical::Object;
use super::files::{self, TEMPORARY};
use super::store::Store;
use crate::error::{Error, Kind, Result};
use crate::policy::escape::plain;
use crate::snapshot::entry::{Stat, Time};
use crate::snapshot::open;

const LOCK: &str = "lock";

/// No lock of anybody is longer.
const LONGEST: u64 = 4096;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    directory: OwnedFd,
    file: File,
    /// What to tell when it was taken over from a process that is gone.
    pub note: Option<String>,
}

/// What a lock says.
#[derive(Debug, Deserialize)]
struct Holder {
    id: String,
    pid: i32,
}

impl Lock {
    /// Takes the lock for the session `id`, or fails at once when somebody holds it.
    pub fn take(store: &Store, id: &str) -> Result<Lock> {
        let failed =
            |error: Errno| Error::new(Kind::Workspace, format!("cannot lock {}", shown(store))).caused_by(error);
        let directory = store.directory().try_clone().map_err(|error| Error::io("cannot hold a directory", error))?;
        match fresh(&directory, id) {
            Ok(file) => Ok(Lock { directory, file, note: None }),
            Err(Errno::EXIST) => take_over(store, directory, id),
            Err(error) => Err(failed(error)),
        }
    }

    /// When it was written, by the clock of its file system.
    pub fn tick(&self) -> Result<Time> {
        let stat = rustix::fs::fstat(&self.file).map_err(|error| Error::io("cannot look at the lock", error))?;
        Ok(Stat::of(&stat).ctime)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Another one in its place is somebody else's.
        if is_at(&self.file, &self.directory) {
            let _ = files::remove(&self.directory, LOCK);
        }
    }
}

/// Puts a new lock in place that is written and held before anybody sees it.
fn fresh(directory: &OwnedFd, id: &str) -> std::result::Result<File, Errno> {
    let temporary = format!("{TEMPORARY}{LOCK}-{id}");
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(directory, &*temporary, flags, Mode::from_raw_mode(0o600))?);
    let placed = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
        .and_then(|()| write(&mut file, id))
        .and_then(|()| files::place(directory, &temporary, LOCK));
    if placed.is_err() {
        // The failure that is told is the first one.
        let _ = files::remove(directory, &temporary);
    }
    placed.map(|()| file)
}

/// Takes over a lock whose process is gone and that nobody holds.
fn take_over(store: &Store, directory: OwnedFd, id: &str) -> Result<Lock> {
    let (mut file, holder) = read(&directory).map_err(|error| busy(store, "it cannot be read").caused_by(error))?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(busy(store, "its session is still running")),
        Err(error) => return Err(busy(store, "it cannot be locked").caused_by(error)),
    }
    let Some(holder) = holder else { return Err(busy(store, "it does not say which process has made it")) };
    if is_alive(holder.pid) {
        return Err(busy(store, &format!("process {} has made it and is still running", holder.pid)));
    }
    // Whoever took it over, or ended, before it was held here has put another one in its place, or none.
    if !is_at(&file, &directory) {
        return Err(busy(store, "another session has just begun or ended"));
    }
    write(&mut file, id).map_err(|error| busy(store, "it cannot be taken over").caused_by(error))?;
    let note = format!(
        "took over the lock of session {}: its process {} is gone and has left no record",
        plain(holder.id.as_bytes()),
        holder.pid
    );
    Ok(Lock { directory, file, note: Some(note) })
}

fn read(directory: &OwnedFd) -> std::result::Result<(File, Option<Holder>), Errno> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(directory, LOCK, flags, Mode::empty())?);
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(Errno::INVAL);
    }
    let mut bytes = Vec::new();
    let read = (&file).take(LONGEST).read_to_end(&mut bytes);
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok((file, serde_json::from_slice(&bytes).ok()))
}

fn write(file: &mut File, id: &str) -> std::result::Result<(), Errno> {
    let own = rustix::process::getpid().as_raw_nonzero();
    let line = format!("{}\n", Object::new().text("id", id).plain("pid", &own));
    let written =
        file.rewind().and_then(|()| file.write_all(line.as_bytes())).and_then(|()| file.set_len(line.len() as u64));
    written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Whether a process has this id; one that may not be asked has it as well.
fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH))
}

fn is_at<P: AsFd>(file: &File, directory: P) -> bool {
    let held = rustix::fs::fstat(file).map(|stat| Stat::of(&stat));
    match (held, open::stat(directory, LOCK.as_bytes())) {
        (Ok(held), Ok(found)) => (held.device, held.inode) == (found.device, found.inode),
        _ => false,
    }
}

fn shown(store: &Store) -> String {
    plain(store.path().join(LOCK).as_os_str().as_encoded_bytes())
}

fn busy(store: &Store, why: &str) -> Error {
    Error::new(Kind::Busy, format!("another session holds {}: {why}", shown(store)))
        .hint("Wait until it has ended. If none is running, remove the file.")
}
