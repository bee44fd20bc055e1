//! The paragraphs "Checking" and "JSON of `check`".

mod budgets;
mod rounds;
mod verifiers;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::json;
use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

#[test]
fn an_edit_inside_is_accepted_with_every_key_of_the_contract() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    let verdict = sandbox.check().ok().json();
    let old = "passed baseline current_head head_changed changed_files metrics violations verification";
    let added = "schema_version limits findings notes changes left anchor duration_s";
    for key in old.split(' ').chain(added.split(' ')) {
        assert!(verdict.get(key).is_some(), "{key} is missing in {verdict}");
    }
    assert_eq!(verdict["passed"], true);
    assert_eq!(verdict["head_changed"], false);
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));
    let size = fs::metadata(sandbox.at("src/app.py")).unwrap().len();
    let metrics = serde_json::json!({
        "files": 1, "added_lines": 1, "deleted_lines": 0, "working_bytes": size, "binary_files": 0
    });
    assert_eq!(verdict["metrics"], metrics);
    assert_eq!(verdict["left"]["files"], 24);
    assert_eq!(verdict["left"]["added_lines"], 1999);
    assert_eq!(verdict["limits"]["max_working_bytes"], 2_097_152);
    let change = &verdict["changes"][0];
    for key in [
        "path",
        "kind",
        "layers",
        "added",
        "deleted",
        "binary",
        "size_before",
        "size_after",
        "mode_before",
        "mode_after",
    ] {
        assert!(change.get(key).is_some(), "{key} is missing in {change}");
    }
    assert_eq!((&change["mode_before"], &change["mode_after"]), (&"100644".into(), &"100644".into()));
    assert_eq!(change["size_after"], size);
    let head = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    assert_eq!((&verdict["baseline"], &verdict["current_head"]), (&head.trim().into(), &head.trim().into()));
}

#[test]
fn nothing_changed_is_accepted() {
    let verdict = Sandbox::armed().check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!([]));
    assert_eq!(verdict["changes"], serde_json::json!([]));
}

#[test]
fn a_path_outside_is_rejected_with_a_finding_that_helps() {
    let sandbox = Sandbox::armed();
    sandbox.write("docs/new.md", "x\n");
    let verdict = sandbox.check().violates(&["path outside policy: docs/new.md"]).json();
    let finding = &verdict["findings"][0];
    assert_eq!(finding["path"], "docs/new.md");
    for key in ["code", "severity", "message", "help"] {
        assert!(!json::bytes(&finding[key]).is_empty(), "{key} is empty in {finding}");
    }
}

