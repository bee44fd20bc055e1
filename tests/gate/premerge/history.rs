//! Where the head left the base, and what merges bring in.

use serde_json::json;

use super::rig::{branch, change, gate, line, team};

#[test]
fn what_the_base_has_by_now_is_not_the_branchs_doing() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "a\n");
    for round in 0..3 {
        sandbox.git(&["switch", "-q", "main"]).ok();
        change(&sandbox, &format!("src/{round}.py"), "x\n");
        sandbox.git(&["switch", "-q", "docs/x"]).ok();
        sandbox.git(&["merge", "-q", "--no-edit", "main"]).ok();
        change(&sandbox, &format!("docs/{round}.md"), "x\n");
    }
    let verdict = gate(&sandbox, &["--base", "main"]).ok().json();
    assert_eq!(verdict["changed_files"], json!(["docs/0.md", "docs/1.md", "docs/2.md", "docs/a.md"]));
    assert_eq!(verdict["baseline"], line(&sandbox, &["merge-base", "main", "HEAD"]));
    // The base goes on; the place where the head left it stays.
    sandbox.git(&["switch", "-q", "main"]).ok();
    change(&sandbox, "infra/x.tf", "x\n");
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    let verdict = gate(&sandbox, &["--base", "main"]).ok().json();
    assert_eq!(verdict["metrics"]["files"], 4);
    assert_ne!(verdict["base"], verdict["baseline"]);
}

#[test]
fn a_merge_is_judged_by_what_it_brings_in() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "a\n");
    sandbox.git(&["switch", "-q", "main"]).ok();
    change(&sandbox, "src/other.py", "x\n");
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    // An honest merge of the CI: base and head, in this order.
    sandbox.git(&["switch", "-q", "--detach", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "docs/x"]).ok();
    gate(&sandbox, &["--base", "main", "--role", "docs"]).ok();
    // An evil one: its own change is in none of its parents.
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    sandbox.git(&["merge", "-q", "--no-commit", "main"]).ok();
    sandbox.write("infra/deploy.tf", "evil\n");
    sandbox.commit("merge");
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: infra/deploy.tf"]);
    // Also where the next commit takes it back, and where it only takes one side.
    sandbox.git(&["checkout", "-q", "main", "--", "infra/deploy.tf"]).ok();
    sandbox.commit("back");
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: infra/deploy.tf"]);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "-s", "ours", "main"]).ok();
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: src/other.py"]);
}

#[test]
fn an_octopus_brings_in_what_none_of_its_parents_has() {
    let sandbox = team();
    for name in ["a", "b", "c"] {
        sandbox.git(&["switch", "-q", "-c", &format!("docs/{name}"), "main"]).ok();
        change(&sandbox, &format!("docs/{name}.md"), "x\n");
    }
    sandbox.git(&["switch", "-q", "-c", "docs/all", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "docs/a", "docs/b", "docs/c"]).ok();
    assert_eq!(line(&sandbox, &["log", "-1", "--format=%P"]).split(' ').count(), 4);
    assert_eq!(gate(&sandbox, &["--base", "main"]).ok().json()["metrics"]["files"], 3);
    sandbox.write("src/app.py", "evil\n");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(line(&sandbox, &["log", "-1", "--format=%P"]).split(' ').count(), 4);
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: src/app.py"]);
    // A branch that was merged on the way is judged like the rest.
    sandbox.git(&["switch", "-q", "-c", "other", "main"]).ok();
    change(&sandbox, "src/more.py", "x\n");
    sandbox.git(&["switch", "-q", "docs/a"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "other"]).ok();
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: src/more.py"]);
}

#[test]
fn a_head_behind_the_base_brings_nothing() {
    let sandbox = team();
    sandbox.git(&["branch", "docs/behind", "main~1"]).ok();
    let verdict = gate(&sandbox, &["--base", "main", "--head", "docs/behind"]).ok().json();
    assert_eq!((&verdict["changed_files"], &verdict["baseline"]), (&json!([]), &verdict["head"]));
    assert!(verdict["notes"].to_string().contains("brings nothing in"), "{verdict}");
    let same = gate(&sandbox, &["--base", "main", "--head", "main", "--role", "docs", "--format", "human"]).ok();
    same.says(&["Nothing changed between base and head"]);
}

