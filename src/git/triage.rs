//! Sorts the delta into what must be read and what is clear without reading.

use super::baseline::within;
use super::compare;
use super::hiding::{Fate, Hiding};
use super::rights;
use super::today::{Recorded, Today, recorded};
use crate::audit::evidence::{Change, Drift, DriftKind, Layer, Mode, Obstacle, Remark, RemarkKind};
use crate::audit::ignored::IgnoredKind;
use crate::audit::links::{Mark, MarkKind};
use crate::error::Result;
use crate::policy::options;
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::text::Text;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};

/// Set-user-id, set-group-id and sticky.
const SPECIAL_BITS: u16 = 0o7000;

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
    /// What lay there at arm, however Git saw it.
    pub at_arm: Option<Entry>,
    /// The entry now; `None` when the path is gone, or when what stands there is not Git's to record.
    pub after: Option<Entry>,
    /// What the index has today.
    pub index: Option<Recorded>,
    /// What the index may have where nothing happened to it.
    pub index_before: Option<Recorded>,
    /// Whether it was uncommitted work at arm.
    pub work: bool,
    /// How Git sees the file, beside what lies there.
    pub standing: Standing,
    /// Whether Git was told at arm to ignore the permissions on disk.
    pub ignores_modes: bool,
}

/// How Git sees a file, whether or not it lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it lies there.
    Ordinary,
    /// It left the index and is hidden, so that Git sees it no more although it lies there.
    Gone,
    /// A sparse checkout left it out of the work tree at arm, so that nothing need lie there.
    LeftOut,
}

/// What the delta comes to.
#[derive(Default)]
pub struct Triage {
    /// What must be compared.
    pub jobs: Vec<Job>,
    /// Changes that no file has to be read for.
    pub changes: Vec<Change>,
    /// What could not be vouched for.
    pub obstacles: Vec<(RepoPath, Obstacle)>,
    /// What is only noted.
    pub remarks: Vec<Remark>,
    /// Ignored entries whose content must be read to know whether it changed, with the digest of arm.
    pub unsure: Vec<(RepoPath, Kind, [u8; 32])>,
    /// Ignored entries that are not as they were.
    pub ignored: Vec<(RepoPath, IgnoredKind)>,
    /// Rights that files did not have.
    pub marks: Vec<Mark>,
    /// What drifted of the exclude rules.
    pub drifts: Vec<Drift>,
    /// The directories of repositories that appeared since arm and that no rule hides.
    pub nested: Vec<RepoPath>,
}

/// Sorts the differences of one checkout.
pub struct Sorter<'a> {
    today: &'a Today<'a>,
    hiding: Hiding<'a>,
    now: &'a Snapshot,
    triage: Triage,
}

