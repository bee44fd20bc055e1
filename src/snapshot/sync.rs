//! Brings what was written to the disk, as few waits as can be.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

/// Brings files and directories to the disk, all at once: the system then needs one step for what would be one for each.
///
/// # Errors
/// The first one that the system reports; the others are brought to the disk all the same.
pub fn together(files: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let Some((first, others)) = files.split_first() else { return Ok(()) };
    std::thread::scope(|scope| {
        let others: Vec<_> = others.iter().map(|file| scope.spawn(move || rustix::fs::fsync(file))).collect();
        let first = rustix::fs::fsync(first);
        let ended =
            others.into_iter().map(|thread| thread.join().expect("a thread that returns its errors does not panic"));
        ended.fold(first, Result::and)
    })
}
