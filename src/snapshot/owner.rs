//! Who owns what: most of a work tree belongs to whoever owns its top, so only the others are remembered.

use std::collections::BTreeMap;

use rustix::fs::Stat as SystemStat;
use serde::{Deserialize, Serialize};

use super::entry::{Class, Snapshot};
use crate::policy::path::RepoPath;

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner(pub u32, pub u32);

impl Owner {
    /// The owner, from what the system says.
    pub fn of(system: &SystemStat) -> Owner {
        Owner(system.st_uid, system.st_gid)
    }
}

/// Who owned the entries of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owners {
    /// Who owned the top, and everything that is not named.
    top: Owner,
    /// Who owned the rest.
    others: Vec<(RepoPath, Owner)>,
}

impl Owners {
    /// The owners of a snapshot that was walked; `None` for one that was read from a file.
    pub fn of(snapshot: &Snapshot) -> Option<Owners> {
        let others = snapshot
            .listings()
            .iter()
            .flat_map(|listing| listing.foreign().iter().map(|(name, owner)| (listing.path.join(name), *owner)));
        Some(Owners { top: snapshot.owner()?, others: others.collect() })
    }

    /// The entries that Git tracks, and the directories, that are the same inode and belong to somebody else than they did.
    /// A file that was replaced belongs to who replaced it, which is nobody's doing.
    pub fn changed(&self, baseline: &Snapshot, now: &Snapshot) -> Vec<RepoPath> {
        let Some(after) = Owners::of(now) else { return Vec::new() };
        let (old, new) = (self.named(), after.named());
        let is_the_same = |path: &RepoPath| {
            let (before, after) = (baseline.entry(path.as_bytes()), now.entry(path.as_bytes()));
            before.zip(after).is_some_and(|(before, after)| {
                before.class != Class::Ignored
                    && (before.stat.inode, before.stat.device) == (after.stat.inode, after.stat.device)
            })
        };
        let mut paths: Vec<&RepoPath> = old.keys().chain(new.keys()).copied().collect();
        paths.sort();
        paths.dedup();
        let differs = |path: &&RepoPath| old.get(path).unwrap_or(&self.top) != new.get(path).unwrap_or(&after.top);
        let top = (self.top != after.top).then(|| RepoPath::from("."));
        top.into_iter().chain(paths.into_iter().filter(differs).filter(|path| is_the_same(path)).cloned()).collect()
    }

    fn named(&self) -> BTreeMap<&RepoPath, Owner> {
        self.others.iter().map(|(path, owner)| (path, *owner)).collect()
    }
}
