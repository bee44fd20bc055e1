//! Ignored entries that lead out of the repository, and the honest ones that do as well.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// A project with these rules and ignored files, armed for `src/**`.
#[track_caller]
fn with(rules: &str, files: &[&str], args: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", rules);
    sandbox.commit("ignore");
    for file in files {
        sandbox.write(file, "x\n");
    }
    sandbox.arm(&[&["--allow", "src/**"], args].concat()).ok();
    sandbox
}

#[track_caller]
fn link(sandbox: &Sandbox, target: &str, path: &str) {
    fs::create_dir_all(sandbox.at(path).parent().unwrap()).unwrap();
    symlink(target, sandbox.at(path)).unwrap();
}

#[test]
fn a_new_ignored_link_that_leads_away_is_found_with_its_text() {
    for (path, target, to) in [
        ("build/out", "/etc", "to an absolute path"),
        ("build/out", "../../x", "out of the repository"),
        ("build/a/b", "../../.git/hooks", "into a control directory"),
        ("data/x", "/etc/passwd", "to an absolute path"),
        ("target", "/", "to an absolute path"),
        ("node_modules", "../elsewhere", "out of the repository"),
        ("src/x.log", "/etc/passwd", "to an absolute path"),
        // A name that would steer elsewhere takes nothing from where it leads.
        ("build/conftest.py", "/etc/passwd", "to an absolute path"),
    ] {
        let sandbox = with("target\nnode_modules\n", &[], &[]);
        link(&sandbox, target, path);
        let words = format!("ignored symbolic link leads {to}: {path} -> {target}");
        let verdict = sandbox.check().violates(&[&words]).json();
        let mut undo = sandbox.command("bash");
        undo.args(["-c", verdict["findings"][0]["undo"].as_str().unwrap()]);
        run(undo, b"", PATIENCE).ok();
        sandbox.check().ok();
        let sandbox = with("target\nnode_modules\n", &[], &["--allow-ignored", path]);
        link(&sandbox, target, path);
        sandbox.check().ok();
    }
}

#[test]
fn a_scratch_directory_swapped_for_a_link_is_found() {
    let sandbox = with("/out\n", &["out/app"], &[]);
    fs::remove_dir_all(sandbox.at("out")).unwrap();
    link(&sandbox, "/", "out");
    sandbox.check().violates(&["ignored symbolic link leads to an absolute path: out -> /"]);
}

#[test]
fn links_of_honest_tools_are_fine() {
    let sandbox = with(
        ".venv/\nenv/\n.tox/\nnode_modules/\n/result\n/bazel-*\ntarget/\n/current\n",
        &["build/app-1", ".venv/lib/python3.11/site-packages/six.py"],
        &[],
    );
    let root = sandbox.root.to_str().unwrap().to_owned();
    for (target, path) in [
        ("../left-pad/cli.js", "node_modules/.bin/left-pad"),
        ("/store/v3/files/00/x", "node_modules/.pnpm/left-pad"),
        ("/usr/bin/python3", ".venv/bin/python3"),
        ("/usr/bin/python3", "env/bin/python"),
        ("/usr/bin/python3.11", ".tox/py/bin/python3.11"),
        ("lib", "env/lib64"),
        ("/nix/store/x", "result"),
        ("/root/.cache/bazel/x", "bazel-out"),
        ("app-1", "build/app"),
        ("../../src", "target/debug/src"),
        (&format!("{root}/build/app-1"), "current"),
    ] {
        link(&sandbox, target, path);
    }
    sandbox.check().ok();
    link(&sandbox, &format!("{root}/../home"), "build/home");
    sandbox.check().violates(&["leads out of the repository: build/home"]);
}

#[test]
fn a_link_of_arm_is_fine_also_when_it_is_made_anew_and_no_other_takes_its_place() {
    let sandbox = Sandbox::project();
    link(&sandbox, "/usr/share/one", "build/data");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    fs::remove_file(sandbox.at("build/data")).unwrap();
    link(&sandbox, "/usr/share/one", "build/data");
    sandbox.check().ok();
    fs::remove_file(sandbox.at("build/data")).unwrap();
    link(&sandbox, "/usr/share/two", "build/data");
    sandbox.check().violates(&["build/data -> /usr/share/two"]);
}

