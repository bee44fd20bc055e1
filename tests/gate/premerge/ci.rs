//! Base, head and branch from the variables of CI services, whose values are names and never more.

use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

use super::rig::{branch, change, line, team};

/// A branch beside a `main` that goes on, as a CI job has them: the base as a branch of origin, HEAD detached.
fn job() -> Sandbox {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "a\n");
    sandbox.git(&["switch", "-q", "main"]).ok();
    change(&sandbox, "src/other.py", "x\n");
    sandbox.git(&["update-ref", "refs/remotes/origin/main", "main"]).ok();
    sandbox.git(&["switch", "-q", "--detach", "docs/x"]).ok();
    sandbox
}

#[track_caller]
fn gate_with(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Outcome {
    let mut command = sandbox.cordon_command(&["gate", "--no-verify"]);
    command.envs(variables.iter().copied());
    run(command, b"", PATIENCE).orderly()
}

#[test]
fn each_service_tells_base_head_and_branch() {
    let sandbox = job();
    let (head, base) = (line(&sandbox, &["rev-parse", "HEAD"]), line(&sandbox, &["rev-parse", "main"]));
    let start = line(&sandbox, &["merge-base", "main", "HEAD"]);
    sandbox.git(&["switch", "-q", "main"]).ok();
    for (variables, expected) in [
        (vec![("GITHUB_BASE_REF", "main"), ("GITHUB_HEAD_REF", "docs/x"), ("GITHUB_SHA", head.as_str())], &base),
        (
            vec![
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", start.as_str()),
                ("CI_COMMIT_SHA", &head),
                ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "docs/x"),
            ],
            &start,
        ),
        (
            vec![
                ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &start),
                ("CI_COMMIT_SHA", &head),
                ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "docs/x"),
            ],
            &base,
        ),
        (
            vec![
                ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"),
                ("BUILDKITE_COMMIT", &head),
                ("BUILDKITE_BRANCH", "docs/x"),
            ],
            &base,
        ),
        (vec![("CORDON_BASE", "origin/main"), ("CORDON_HEAD", "docs/x")], &base),
        (vec![("CORDON_BASE", "origin/main"), ("CORDON_HEAD", &head), ("CORDON_BRANCH", "docs/x")], &base),
    ] {
        let verdict = gate_with(&sandbox, &variables).ok().json();
        assert_eq!(
            (&verdict["base"], &verdict["head"], &verdict["role"]),
            (&expected.as_str().into(), &head.as_str().into(), &"docs".into()),
            "{variables:?}"
        );
    }
}

#[test]
fn the_merge_that_github_makes_is_compared_with_its_first_parent() {
    let sandbox = job();
    sandbox.git(&["switch", "-q", "--detach", "main"]).ok();
    // What the remote-tracking branch says is older than the merge.
    sandbox.git(&["update-ref", "refs/remotes/origin/main", "main~1"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "docs/x"]).ok();
    let (merge, base) = (line(&sandbox, &["rev-parse", "HEAD"]), line(&sandbox, &["rev-parse", "main"]));
    let variables = [
        ("GITHUB_BASE_REF", "main"),
        ("GITHUB_HEAD_REF", "docs/x"),
        ("GITHUB_REF", "refs/pull/7/merge"),
        ("GITHUB_SHA", merge.as_str()),
    ];
    let verdict = gate_with(&sandbox, &variables).ok().json();
    assert_eq!(
        (&verdict["base"], &verdict["changed_files"]),
        (&base.as_str().into(), &serde_json::json!(["docs/a.md"]))
    );
}

