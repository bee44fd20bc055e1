//! The file that is proposed is the file that is read.

use anstream::adapter::strip_str;

use super::*;
use crate::policy::file::review::review;
use crate::policy::file::settings::Settings;

fn proposal(owner: &str, allow: &[&str]) -> Proposal {
    let globs = |texts: &[&str]| texts.iter().map(|text| Pattern::parse(text).unwrap()).collect::<Vec<_>>();
    let mut settings = Settings::default()
        .with_globs(Key::Allow, globs(allow))
        .with_globs(Key::Uncounted, globs(&["**/Cargo.lock"]))
        .with_number(Key::MaxFiles, Some(12))
        .with_number(Key::MaxWorkingBytes, Some(1_200_000));
    settings.set(Key::Owner, Value::Text(owner.to_owned()));
    settings.set(Key::Verify, Value::Commands(vec!["cargo test".into()]));
    let mut small = Settings::default().with_globs(Key::Allow, globs(&["docs/**"]));
    small.set(Key::Verify, Value::Commands(Vec::new()));
    Proposal {
        roles: vec![
            Proposed { name: "code".into(), settings, commits: 1_234, refused: 34, by_owner: 700 },
            Proposed { name: "a.b".into(), settings: small, commits: 1, refused: 0, by_owner: 0 },
        ],
        replay: Replay { commits: 1_300, accepted: 1_201, over_budget: 34, several_roles: 60, protected: 2, nobody: 3 },
    }
}

#[test]
fn it_reads_as_a_draft() {
    let proposal = proposal("Jane", &["src/**", "tests/**", "Cargo.toml", "Cargo.lock", "build.rs"]);
    insta::assert_snapshot!(toml(&proposal), @r#"
    # Proposed by `cordon init` from the layout and the history of this repository: a first draft to edit.
    # `cordon policy check` finds faults, `cordon policy show` shows all that holds.
    # Replayed: of 1,300 past commits (merges left out) 1,201 would have been accepted in one of these roles.
    # Of the others 34 are larger than the budgets of their role, or bring what no role accepts.
    # Of the others 60 touch paths of several roles.
    # Of the others 3 touch paths that no role owns, such as what is not there any more.
    # Of the others 2 touch protected paths.
    version = 1

    # What every role may not change, and whom to ask about what no role owns.
    [defaults]
    # deny = ["**/secrets/**"]
    # owner = "the core team"

    # The role of branches that no role claims with `branches`; without it `cordon gate` refuses them.
    # [gate]
    # role = "NAME"

    [role.code]
    # 1,234 past commits touched these paths and no others; 1,200 of them would have been accepted.
    allow = ["src/**", "tests/**", "Cargo.toml", "Cargo.lock", "build.rs"]
    uncounted = ["**/Cargo.lock"]
    max_files = 12
    max_working_bytes = 1_200_000
    verify = ["cargo test"]
    # The author of 700 of them.
    owner = "Jane"

    [role."a.b"]
    # 1 past commit touched these paths and no others; 1 of them would have been accepted.
    # Too few to learn budgets from, so the defaults hold.
    allow = ["docs/**"]
    verify = []
    "#);
    insta::assert_snapshot!(strip_str(&human(&proposal)), @r"
    cordon.toml is written

    code  src/**  tests/**  Cargo.toml  Cargo.lock and 1 more
          1,234 past commits touched these paths and no others; 1,200 of them would have been accepted
    a.b   docs/**
          1 past commit touched these paths and no others; 1 of them would have been accepted

    Replayed: of 1,300 past commits (merges left out) 1,201 would have been accepted in one of these roles.
    Of the others 34 are larger than the budgets of their role, or bring what no role accepts.
    Of the others 60 touch paths of several roles.
    Of the others 3 touch paths that no role owns, such as what is not there any more.
    Of the others 2 touch protected paths.

    next: edit cordon.toml, run cordon policy check, commit it, then cordon arm LABEL --role NAME
    ");
}

#[test]
fn what_is_read_from_it_is_what_was_proposed() {
    let hostile = "Eve \"\\\n[role.evil]\u{1b}[2J\u{202e}\u{e0041}#'''";
    let long: Vec<String> = (0..100).map(|n| format!("directory-{n}/\"\u{1b}\\/**")).collect();
    for (owner, allow) in [("Jane", vec!["src/**"]), (hostile, long.iter().map(String::as_str).collect())] {
        let proposal = proposal(owner, &allow);
        let text = toml(&proposal);
        assert!(text.chars().all(|c| c == '\n' || !is_hostile(c)));
        assert_eq!(review(text.as_bytes()).unwrap().faults, []);
        let read = crate::policy::file::read::read(NAME, text.as_bytes()).unwrap();
        for (role, proposed) in read.roles.iter().zip(&proposal.roles) {
            assert_eq!((&role.name, &role.settings), (&proposed.name, &proposed.settings));
        }
        assert_eq!(read.roles.len(), 2);
    }
}
