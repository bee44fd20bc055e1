//! SHA-256 of contents, and of nothing that could make a reader wait.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;

use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::entry::{Kind, Stat};
use super::open;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// SHA-256 of bytes in memory.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// SHA-256 of the file's bytes or of the link's target, with the stat fields that belonged to exactly these bytes.
///
/// # Errors
/// The system's error; `EAGAIN` when the file changed while it was read; `EINVAL` for what has no content.
pub fn content<P: AsFd>(parent: P, name: &[u8], kind: Kind) -> Result<([u8; 32], Stat), Errno> {
    if kind == Kind::Symlink {
        let target = open::link(&parent, name)?;
        let stat = open::stat(&parent, name)?;
        return if stat.kind == Kind::Symlink { Ok((sha256(&target), stat)) } else { Err(Errno::AGAIN) };
    }
    let (file, before) = open::file(parent, name)?;
    opened(file, &before).map(|sum| (sum, before))
}

/// SHA-256 of an open regular file whose stat fields were `before`.
///
/// # Errors
/// The system's error; `EAGAIN` when the file changed while it was read.
pub fn opened(mut file: File, before: &Stat) -> Result<[u8; 32], Errno> {
    let mut hasher = Sha256::new();
    // One byte more than the size, so that the end of a small file is known without asking again.
    let mut chunk = vec![0; usize::try_from(before.size).map_or(CHUNK, |size| size.saturating_add(1).min(CHUNK))];
    let mut left = before.size;
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                hasher.update(&chunk[..read]);
                left = left.checked_sub(read as u64).ok_or(Errno::AGAIN)?;
                if left == 0 && read < chunk.len() {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }
    let after = Stat::of(&rustix::fs::fstat(&file)?);
    if after == *before { Ok(hasher.finalize().into()) } else { Err(Errno::AGAIN) }
}

/// SHA-256 of what an open file gives now, however it changes meanwhile, and how many bytes that were. `size` is what its
/// stat fields said: at that size, and with less than was asked for, its end is reached.
///
/// # Errors
/// The system's error; `EINTR` when `stop` said so.
pub fn as_read(
    mut file: &File,
    size: u64,
    chunk: &mut [u8],
    stop: &dyn Fn() -> bool,
) -> Result<([u8; 32], u64), Errno> {
    let mut hasher = Sha256::new();
    let mut total = 0;
    loop {
        if stop() {
            return Err(Errno::INTR);
        }
        match file.read(chunk) {
            Ok(0) => return Ok((hasher.finalize().into(), total)),
            Ok(read) => {
                hasher.update(&chunk[..read]);
                total += read as u64;
                if total == size && read < chunk.len() {
                    return Ok((hasher.finalize().into(), total));
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }
}
