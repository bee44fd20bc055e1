//! Tests of the difference of two control planes.

use super::*;

/// A past in which everything that starts with `a` was known at arm, every commit that starts with `b` is a bottom, and
/// every one that starts with `c` is reached by a local branch.
struct Known;

impl Past for Known {
    fn vouched(&self, id: &[u8], _: &[&[u8]]) -> Vouched {
        if id.starts_with(b"a") { Vouched::Known } else { Vouched::New }
    }

    fn was_known(&self, id: &[u8]) -> bool {
        id.starts_with(b"a")
    }

    fn is_live(&self, id: &[u8]) -> bool {
        id.starts_with(b"c")
    }

    fn has_ref(&self, name: &[u8]) -> bool {
        name == b"refs/remotes/origin/main"
    }

    fn hides(&self, _: &[u8]) -> bool {
        false
    }

    fn is_bottom(&self, commit: &[u8]) -> bool {
        commit.starts_with(b"b")
    }
}

fn plane(refs: Refs) -> Plane {
    Plane { parts: vec![Part { refs, ..Part::default() }] }
}

fn refs(own: &[(&str, &str)]) -> Plane {
    let own = own.iter().map(|(name, value)| Ref(Text::from(*name), Text::from(*value))).collect();
    plane(Refs { own, ..Refs::default() })
}

fn told(armed: &Plane, now: &Plane) -> Vec<(DriftKind, String, Option<String>)> {
    compare(armed, now, &Known)
        .into_iter()
        .map(|drift| (drift.kind, drift.subject.plain(), drift.undo.map(|undo| undo.plain())))
        .collect()
}

fn row(kind: DriftKind, subject: &str, undo: &str) -> (DriftKind, String, Option<String>) {
    (kind, subject.to_owned(), Some(undo.to_owned()))
}

#[test]
fn refs_are_told_with_the_command_that_undoes_it() {
    let armed = refs(&[("refs/heads/gone", "a1"), ("refs/heads/moved", "a2"), ("refs/heads/same", "a3")]);
    let now = refs(&[
        ("refs/heads/moved", "a9"),
        ("refs/heads/same", "a3"),
        ("refs/heads/x y", "a4"),
        ("refs/replace/a3", "c1"),
        ("refs/stash", "c2"),
        ("refs/tags/new", "c3"),
        ("refs/tags/old", "a3"),
    ]);
    assert_eq!(
        told(&armed, &now),
        [
            row(DriftKind::BranchDeleted, "refs/heads/gone", "git update-ref --no-deref refs/heads/gone a1"),
            row(DriftKind::BranchMoved, "refs/heads/moved", "git update-ref --no-deref refs/heads/moved a2 a9"),
            row(DriftKind::BranchCreated, "refs/heads/x y", "git update-ref -d 'refs/heads/x y' a4"),
            row(DriftKind::ReplaceRef, "refs/replace/a3", "git replace -d a3"),
            row(DriftKind::Stash, "refs/stash", "git update-ref -d refs/stash c2"),
            row(DriftKind::Tag, "refs/tags/new", "git update-ref -d refs/tags/new c3"),
            row(DriftKind::TagOnKnownHistory, "refs/tags/old", "git update-ref -d refs/tags/old a3"),
        ]
    );
    assert!(told(&now, &now).is_empty());
}

#[test]
fn a_tag_that_moves_is_a_violation_even_to_known_history() {
    let told = told(&refs(&[("refs/tags/v", "a1")]), &refs(&[("refs/tags/v", "a2")]));
    assert_eq!(told, [row(DriftKind::Tag, "refs/tags/v", "git update-ref --no-deref refs/tags/v a1 a2")]);
}

#[test]
fn deepening_is_honest_and_cutting_is_not() {
    let shallow = |commits: &[&str]| {
        let shallow = commits.iter().map(|commit| Text::from(*commit)).collect();
        plane(Refs { shallow, ..Refs::default() })
    };
    assert!(told(&shallow(&["a1"]), &shallow(&[])).is_empty());
    assert!(told(&shallow(&["a1"]), &shallow(&["b2"])).is_empty());
    assert_eq!(told(&shallow(&["a1"]), &shallow(&["a2"]))[0].0, DriftKind::Graft);
    // A fetch of limited depth ends at what it brought.
    assert!(told(&shallow(&["a1"]), &shallow(&["a1", "b2"])).is_empty());
    assert!(told(&shallow(&["a1"]), &shallow(&["a1", "d2"])).is_empty());
    assert_eq!(told(&shallow(&["a1"]), &shallow(&["a1", "c2"]))[0].0, DriftKind::Graft);
    assert_eq!(told(&shallow(&[]), &shallow(&["a2"]))[0].0, DriftKind::Graft);
}

#[test]
fn an_older_entry_of_the_stash_counts() {
    let with = |log: &str| {
        let mut plane = refs(&[("refs/stash", "a1")]);
        plane.parts[0].refs.stash_log = Some(log.to_owned());
        plane
    };
    assert_eq!(told(&with("1"), &with("2"))[0].0, DriftKind::Stash);
    assert!(told(&with("1"), &with("1")).is_empty());
}

#[test]
fn linked_work_trees_come_and_go_but_do_not_lead_elsewhere() {
    let plane = |files: &[(&str, Rule, &str)]| {
        let files = files
            .iter()
            .map(|(path, rule, content)| Watched {
                rule: *rule,
                path: Text::from(*path),
                seen: Seen::File((*content).to_owned(), false),
            })
            .collect();
        Plane { parts: vec![Part { dot_git: Some(Seen::Directory), files, ..Part::default() }] }
    };
    let tree = |gitdir| [("w/a", Rule::Worktree, ""), ("w/a/gitdir", Rule::Leads, gitdir)];
    let kinds = |armed: &Plane, now: &Plane| told(armed, now).into_iter().map(|told| told.0).collect::<Vec<_>>();
    assert_eq!(kinds(&plane(&[]), &plane(&tree("1"))), [DriftKind::LinkedWorktree]);
    assert!(kinds(&plane(&tree("1")), &plane(&[])).is_empty());
    assert_eq!(kinds(&plane(&tree("1")), &plane(&tree("2"))), [DriftKind::GitDirectory]);
}

/// Whoever says `main` gets the tag; a branch may stand in front of a remote-tracking one.
#[test]
fn names_that_stand_in_front_of_others_are_told() {
    let armed = refs(&[("refs/heads/main", "a1")]);
    let kinds = |name: &str| {
        let now = refs(&[("refs/heads/main", "a1"), (name, "a1")]);
        told(&armed, &now)[0].0
    };
    assert_eq!(kinds("refs/tags/main"), DriftKind::RefShadow);
    assert_eq!(kinds("refs/heads/origin/main"), DriftKind::RefShadow);
    assert_eq!(kinds("refs/tags/HEAD"), DriftKind::RefShadow);
    assert_eq!(kinds("refs/tags/v1"), DriftKind::TagOnKnownHistory);
    assert_eq!(kinds("refs/heads/topic"), DriftKind::BranchCreated);
    assert_eq!(kinds("refs/main"), DriftKind::OtherRef);
    assert_eq!(kinds("refs/notes/commits"), DriftKind::OtherRef);
    assert_eq!(kinds("refs/pull/7/head"), DriftKind::ForgeRef);
}
