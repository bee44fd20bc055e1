//! What is staged is what the next commit ships, whatever lies on disk.

use std::fs;

use super::{blob, change, committing, layers};
use crate::common::json;
use crate::common::sandbox::Sandbox;

/// Case 16: plumbing puts a payload into the index and leaves the file alone.
#[test]
fn a_payload_that_is_only_staged_is_found() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::empty();
        sandbox.git(&["init", "-q", "-b", "main", &format!("--object-format={format}"), "."]).ok();
        sandbox.write("ci/verify.sh", "#!/bin/sh\nrun\n");
        sandbox.write("src/app.py", "x\n");
        sandbox.commit("base");
        sandbox.arm(&["--allow", "src/**"]).ok();
        let id = blob(&sandbox, "#!/bin/sh\nexit 0\nexit 0\n");
        sandbox.git(&["update-index", "--cacheinfo", &format!("100644,{id},ci/verify.sh")]).ok();
        let outcome = sandbox.check().violates(&["path outside policy: ci/verify.sh"]);
        let change = change(&outcome, "ci/verify.sh");
        assert_eq!(layers(&outcome, "ci/verify.sh"), ["index"]);
        assert_eq!((&change["added"], &change["deleted"]), (&2.into(), &1.into()));
        assert!(json::array(&outcome.json()["changed_files"]).is_empty(), "the net change is empty: {outcome:?}");
        assert_eq!(outcome.json()["metrics"]["files"], 0);
    }
}

#[test]
fn a_staged_mode_is_found() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["update-index", "--chmod=+x", "infra/deploy.tf"]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    assert_eq!(change(&outcome, "infra/deploy.tf")["kind"], "mode-changed");
}

#[test]
fn what_is_only_in_the_index_is_found() {
    let sandbox = Sandbox::armed();
    sandbox.write("tools/dropper.sh", "echo hi\n");
    sandbox.git(&["add", "tools/dropper.sh"]).ok();
    fs::remove_dir_all(sandbox.at("tools")).unwrap();
    let outcome = sandbox.check().violates(&["path outside policy: tools/dropper.sh"]);
    assert_eq!(layers(&outcome, "tools/dropper.sh"), ["index"]);
    assert_eq!(outcome.json()["metrics"]["files"], 0);
}

#[test]
fn a_staged_deletion_is_found() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["rm", "-q", "--cached", "README.md"]).ok();
    sandbox.check().violates(&["path outside policy: README.md"]);
}

#[test]
fn an_intent_to_add_is_found() {
    let sandbox = Sandbox::armed();
    sandbox.write("notes", "x\n");
    sandbox.git(&["add", "-N", "notes"]).ok();
    fs::remove_file(sandbox.at("notes")).unwrap();
    sandbox.check().violates(&["path outside policy: notes"]);
}

/// Each side of a conflict can be checked out; the file on disk and our side are as they were.
#[test]
fn each_side_of_a_conflict_is_found() {
    let sandbox = Sandbox::armed();
    let (ours, theirs) = (blob(&sandbox, "# Demo\n"), blob(&sandbox, "# Evil\n"));
    let zero = "0".repeat(40);
    let lines = format!("0 {zero}\tREADME.md\n100644 {ours} 2\tREADME.md\n100644 {theirs} 3\tREADME.md\n");
    let command = sandbox.git_command(&["update-index", "--index-info"]);
    crate::common::run::run(command, lines.as_bytes(), crate::common::run::PATIENCE).ok();
    let outcome = sandbox.check().violates(&["path outside policy: README.md"]);
    assert_eq!(layers(&outcome, "README.md"), ["index"]);
}

/// What was staged first and changed again later is one path with both layers, counted as it stands.
#[test]
fn staged_and_changed_again_counts_the_net_change() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "one\n");
    sandbox.git(&["add", "src/app.py"]).ok();
    sandbox.append("src/app.py", "two\n");
    let outcome = sandbox.check().ok();
    assert_eq!(layers(&outcome, "src/app.py"), ["index", "worktree"]);
    assert_eq!(change(&outcome, "src/app.py")["added"], 2);
    assert_eq!(outcome.json()["metrics"]["files"], 1);
}

#[test]
fn a_staged_object_that_is_missing_is_no_pass() {
    let sandbox = committing();
    let id = blob(&sandbox, "X = 2\n");
    sandbox.git(&["update-index", "--cacheinfo", &format!("100644,{id},src/util.py")]).ok();
    fs::remove_file(sandbox.at(format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
    sandbox.check().refused().says(&["missing"]);
}

/// Where Git ignores the permissions on disk, they are not what the index is compared with.
#[test]
fn ignored_permissions_make_no_staged_change() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "core.fileMode", "false"]).ok();
    fs::set_permissions(sandbox.at("infra/deploy.tf"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "one\n");
    sandbox.git(&["add", "src/app.py"]).ok();
    sandbox.check().ok();
    sandbox.git(&["update-index", "--chmod=+x", "README.md"]).ok();
    sandbox.check().violates(&["path outside policy: README.md"]);
}
