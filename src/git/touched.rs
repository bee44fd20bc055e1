//! What lies on disk otherwise than at arm, for the ledger: digests of the bytes as they were and as they are.
//!
//! The bytes of arm are not kept. Where a checkout writes other bytes than the blob has, the fingerprint holds their
//! digest; everywhere else they are those of the blob.

use super::compare::{self, Bytes};
use super::reader::{Content, Reader, Seen};
use super::today::recorded;
use super::triage::Job;
use crate::audit::touched::{OnDisk, Touched};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::digest;
use crate::snapshot::entry::{Class, Entry, Kind, Stat};

/// What a comparison has read already, so that nothing is read twice.
#[derive(Debug, Default)]
pub struct Known<'a> {
    /// The blob of the baseline.
    pub before: Option<&'a Bytes>,
    /// SHA-256 of the bytes on disk.
    pub after: Option<[u8; 32]>,
}

/// What is to be told of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trace {
    /// Nothing: it lies there as it did.
    Same,
    /// It differs.
    Differs(Box<Touched>),
    /// It differs, and its bytes of arm cannot be known.
    Lost,
    /// Its bytes could not be read.
    Unread,
    /// It was not read, because its size alone decides.
    TooLarge,
}

/// What one job leaves on disk; `now` is what stands there, if a file or a link does.
pub fn trace(reader: &mut Reader, job: &Job, now: Option<&Content>, known: &Known<'_>) -> Result<Trace> {
    let at_arm = job.at_arm.as_ref().filter(|entry| has_content(entry.stat.kind));
    if let (Some(entry), Some(now)) = (at_arm, now)
        && is_same(entry, now)
    {
        return Ok(Trace::Same);
    }
    let after = match now {
        None => None,
        Some(now) => match after(reader, &job.inside, now.stat, known.after)? {
            Ok(after) => Some(after),
            Err(_) => return Ok(Trace::Unread),
        },
    };
    let Some(entry) = at_arm else { return Ok(told(&job.path, None, after)) };
    let before = match known.before {
        Some(bytes) if entry.digest.is_none() => before(entry, bytes),
        _ => before_of_entry(reader, entry),
    };
    Ok(before.map_or(Trace::Lost, |before| told(&job.path, Some(before), after)))
}

/// A trace of two sides that may be equal.
pub fn told(path: &RepoPath, before: Option<OnDisk>, after: Option<OnDisk>) -> Trace {
    let essence = |side: &OnDisk| (side.stat.kind, side.stat.permissions, side.sha256);
    if before.as_ref().map(essence) == after.as_ref().map(essence) {
        return Trace::Same;
    }
    Trace::Differs(Box::new(Touched { path: path.clone(), before, after }))
}

/// What an entry of the fingerprint was; `None` where its bytes cannot be known any more.
pub fn before_of_entry(reader: &Reader, entry: &Entry) -> Option<OnDisk> {
    if let (Some(sha256), Kind::File) = (entry.digest, entry.stat.kind) {
        return Some(OnDisk { stat: entry.stat, sha256, target: None });
    }
    // An object that is gone is a finding of its own.
    match (compare::stored(reader.objects(), recorded(entry)).ok()?, entry.digest) {
        (Bytes::Absent, Some(sha256)) => Some(OnDisk { stat: entry.stat, sha256, target: None }),
        (bytes, _) => before(entry, &bytes),
    }
}

/// What stands on disk now, with the stat fields that were seen.
pub fn after(reader: &mut Reader, inside: &RepoPath, stat: Stat, known: Option<[u8; 32]>) -> Result<Seen<OnDisk>> {
    if stat.kind == Kind::Symlink {
        let read = reader.raw(inside, Kind::Symlink)?;
        return Ok(read.map(|(target, stat)| OnDisk {
            stat,
            sha256: digest::sha256(&target),
            target: Some(Text::from_bytes(target)),
        }));
    }
    let sha256 = match known {
        Some(sha256) => Ok(sha256),
        None => reader.digest(inside, stat.kind)?,
    };
    Ok(sha256.map(|sha256| OnDisk { stat, sha256, target: None }))
}

/// What can be told of an entry's kind at all.
pub fn has_content(kind: Kind) -> bool {
    matches!(kind, Kind::File | Kind::Symlink)
}

/// Whether the bytes of the blob stand there as they did, so that no digest is needed.
fn is_same(entry: &Entry, now: &Content) -> bool {
    let essence = |stat: &Stat| (stat.kind, stat.permissions, stat.size);
    essence(&entry.stat) == essence(&now.stat)
        && entry.class == Class::Tracked(now.id)
        && !now.converted
        && entry.digest.is_none()
}

/// The side of arm from its blob. Git takes a file with other line ends for its blob where it would store that; the size
/// of arm tells, and leaves one answer where all of them were the same.
fn before(entry: &Entry, bytes: &Bytes) -> Option<OnDisk> {
    let (content, target) = match bytes {
        Bytes::File(Some(content)) => (content, None),
        Bytes::Link(target) => (target, Some(Text::from_bytes(target.clone()))),
        Bytes::File(None) | Bytes::Absent | Bytes::Gitlink(_) => return None,
    };
    let size = entry.stat.size;
    let sha256 = if content.len() as u64 == size {
        digest::sha256(content)
    } else {
        let dos = with_carriage_returns(content);
        (dos.len() as u64 == size && target.is_none()).then(|| digest::sha256(&dos))?
    };
    Some(OnDisk { stat: entry.stat, sha256, target })
}

fn with_carriage_returns(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + content.len() / 16);
    for (at, byte) in content.iter().enumerate() {
        if *byte == b'\n' && (at == 0 || content[at - 1] != b'\r') {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}
