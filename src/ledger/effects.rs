//! PURE. The difference of two observations as net effects: what came, went, changed, or only moved.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::order;
use super::record::{Digest, Effect, EntryType, Side};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// One entry as it was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it is, its content and its permissions.
    pub side: Side,
    /// Where a link leads.
    pub target: Option<Text>,
}

/// What was observed at one time. What is the same in both observations may be left out of both.
pub type Observation = BTreeMap<RepoPath, Seen>;

/// What a rename keeps.
type Content = (EntryType, Digest);

/// The net effects between two observations, in the order of a ledger.
pub fn effects(before: &Observation, after: &Observation) -> Vec<Effect> {
    let renames = renames(before, after);
    let left: BTreeSet<&RepoPath> = renames.iter().map(|(old, _)| *old).collect();
    let reached: BTreeSet<&RepoPath> = renames.iter().map(|(_, new)| *new).collect();
    let mut found: Vec<Effect> = renames.iter().map(|(old, new)| renamed(old, new, &after[*new])).collect();
    for (path, seen) in after {
        match before.get(path) {
            Some(old) => found.extend(changed(path, old.side, seen.side)),
            None if reached.contains(path) => {}
            None => found.push(created(path, seen)),
        }
    }
    for (path, seen) in before.iter().filter(|(path, _)| !after.contains_key(*path) && !left.contains(path)) {
        let Side { entry_type, digest, .. } = seen.side;
        found.push(Effect::Deleted { path: path.clone(), entry_type, digest });
    }
    found.sort_by(compare);
    found
}

/// The order of effects: type, path, path before.
pub fn compare(left: &Effect, right: &Effect) -> Ordering {
    let before = |effect: &Effect| effect.path_before().cloned().unwrap_or_default();
    left.name()
        .cmp(right.name())
        .then_with(|| order::names(left.path().as_bytes(), right.path().as_bytes()))
        .then_with(|| order::names(before(left).as_bytes(), before(right).as_bytes()))
}

/// The pairs of a path that went and one that came that are each other's only match. An empty file says nothing about
/// where it came from, and a pair whose permissions differ would lose that difference.
fn renames<'a>(before: &'a Observation, after: &'a Observation) -> Vec<(&'a RepoPath, &'a RepoPath)> {
    let gone = by_content(before, after);
    let mut come = by_content(after, before);
    let alone = |paths: &[&'a RepoPath]| if let [path] = *paths { Some(path) } else { None };
    let pairs = gone.iter().filter_map(|(content, old)| {
        let (old, new) = (alone(old)?, alone(&come.remove(content)?)?);
        let (was, is) = (before[old].side, after[new].side);
        let same_mode = was.mode.is_none() || is.mode.is_none() || was.mode == is.mode;
        (is.size > 0 && same_mode).then_some((old, new))
    });
    pairs.collect()
}

/// The paths that only `one` has, by what they hold.
fn by_content<'a>(one: &'a Observation, other: &Observation) -> BTreeMap<Content, Vec<&'a RepoPath>> {
    let mut found: BTreeMap<Content, Vec<&RepoPath>> = BTreeMap::new();
    for (path, seen) in one.iter().filter(|(path, _)| !other.contains_key(*path)) {
        found.entry((seen.side.entry_type, seen.side.digest)).or_default().push(path);
    }
    found
}

fn renamed(old: &RepoPath, new: &RepoPath, seen: &Seen) -> Effect {
    let Side { digest, size, .. } = seen.side;
    Effect::Renamed { path: new.clone(), path_before: old.clone(), digest, size }
}

fn created(path: &RepoPath, seen: &Seen) -> Effect {
    let target = if seen.side.entry_type == EntryType::Symlink { seen.target.clone() } else { None };
    Effect::Created { path: path.clone(), side: seen.side, target }
}

/// A change of content absorbs one of the permissions.
fn changed(path: &RepoPath, before: Side, after: Side) -> Option<Effect> {
    if (before.entry_type, before.digest) != (after.entry_type, after.digest) {
        return Some(Effect::Modified { path: path.clone(), before, after });
    }
    match (before.mode, after.mode) {
        (Some(before), Some(after)) if before != after => {
            Some(Effect::MetadataModified { path: path.clone(), before, after })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::digest::sha256;

    fn file(content: &str, mode: u16) -> Seen {
        let digest = sha256(content.as_bytes());
        let side = Side { entry_type: EntryType::File, digest, size: content.len() as u64, mode: Some(mode) };
        Seen { side, target: None }
    }

    fn link(target: &str) -> Seen {
        let mut seen = file(target, 0o777);
        seen.side.entry_type = EntryType::Symlink;
        seen.target = Some(target.into());
        seen
    }

    fn told(before: &[(&str, Seen)], after: &[(&str, Seen)]) -> Vec<String> {
        let map =
            |list: &[(&str, Seen)]| list.iter().map(|(path, seen)| (RepoPath::from(*path), seen.clone())).collect();
        effects(&map(before), &map(after))
            .iter()
            .map(|effect| {
                let from = effect.path_before().map_or_else(String::new, |path| format!("{} -> ", path.plain()));
                format!("{} {from}{}", effect.name().trim_start_matches("file."), effect.path().plain())
            })
            .collect()
    }

    #[test]
    fn what_came_went_and_changed() {
        let before =
            [("a", file("1", 0o644)), ("b", file("2", 0o644)), ("c", file("3", 0o644)), ("same", file("4", 0o600))];
        let after = [("a", file("5", 0o600)), ("b", file("2", 0o755)), ("d", link("x")), ("same", file("4", 0o600))];
        assert_eq!(told(&before, &after), ["created d", "deleted c", "metadata_modified b", "modified a"]);
        assert_eq!(told(&[("a", file("x", 0o644))], &[("a", link("x"))]), ["modified a"], "the type changed");
    }

    #[test]
    fn a_rename_needs_a_pair_without_a_rival() {
        let one = |path: &'static str| (path, file("x", 0o644));
        assert_eq!(told(&[one("a")], &[one("b")]), ["renamed a -> b"]);
        assert_eq!(told(&[("a", link("t"))], &[("b", link("t"))]), ["renamed a -> b"]);
        assert_eq!(told(&[one("a")], &[one("a"), one("b")]), ["created b"], "a copy is none");
        assert_eq!(told(&[one("a")], &[one("b"), one("c")]), ["created b", "created c", "deleted a"]);
        assert_eq!(told(&[one("a"), one("b")], &[one("c")]), ["created c", "deleted a", "deleted b"]);
        let none: [(&str, (Seen, Seen)); 3] = [
            ("empty", (file("", 0o644), file("", 0o644))),
            ("other permissions", (file("x", 0o644), file("x", 0o755))),
            ("other type", (file("x", 0o777), link("x"))),
        ];
        for (why, (old, new)) in none {
            assert_eq!(told(&[("a", old)], &[("b", new)]), ["created b", "deleted a"], "{why}");
        }
        let mut bare = file("x", 0o644);
        bare.side.mode = None;
        assert_eq!(told(&[("a", bare)], &[("b", file("x", 0o755))]), ["renamed a -> b"], "unknown permissions match");
    }

    #[test]
    fn a_rival_with_other_permissions_is_a_rival_all_the_same() {
        let before = [("a", file("x", 0o644))];
        let after = [("b", file("x", 0o644)), ("c", file("x", 0o755))];
        assert_eq!(told(&before, &after), ["created b", "created c", "deleted a"]);
    }
}
