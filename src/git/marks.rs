//! Looks at changed paths for what their content does not show: links that lead away, inodes with other names, twins.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::outside;
use super::reader::Reader;
use super::standing::{self, Links, is_unsafe};
use super::today::Today;
use super::triage::{Job, Standing};
use crate::audit::evidence::{Mode, Place};
use crate::audit::links::{Mark, MarkKind, Peer};
use crate::error::Result;
use crate::policy::fold;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};

/// What is looked at.
pub struct Marker<'a> {
    /// The checkout.
    pub today: &'a Today<'a>,
    /// The snapshot of arm.
    pub baseline: &'a Snapshot,
    /// The snapshot of now.
    pub now: &'a Snapshot,
    /// The ignored paths that are new since arm.
    pub new_ignored: HashSet<&'a RepoPath>,
    /// The ignored links that are new or lead elsewhere since arm.
    pub ignored_links: HashSet<&'a RepoPath>,
}

impl Marker<'_> {
    /// The marks of all jobs; `changed` are the paths of those that turned out to be changes.
    pub fn marks(&self, reader: &mut Reader, jobs: &[Job], changed: &HashSet<RepoPath>) -> Result<Vec<Mark>> {
        let mut marks = Vec::new();
        let is_link = |job: &&Job| job.after.as_ref().is_some_and(|after| after.stat.kind == Kind::Symlink);
        let links: Vec<&Job> = jobs.iter().filter(|job| changed.contains(&job.path)).filter(is_link).collect();
        for job in &links {
            marks.extend(self.link(reader, job)?);
        }
        // What was a link and is none any more may have led another one back inside.
        let was_link = |job: &Job| job.baseline.is_some_and(|before| before.mode == Mode::Symlink);
        let unlinked = jobs.iter().any(|job| changed.contains(&job.path) && was_link(job));
        if !links.is_empty() || unlinked || !self.ignored_links.is_empty() {
            let mut files = Files { reader, marker: self };
            marks.extend(standing::led_astray(self.today, &Place::Worktree, &mut files)?);
        }
        marks.extend(self.hard_links(jobs));
        marks.extend(self.twins(jobs.iter().filter(|job| changed.contains(&job.path))));
        Ok(marks)
    }

    /// A link that is new or leads elsewhere than it did.
    fn link(&self, reader: &mut Reader, job: &Job) -> Result<Option<Mark>> {
        let prefix = &self.today.frozen.prefix;
        let Some(target) = outside::link_text(reader, prefix, self.now, job.path.as_bytes())? else { return Ok(None) };
        let to = outside::escape(reader, prefix, self.now, &job.path, &target)?;
        let target = Text::from_bytes(target);
        Ok(to.map(|to| Mark::on_disk(job.path.clone(), MarkKind::Link { target, to })))
    }

    /// Files whose inode has more names than it had.
    fn hard_links(&self, jobs: &[Job]) -> Vec<Mark> {
        let rose = |job: &&Job| {
            let before = job.before.as_ref().map_or(1, |before| before.stat.links);
            job.after.as_ref().is_some_and(|after| after.stat.kind == Kind::File && after.stat.links > before)
        };
        let candidates: Vec<&Job> = jobs.iter().filter(rose).collect();
        if candidates.is_empty() {
            return Vec::new();
        }
        let inodes: HashSet<(u64, u64)> = candidates.iter().filter_map(|job| job.after.as_ref().map(inode)).collect();
        let (names, before) = (names(self.now, &inodes), names(self.baseline, &inodes));
        let mut marks = Vec::new();
        for job in candidates {
            let Some(after) = &job.after else { continue };
            let seen = names.get(&inode(after)).map_or(&[][..], Vec::as_slice);
            let elsewhere = missing(after.stat.links, seen.len());
            let was_elsewhere = match &job.before {
                Some(old) if inode(old) == inode(after) => {
                    missing(old.stat.links, before.get(&inode(old)).map_or(0, Vec::len))
                }
                _ => 0,
            };
            let others = seen.iter().filter(|path| **path != job.path && !self.new_ignored.contains(path));
            let peer = |path: &RepoPath| Peer { path: path.clone(), ignored: self.is_ignored(path) };
            let peers: Vec<Peer> = others.map(peer).collect();
            let elsewhere = elsewhere.saturating_sub(was_elsewhere);
            if !peers.is_empty() || elsewhere > 0 {
                marks.push(Mark::on_disk(job.path.clone(), MarkKind::HardLink { peers, elsewhere }));
            }
        }
        marks
    }

    /// New names beside names that a file system could take for the same, and names that it could take for Git's own.
    fn twins<'j>(&self, jobs: impl Iterator<Item = &'j Job>) -> Vec<Mark> {
        let new = jobs.filter(|job| job.baseline.is_none() && job.after.is_some() && job.standing != Standing::Gone);
        let mut folded: HashMap<RepoPath, BTreeMap<Vec<u8>, Vec<RepoPath>>> = HashMap::new();
        let mut looked: BTreeSet<RepoPath> = BTreeSet::new();
        let mut marks = Vec::new();
        for job in new {
            let mut path = job.path.clone();
            // The directories that came with the file have new names as well.
            while !path.is_root() && self.baseline.entry(path.as_bytes()).is_none() && looked.insert(path.clone()) {
                let directory = path.parent();
                let names = folded.entry(directory.clone()).or_insert_with(|| self.names_of(&directory));
                let twin =
                    names.get(&fold::name(path.name())).and_then(|same| same.iter().find(|other| **other != path));
                if let Some(other) = twin {
                    marks.push(Mark::on_disk(path.clone(), MarkKind::Twin(other.clone())));
                }
                // A directory called exactly `.git` is a repository of its own and is told as such.
                if path.name() != b".git" && is_unsafe(path.name(), None) {
                    marks.push(Mark::on_disk(path.clone(), MarkKind::UnsafeName(Text::from_bytes(path.name()))));
                }
                path = directory;
            }
        }
        marks
    }

    /// The names in a directory that are not ignored, folded.
    fn names_of(&self, directory: &RepoPath) -> BTreeMap<Vec<u8>, Vec<RepoPath>> {
        let mut names: BTreeMap<Vec<u8>, Vec<RepoPath>> = BTreeMap::new();
        if let Some(listing) = self.now.listing(directory.as_bytes()) {
            for entry in listing.entries() {
                let path = listing.path_of(entry);
                if !self.is_ignored(&path) {
                    names.entry(fold::name(listing.name(entry))).or_default().push(path);
                }
            }
        }
        names
    }

    fn is_ignored(&self, path: &RepoPath) -> bool {
        self.new_ignored.contains(path)
            || self.baseline.entry(path.as_bytes()).is_some_and(|entry| entry.class == Class::Ignored)
    }
}

