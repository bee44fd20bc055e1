//! The commits from which history is walked: every ref at arm, and what can be published today.

use std::collections::BTreeSet;

use gix::ObjectId;

use super::files;
use super::open::Repository;
use super::plane::{compare, refs};
use crate::error::Result;

/// The older entries of the stash stand in no ref, only in its log.
const STASH_LOG: &str = "logs/refs/stash";

/// Every object that a ref, or an entry of the stash, names: history that is known when this is asked at arm. In hex.
pub fn all(repository: &Repository) -> Result<Vec<String>> {
    let mut tips = named(repository, |_| true)?;
    tips.extend(stashed(repository)?);
    Ok(tips.into_iter().map(|id| id.to_string()).collect())
}

/// What a push or the user's next command could publish: `head`, the user's own refs (branches, notes, refs of any other
/// kind) and the stash. `fetched` are the prefixes of refs that the remotes of arm are configured to write.
///
/// Remote-tracking refs are none of them: a fetch moves them. They are no boundary either, because a push, and anybody
/// who writes a ref, moves them as well, to commits that were made here. Nor are tags, of which one on new history is a
/// finding by itself, or what a forge keeps for itself, which no push sends.
pub fn live(repository: &Repository, head: Option<ObjectId>, fetched: &[Vec<u8>]) -> Result<BTreeSet<ObjectId>> {
    let is_published = |name: &[u8]| !name.starts_with(b"refs/tags/") && !compare::is_of_a_forge(name);
    let mut tips = named(repository, |name| refs::is_own(name, fetched) && is_published(name))?;
    tips.extend(stashed(repository)?);
    tips.extend(head);
    Ok(tips)
}

/// The objects of the refs that are wanted; a symbolic ref that leads nowhere names nothing.
fn named(repository: &Repository, wanted: impl Fn(&[u8]) -> bool) -> Result<BTreeSet<ObjectId>> {
    let refs = repository.refs()?;
    Ok(refs.all.keys().filter(|name| wanted(name)).filter_map(|name| refs.object(name)).collect())
}

/// The commits in the log of the stash.
fn stashed(repository: &Repository) -> Result<Vec<ObjectId>> {
    let log = files::read(&repository.location.common_dir.join(STASH_LOG))?.unwrap_or_default();
    Ok(log.split(|byte| *byte == b'\n').filter_map(new_id).collect())
}

/// The second word of a line of a ref's log.
fn new_id(line: &[u8]) -> Option<ObjectId> {
    ObjectId::from_hex(line.split(|byte| *byte == b' ').nth(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_log_names_its_new_commit() {
        let (old, new) = ("0".repeat(40), "1234567890".repeat(4));
        let line = format!("{old} {new} A U Thor <a@example.invalid> 1 +0000\tWIP on main");
        assert_eq!(new_id(line.as_bytes()).unwrap().to_string(), new);
        assert!(new_id(b"").is_none());
        assert!(new_id(b"torn").is_none());
    }
}
