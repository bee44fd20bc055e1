//! The index: which paths Git tracks now, with which flags. Read whole, checked against its own checksum.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use gix::index::State;
use gix::index::entry::{Flags, Mode as IndexMode};

use super::files::{self, plain};
use crate::audit::evidence::{HidingFlag, Mode};
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::digest;
use crate::snapshot::entry::{BlobId, Kind, Stat, Time};

/// The index file, read and checked.
pub struct Index {
    state: State,
    /// SHA-256 of the file, or of nothing when there is no file. Split indexes have none, since they are two files.
    pub digest: Option<[u8; 32]>,
    /// When the file was written: entries touched since then are racy.
    pub written: Time,
}

/// One path of the index.
pub struct IndexEntry<'a> {
    /// The path.
    pub path: &'a [u8],
    /// What Git records of its kind; `None` for a directory of a sparse index.
    pub mode: Option<Mode>,
    /// The object.
    pub id: BlobId,
    /// Whether it is one side of a conflict.
    pub conflicted: bool,
    /// Whether only the intent to add it is recorded.
    pub intent_to_add: bool,
    /// The flag that hides it from Git, if one does.
    pub hiding: Option<HidingFlag>,
    stat: &'a gix::index::entry::Stat,
}

/// Reads the index at `path`; a missing file is an empty index.
pub fn read(path: &Path, hash: gix::hash::Kind) -> Result<Index> {
    let Some(mut file) = files::open(path)? else {
        let digest = Some(digest::sha256(b""));
        return Ok(Index { state: State::new(hash), digest, written: Time::default() });
    };
    let io = |error: std::io::Error| Error::io(format!("cannot read {}", plain(path)), error);
    let metadata = file.metadata().map_err(io)?;
    files::require_sane(path, metadata.len())?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(io)?;
    let written = Time { secs: metadata.mtime(), nanos: u32::try_from(metadata.mtime_nsec()).unwrap_or(u32::MAX) };
    verify(&bytes, hash).ok_or_else(|| damaged(path))?;
    // gitoxide wants a time stamp for questions that are never asked here; `written` is the one that counts.
    let mtime = State::new(hash).timestamp();
    let (state, _) =
        State::from_bytes(&bytes, mtime, hash, decode_options()).map_err(|error| damaged(path).caused_by(error))?;
    if state.link().is_none() {
        return Ok(Index { state, digest: Some(digest::sha256(&bytes)), written });
    }
    let whole =
        gix::index::File::at(path, hash, false, decode_options()).map_err(|error| damaged(path).caused_by(error))?;
    Ok(Index { state: gix::index::State::from(whole), digest: None, written })
}

/// The digest of the index file alone, without decoding it.
pub fn file_digest(path: &Path) -> Result<[u8; 32]> {
    Ok(digest::sha256(&files::read(path)?.unwrap_or_default()))
}

fn decode_options() -> gix::index::decode::Options {
    gix::index::decode::Options::default()
}

/// Checks the trailing checksum; Git writes zeros when it was told to skip it.
fn verify(bytes: &[u8], hash: gix::hash::Kind) -> Option<()> {
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(hash.len_in_bytes())?)?;
    if sum.iter().all(|byte| *byte == 0) {
        return Some(());
    }
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(body);
    (hasher.try_finalize().ok()?.as_bytes() == sum).then_some(())
}

fn damaged(path: &Path) -> Error {
    Error::repository(format!("the index {} is damaged or cannot be read", plain(path)))
        .hint("Rebuild it: remove that file, then run git reset (your files stay as they are).")
}

impl Index {
    /// All entries, in the order of their paths.
    pub fn entries(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        self.state.entries().iter().map(|entry| {
            let flags = entry.flags;
            let hiding = if flags.contains(Flags::SKIP_WORKTREE) {
                Some(HidingFlag::SkipWorktree)
            } else if flags.contains(Flags::ASSUME_VALID) {
                Some(HidingFlag::AssumeUnchanged)
            } else {
                None
            };
            IndexEntry {
                path: entry.path(&self.state),
                mode: mode_of(entry.mode),
                id: BlobId::from_bytes(entry.id.as_bytes()).expect("object ids have 20 or 32 bytes"),
                conflicted: entry.stage_raw() != 0,
                intent_to_add: flags.contains(Flags::INTENT_TO_ADD),
                hiding,
                stat: &entry.stat,
            }
        })
    }

    /// The tracked paths that a flag hides from Git.
    pub fn hidden(&self) -> Vec<(RepoPath, HidingFlag)> {
        self.entries().filter_map(|entry| Some((RepoPath::from(entry.path), entry.hiding?))).collect()
    }

    /// What is recorded at a path, our side of a conflict included; an intent to add counts as the file that it names.
    pub fn recorded(&self, path: &[u8]) -> Option<super::today::Recorded> {
        let range = self.state.entry_range(path.into())?;
        let entries = &self.state.entries()[range];
        let entry = entries.iter().find(|entry| matches!(entry.stage_raw(), 0 | 2)).or(entries.first())?;
        let id = BlobId::from_bytes(entry.id.as_bytes())?;
        Some(super::today::Recorded { id, mode: mode_of(entry.mode)? })
    }

    /// The names in a directory, each once.
    pub fn names(&self, directory: &[u8]) -> Vec<Vec<u8>> {
        let prefix = if directory.is_empty() { Vec::new() } else { [directory, b"/"].concat() };
        let range = self.state.prefixed_entries_range(prefix.as_slice().into()).unwrap_or_default();
        let rest =
            self.state.entries()[range].iter().filter_map(|entry| entry.path(&self.state).strip_prefix(&*prefix));
        let mut names: Vec<Vec<u8>> =
            rest.filter_map(|path| path.split(|byte| *byte == b'/').next().map(<[u8]>::to_vec)).collect();
        names.dedup();
        names
    }

    /// gitoxide's own form.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl IndexEntry<'_> {
    /// Whether the stat fields that Git kept are, to the nanosecond, those of the file on disk, and are older than the
    /// index, so that the file must be the one that Git hashed.
    pub fn vouches_for(&self, stat: &Stat, written: Time) -> bool {
        let kind = match self.mode {
            Some(Mode::File | Mode::Executable) => Kind::File,
            Some(Mode::Symlink) => Kind::Symlink,
            _ => return false,
        };
        let time = |kept: gix::index::entry::stat::Time| Time { secs: i64::from(kept.secs), nanos: kept.nsecs };
        #[expect(clippy::cast_possible_truncation, reason = "the index keeps the low 32 bits of these fields")]
        let low_bits = (stat.size as u32, stat.inode as u32);
        stat.kind == kind
            && !self.intent_to_add
            && time(self.stat.mtime) == stat.mtime
            && time(self.stat.ctime) == stat.ctime
            && (self.stat.size, self.stat.ino) == low_bits
            && (self.stat.mtime.nsecs != 0 || self.stat.ctime.nsecs != 0)
            && !stat.is_racy(written)
    }
}

/// What Git records of an entry's kind; `None` for a directory of a sparse index.
pub fn mode_of(mode: IndexMode) -> Option<Mode> {
    match mode {
        IndexMode::FILE => Some(Mode::File),
        IndexMode::FILE_EXECUTABLE => Some(Mode::Executable),
        IndexMode::SYMLINK => Some(Mode::Symlink),
        IndexMode::COMMIT => Some(Mode::Gitlink),
        _ => None,
    }
}
