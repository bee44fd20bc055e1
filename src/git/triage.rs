//! Sorts the delta into what must be read and what is clear without reading.

use super::baseline::within;
use super::excludes::Excludes;
use super::today::{Recorded, Today, recorded};
use crate::audit::evidence::{Mode, Obstacle, Remark, RemarkKind};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};

/// A path of one checkout that must be compared with the baseline.
#[derive(Debug, Clone)]
pub struct Job {
    /// The path, relative to the whole work tree.
    pub path: RepoPath,
    /// The path, relative to its checkout.
    pub inside: RepoPath,
    /// What the baseline has.
    pub baseline: Option<Recorded>,
    /// The baseline's SHA-256 of the bytes on disk, where the blob does not give them.
    pub digest: Option<[u8; 32]>,
    /// The entry at arm.
    pub before: Option<Entry>,
    /// The entry now; `None` when the path is gone, or when what stands there is not Git's to record.
    pub after: Option<Entry>,
    /// What the index has today.
    pub index: Option<Recorded>,
    /// What the index may have where nothing happened to it.
    pub index_before: Option<Recorded>,
    /// Whether it was uncommitted work at arm.
    pub work: bool,
    /// Whether the file left the index and is hidden, so that Git sees it no more although it lies there.
    pub gone: bool,
}

/// What the delta comes to.
#[derive(Default)]
pub struct Triage {
    /// What must be compared.
    pub jobs: Vec<Job>,
    /// What could not be vouched for.
    pub obstacles: Vec<(RepoPath, Obstacle)>,
    /// What is only noted.
    pub remarks: Vec<Remark>,
    /// Ignored entries whose content must be read to know whether it changed, with the digest of arm.
    pub ignored: Vec<(RepoPath, Kind, [u8; 32])>,
}

/// Sorts the differences of one checkout.
pub struct Sorter<'a> {
    today: &'a Today<'a>,
    excludes: Option<Excludes>,
    now: &'a Snapshot,
    triage: Triage,
}

impl<'a> Sorter<'a> {
    /// A sorter for `today`'s checkout; `now` is the snapshot of the check.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot) -> Self {
        Sorter { today, excludes: None, now, triage: Triage::default() }
    }

    /// What all differences came to.
    pub fn finish(self) -> Triage {
        self.triage
    }

    /// Sorts one difference.
    pub fn sort(&mut self, difference: Difference) -> Result<()> {
        let Difference { path, before, after } = difference;
        if path.name() == b".git" {
            return Ok(());
        }
        match before.as_ref().and_then(recorded) {
            Some(baseline) => self.tracked(path, before, after, baseline),
            None => self.untracked(path, before.as_ref(), after),
        }
    }

    /// A directory that cannot be listed hides what is in it. That is only noted where an exclude rule hides it anyway
    /// and nothing of it was known at arm.
    pub fn unreadable_directories(&mut self, baseline: &Snapshot) -> Result<()> {
        for listing in self.now.listings() {
            let Some(error) = &listing.error else { continue };
            let known = baseline.listing(listing.path.as_bytes()).is_some_and(|listing| listing.error.is_none());
            if !known && self.hide(listing.path.as_bytes(), true)? {
                self.remark(RemarkKind::Unreadable, listing.path.clone());
            } else {
                self.triage.obstacles.push((listing.path.clone(), Obstacle::Unreadable(error.clone())));
            }
        }
        Ok(())
    }

    fn tracked(
        &mut self,
        path: RepoPath,
        before: Option<Entry>,
        after: Option<Entry>,
        baseline: Recorded,
    ) -> Result<()> {
        let is_submodule = baseline.mode == Mode::Gitlink;
        let kind = after.as_ref().map(|entry| entry.stat.kind);
        if is_submodule && kind == Some(Kind::Directory) {
            return Ok(());
        }
        if kind == Some(Kind::Special) {
            self.triage.obstacles.push((path.clone(), Obstacle::Special));
        }
        // A file that left the index and is hidden is gone for Git, whatever lies on disk.
        let inside = within(&self.today.frozen.prefix, path.as_bytes());
        let gone = after.is_some() && self.today.in_index(inside).is_none() && self.hide(inside, false)?;
        self.job(path, before, after, Some(baseline));
        if let Some(job) = self.triage.jobs.last_mut() {
            job.gone = gone;
        }
        Ok(())
    }

    fn untracked(&mut self, path: RepoPath, before: Option<&Entry>, after: Option<Entry>) -> Result<()> {
        let was_ignored = before.is_some_and(|entry| entry.class == Class::Ignored);
        let inside = within(&self.today.frozen.prefix, path.as_bytes());
        let Some(entry) = &after else {
            if before.is_none() {
                // Only the index has it, and had something else at arm.
                self.job(path, None, None, None);
                return Ok(());
            }
            if was_ignored {
                self.remark(RemarkKind::IgnoredDeleted, path);
            }
            return Ok(());
        };
        match entry.stat.kind {
            Kind::Directory => {}
            Kind::Special => self.remark(RemarkKind::Special, path),
            // What Git tracks today is not hidden by any rule.
            Kind::File | Kind::Symlink if self.today.in_index(inside).is_some() => self.job(path, None, after, None),
            kind @ (Kind::File | Kind::Symlink) => match before {
                Some(before) if was_ignored && before.stat.kind == kind => match before.digest {
                    Some(digest) => self.triage.ignored.push((path, kind, digest)),
                    None => self.remark(RemarkKind::IgnoredChanged, path),
                },
                Some(_) if was_ignored => self.remark(RemarkKind::IgnoredChanged, path),
                _ if self.hide(inside, false)? => self.remark(RemarkKind::IgnoredAdded, path),
                _ => self.job(path, None, after, None),
            },
        }
        Ok(())
    }

    fn hide(&mut self, inside: &[u8], is_directory: bool) -> Result<bool> {
        if self.excludes.is_none() {
            self.excludes = Some(self.today.excludes()?);
        }
        self.excludes.as_mut().map_or(Ok(false), |excludes| excludes.hide(inside, is_directory))
    }

    fn job(&mut self, path: RepoPath, before: Option<Entry>, after: Option<Entry>, baseline: Option<Recorded>) {
        let inside = RepoPath::from(within(&self.today.frozen.prefix, path.as_bytes()));
        let index = self.today.in_index(inside.as_bytes());
        let index_before = self.today.expected(path.as_bytes(), index);
        let work = self.today.kept(path.as_bytes()).is_some();
        let digest = before.as_ref().and_then(|entry| entry.digest);
        let after = after.filter(|entry| entry.stat.kind != Kind::Directory);
        self.triage.jobs.push(Job {
            path,
            inside,
            baseline,
            digest,
            before,
            after,
            index,
            index_before,
            work,
            gone: false,
        });
    }

    fn remark(&mut self, kind: RemarkKind, path: RepoPath) {
        self.triage.remarks.push(Remark { kind, path });
    }
}
