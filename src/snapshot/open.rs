//! Opening things below a root without following a link or waiting for anybody.
//!
//! Every component is opened relative to its parent's descriptor, so swapping one for a link while Cordon looks can
//! lead nowhere else; a FIFO can be opened without a writer.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::entry::{Kind, Stat};

/// The longest path that the system resolves in one call; anything deeper is out of reach of Git and of most programs.
pub const MAX_PATH: usize = 4095;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens the root, following links on the way to it.
pub fn root(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty())
}

/// Opens the directory `name` of `parent`, which must not be a link.
pub fn directory<P: AsFd>(parent: P, name: &[u8]) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens the directory at a relative path, component by component.
pub fn directory_at(root: &OwnedFd, path: &[u8]) -> Result<OwnedFd, Errno> {
    let mut open = root.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    for component in path.split(|byte| *byte == b'/').filter(|component| !component.is_empty()) {
        open = directory(&open, component)?;
    }
    Ok(open)
}

/// Opens the regular file `name` of `parent` for reading; anything else is refused with its own error, never waited for.
pub fn file<P: AsFd>(parent: P, name: &[u8]) -> Result<(File, Stat), Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    let stat = Stat::of(&rustix::fs::fstat(&fd)?);
    match stat.kind {
        Kind::File => Ok((File::from(fd), stat)),
        Kind::Directory => Err(Errno::ISDIR),
        Kind::Symlink | Kind::Special => Err(Errno::INVAL),
    }
}

/// All bytes of a file from where it stands. `size` is what its stat says: with it no further question is asked, and a file
/// that is longer is read all the same.
pub fn content(file: &mut File, size: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    file.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The stat fields of the entry `name` of `parent`, not following a link.
pub fn stat<P: AsFd>(parent: P, name: &[u8]) -> Result<Stat, Errno> {
    rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map(|system| Stat::of(&system))
}

/// The target text of the link `name` of `parent`.
pub fn link<P: AsFd>(parent: P, name: &[u8]) -> Result<Vec<u8>, Errno> {
    rustix::fs::readlinkat(parent, name, Vec::new()).map(std::ffi::CString::into_bytes)
}

/// The directory part and the last component of a relative path.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&path[..0], path),
    }
}