impl<'a> Sorter<'a> {
    /// A sorter for `today`'s checkout; `now` is the snapshot of the check.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot, delta: &[Difference]) -> Result<Self> {
        let hiding = Hiding::new(today, now, delta)?;
        Ok(Sorter { today, hiding, now, triage: Triage::default() })
    }

    /// What all differences came to.
    pub fn finish(mut self) -> Triage {
        for directory in self.triage.nested.clone() {
            let has_files = self.triage.jobs.iter().any(|job| job.path.is_within(directory.as_bytes()));
            // Over files that Git tracks here, it takes them out of sight of whoever works inside.
            let over_tracked = self.today.entry_at_arm(directory.as_bytes()).is_some();
            if over_tracked {
                self.triage.drifts.push(Drift {
                    kind: DriftKind::GitDirectory,
                    subject: Text::default().path(&directory),
                    what: Text::from("a repository was created over files of this one"),
                    undo: Some(shell::about("rm -rf", &directory.join(b".git"))),
                });
            }
            if !has_files {
                self.triage.changes.push(compare::gitlink_change(&directory, None, None, Layer::Worktree));
            }
        }
        self.triage.drifts.extend(self.hiding.drifts());
        self.triage
    }

    /// Sorts one difference.
    pub fn sort(&mut self, difference: Difference) -> Result<()> {
        let Difference { path, before, after } = difference;
        if path.name() == b".git" {
            return self.nested(&path.parent(), before.as_ref(), after.as_ref());
        }
        self.special_bits(&path, before.as_ref(), after.as_ref());
        match before.as_ref().and_then(recorded).or_else(|| self.today.left_out(&path)) {
            Some(baseline) => self.tracked(path, before, after, baseline),
            None => self.untracked(path, before.as_ref(), after),
        }
    }

    /// A repository that appeared inside the work tree. Its files are changes of their own; one that has none would be
    /// seen by nobody, although Git lists its directory.
    fn nested(&mut self, directory: &RepoPath, before: Option<&Entry>, after: Option<&Entry>) -> Result<()> {
        let inside = within(&self.today.frozen.prefix, directory.as_bytes());
        let is_new = before.is_none() && after.is_some() && !inside.is_empty();
        let is_submodule = self.today.in_baseline(directory.as_bytes()).is_some();
        if is_new && !is_submodule && !self.hide(inside, true)? {
            self.triage.nested.push(directory.clone());
        }
        Ok(())
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
            let inside = within(&self.today.frozen.prefix, path.as_bytes());
            if self.today.in_index(inside).is_none() {
                self.triage.changes.push(compare::gitlink_change(&path, Some(baseline.id), None, Layer::Index));
            }
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
            job.standing = if gone { Standing::Gone } else { job.standing };
        }
        Ok(())
    }

    fn untracked(&mut self, path: RepoPath, before: Option<&Entry>, after: Option<Entry>) -> Result<()> {
        let is_file = |entry: &&Entry| matches!(entry.stat.kind, Kind::File | Kind::Symlink);
        // An ignored directory that came or went tells nothing that its files do not tell.
        let was_ignored = before.filter(|entry| entry.class == Class::Ignored).filter(is_file);
        let inside = within(&self.today.frozen.prefix, path.as_bytes());
        let Some(entry) = &after else {
            if before.is_none() {
                // Only the index has it, and had something else at arm.
                self.job(path, None, None, None);
                return Ok(());
            }
            if was_ignored.is_some() {
                self.triage.ignored.push((path, IgnoredKind::Deleted));
            }
            return Ok(());
        };
        match (entry.stat.kind, was_ignored) {
            (Kind::Directory, None) => {}
            (Kind::Directory, Some(_)) => self.triage.ignored.push((path, IgnoredKind::Deleted)),
            (Kind::Special, None)
                if before.is_none_or(|before| before.stat.inode != entry.stat.inode)
                    && rights::is_device(&self.today.repository, inside) =>
            {
                self.triage.marks.push(Mark::on_disk(path, MarkKind::Device));
            }
            (Kind::Special, None) => self.remark(RemarkKind::Special, path),
            (Kind::Special, Some(_)) => self.triage.ignored.push((path, IgnoredKind::Changed)),
            // What Git tracks today is not hidden by any rule.
            _ if self.today.in_index(inside).is_some() => self.job(path, None, after, None),
            // Without a digest the stat is all that can be compared, also where every file is to be read.
            (_, Some(before)) if before.digest.is_none() && before.stat == entry.stat => {}
            // What has another size has other content, whatever that is.
            (kind, Some(before)) => {
                match before.digest.filter(|_| (before.stat.kind, before.stat.size) == (kind, entry.stat.size)) {
                    Some(digest) => {
                        if before.stat.permissions != entry.stat.permissions && kind == Kind::File {
                            self.remark(RemarkKind::Permissions, path.clone());
                        }
                        self.triage.unsure.push((path, kind, digest));
                    }
                    None => self.triage.ignored.push((path, IgnoredKind::Changed)),
                }
            }
            (_, None) => match self.hiding.fate(&path, inside)? {
                Fate::Ignored => self.triage.ignored.push((path, IgnoredKind::Added)),
                Fate::Listed => self.job(path, None, after, None),
            },
        }
        Ok(())
    }

    /// Bits that grant rights beyond those of who runs the file.
    fn special_bits(&mut self, path: &RepoPath, before: Option<&Entry>, after: Option<&Entry>) {
        let Some(after) = after.filter(|after| after.stat.kind == Kind::File) else { return };
        let new = after.stat.permissions & !before.map_or(0, |before| before.stat.permissions) & SPECIAL_BITS;
        let listed = before.and_then(recorded).is_some() || !options::is_built_in_output(path.as_bytes());
        if new != 0 {
            let kind = MarkKind::SpecialBits { bits: after.stat.permissions, listed };
            self.triage.marks.push(Mark::on_disk(path.clone(), kind));
        }
    }

    fn hide(&mut self, inside: &[u8], is_directory: bool) -> Result<bool> {
        self.hiding.hidden_at_arm(inside, is_directory)
    }

    fn job(&mut self, path: RepoPath, before: Option<Entry>, after: Option<Entry>, baseline: Option<Recorded>) {
        let inside = RepoPath::from(within(&self.today.frozen.prefix, path.as_bytes()));
        let index = self.today.in_index(inside.as_bytes());
        let index_before = self.today.expected(path.as_bytes(), index);
        let work = self.today.kept(path.as_bytes()).is_some();
        let digest = before.as_ref().and_then(|entry| entry.digest);
        let ignores_modes = self.today.frozen.ignores_modes;
        let after = after.filter(|entry| entry.stat.kind != Kind::Directory);
        let left_out = before.is_none() && self.today.left_out(&path).is_some();
        let standing = if left_out { Standing::LeftOut } else { Standing::Ordinary };
        let at_arm = self.today.entry_at_arm(path.as_bytes()).cloned();
        self.triage.jobs.push(Job {
            path,
            inside,
            baseline,
            digest,
            before,
            at_arm,
            after,
            index,
            index_before,
            work,
            standing,
            ignores_modes,
        });
    }

    fn remark(&mut self, kind: RemarkKind, path: RepoPath) {
        self.triage.remarks.push(Remark { kind, path });
    }
}
