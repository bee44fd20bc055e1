//! The honest twins: ordinary work with index and history stays accepted.

use std::fs;

use super::{committing, id, layers};
use crate::common::json;
use crate::common::sandbox::Sandbox;

#[test]
fn commits_inside_the_envelope_pass() {
    let sandbox = committing();
    for line in ["one\n", "two\n"] {
        sandbox.append("src/app.py", line);
        sandbox.commit(line);
    }
    sandbox.git(&["branch", "side"]).ok();
    let outcome = sandbox.check().ok();
    assert_eq!(layers(&outcome, "src/app.py"), ["commit", "index", "worktree"]);
    assert_eq!(outcome.json()["metrics"]["added_lines"], 2);
}

/// The user's feature branch holds old changes outside of the envelope that main has as well.
#[test]
fn merging_a_branch_that_existed_at_arm_passes() {
    let sandbox = Sandbox::project();
    sandbox.git(&["checkout", "-q", "-b", "feature"]).ok();
    sandbox.write("docs/new.md", "feature\n");
    sandbox.commit("docs");
    sandbox.git(&["rm", "-q", "docs/new.md"]).ok();
    sandbox.append("src/util.py", "feature\n");
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "x\n");
    sandbox.commit("mine");
    sandbox.git(&["merge", "-q", "--no-edit", "feature"]).ok();
    sandbox.check().ok();
}

#[test]
fn rebasing_onto_what_was_fetched_passes() {
    let sandbox = Sandbox::project();
    let upstream = sandbox.outside().join("upstream");
    let clone = |args: &[&str]| sandbox.git(args).ok();
    clone(&["clone", "-q", ".", upstream.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", upstream.to_str().unwrap()]).ok();
    sandbox.git(&["fetch", "-q", "origin"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "mine\n");
    sandbox.commit("mine");
    fs::write(upstream.join("src/util.py"), "LIMIT = 11\n").unwrap();
    sandbox.git(&["-C", upstream.to_str().unwrap(), "commit", "-q", "-a", "-m", "theirs"]).ok();
    sandbox.git(&["fetch", "-q", "origin"]).ok();
    sandbox.git(&["rebase", "-q", "origin/main"]).ok();
    sandbox.check().ok();
}

#[test]
fn a_stash_that_was_popped_leaves_nothing() {
    let sandbox = Sandbox::project();
    sandbox.append("README.md", "the user's\n");
    sandbox.git(&["stash", "-q"]).ok();
    sandbox.append("README.md", "another of the user's\n");
    sandbox.git(&["stash", "-q"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.append("src/app.py", "x\n");
    sandbox.git(&["stash", "-q"]).ok();
    sandbox.git(&["stash", "pop", "-q"]).ok();
    sandbox.check().ok();
}

#[test]
fn staging_what_was_changed_passes() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "x\n");
    sandbox.write("src/new.py", "y\n");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.append("src/new.py", "not staged\n");
    sandbox.write("src/later.py", "");
    sandbox.git(&["add", "-N", "src/later.py"]).ok();
    sandbox.git(&["status"]).ok();
    let outcome = sandbox.check().ok();
    assert_eq!(layers(&outcome, "src/new.py"), ["index", "worktree"]);
    assert_eq!(json::array(&outcome.json()["changed_files"]).len(), 3);
}

/// Old commits have new names, and clocks run wrong: neither is new history.
#[test]
fn a_branch_on_old_history_passes() {
    let sandbox = Sandbox::unborn();
    for at in 0..6 {
        sandbox.write("README.md", format!("{at}\n"));
        sandbox.git(&["add", "-A"]).ok();
        let mut commit = sandbox.git_command(&["commit", "-q", "-m", "x"]);
        // The clock of every second author goes backwards.
        let date =
            if at % 2 == 0 { format!("{} +0000", 1_700_000_000 + at) } else { format!("{} +0000", 1_600_000_000 - at) };
        commit.env("GIT_COMMITTER_DATE", date);
        crate::common::run::run(commit, b"", crate::common::run::PATIENCE).ok();
    }
    sandbox.git(&["tag", "-a", "v1", "-m", "x", "HEAD~2"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    for at in 1..5 {
        sandbox.git(&["branch", &format!("old{at}"), &format!("HEAD~{at}")]).ok();
    }
    sandbox.check().ok();
}

/// Case 75: a shallow clone with a detached HEAD, a commit, and then the whole history.
#[test]
fn a_shallow_clone_that_is_deepened_passes() {
    let sandbox = Sandbox::empty();
    let upstream = Sandbox::project();
    for line in ["one\n", "two\n", "three\n"] {
        upstream.append("README.md", line);
        upstream.commit(line);
    }
    let url = format!("file://{}", upstream.root.display());
    sandbox.git(&["clone", "-q", "--depth", "1", &url, "."]).ok();
    sandbox.git(&["checkout", "-q", "--detach"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "x\n");
    sandbox.git(&["commit", "-q", "-a", "-m", "x"]).ok();
    sandbox.check().ok();
    sandbox.git(&["fetch", "-q", "--unshallow"]).ok();
    sandbox.check().ok();
    assert_eq!(id(&sandbox, &["rev-list", "--count", "HEAD"]), "5");
}
