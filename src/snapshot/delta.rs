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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::entry::{Class, Stat};

    fn stat(secs: i64) -> Stat {
        let time = Time { secs, nanos: 0 };
        Stat { kind: Kind::File, permissions: 0o644, links: 1, size: 1, mtime: time, ctime: time, inode: 1, device: 1 }
    }

    fn snapshot(files: &[(&str, &str, i64)]) -> Snapshot {
        let mut listings: Vec<Listing> = Vec::new();
        for (directory, name, secs) in files {
            let path = RepoPath::from(*directory);
            if listings.last().is_none_or(|last| last.path != path) {
                listings.push(Listing::new(path));
            }
            listings.last_mut().unwrap().push(name.as_bytes(), stat(*secs), Class::Unclassified, None);
        }
        Snapshot::new(listings)
    }

    fn paths(before: &Snapshot, after: &Snapshot, trust: Trust) -> Vec<String> {
        let shown = |difference: &Difference| {
            let side = match (&difference.before, &difference.after) {
                (Some(_), Some(_)) => '*',
                (Some(_), None) => '-',
                (None, _) => '+',
            };
            format!("{side}{}", difference.path.plain())
        };
        delta(before, after, trust).iter().map(shown).collect()
    }

    #[test]
    fn names_what_came_went_and_differs() {
        let before = snapshot(&[("", "a", 1), ("", "b", 1), ("d", "x", 1), ("e", "y", 1)]);
        let after = snapshot(&[("", "b", 2), ("", "c", 1), ("d", "x", 1), ("f", "z", 1)]);
        let late = Trust::Stat(Time { secs: 9, nanos: 0 });
        assert_eq!(paths(&before, &after, late), ["-a", "*b", "+c", "-e/y", "+f/z"]);
        assert_eq!(paths(&before, &before, late), [""; 0]);
    }

    #[test]
    fn equal_stat_of_a_racy_entry_proves_nothing() {
        let both = snapshot(&[("", "old", 1), ("", "racy", 5), ("", "young", 7)]);
        assert_eq!(paths(&both, &both, Trust::Stat(Time { secs: 5, nanos: 0 })), ["*racy", "*young"]);
        assert_eq!(paths(&both, &both, Trust::Nothing), ["*old", "*racy", "*young"]);
    }
}
