//! Tests of the difference of two control planes.

use super::*;
use crate::policy::path::RepoPath;

/// A past in which everything that starts with `a` is known, and every commit that starts with `b` is a bottom.
struct Known;

impl Past for Known {
    fn is_known(&self, id: &[u8], _: &[&[u8]]) -> bool {
        id.starts_with(b"a")
    }

    fn is_bottom(&self, commit: &[u8]) -> bool {
        commit.starts_with(b"b")
    }
}

fn refs(own: &[(&str, &str)]) -> Plane {
    let own = own.iter().map(|(name, value)| Ref(Text::from(*name), Text::from(*value))).collect();
    Plane { refs: Refs { own, ..Refs::default() }, parts: Vec::new() }
}

fn told(armed: &Plane, now: &Plane) -> Vec<(DriftKind, String, Option<String>)> {
    compare(armed, now, None, &Known)
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
            row(DriftKind::BranchDeleted, "refs/heads/gone", "git update-ref refs/heads/gone a1"),
            row(DriftKind::BranchMoved, "refs/heads/moved", "git update-ref refs/heads/moved a2"),
            row(DriftKind::BranchCreated, "refs/heads/x y", "git update-ref -d 'refs/heads/x y'"),
            row(DriftKind::ReplaceRef, "refs/replace/a3", "git replace -d a3"),
            row(DriftKind::Stash, "refs/stash", "git update-ref -d refs/stash"),
            row(DriftKind::Tag, "refs/tags/new", "git update-ref -d refs/tags/new"),
            row(DriftKind::TagOnKnownHistory, "refs/tags/old", "git update-ref -d refs/tags/old"),
        ]
    );
    assert!(told(&now, &now).is_empty());
}

#[test]
fn a_tag_that_moves_is_a_violation_even_to_known_history() {
    let told = told(&refs(&[("refs/tags/v", "a1")]), &refs(&[("refs/tags/v", "a2")]));
    assert_eq!(told, [row(DriftKind::Tag, "refs/tags/v", "git update-ref refs/tags/v a1")]);
}

#[test]
fn deepening_is_honest_and_cutting_is_not() {
    let shallow = |commits: &[&str]| {
        let shallow = commits.iter().map(|commit| Text::from(*commit)).collect();
        Plane { refs: Refs { shallow, ..Refs::default() }, parts: Vec::new() }
    };
    assert!(told(&shallow(&["a1"]), &shallow(&[])).is_empty());
    assert!(told(&shallow(&["a1"]), &shallow(&["b2"])).is_empty());
    assert_eq!(told(&shallow(&["a1"]), &shallow(&["a2"]))[0].0, DriftKind::Graft);
    assert_eq!(told(&shallow(&["a1"]), &shallow(&["a1", "b2"]))[0].0, DriftKind::Graft);
    assert_eq!(told(&shallow(&[]), &shallow(&["b2"]))[0].0, DriftKind::Graft);
}

#[test]
fn an_older_entry_of_the_stash_counts() {
    let with = |log: &str| {
        let mut plane = refs(&[("refs/stash", "a1")]);
        plane.refs.stash_log = Some(log.to_owned());
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
        let part = Part {
            prefix: RepoPath::new(""),
            broken: None,
            dot_git: Some(Seen::Directory),
            config: Vec::new(),
            declared: Vec::new(),
            hooks: Vec::new(),
            files,
        };
        Plane { parts: vec![part], refs: Refs::default() }
    };
    let tree = |gitdir| [("w/a", Rule::Worktree, ""), ("w/a/gitdir", Rule::Leads, gitdir)];
    let kinds = |armed: &Plane, now: &Plane| told(armed, now).into_iter().map(|told| told.0).collect::<Vec<_>>();
    assert_eq!(kinds(&plane(&[]), &plane(&tree("1"))), [DriftKind::LinkedWorktree]);
    assert!(kinds(&plane(&tree("1")), &plane(&[])).is_empty());
    assert_eq!(kinds(&plane(&tree("1")), &plane(&tree("2"))), [DriftKind::GitDirectory]);
}
