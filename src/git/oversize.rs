//! Files that nobody needs to read: their size alone breaks the budget of bytes, they are too large to be text, and
//! nothing of arm can be what they are.
//!
//! Such a file may be sparse and claim any size. Reading it to its end could take days, and the verdict is known before
//! the first byte: what is not known without reading, the blob that Git would store and a digest, is left open and said
//! to be so.

use super::blob;
use super::compare;
use super::lfs;
use super::lines::BIG_FILE;
use super::reader::{Reader, object_id};
use super::today::Recorded;
use super::triage::{Job, Standing};
use crate::audit::evidence::{ChangeKind, Mode};
use crate::error::Result;
use crate::snapshot::entry::{Entry, Kind};

/// A file may be so many times as large as what the baseline has and still be the same to Git: UTF-32 takes four bytes for
/// one, and CRLF two.
const GROWTH: u64 = 4;

/// Whether the file of a job is left unread, where changed paths may come to `budget` bytes.
pub fn is_unread(reader: &Reader, job: &Job, budget: u64) -> Result<bool> {
    let Some(size) = job.after.as_ref().and_then(size) else { return Ok(false) };
    if size <= BIG_FILE.max(budget) {
        return Ok(false);
    }
    let mut known = job.at_arm.as_ref().and_then(self::size).unwrap_or(0);
    if let Some(Recorded { id, mode: Mode::File | Mode::Executable }) = job.baseline {
        known = known.max(blob::stated_size(reader.objects(), &object_id(&id))?);
        if let compare::Bytes::File(Some(bytes)) = compare::stored(reader.objects(), job.baseline)? {
            known = known.max(lfs::stated_size(&bytes).unwrap_or(0));
        }
    }
    Ok(is_beyond(size, known))
}

/// Whether an ignored file is too large to be read for the ledger: it is judged by its stat, and was nothing like this.
pub fn is_left_out(before: Option<&Entry>, now: &Entry) -> bool {
    size(now).is_some_and(|size| size > BIG_FILE && is_beyond(size, before.and_then(self::size).unwrap_or(0)))
}

/// How a file that is not read differs from the baseline.
pub fn kind(job: &Job) -> ChangeKind {
    match job.baseline {
        None => ChangeKind::Added,
        Some(_) if job.standing == Standing::Gone => ChangeKind::Deleted,
        Some(Recorded { mode: Mode::File | Mode::Executable, .. }) => ChangeKind::Modified,
        Some(_) => ChangeKind::TypeChanged,
    }
}

fn size(entry: &Entry) -> Option<u64> {
    (entry.stat.kind == Kind::File).then_some(entry.stat.size)
}

fn is_beyond(size: u64, known: u64) -> bool {
    size / GROWTH > known
}
