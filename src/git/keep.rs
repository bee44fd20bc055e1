//! Which ignored files keep a digest of their content: those that the stat alone could not vouch for, and the small ones
//! that are no cache and no dependency, because credentials and local settings are small. Without a digest a file whose
//! stat differs counts as changed.

use super::baseline::within;
use super::caches::{Caches, TAG};
use super::reader::Reader;
use crate::error::Result;
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{Class, Kind, Snapshot, Time};

/// Larger files keep no digest.
const SMALL: u64 = 64 * 1024;

/// All digests together may cost the reading of so many bytes...
const BYTES: u64 = 16 * 1024 * 1024;

/// ... and so many files, so that arming beside a hundred thousand ignored files stays quick.
const FILES: usize = 2000;

/// Marks the hidden entries as ignored and keeps the digests. Gives back the directories that are marked as caches, and
/// how many files were read.
pub fn ignored(
    reader: &mut Reader,
    snapshot: &mut Snapshot,
    prefix: &RepoPath,
    hidden: &[(usize, usize)],
    tick: Time,
    rules: &AuditRules,
) -> Result<(Vec<RepoPath>, u64)> {
    let caches = caches(reader, snapshot, prefix, hidden)?;
    let mut jobs = Vec::new();
    let (mut bytes, mut files) = (0, 0);
    for &(at, position) in hidden {
        let listing = &mut snapshot.listings_mut()[at];
        listing.entries_mut()[position].class = Class::Ignored;
        let stat = listing.entries()[position].stat;
        if !matches!(stat.kind, Kind::File | Kind::Symlink) {
            continue;
        }
        let small = stat.size <= SMALL && files < FILES && bytes + stat.size <= BYTES;
        if !small && !stat.is_racy(tick) {
            continue;
        }
        let path = listing.path_of(&listing.entries()[position]);
        if !stat.is_racy(tick) {
            let in_cache = || caches.iter().any(|cache| path.is_within(cache.as_bytes()));
            let bytes_of = path.as_bytes();
            if rules.scratch(bytes_of).is_some() || rules.dependency(bytes_of).is_some() || in_cache() {
                continue;
            }
            files += 1;
            bytes += stat.size;
        }
        jobs.push(((at, position), RepoPath::from(within(prefix, path.as_bytes())), stat.kind));
    }
    let digests = super::reader::in_parallel(reader, &jobs, |reader, (_, path, kind)| reader.digest(path, *kind))?;
    for (((at, position), ..), digest) in jobs.iter().zip(digests) {
        // What cannot be read keeps no digest, and counts as changed at check.
        snapshot.listings_mut()[*at].entries_mut()[*position].digest = digest?.ok();
    }
    Ok((caches, jobs.len() as u64))
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
