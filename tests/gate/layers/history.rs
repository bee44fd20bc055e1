//! A push publishes every commit, also one that a later commit took back.

use std::fmt::Write as _;
use std::fs;

use super::{change, committing, id, layers};
use crate::common::json;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

#[test]
fn a_payload_that_was_taken_back_is_found() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::empty();
        sandbox.git(&["init", "-q", "-b", "main", &format!("--object-format={format}"), "."]).ok();
        sandbox.write("README.md", "# Demo\n");
        sandbox.commit("base");
        sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
        sandbox.write("ci/secret", "one\ntwo\n");
        sandbox.commit("payload");
        sandbox.git(&["revert", "--no-edit", "HEAD"]).ok();
        let outcome = sandbox.check().violates(&["path outside policy: ci/secret"]);
        let change = change(&outcome, "ci/secret");
        assert_eq!(layers(&outcome, "ci/secret"), ["commit"]);
        assert_eq!((&change["added"], &change["deleted"]), (&2.into(), &2.into()));
        assert_eq!(change["kind"], "added");
        assert!(json::array(&outcome.json()["changed_files"]).is_empty(), "{outcome:?}");
    }
}

/// The same on another branch that was never checked out, and after the remote-tracking ref moved with a push.
#[test]
fn a_payload_on_a_new_branch_is_found_whatever_was_pushed() {
    let sandbox = committing();
    let tree = id(&sandbox, &["write-tree"]);
    sandbox.write("ci/secret", "x\n");
    sandbox.git(&["add", "ci/secret"]).ok();
    let payload = id(&sandbox, &["write-tree"]);
    sandbox.git(&["read-tree", &tree]).ok();
    fs::remove_dir_all(sandbox.at("ci")).unwrap();
    let commit = id(&sandbox, &["commit-tree", "-p", "HEAD", "-m", "x", &payload]);
    sandbox.git(&["update-ref", "refs/heads/side", &commit]).ok();
    sandbox.check().violates(&["path outside policy: ci/secret"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/side", &commit]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: ci/secret"]);
    assert_eq!(layers(&outcome, "ci/secret"), ["commit"]);
}

#[test]
fn a_root_commit_is_compared_with_nothing() {
    let sandbox = committing();
    let tree = id(&sandbox, &["rev-parse", "HEAD^{tree}"]);
    let commit = id(&sandbox, &["commit-tree", "-m", "x", &tree]);
    sandbox.git(&["update-ref", "refs/heads/orphan", &commit]).ok();
    sandbox.check().violates(&["path outside policy: README.md", "path outside policy: infra/deploy.tf"]);
}

/// A merge that holds what neither parent has.
#[test]
fn an_evil_merge_is_found() {
    let sandbox = Sandbox::project();
    sandbox.git(&["checkout", "-q", "-b", "feature"]).ok();
    sandbox.append("src/util.py", "feature\n");
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-commit", "feature"]).ok();
    sandbox.write("infra/deploy.tf", "evil\n");
    sandbox.commit("merge");
    sandbox.git(&["checkout", "-q", "HEAD^1", "--", "infra/deploy.tf"]).ok();
    sandbox.commit("back");
    let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    assert_eq!(layers(&outcome, "infra/deploy.tf"), ["commit"]);
}