#[test]
fn the_event_of_github_is_read() {
    let sandbox = job();
    let (head, base) = (line(&sandbox, &["rev-parse", "HEAD"]), line(&sandbox, &["rev-parse", "main"]));
    let event = sandbox.outside().join("event.json");
    let pull =
        format!(r#"{{"pull_request":{{"base":{{"sha":"{base}"}},"head":{{"sha":"{head}"}}}},"before":"{base}"}}"#);
    std::fs::write(&event, pull).unwrap();
    let event = event.to_str().unwrap();
    // This event runs on the base, whose commit is in GITHUB_SHA.
    let target = [
        ("GITHUB_EVENT_NAME", "pull_request_target"),
        ("GITHUB_BASE_REF", "gone"),
        ("GITHUB_HEAD_REF", "docs/x"),
        ("GITHUB_SHA", base.as_str()),
        ("GITHUB_EVENT_PATH", event),
    ];
    let verdict = gate_with(&sandbox, &target).ok().json();
    assert_eq!((&verdict["head"], &verdict["base"]), (&head.as_str().into(), &base.as_str().into()));
    let push = [
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_REF_NAME", "docs/x"),
        ("GITHUB_SHA", head.as_str()),
        ("GITHUB_EVENT_PATH", event),
    ];
    assert_eq!(gate_with(&sandbox, &push).ok().json()["base"], base.as_str());
}

#[test]
fn what_is_not_here_is_refused_with_the_fetch_that_brings_it() {
    let sandbox = job();
    let head = line(&sandbox, &["rev-parse", "HEAD"]);
    let variables = [("GITHUB_BASE_REF", "release/1.0"), ("GITHUB_SHA", head.as_str())];
    gate_with(&sandbox, &variables).refused().says(&[
        "git fetch --no-tags origin +refs/heads/release/1.0:refs/remotes/origin/release/1.0",
        "fetch-depth: 0",
    ]);
    let variables = [("CI_COMMIT_BEFORE_SHA", &*"0".repeat(40)), ("CI_COMMIT_SHA", head.as_str())];
    gate_with(&sandbox, &variables).refused().says(&["--base"]);
}

#[test]
fn values_are_data() {
    let sandbox = job();
    let head = line(&sandbox, &["rev-parse", "HEAD"]);
    for value in
        ["--help", "main~1", "HEAD", "main^{}", "../main", "heads/main", "$(touch x)", "-", "main\n", "\u{1b}[31m"]
    {
        let outcome = gate_with(&sandbox, &[("GITHUB_BASE_REF", value), ("GITHUB_SHA", &head)]).refused();
        assert!(!outcome.stderr.contains(&0x1b), "{outcome:?}");
        gate_with(&sandbox, &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", value), ("CI_COMMIT_SHA", &head)]).refused();
        gate_with(&sandbox, &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", &head), ("CI_COMMIT_SHA", value)]).refused();
    }
    assert!(!sandbox.at("x").exists());
    // A local branch does not stand in for that of the remote.
    sandbox.git(&["branch", "-f", "main", "HEAD"]).ok();
    let variables = [("GITHUB_BASE_REF", "main"), ("GITHUB_HEAD_REF", "docs/x"), ("GITHUB_SHA", head.as_str())];
    let verdict = gate_with(&sandbox, &variables).ok().json();
    assert_eq!(verdict["base"], line(&sandbox, &["rev-parse", "origin/main"]));
}

#[test]
fn a_further_remote_does_not_stand_in_for_origin() {
    let sandbox = job();
    let (head, theirs) = (line(&sandbox, &["rev-parse", "HEAD"]), line(&sandbox, &["rev-parse", "HEAD"]));
    let variables = [("GITHUB_BASE_REF", "release"), ("GITHUB_HEAD_REF", "docs/x"), ("GITHUB_SHA", head.as_str())];
    sandbox.git(&["update-ref", "refs/remotes/fork/release", &theirs]).ok();
    gate_with(&sandbox, &variables).refused().says(&["GITHUB_BASE_REF=release"]);
    // The only remote is the one that is meant, whatever it is called.
    sandbox.git(&["update-ref", "-d", "refs/remotes/origin/main"]).ok();
    sandbox.git(&["update-ref", "refs/remotes/fork/release", "main"]).ok();
    gate_with(&sandbox, &variables).ok();
}

#[test]
fn arguments_come_before_variables() {
    let sandbox = job();
    let mut command = sandbox.cordon_command(&["gate", "--base", "main~1", "--head", "docs/x"]);
    command.env("GITHUB_BASE_REF", "nowhere").env("GITHUB_SHA", "0");
    let verdict = run(command, b"", PATIENCE).ok().json();
    assert_eq!(verdict["base"], line(&sandbox, &["rev-parse", "main~1"]));
}
