//! The difference of two snapshots: the entries whose stat fields cannot vouch for them.

use std::cmp::Ordering;

use super::entry::{Entry, Kind, Listing, Snapshot, Time};
use crate::policy::path::RepoPath;

/// One path that is not the same in both snapshots, or may not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path.
    pub path: RepoPath,
    /// The entry before.
    pub before: Option<Entry>,
    /// The entry now.
    pub after: Option<Entry>,
}

/// Which entries of equal stat count as different all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Those that changed in the clock tick of the first snapshot or later.
    Stat(Time),
    /// All of them: every content is to be read.
    Nothing,
}

/// What differs between `before` and `after`, sorted by path.
pub fn delta(before: &Snapshot, after: &Snapshot, trust: Trust) -> Vec<Difference> {
    let mut found = Vec::new();
    let order = |a: &Listing, b: &Listing| a.path.cmp(&b.path);
    merge(before.listings(), after.listings(), order, |old, new| listings(old, new, trust, &mut found));
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found
}

fn listings(old: Option<&Listing>, new: Option<&Listing>, trust: Trust, found: &mut Vec<Difference>) {
    let old_entries = old.map_or(&[][..], Listing::entries);
    let new_entries = new.map_or(&[][..], Listing::entries);
    let name = |listing: Option<&Listing>, entry: &Entry| -> Vec<u8> {
        listing.map_or_else(Vec::new, |listing| listing.name(entry).to_vec())
    };
    // Both listings exist whenever the order is asked for.
    let order = |a: &Entry, b: &Entry| match (old, new) {
        (Some(old), Some(new)) => old.name(a).cmp(new.name(b)),
        _ => Ordering::Equal,
    };
    merge(old_entries, new_entries, order, |before, after| {
        if let (Some(before), Some(after)) = (before, after)
            && before.stat == after.stat
            && !must_read(before, trust)
        {
            return;
        }
        let path = match (before, after, old, new) {
            (Some(entry), _, Some(listing), _) | (_, Some(entry), _, Some(listing)) => {
                listing.path.join(&name(Some(listing), entry))
            }
            _ => return,
        };
        found.push(Difference { path, before: before.cloned(), after: after.cloned() });
    });
}

fn must_read(entry: &Entry, trust: Trust) -> bool {
    match trust {
        Trust::Stat(tick) => entry.stat.is_racy(tick),
        Trust::Nothing => entry.stat.kind != Kind::Directory,
    }
}

/// Walks two sorted slices together and shows each pair of equals, and what has no equal, in order.
fn merge<T>(left: &[T], right: &[T], order: impl Fn(&T, &T) -> Ordering, mut each: impl FnMut(Option<&T>, Option<&T>)) {
    let (mut l, mut r) = (0, 0);
    loop {
        match (left.get(l), right.get(r)) {
            (None, None) => return,
            (Some(a), None) => {
                each(Some(a), None);
                l += 1;
            }
            (None, Some(b)) => {
                each(None, Some(b));
                r += 1;
            }
            (Some(a), Some(b)) => match order(a, b) {
                Ordering::Less => {
                    each(Some(a), None);
                    l += 1;
                }
                Ordering::Greater => {
                    each(None, Some(b));
                    r += 1;
                }
                Ordering::Equal => {
                    each(Some(a), Some(b));
                    l += 1;
                    r += 1;
                }
            },
        }
    }
}