/// HEAD goes on to known history, and the files are put back: the branch holds what the envelope forbids.
#[test]
fn the_net_effect_of_known_history_is_found() {
    let sandbox = Sandbox::project();
    sandbox.git(&["checkout", "-q", "-b", "feature"]).ok();
    sandbox.write("infra/deploy.tf", "feature\n");
    sandbox.commit("feature");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.git(&["merge", "-q", "--ff-only", "feature"]).ok();
    sandbox.git(&["checkout", "-q", "HEAD^", "--", "."]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    assert_eq!(layers(&outcome, "infra/deploy.tf"), ["commit"]);
}

#[test]
fn the_stash_is_history() {
    let sandbox = Sandbox::armed();
    for (path, flags) in [("README.md", &[][..]), ("dropped", &["-u"]), ("infra/deploy.tf", &[])] {
        sandbox.write(path, "changed\n");
        sandbox.git(&[&["stash", "push", "-q"], flags].concat()).ok();
    }
    // The older ones stand in the log of the stash alone.
    for path in ["README.md", "dropped", "infra/deploy.tf"] {
        let outcome = sandbox.check().violates(&[&format!("path outside policy: {path}")]);
        assert_eq!(layers(&outcome, path), ["commit"]);
    }
}

#[test]
fn evidence_of_commits_is_listed_without_the_right_to_commit() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "x\n");
    sandbox.commit("x");
    let outcome = sandbox.check().violates(&["HEAD changed"]);
    assert_eq!(layers(&outcome, "src/app.py"), ["commit", "index", "worktree"]);
    assert_eq!(json::array(&outcome.json()["violations"]).len(), 1, "{outcome:?}");
}

#[test]
fn a_baseline_that_is_no_ancestor_is_lost() {
    let sandbox = committing();
    let base = id(&sandbox, &["rev-parse", "HEAD"]);
    sandbox.append("src/app.py", "x\n");
    sandbox.git(&["commit", "-q", "--amend", "-a", "-m", "amended"]).ok();
    let outcome = sandbox.check().violates(&["baseline is no ancestor of HEAD"]);
    assert!(outcome.text().contains(&format!("git reset --soft {base}")), "{outcome:?}");
    // The amended commit reaches the baseline's own parent alone, so it is compared with the baseline as a whole.
    let outcome = sandbox.git(&["reset", "-q", "--soft", &base]);
    outcome.ok();
    sandbox.check().ok();
}

#[test]
fn a_baseline_that_is_gone_is_no_verdict() {
    for what in ["HEAD", "HEAD^{tree}"] {
        let sandbox = committing();
        let gone = id(&sandbox, &["rev-parse", what]);
        sandbox.append("src/app.py", "x\n");
        sandbox.git(&["commit", "-q", "--amend", "-a", "-m", "amended"]).ok();
        fs::remove_file(sandbox.at(format!(".git/objects/{}/{}", &gone[..2], &gone[2..]))).unwrap();
        sandbox.check().refused();
    }
}

#[test]
fn a_commit_that_is_missing_is_no_verdict() {
    let sandbox = committing();
    sandbox.append("src/app.py", "x\n");
    sandbox.commit("one");
    let gone = id(&sandbox, &["rev-parse", "HEAD"]);
    sandbox.append("src/app.py", "y\n");
    sandbox.commit("two");
    fs::remove_file(sandbox.at(format!(".git/objects/{}/{}", &gone[..2], &gone[2..]))).unwrap();
    sandbox.check().refused().says(&["missing"]);
}

#[test]
fn another_branch_is_told_although_commits_are_allowed() {
    let sandbox = committing();
    sandbox.git(&["checkout", "-q", "-b", "side"]).ok();
    let outcome = sandbox.check().violates(&["HEAD changed its branch"]);
    assert!(outcome.text().contains("git switch main"), "{outcome:?}");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.check().ok();
}

/// The limit says that it was reached: nobody hides behind ten thousand commits.
#[test]
fn too_many_commits_are_no_pass() {
    for (commits, passes) in [(9_999, true), (10_001, false)] {
        let sandbox = committing();
        let base = id(&sandbox, &["rev-parse", "HEAD"]);
        let mut stream = String::new();
        for at in 0..commits {
            let from = if at == 0 { format!("from {base}\n") } else { String::new() };
            writeln!(
                stream,
                "commit refs/heads/main\ncommitter A <a@example.invalid> {} +0000\ndata 1\nx\n{from}",
                1_800_000_000 + at
            )
            .unwrap();
        }
        let command = sandbox.git_command(&["fast-import", "--quiet", "--force"]);
        run(command, stream.as_bytes(), PATIENCE).ok();
        let outcome = sandbox.check();
        if passes {
            outcome.ok();
        } else {
            outcome.violates(&["new history is too long"]);
        }
    }
}