#[test]
fn histories_that_share_nothing_are_refused() {
    let sandbox = team();
    sandbox.git(&["switch", "-q", "--orphan", "docs/orphan"]).ok();
    change(&sandbox, "docs/a.md", "a\n");
    gate(&sandbox, &["--base", "main"]).refused().says(&["share no history"]);
    // A root that a merge brings in shows all of itself.
    sandbox.git(&["switch", "-q", "-c", "docs/merged", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "--allow-unrelated-histories", "docs/orphan"]).ok();
    gate(&sandbox, &["--base", "main"]).ok();
    sandbox.git(&["switch", "-q", "docs/orphan"]).ok();
    change(&sandbox, "src/evil.py", "a\n");
    sandbox.git(&["switch", "-q", "docs/merged"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "docs/orphan"]).ok();
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: src/evil.py"]);
}

#[test]
fn two_places_to_start_from_are_refused_with_the_way_out() {
    let sandbox = team();
    sandbox.git(&["branch", "docs/x"]).ok();
    change(&sandbox, "src/main.py", "x\n");
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    change(&sandbox, "docs/a.md", "a\n");
    let (ours, theirs) = (line(&sandbox, &["rev-parse", "docs/x"]), line(&sandbox, &["rev-parse", "main"]));
    sandbox.git(&["merge", "-q", "--no-edit", &theirs]).ok();
    change(&sandbox, "docs/b.md", "a\n");
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", &ours]).ok();
    change(&sandbox, "src/more.py", "x\n");
    gate(&sandbox, &["--base", "main", "--head", "docs/x"]).refused().says(&["several places", "git merge"]);
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    sandbox.git(&["merge", "-q", "--no-edit", "main"]).ok();
    assert_eq!(gate(&sandbox, &["--base", "main"]).ok().json()["changed_files"], json!(["docs/b.md"]));
}

#[test]
fn a_side_of_the_base_that_the_branch_took_over_is_not_its_doing() {
    let sandbox = team();
    sandbox.git(&["branch", "docs/x"]).ok();
    branch(&sandbox, "side");
    change(&sandbox, "src/side.py", "x\n");
    sandbox.git(&["switch", "-q", "main"]).ok();
    change(&sandbox, "src/main.py", "x\n");
    sandbox.git(&["merge", "-q", "--no-edit", "side"]).ok();
    sandbox.git(&["switch", "-q", "docs/x"]).ok();
    sandbox.git(&["merge", "-q", "--ff-only", "main~1"]).ok();
    change(&sandbox, "docs/a.md", "a\n");
    // Here it has two starts, of which neither descends from the other.
    sandbox.git(&["merge", "-q", "--no-edit", "side"]).ok();
    change(&sandbox, "docs/b.md", "b\n");
    gate(&sandbox, &["--base", "main"]).refused().says(&["several places"]);
    sandbox.git(&["merge", "-q", "--no-edit", "main"]).ok();
    let verdict = gate(&sandbox, &["--base", "main"]).ok().json();
    assert_eq!(verdict["changed_files"], json!(["docs/a.md", "docs/b.md"]));
    assert_eq!(verdict["changes"].as_array().unwrap().len(), 2);
}

#[test]
fn budgets_hold_for_the_whole_and_for_each_commit() {
    let sandbox = team();
    branch(&sandbox, "core/x");
    change(&sandbox, "src/a.py", &"x\n".repeat(20));
    change(&sandbox, "Cargo.lock", &"x\n".repeat(200));
    gate(&sandbox, &["--base", "main"]).ok();
    change(&sandbox, "src/b.py", "x\n");
    gate(&sandbox, &["--base", "main"]).violates(&["added-line budget exceeded: 21 > 20"]).says(&["max_added_lines"]);
    sandbox.git(&["rm", "-q", "src/b.py"]).ok();
    sandbox.commit("gone");
    gate(&sandbox, &["--base", "main"]).violates(&["added-line budget exceeded in commit"]);
}

#[test]
fn a_renamed_default_branch_is_only_another_name() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "a\n");
    sandbox.git(&["branch", "-m", "main", "trunk"]).ok();
    gate(&sandbox, &["--base", "trunk"]).ok();
    gate(&sandbox, &["--base", "main"]).refused().says(&["`main` names no commit"]);
}
