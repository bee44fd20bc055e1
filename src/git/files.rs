//! Reading Git's own small files without waiting for anybody: a FIFO in their place is an error, not a hang.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::error::{Error, Result};
use crate::policy::escape;
use crate::snapshot::open::content;

/// A path as text that is safe to show.
pub fn plain(path: &Path) -> String {
    escape::plain(path.as_os_str().as_encoded_bytes())
}

/// Opens a regular file, following links as Git does. `None` when nothing is there.
pub fn open(path: &Path) -> Result<Option<File>> {
    Ok(open_sized(path)?.map(|(file, _)| file))
}

/// The same, with the size of the file in bytes.
fn open_sized(path: &Path) -> Result<Option<(File, u64)>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(fd) => fd,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(Error::io(format!("cannot open {}", plain(path)), error)),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|error| Error::io(format!("cannot stat {}", plain(path)), error))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(Some((File::from(fd), u64::try_from(stat.st_size).unwrap_or(0)))),
        // An exclude or attribute "file" may be /dev/null, which is how people say that there is none.
        FileType::CharacterDevice if path == Path::new("/dev/null") => Ok(None),
        _ => Err(irregular(path)),
    }
}

/// Fails unless a regular file, or nothing, is at `path`, without opening it.
pub fn require_regular(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Err(irregular(path)),
        _ => Ok(()),
    }
}

/// The same, for a file that is read into memory as a whole.
pub fn require_small(path: &Path) -> Result<()> {
    require_regular(path)?;
    std::fs::metadata(path).map_or(Ok(()), |metadata| require_sane(path, metadata.len()))
}

fn irregular(path: &Path) -> Error {
    Error::repository(format!("{} is no regular file", plain(path)))
        .hint("Cordon reads only regular files in its place; put back what Git wrote there.")
}

/// No file that Git or a person writes in these places is larger: they are read into memory as a whole.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// Refuses a file that only claims its size.
pub fn require_sane(path: &Path, size: u64) -> Result<()> {
    if size <= LARGEST {
        return Ok(());
    }
    Err(Error::refused(format!("{} has {size} bytes, and Git never needs as many there", plain(path)))
        .hint("It may be sparse, so that it takes no room on the disk; put back what belongs in its place."))
}

/// The bytes of a regular file. `None` when nothing is there.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let Some((mut file, size)) = open_sized(path)? else { return Ok(None) };
    require_sane(path, size)?;
    let bytes = content(&mut file, size);
    bytes.map(Some).map_err(|error| Error::io(format!("cannot read {}", plain(path)), error))
}

/// The file at a raw relative path below `root`.
pub fn below(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}
