//! Takes uncommitted work into the baseline: each path that is not as HEAD has it becomes what it is on disk.

use std::collections::BTreeMap;

use super::baseline::{files_named, join, within};
use super::control::Frozen;
use super::index::Index;
use super::kept::{Keeper, Kept, Staged, Work};
use super::open::Repository;
use super::reader::{Reader, Seen};
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::digest;
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};

/// What was found of one checkout, and where its content goes.
pub struct Progress<'a> {
    keeper: &'a mut Keeper,
    /// The paths, and whether something is staged there.
    found: BTreeMap<RepoPath, bool>,
    kept: Vec<Kept>,
}

impl<'a> Progress<'a> {
    /// Nothing found yet.
    pub fn new(keeper: &'a mut Keeper) -> Self {
        Progress { keeper, found: BTreeMap::new(), kept: Vec::new() }
    }

    /// Notes a path of the present checkout.
    pub fn note(&mut self, path: &RepoPath, staged: bool) {
        *self.found.entry(path.clone()).or_default() |= staged;
    }

    /// Everything that was kept, sorted by path.
    pub fn finish(mut self) -> Result<Vec<Kept>> {
        self.keeper.finish()?;
        self.kept.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.kept)
    }

    /// Keeps what was noted of one checkout, and makes it the baseline in `snapshot`.
    pub fn keep(
        &mut self,
        repository: &Repository,
        index: &Index,
        frozen: &Frozen,
        snapshot: &mut Snapshot,
    ) -> Result<()> {
        let found = std::mem::take(&mut self.found);
        if found.is_empty() {
            return Ok(());
        }
        let mut reader = Reader::new(repository, frozen, &files_named(index, super::baseline::ATTRIBUTES))?;
        for (path, staged) in found {
            let inside = RepoPath::from(within(&frozen.prefix, path.as_bytes()));
            let index = index.recorded(inside.as_bytes());
            let mut work = None;
            if let Some(entry) = snapshot.entry_mut(path.as_bytes())
                && matches!(entry.stat.kind, Kind::File | Kind::Symlink)
                && (entry.class != Class::Ignored || index.is_some())
            {
                work = Some(self.work(&mut reader, &frozen.prefix, &inside, entry, index.map(|index| index.id))?);
            }
            self.kept.push(Kept { path, work, index: index.map(Staged::of), staged });
        }
        Ok(())
    }

    fn work(
        &mut self,
        reader: &mut Reader,
        prefix: &RepoPath,
        inside: &RepoPath,
        entry: &mut Entry,
        in_index: Option<crate::snapshot::entry::BlobId>,
    ) -> Result<Work> {
        let path = join(prefix, inside.as_bytes());
        let kind = entry.stat.kind;
        self.keeper.admit(&path, entry.stat.size)?;
        let (raw, stat) = readable(&path, reader.raw(inside, kind)?)?;
        let content = readable(&path, reader.identify(inside, kind, in_index)?)?;
        if stat != entry.stat || content.stat != entry.stat {
            return Err(Error::refused(format!("{} changed while it was kept", path.plain()))
                .hint("Let the work tree rest while arming, then try again."));
        }
        let sha256 = self.keeper.keep(&raw)?;
        let stored_sha256 = if content.converted {
            let stored = readable(&path, reader.load(inside, kind, in_index)?)?;
            stored.map(|stored| self.keeper.keep(&stored)).transpose()?
        } else {
            None
        };
        entry.class = Class::Tracked(content.id);
        entry.digest = Some(digest::sha256(&raw));
        let mode = match kind {
            Kind::Symlink => Mode::Symlink,
            _ if stat.is_executable() => Mode::Executable,
            _ => Mode::File,
        };
        let blob = digest::hex(content.id.as_bytes());
        Ok(Work { mode, blob, sha256, stored_sha256, size: stat.size, permissions: stat.permissions })
    }
}

fn readable<T>(path: &RepoPath, seen: Seen<T>) -> Result<T> {
    seen.map_err(|obstacle| {
        Error::repository(format!("{} cannot be kept: {}", path.plain(), obstacle.describe()))
            .hint("Make it readable for this user, or move it away.")
    })
}
