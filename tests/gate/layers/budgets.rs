//! Budgets hold in every layer: what stands only in the index, or only in a commit, can be published all the same.

use super::{blob, committing, id};
use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

fn lines(count: usize) -> String {
    "line\n".repeat(count)
}

#[track_caller]
fn only_violation(outcome: &Outcome) -> String {
    let json = outcome.json();
    let all = json::array(&json["violations"]);
    assert_eq!(all.len(), 1, "{outcome:?}");
    String::from_utf8(json::bytes(&all[0])).unwrap()
}

#[test]
fn lines_that_only_the_index_has_count_to_the_line() {
    for (count, accepted) in [(2_000, true), (2_001, false)] {
        let sandbox = Sandbox::armed();
        sandbox.write("src/new.py", lines(count));
        sandbox.git(&["add", "src/new.py"]).ok();
        sandbox.write("src/new.py", "");
        let outcome = sandbox.check();
        if accepted {
            outcome.ok();
        } else {
            let outcome = outcome.rejected();
            assert_eq!(only_violation(&outcome), "added-line budget exceeded in the index: 2001 > 2000");
            assert!(outcome.text().contains("git restore --staged"), "{outcome:?}");
        }
    }
}

#[test]
fn every_budget_counts_in_the_index() {
    for (option, phrase, staged) in [
        ("--max-files", "file budget exceeded in the index: 3 > 2", &["1", "2", "3"][..]),
        ("--max-working-bytes", "working-byte budget exceeded in the index: 3 > 2", &["123"]),
        ("--max-binary-files", "binary-file budget exceeded in the index: 3 > 2", &["\0", "\0\0", "\0\0\0"]),
    ] {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**", option, "2"]).ok();
        for (at, content) in staged.iter().enumerate() {
            let id = blob(&sandbox, content);
            sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{id},src/new{at}")]).ok();
        }
        let outcome = sandbox.check().rejected();
        assert_eq!(only_violation(&outcome), phrase);
    }
    // Lines that the index lost, while the file on disk has them still.
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-deleted-lines", "1"]).ok();
    sandbox.git(&["rm", "-q", "--cached", "src/util.py"]).ok();
    sandbox.check().ok();
    sandbox.git(&["rm", "-q", "--cached", "src/app.py"]).ok();
    assert_eq!(only_violation(&sandbox.check().rejected()), "deleted-line budget exceeded in the index: 3 > 1");
}

#[test]
fn what_is_staged_as_it_lies_on_disk_counts_once() {
    let sandbox = Sandbox::armed();
    sandbox.write("src/new.py", lines(2_000));
    sandbox.git(&["add", "-A"]).ok();
    sandbox.check().ok();
    sandbox.append("src/new.py", "one more\n");
    sandbox.git(&["add", "-A"]).ok();
    assert_eq!(only_violation(&sandbox.check().rejected()), "added-line budget exceeded: 2001 > 2000");
}

/// Uncommitted work of arm is no change, also once somebody adds and extends it.
#[test]
fn uncommitted_work_of_arm_is_not_counted_again() {
    let sandbox = Sandbox::project();
    sandbox.write("src/mine.py", lines(5_000));
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok();
    sandbox.append("src/mine.py", "one\n");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.check().ok();
    let id = blob(&sandbox, &"other\n".repeat(5_000));
    sandbox.git(&["update-index", "--cacheinfo", &format!("100644,{id},src/mine.py")]).ok();
    sandbox.check().violates(&["added-line budget exceeded in the index: 5000 > 2000"]);
}

#[test]
fn a_large_commit_that_was_taken_back_is_found_with_its_name() {
    let sandbox = committing();
    sandbox.append("src/app.py", "small\n");
    sandbox.commit("small");
    sandbox.write("src/big.py", lines(5_000));
    sandbox.commit("big");
    let big = id(&sandbox, &["rev-parse", "HEAD"]);
    sandbox.git(&["revert", "--no-edit", "HEAD"]).ok();
    sandbox.append("src/app.py", "small\n");
    sandbox.commit("small again");
    let outcome = sandbox.check().rejected();
    assert_eq!(only_violation(&outcome), format!("added-line budget exceeded in commit {big}: 5001 > 2000"));
    assert!(outcome.text().contains("git reset --soft"), "{outcome:?}");
}

/// Each step is small; the third state is not, and is published with the others.
#[test]
fn commits_that_grow_over_the_budget_together_are_found() {
    for (steps, accepted) in [(2, true), (3, false)] {
        let sandbox = committing();
        for step in 0..steps {
            sandbox.write(format!("src/part{step}.py"), lines(900));
            sandbox.commit("part");
        }
        for step in 0..steps {
            sandbox.git(&["rm", "-q", &format!("src/part{step}.py")]).ok();
            sandbox.git(&["commit", "-q", "-m", "back"]).ok();
        }
        let outcome = sandbox.check();
        if accepted {
            outcome.ok();
        } else {
            outcome.violates(&["added-line budget exceeded in commit", "2700 > 2000"]);
        }
    }
}

/// Work in several commits, rewritten on the way: nothing that was there at arm is lost, and no state is too large.
#[test]
fn work_split_over_commits_within_the_budget_passes() {
    let sandbox = committing();
    for round in 0..4 {
        sandbox.write("src/new.py", format!("{round}\n").repeat(1_900));
        sandbox.commit("round");
    }
    sandbox.check().ok();
}

#[test]
fn a_large_commit_on_another_branch_or_in_the_stash_is_found() {
    let sandbox = committing();
    sandbox.git(&["checkout", "-q", "-b", "side"]).ok();
    sandbox.write("src/big.py", lines(3_000));
    sandbox.commit("big");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.check().violates(&["added-line budget exceeded in commit"]);

    let sandbox = committing();
    sandbox.write("src/big.py", lines(3_000));
    sandbox.git(&["stash", "-q", "-u"]).ok();
    sandbox.check().violates(&["added-line budget exceeded in commit"]);
}

/// A branch from older history is compared with where it left that, not with the baseline that it never had.
#[test]
fn a_small_fix_on_an_old_release_passes() {
    let sandbox = Sandbox::project();
    sandbox.write("src/much.py", lines(4_000));
    sandbox.commit("much");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.git(&["checkout", "-q", "-b", "fix", "HEAD^"]).ok();
    sandbox.append("src/util.py", "FIX = 1\n");
    sandbox.commit("fix");
    sandbox.git(&["checkout", "-q", "main"]).ok();
    sandbox.check().ok();
}