#[test]
fn deny_wins_over_allow() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**", "--deny", "infra/**"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
    sandbox.append("infra/deploy.tf", "\n");
    sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
}

#[test]
fn a_check_describes_the_present() {
    let sandbox = Sandbox::armed();
    for _ in 0..2 {
        sandbox.append("README.md", "more\n");
        sandbox.check().violates(&["path outside policy: README.md"]);
        sandbox.write("README.md", "# Demo\n");
        let verdict = sandbox.check().ok().json();
        assert_eq!(verdict["changed_files"], serde_json::json!([]));
    }
    fs::remove_file(sandbox.at("README.md")).unwrap();
    sandbox.check().violates(&["path outside policy: README.md"]);
    sandbox.git(&["checkout", "-q", "--", "README.md"]).ok();
    sandbox.check().ok();
}

#[test]
fn a_check_touches_neither_the_index_nor_anything_outside_its_directory() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("src/new.py", "Y = 1\n");
    sandbox.git(&["add", "-N", "src/new.py"]).ok();
    sandbox.write("README.md", "# Demo\n");
    for args in [&["check"][..], &["check", "--rehash"], &["status"], &["diff"], &["explain", "src/app.py"]] {
        let before = picture(sandbox.outside());
        sandbox.cordon(args).ok();
        assert_untouched(&before, &picture(sandbox.outside()));
    }
}

#[test]
fn head_must_not_move_unless_commits_are_allowed() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.commit("work");
    let verdict = sandbox.check().violates(&["HEAD changed"]).json();
    assert_eq!(verdict["head_changed"], true);
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));

    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.commit("work");
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["head_changed"], true);
    assert_ne!(verdict["baseline"], verdict["current_head"]);
    sandbox.append("README.md", "more\n");
    sandbox.commit("outside");
    sandbox.check().violates(&["path outside policy: README.md"]);
}

#[test]
fn flags_that_hide_are_a_violation_even_inside() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let sandbox = Sandbox::armed();
        sandbox.git(&["update-index", flag, "src/app.py"]).ok();
        sandbox.check().violates(&["hidden", "src/app.py"]);
        sandbox.append("README.md", "more\n");
        sandbox.git(&["update-index", flag, "README.md"]).ok();
        sandbox.check().violates(&["hidden", "path outside policy: README.md"]);
        sandbox.git(&["update-index", &flag.replace("--", "--no-"), "README.md", "src/app.py"]).ok();
        sandbox.write("README.md", "# Demo\n");
        sandbox.check().ok();
    }
}

#[test]
fn a_rename_is_two_paths_and_a_mode_change_is_one_without_lines() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["mv", "src/util.py", "src/limits.py"]).ok();
    fs::set_permissions(sandbox.at("src/app.py"), fs::Permissions::from_mode(0o755)).unwrap();
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py", "src/limits.py", "src/util.py"]));
    let change = &verdict["changes"][0];
    assert_eq!((&change["mode_before"], &change["mode_after"]), (&"100644".into(), &"100755".into()));
    assert_eq!((&change["added"], &change["deleted"]), (&0.into(), &0.into()));
}

#[test]
fn a_rehash_finds_what_no_stat_field_shows_and_agrees_otherwise() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    let strip = |mut verdict: serde_json::Value| {
        for own in ["duration_s", "session"] {
            assert!(verdict.as_object_mut().unwrap().remove(own).is_some(), "{own} is missing");
        }
        verdict
    };
    let quick = strip(sandbox.check().ok().json());
    assert_eq!(quick, strip(sandbox.cordon(&["check", "--rehash"]).ok().json()));
    sandbox.append("README.md", "more\n");
    sandbox.cordon(&["check", "--rehash"]).violates(&["path outside policy: README.md"]);
}

#[test]
fn undecodable_names_are_escaped_in_json() {
    let sandbox = Sandbox::armed();
    sandbox.write_raw(b"src/bad\xff\n.py", "x\n");
    sandbox.write_raw(b"bad\xfe\x1b[2J", "x\n");
    let outcome = sandbox.check().rejected();
    assert!(outcome.stdout.windows(6).any(|part| part == b"\\udcff"), "{outcome:?}");
    let names = json::set(&outcome.json()["changed_files"]);
    assert!(names.contains(&b"src/bad\xff\n.py"[..]) && names.contains(&b"bad\xfe\x1b[2J"[..]), "{outcome:?}");
}

#[test]
fn what_is_binary_depends_on_no_layer() {
    for stage in [&[][..], &["add", "-A"], &["add", "-N", "."]] {
        let sandbox = Sandbox::armed();
        sandbox.write("src/late.dat", [vec![b'a'; 8_000], vec![0]].concat());
        sandbox.write("src/early.dat", [vec![b'a'; 7_999], vec![0]].concat());
        sandbox.write("src/lines.txt", "a\r\nb\nc");
        if !stage.is_empty() {
            sandbox.git(stage).ok();
        }
        let verdict = sandbox.check().ok().json();
        assert_eq!(verdict["metrics"]["binary_files"], 1, "{stage:?}: {verdict}");
        assert_eq!(verdict["metrics"]["added_lines"], 4, "{stage:?}: {verdict}");
    }
}
