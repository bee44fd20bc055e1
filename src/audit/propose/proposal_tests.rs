//! Proposals from layouts and histories that are made up.

use super::*;
use crate::audit::evidence::{ChangeKind, Layer, Mode};

fn change(path: &str, added: u64) -> Change {
    Change {
        path: RepoPath::from(path),
        kind: ChangeKind::Modified,
        layers: vec![Layer::Worktree],
        added,
        deleted: 0,
        binary: false,
        size_before: Some(1),
        size_after: Some(added * 10),
        mode_before: Some(Mode::File),
        mode_after: Some(Mode::File),
        commit: None,
        content: None,
    }
}

fn commits(author: &str, number: usize, paths: &[&str], added: impl Fn(usize) -> u64) -> Vec<Past> {
    let commit = |at| Past {
        id: format!("{at:040}"),
        author: author.into(),
        changes: paths.iter().map(|path| change(path, added(at))).collect(),
    };
    (0..number).map(commit).collect()
}

fn layout(paths: &[&str], contents: &[(&str, &str)]) -> Layout {
    let paths = paths.iter().chain(contents.iter().map(|(path, _)| path)).map(|path| RepoPath::from(*path));
    let contents = contents.iter().map(|(path, text)| (RepoPath::from(*path), text.as_bytes().to_vec()));
    Layout { paths: paths.collect(), contents: contents.collect() }
}

fn allowed(role: &Proposed) -> Vec<&str> {
    role.settings.globs(Key::Allow).iter().map(Pattern::as_str).collect()
}

#[test]
fn a_repository_without_history_has_one_role_for_its_code() {
    let layout = layout(
        &["src/main.rs", "tests/a.rs", "README.md", ".github/workflows/ci.yml", ".vscode/settings.json", "Cargo.lock"],
        &[("Cargo.toml", "[package]\n"), ("Makefile", "all:\n")],
    );
    let proposal = propose(&layout, &[]).unwrap();
    let names: Vec<&str> = proposal.roles.iter().map(|role| role.name.as_str()).collect();
    assert_eq!(names, ["code", "docs", "ci"]);
    let code = &proposal.roles[0];
    assert_eq!(allowed(code), ["src/**", "tests/**", "Cargo.lock", "Cargo.toml", "Makefile"]);
    assert_eq!(code.settings.verify(), ["cargo test"]);
    assert_eq!(code.settings.globs(Key::Uncounted), [Pattern::parse("**/Cargo.lock").unwrap()]);
    assert_eq!((code.settings.number(Key::MaxFiles), code.settings.owner()), (None, None));
    assert_eq!(allowed(&proposal.roles[1]), ["*.md"]);
    assert_eq!(propose(&Layout::default(), &[]).unwrap().roles, []);
}

#[test]
fn budgets_and_owners_are_those_of_the_past() {
    let layout = layout(&["src/a", "web/b", "docs/c"], &[]);
    let mut past = commits("Ann", 100, &["src/a", "src/b"], |at| if at < 95 { 200 } else { 5_000 });
    past.extend(commits("Joe", 30, &["web/b"], |_| 10));
    past.extend(commits("Joe", 1, &["web/b", "src/a"], |_| 10));
    past.extend(commits("Joe", 2, &["gone/x"], |_| 10));
    past.extend(commits("Joe", 3, &["src/.envrc"], |_| 10));
    let proposal = propose(&layout, &past).unwrap();
    let [src, web, docs] = proposal.roles.as_slice() else { panic!("{proposal:?}") };
    assert_eq!((src.name.as_str(), src.commits, src.refused, src.by_owner), ("src", 100, 5, 100));
    assert_eq!(src.settings.number(Key::MaxAddedLines), Some(400));
    assert_eq!((src.settings.owner(), web.settings.owner()), (Some("Ann"), Some("Joe")));
    assert_eq!((web.commits, web.refused, docs.commits), (30, 0, 0));
    let replay = proposal.replay;
    assert_eq!((replay.commits, replay.accepted, replay.over_budget), (136, 125, 5));
    assert_eq!((replay.several_roles, replay.nobody, replay.protected), (1, 2, 3));
}

#[test]
fn the_large_group_of_several_directories_is_the_code() {
    let layout = layout(&["src/a", "lib/b", "tests/c", "web/d"], &[]);
    let mut past = commits("Ann", 9, &["src/a", "lib/b"], |_| 1);
    past.extend(commits("Ann", 4, &["web/d"], |_| 1));
    let proposal = propose(&layout, &past).unwrap();
    let names: Vec<&str> = proposal.roles.iter().map(|role| role.name.as_str()).collect();
    assert_eq!((names, allowed(&proposal.roles[0])), (vec!["code", "web"], vec!["lib/**", "src/**", "tests/**"]));
}

#[test]
fn lines_of_lockfiles_make_no_budget_larger() {
    let layout = layout(&["src/a", "Cargo.lock"], &[]);
    let past: Vec<Past> = commits("Ann", 20, &["src/a", "Cargo.lock"], |_| 5)
        .into_iter()
        .map(|mut commit| {
            commit.changes[1].added = 90_000;
            commit
        })
        .collect();
    let role = &propose(&layout, &past).unwrap().roles[0];
    assert_eq!((role.settings.number(Key::MaxAddedLines), role.refused), (Some(100), 0));
}

#[test]
fn commands_are_those_of_the_files_that_are_there() {
    for (contents, commands) in [
        (&[("Cargo.toml", "[workspace]\n")][..], &["cargo test --workspace"][..]),
        (&[("package.json", "{\"scripts\": {\"test\": \"x\"}}"), ("yarn.lock", "")], &["yarn test"]),
        (&[("package.json", "{}")], &[]),
        (&[("go.mod", "module x"), ("Makefile", "test:\n\tgo test\n")], &["go test ./...", "make test"]),
        (&[("pyproject.toml", "[tool.pytest.ini_options]"), ("setup.py", "")], &["python3 -m pytest"]),
        (&[("Makefile", "latest:\n")], &[]),
    ] {
        assert_eq!(verifiers(&layout(&[], contents)), commands, "{contents:?}");
    }
}

#[test]
fn names_of_roles_are_names_that_an_option_takes() {
    let mut taken = HashSet::new();
    let names = ["Web", "web", "-x y\u{1b}", "", "..", "\u{e9}t\u{e9}"].map(|name| unique(name, &mut taken));
    assert_eq!(names, ["Web", "web-2", "x-y", "role", "role-2", "t"]);
}