/// The links on disk.
struct Files<'a> {
    reader: &'a mut Reader,
    marker: &'a Marker<'a>,
}

impl Links for Files<'_> {
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>> {
        let Marker { today, baseline, now, .. } = self.marker;
        let path = today.frozen.prefix.join(inside);
        // An ignored link of arm leads where it led.
        let is_old = baseline.entry(path.as_bytes()).is_some_and(|entry| entry.class == Class::Ignored);
        if is_old && !self.marker.ignored_links.contains(&path) {
            return Ok(None);
        }
        outside::link_text(self.reader, &today.frozen.prefix, now, path.as_bytes())
    }
}

/// What two names of one file have in common.
pub fn inode(entry: &Entry) -> (u64, u64) {
    (entry.stat.device, entry.stat.inode)
}

/// How many of `links` names were not seen.
fn missing(links: u32, seen: usize) -> u32 {
    links.saturating_sub(u32::try_from(seen).unwrap_or(u32::MAX))
}

/// The names that these inodes have in a snapshot.
pub(super) fn names(snapshot: &Snapshot, inodes: &HashSet<(u64, u64)>) -> HashMap<(u64, u64), Vec<RepoPath>> {
    let mut names: HashMap<_, Vec<_>> = HashMap::new();
    for listing in snapshot.listings() {
        for entry in listing.entries().iter().filter(|entry| inodes.contains(&inode(entry))) {
            names.entry(inode(entry)).or_default().push(listing.path_of(entry));
        }
    }
    names
}
