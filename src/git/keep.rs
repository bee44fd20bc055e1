//! Which ignored files keep a digest of their content: all whose change would be judged, so that a touch, and an
//! installation that brings the same bytes once more, are told from an edit, and all links. Caches and build output keep none, because
//! they come and go. Without a digest a file whose stat differs counts as changed.

use std::collections::BTreeSet;

use super::baseline::within;
use super::caches::{Caches, TAG};
use super::reader::Reader;
use crate::error::Result;
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Class, Kind, Snapshot, Stat, Time};

/// All digests together may cost the reading of so many bytes...
const BYTES: u64 = 1 << 30;

/// ... and so many files. The smallest come first: settings and credentials before databases and archives.
const FILES: usize = 200_000;

/// What is to be kept.
pub struct Wanted<'a> {
    /// Where the hidden entries stand in the snapshot.
    pub hidden: &'a [(usize, usize)],
    /// The clock tick before the walk.
    pub tick: Time,
    /// Files that a process could write to without a sign of it.
    pub mapped: &'a BTreeSet<RepoPath>,
    /// What decides whether a change would be judged.
    pub rules: &'a AuditRules,
}

/// A file whose digest is asked for.
struct Job {
    place: (usize, usize),
    path: RepoPath,
    stat: Stat,
    /// Whether the stat alone could not vouch for it, so that it is read whatever that costs.
    must: bool,
}

/// Marks the hidden entries as ignored and keeps the digests. Gives back the directories that are marked as caches, and
/// how many files were read.
pub fn ignored(
    reader: &mut Reader,
    snapshot: &mut Snapshot,
    prefix: &RepoPath,
    wanted: &Wanted<'_>,
) -> Result<(Vec<RepoPath>, u64)> {
    let caches = caches(reader, snapshot, prefix, wanted.hidden)?;
    let mut jobs = Vec::new();
    for &(at, position) in wanted.hidden {
        let listing = &mut snapshot.listings_mut()[at];
        listing.entries_mut()[position].class = Class::Ignored;
        let entry = &listing.entries()[position];
        if !matches!(entry.stat.kind, Kind::File | Kind::Symlink) {
            continue;
        }
        let (path, stat) = (listing.path_of(entry), entry.stat);
        let must = stat.is_racy(wanted.tick) || wanted.mapped.contains(&path);
        // Where a link leads is judged wherever it lies.
        if must || stat.kind == Kind::Symlink || is_judged(wanted.rules, &caches, &path) {
            let path = RepoPath::from(within(prefix, path.as_bytes()));
            jobs.push(Job { place: (at, position), path, stat, must });
        }
    }
    let jobs = affordable(jobs, FILES, BYTES);
    let digests = super::reader::in_parallel(reader, &jobs, |reader, job| reader.digest(&job.path, job.stat.kind))?;
    for (job, digest) in jobs.iter().zip(digests) {
        // What cannot be read keeps no digest, and counts as changed once its stat differs.
        snapshot.listings_mut()[job.place.0].entries_mut()[job.place.1].digest = digest?.ok();
    }
    Ok((caches, jobs.len() as u64))
}

/// Whether a change of an ignored path would be more than noted; the rows of the judge decide.
fn is_judged(rules: &AuditRules, caches: &[RepoPath], path: &RepoPath) -> bool {
    let bytes = path.as_bytes();
    rules.dependency(bytes).is_some()
        || rules.protected_ignored(bytes).is_some()
        || (rules.scratch(bytes).is_none()
            && !rules.is_bookkeeping(bytes)
            && !caches.iter().any(|cache| path.is_within(cache.as_bytes())))
}

/// What fits into the budget, in the order of the paths.
fn affordable(jobs: Vec<Job>, files: usize, bytes: u64) -> Vec<Job> {
    let mut order: Vec<usize> = (0..jobs.len()).filter(|at| !jobs[*at].must).collect();
    order.sort_by_key(|at| jobs[*at].stat.size);
    let mut read = 0_u64;
    let fits = order.iter().take(files).take_while(|at| {
        read = read.saturating_add(jobs[**at].stat.size);
        read <= bytes
    });
    let mut chosen: Vec<bool> = jobs.iter().map(|job| job.must).collect();
    for at in fits.copied().collect::<Vec<_>>() {
        chosen[at] = true;
    }
    jobs.into_iter().zip(chosen).filter_map(|(job, chosen)| chosen.then_some(job)).collect()
}

fn caches(
    reader: &mut Reader,
    snapshot: &Snapshot,
    prefix: &RepoPath,
    hidden: &[(usize, usize)],
) -> Result<Vec<RepoPath>> {
    let mut caches = Vec::new();
    for &(at, position) in hidden {
        let listing = &snapshot.listings()[at];
        let named = listing.name(&listing.entries()[position]) == TAG;
        if named && listing.path != *prefix && Caches::is_tagged(reader, prefix, snapshot, &listing.path)? {
            caches.push(listing.path.clone());
        }
    }
    Ok(caches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(path: &str, size: u64, must: bool) -> Job {
        let time = Time::default();
        let stat = Stat {
            kind: Kind::File,
            permissions: 0o644,
            links: 1,
            size,
            mtime: time,
            ctime: time,
            inode: 1,
            device: 1,
        };
        Job { place: (0, 0), path: path.into(), stat, must }
    }

    fn chosen(files: usize, bytes: u64) -> Vec<String> {
        let jobs = vec![job("a", 50, false), job("b", 10, false), job("c", 900, true), job("d", 20, false)];
        affordable(jobs, files, bytes).into_iter().map(|job| job.path.plain()).collect()
    }

    #[test]
    fn the_smallest_fit_first_and_what_must_be_read_always_does() {
        assert_eq!(chosen(9, 1000), ["a", "b", "c", "d"]);
        assert_eq!(chosen(9, 79), ["b", "c", "d"]);
        assert_eq!(chosen(1, 1000), ["b", "c"]);
        assert_eq!(chosen(0, 0), ["c"]);
    }
}
