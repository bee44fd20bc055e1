//! Verifiers of a gate: they run on the head itself or not at all.

use super::rig::{branch, change, clone, cordon_at, line, team, team_with};

const POLICY: &str = "version = 1\n[role.core]\nallow = [\"src/**\", \".gitignore\"]\nverify = [\"sh ci/check.sh\"]\n";

#[test]
fn verifiers_run_where_the_head_is_checked_out() {
    let sandbox = team_with(POLICY);
    sandbox.write("ci/check.sh", "test -f src/new.py\n");
    sandbox.commit("check");
    branch(&sandbox, "x");
    change(&sandbox, "src/app.py", "x\n");
    let args = ["gate", "--base", "main", "--role", "core"];
    let verdict = sandbox.cordon(&args).violates(&["verifier failed (exit 1): sh ci/check.sh"]).json();
    assert_eq!(verdict["verification"][0]["returncode"], 1);
    change(&sandbox, "src/new.py", "x\n");
    let verdict = sandbox.cordon(&args).ok().json();
    assert_eq!(verdict["verification"][0]["passed"], true);
    assert!(!verdict["notes"].to_string().contains("not run"), "{verdict}");
    let verdict = sandbox.cordon(&[&args[..], &["--no-verify"]].concat()).ok().json();
    assert_eq!(verdict["verification"], serde_json::json!([]));
    assert!(verdict["notes"].to_string().contains("verifiers: 1 not run"), "{verdict}");
    // What is rejected anyway is not verified.
    change(&sandbox, "docs/x.md", "x\n");
    let verdict = sandbox.cordon(&args).rejected().json();
    assert!(verdict["notes"].to_string().contains("1 not run, because"), "{verdict}");
    assert!(!sandbox.at(".cordon").exists() && !sandbox.at(".stone").exists());
}

#[test]
fn a_work_tree_that_is_not_the_head_is_refused() {
    let sandbox = team_with(POLICY);
    branch(&sandbox, "x");
    change(&sandbox, "src/app.py", "x\n");
    let head = line(&sandbox, &["rev-parse", "x"]);
    let args = ["gate", "--base", "main", "--head", "x", "--role", "core"];
    sandbox.write("src/util.py", "dirty\n");
    sandbox.cordon(&args).refused().says(&["dirty", "src/util.py", "--no-verify"]);
    sandbox.git(&["checkout", "-q", "--", "."]).ok();
    sandbox.write("new", "x\n");
    sandbox.cordon(&args).refused().says(&["untracked new"]);
    std::fs::remove_file(sandbox.at("new")).unwrap();
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.cordon(&args).refused().says(&[&format!("git switch --detach {head}")]);
    sandbox.git(&["switch", "-q", "--detach", &head]).ok();
    sandbox.cordon(&args).ok();
    let bare = clone(&sandbox, "bare.git", &["--bare"]);
    cordon_at(&sandbox, &bare, &args).ok().says(&["1 not run"]);
    cordon_at(&sandbox, &bare, &[&args[..], &["--verify"]].concat()).refused().says(&["no work tree"]);
}

#[test]
fn a_verifier_that_leaves_another_tree_vouches_for_nothing() {
    let sandbox = team_with(POLICY);
    sandbox.write("ci/check.sh", "echo y >> src/app.py\n");
    sandbox.commit("check");
    branch(&sandbox, "x");
    change(&sandbox, "src/new.py", "x\n");
    let args = ["gate", "--base", "main", "--role", "core"];
    sandbox.cordon(&args).violates(&["changed while a verifier ran: sh ci/check.sh: the work tree is dirty"]);
    let sandbox = team_with(POLICY);
    sandbox.write("ci/check.sh", "git -c user.name=x -c user.email=x@x commit -q --allow-empty -m more\n");
    sandbox.commit("check");
    branch(&sandbox, "x");
    change(&sandbox, "src/new.py", "x\n");
    sandbox.cordon(&args).violates(&["does not have the head"]);
}

#[test]
fn a_role_without_verifiers_needs_no_checkout() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/x.md", "x\n");
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.write("src/app.py", "dirty\n");
    sandbox.cordon(&["gate", "--base", "main", "--head", "docs/x", "--verify"]).ok();
}