#[test]
fn many_links_are_one_finding() {
    let sandbox = Sandbox::armed();
    for n in 0..9 {
        link(&sandbox, "/etc/passwd", &format!("build/{n}"));
    }
    let verdict = sandbox.check().violates(&["and 4 more (9 in all, below build)"]).json();
    assert_eq!(verdict["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_new_ignored_file_with_a_name_outside_is_found() {
    for path in ["build/out", "data/x", "a.log"] {
        let sandbox = Sandbox::armed();
        let outside = sandbox.outside().join("profile");
        fs::write(&outside, "x").unwrap();
        fs::create_dir_all(sandbox.at(path).parent().unwrap()).unwrap();
        fs::hard_link(&outside, sandbox.at(path)).unwrap();
        let words = format!("hard link to something outside of the change: {path}");
        let verdict = sandbox.check().violates(&[&words]).json();
        let mut undo = sandbox.command("bash");
        undo.args(["-c", verdict["findings"][0]["undo"].as_str().unwrap()]);
        run(undo, b"", PATIENCE).ok();
        sandbox.check().ok();
    }
    // In the place of a file of arm.
    let sandbox = with("unused\n", &["build/old"], &[]);
    let outside = sandbox.outside().join("profile");
    fs::write(&outside, "x").unwrap();
    fs::remove_file(sandbox.at("build/old")).unwrap();
    fs::hard_link(&outside, sandbox.at("build/old")).unwrap();
    sandbox.check().violates(&["hard link to something outside of the change: build/old"]);
}

#[test]
fn hard_links_of_honest_tools_are_fine() {
    let sandbox = with("target/\nnode_modules/\n.venv/\n.tox/\n", &["target/debug/deps/old"], &[]);
    let store = sandbox.outside().join("store");
    fs::write(&store, "x").unwrap();
    for path in ["node_modules/.pnpm/a/index.js", ".venv/lib/a.py", ".tox/py/lib/python3.11/site-packages/a.py"] {
        fs::create_dir_all(sandbox.at(path).parent().unwrap()).unwrap();
        fs::hard_link(&store, sandbox.at(path)).unwrap();
    }
    // Cargo gives its products a second name, and somebody keeps a copy of one that was there.
    sandbox.write("target/debug/deps/app-1", "x");
    fs::hard_link(sandbox.at("target/debug/deps/app-1"), sandbox.at("target/debug/app")).unwrap();
    fs::hard_link(sandbox.at("target/debug/deps/old"), sandbox.outside().join("kept")).unwrap();
    sandbox.check().ok();
}

#[test]
fn bits_that_grant_rights_are_found_in_build_output_too() {
    for (path, bits) in [("build/sh", 0o4755), ("node_modules/a/helper", 0o2755)] {
        let sandbox = with("node_modules/\n", &[], &[]);
        sandbox.write(path, "x");
        fs::set_permissions(sandbox.at(path), Permissions::from_mode(bits)).unwrap();
        sandbox.check().violates(&[&format!("({bits:04o}): {path}")]);
        fs::set_permissions(sandbox.at(path), Permissions::from_mode(0o755)).unwrap();
        sandbox.check().ok();
        let sandbox = with("node_modules/\n", &[], &["--allow-ignored", path]);
        sandbox.write(path, "x");
        fs::set_permissions(sandbox.at(path), Permissions::from_mode(bits)).unwrap();
        sandbox.check().ok();
    }
    // What had them at arm keeps them.
    let sandbox = Sandbox::project();
    sandbox.write("build/sh", "x");
    fs::set_permissions(sandbox.at("build/sh"), Permissions::from_mode(0o4755)).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("build/sh", "y");
    fs::set_permissions(sandbox.at("build/sh"), Permissions::from_mode(0o4755)).unwrap();
    sandbox.check().ok();
}

/// A tracked link to an ignored path is as good as the link that somebody puts there.
#[test]
fn a_tracked_link_that_an_ignored_one_leads_away_is_found() {
    let tracked = |target: &str| {
        let sandbox = Sandbox::project();
        sandbox.append(".gitignore", ".venv/\n.tox/\n");
        symlink(target, sandbox.at("src/conf")).unwrap();
        sandbox.commit("link");
        sandbox
    };
    let words = "symbolic link leads to an absolute path: src/conf -> ../.tox/conf";
    let sandbox = tracked("../.tox/conf");
    sandbox.write(".tox/conf", "x");
    sandbox.arm(&["--allow", "src/**"]).ok();
    fs::write(sandbox.at(".tox/conf"), "y").unwrap();
    sandbox.check().ok();
    fs::remove_file(sandbox.at(".tox/conf")).unwrap();
    link(&sandbox, "/etc/passwd", ".tox/conf");
    sandbox.check().violates(&[words]);
    // One that led out at arm by way of the same link leads where it led, whatever else appears.
    let sandbox = tracked("../.venv/bin/python");
    link(&sandbox, "/usr/bin/python3", ".venv/bin/python");
    sandbox.arm(&["--allow", "src/**"]).ok();
    symlink("app.py", sandbox.at("src/other.py")).unwrap();
    link(&sandbox, "python", ".venv/bin/python3");
    sandbox.check().ok();
}
