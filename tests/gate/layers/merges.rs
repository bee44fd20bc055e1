//! Merges: judged by what they bring into the branch, whoever made it and when.

use std::fs;

use super::{committing, id, layers};
use crate::common::sandbox::Sandbox;

/// A project with a branch `feature` whose `infra/deploy.tf` differs, armed on main.
fn with_feature() -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.git(&["checkout", "-q", "-b", "feature"]).ok();
    sandbox.write("infra/deploy.tf", "feature\n");
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox
}

/// Neither merge has a path that differs from all of its parents, and in the end nothing has changed.
#[test]
fn known_history_that_was_merged_and_taken_back_by_a_further_merge_is_found() {
    let sandbox = with_feature();
    let base = id(&sandbox, &["rev-parse", "HEAD"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "feature"]).ok();
    let merge = id(&sandbox, &["rev-parse", "HEAD"]);
    let tree = id(&sandbox, &["rev-parse", &format!("{base}^{{tree}}")]);
    let back = id(&sandbox, &["commit-tree", "-p", &merge, "-p", &base, "-m", "back", &tree]);
    sandbox.git(&["reset", "-q", "--hard", &back]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    assert_eq!(layers(&outcome, "infra/deploy.tf"), ["commit"]);
    assert!(outcome.text().contains(&merge), "the merge is named: {outcome:?}");
}

#[test]
fn a_merge_that_keeps_ours_passes() {
    let sandbox = with_feature();
    sandbox.append("src/app.py", "x\n");
    sandbox.commit("mine");
    sandbox.git(&["merge", "-q", "--no-edit", "-s", "ours", "feature"]).ok();
    sandbox.check().ok();
}

#[test]
fn an_octopus_that_brings_something_of_its_own_is_found_and_an_honest_one_passes() {
    for evil in [false, true] {
        let sandbox = committing();
        for side in ["one", "two"] {
            sandbox.git(&["checkout", "-q", "-b", side, "main"]).ok();
            sandbox.write(format!("src/{side}.py"), "x\n");
            sandbox.commit(side);
        }
        sandbox.git(&["checkout", "-q", "main"]).ok();
        sandbox.git(&["merge", "-q", "--no-edit", "one", "two"]).ok();
        if evil {
            sandbox.write("infra/deploy.tf", "evil\n");
            sandbox.git(&["commit", "-q", "-a", "--amend", "--no-edit"]).ok();
            sandbox.git(&["checkout", "-q", "HEAD^1", "--", "infra/deploy.tf"]).ok();
            sandbox.commit("back");
            sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
        } else {
            sandbox.check().ok();
        }
    }
}

/// A branch that never had the baseline, into which known history is merged and taken out again.
#[test]
fn a_merge_into_an_older_branch_is_held_against_where_that_left() {
    let sandbox = Sandbox::project();
    sandbox.git(&["checkout", "-q", "-b", "feature"]).ok();
    sandbox.write("infra/deploy.tf", "feature\n");
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.append("src/app.py", "main\n");
    sandbox.commit("main");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.git(&["checkout", "-q", "-b", "old", "HEAD^"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "feature"]).ok();
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
}

/// Whatever says that commits came from elsewhere can be written here, so it is no boundary: the remote-tracking ref, the
/// reflog and `FETCH_HEAD` of these two are the same.
#[test]
fn history_that_came_after_arm_is_new_wherever_it_came_from() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    upstream.write("infra/deploy.tf", "changed\n");
    upstream.commit("outside");
    upstream.git(&["revert", "--no-edit", "HEAD"]).ok();
    sandbox.git(&["fetch", "-q"]).ok();
    // Fetching alone is nothing; taking it into the branch is held against the envelope.
    sandbox.check().ok();
    sandbox.git(&["merge", "-q", "--ff-only", "origin/main"]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    assert!(outcome.text().contains("arm again"), "{outcome:?}");
    // Armed again on top of it, it is known.
    sandbox.cordon(&["reset"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.check().ok();
}

#[test]
fn upstream_work_inside_the_envelope_can_be_merged() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    upstream.append("src/util.py", "theirs\n");
    upstream.commit("theirs");
    sandbox.append("src/app.py", "mine\n");
    sandbox.commit("mine");
    sandbox.git(&["fetch", "-q"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "origin/main"]).ok();
    sandbox.check().ok();
    assert!(fs::read_to_string(sandbox.at("src/util.py")).unwrap().contains("theirs"));
}

#[test]
fn notes_and_refs_of_other_kinds_are_history() {
    let sandbox = committing();
    sandbox.write("ci/secret", "x\n");
    sandbox.commit("payload");
    for name in ["refs/notes/commits", "refs/custom/x"] {
        sandbox.git(&["update-ref", name, "HEAD"]).ok();
    }
    sandbox.git(&["reset", "-q", "--hard", "HEAD^"]).ok();
    sandbox.check().violates(&["path outside policy: ci/secret"]);
}

#[test]
fn a_commit_that_only_the_reflog_has_is_published_by_nobody() {
    let sandbox = committing();
    sandbox.write("ci/secret", "x\n");
    sandbox.commit("payload");
    sandbox.check().violates(&["path outside policy: ci/secret"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD^"]).ok();
    sandbox.check().ok();
}

/// A forge's own books are fetched and never pushed.
#[test]
fn a_pull_request_that_was_fetched_is_no_history_of_ours() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    upstream.git(&["checkout", "-q", "-b", "theirs"]).ok();
    upstream.write("infra/deploy.tf", "theirs\n");
    upstream.commit("theirs");
    upstream.git(&["update-ref", "refs/pull/1/head", "HEAD"]).ok();
    sandbox.git(&["fetch", "-q", "origin", "refs/pull/*:refs/pull/*"]).ok();
    sandbox.check().ok();
    // Taking it into the branch is another matter.
    sandbox.git(&["merge", "-q", "--ff-only", "refs/pull/1/head"]).ok();
    sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
}
