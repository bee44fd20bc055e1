//! Which paths a ledger tells of, and where it says that it tells nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::older::records;
use crate::common::sandbox::{Sandbox, privileged};

/// Type and path of each event of the newest session.
fn events(sandbox: &Sandbox) -> Vec<String> {
    let all = records(&sandbox.root);
    let told = |record: &Value| {
        let kind = record["type"].as_str().unwrap().trim_start_matches("file.").to_owned();
        format!("{kind} {}", record["path"].as_str().unwrap())
    };
    all[1..all.len() - 1].iter().map(told).collect()
}

#[test]
fn only_the_files_on_disk_are_effects() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**", "--allow-commits"]).ok();
    // Staged and taken back, committed and taken back, touched, left the index: the disk is as it was.
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["checkout", "-q", "HEAD", "--", "src/app.py"]).ok();
    sandbox.write("docs/new.md", "x\n");
    sandbox.commit("new");
    fs::remove_file(sandbox.at("docs/new.md")).unwrap();
    let bytes = fs::read(sandbox.at("README.md")).unwrap();
    sandbox.write("README.md", bytes);
    sandbox.git(&["rm", "-q", "--cached", "src/util.py"]).ok();
    sandbox.check().json();
    assert_eq!(events(&sandbox), [""; 0]);
}

#[test]
fn scratch_zones_and_new_dependencies_are_named_and_not_told() {
    let sandbox = Sandbox::project();
    sandbox.write(".gitignore", "build/\ndata/\nnode_modules/\n");
    sandbox.commit("ignore");
    sandbox.write("node_modules/old/index.js", "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("build/out", "x\n");
    sandbox.write("data/new", "x\n");
    sandbox.write("node_modules/fresh/index.js", "x\n");
    sandbox.write("node_modules/fresh/other.js", "x\n");
    sandbox.append("node_modules/old/index.js", "evil\n");
    let verdict = sandbox.check().rejected().json();
    assert_eq!(events(&sandbox), ["created data/new", "modified node_modules/old/index.js"]);
    let rows = verdict["unobserved"].as_array().unwrap();
    let zones: Vec<(&Value, &Value)> = rows.iter().map(|row| (&row["zone"], &row["count"])).collect();
    assert_eq!(zones, [(&json!("**/build/**"), &json!(1)), (&json!("node_modules"), &json!(2))]);
}

#[test]
fn submodules_are_told_file_by_file() {
    let sandbox = Sandbox::project();
    let inner = sandbox.outside().join("inner");
    let at = inner.to_str().unwrap();
    sandbox.git(&["init", "-q", "-b", "main", at]).ok();
    for name in ["a", "b"] {
        fs::write(inner.join(name), "x\n").unwrap();
    }
    sandbox.git(&["-C", at, "add", "-A"]).ok();
    sandbox.git(&["-C", at, "commit", "-q", "-m", "inner"]).ok();
    sandbox.git(&["submodule", "add", "-q", at, "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.append("libs/dep/a", "y\n");
    fs::remove_file(sandbox.at("libs/dep/b")).unwrap();
    sandbox.check().json();
    assert_eq!(events(&sandbox), ["deleted libs/dep/b", "modified libs/dep/a"]);
    // Without its repository nobody can say what its files were.
    fs::remove_dir_all(sandbox.at("libs/dep")).unwrap();
    let verdict = sandbox.check().json();
    assert_eq!(events(&sandbox), [""; 0]);
    assert_eq!(verdict["unobserved"][0]["zone"], "libs/dep");
    assert_eq!(verdict["unobserved"][0]["count"], 2);
}

#[test]
fn names_that_are_not_utf_8_are_told_as_escapes() {
    let sandbox = Sandbox::armed();
    sandbox.write_raw(b"src/\xff\n", "x\n");
    sandbox.check().ok();
    assert_eq!(records(&sandbox.root)[1]["path"].as_str().unwrap().chars().count(), 6);
}

#[test]
fn what_cannot_be_read_makes_the_session_incomplete() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    let mut own = std::process::Command::new("chown");
    assert!(own.args(["-R", "nobody"]).arg(sandbox.path()).status().unwrap().success());
    let as_nobody = |args: &[&str]| {
        let mut command = sandbox.command("setpriv");
        command
            .args(["--reuid=nobody", "--clear-groups", "--"])
            .arg(crate::common::sandbox::cordon_program())
            .args(args);
        crate::common::run::run(command, b"", crate::common::run::PATIENCE)
    };
    as_nobody(&["arm", "x", "--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("src/secret.py", "x\n");
    fs::set_permissions(sandbox.at("src/secret.py"), fs::Permissions::from_mode(0o000)).unwrap();
    as_nobody(&["check"]).rejected();
    let all = records(&sandbox.root);
    assert_eq!((all.len(), &all[1]["outcome"]), (2, &json!("incomplete")), "{all:#?}");
}
