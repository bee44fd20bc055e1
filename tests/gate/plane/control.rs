//! Hooks, and files of the Git directory that lead elsewhere, lend objects or cut history.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::sandbox::Sandbox;

const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

fn hook(sandbox: &Sandbox, path: &str, mode: u32) {
    sandbox.write(path, SCRIPT);
    fs::set_permissions(sandbox.at(path), Permissions::from_mode(mode)).unwrap();
}

/// Case 08, and what else can be done to a hook.
#[test]
fn hooks_are_watched() {
    let sandbox = Sandbox::project();
    hook(&sandbox, ".git/hooks/pre-commit", 0o755);
    hook(&sandbox, ".git/hooks/post-merge", 0o644);
    sandbox.write("../outside", SCRIPT);
    symlink(sandbox.outside().join("outside"), sandbox.at(".git/hooks/update")).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    hook(&sandbox, ".git/hooks/pre-push", 0o755);
    sandbox.check().violates(&["hook changed", "pre-push: created"]).says(&["rm "]);
    fs::remove_file(sandbox.at(".git/hooks/pre-push")).unwrap();
    fs::set_permissions(sandbox.at(".git/hooks/post-merge"), Permissions::from_mode(0o755)).unwrap();
    sandbox.check().violates(&["post-merge: made executable"]).says(&["chmod -x"]);
    fs::set_permissions(sandbox.at(".git/hooks/post-merge"), Permissions::from_mode(0o644)).unwrap();
    sandbox.append(".git/hooks/pre-commit", "evil\n");
    sandbox.check().violates(&["pre-commit: has other content"]);
    fs::remove_file(sandbox.at(".git/hooks/pre-commit")).unwrap();
    sandbox.check().violates(&["pre-commit: deleted"]);
    hook(&sandbox, ".git/hooks/pre-commit", 0o755);
    sandbox.write("../outside", "evil\n");
    sandbox.check().violates(&["update: has other content"]);
    sandbox.write("../outside", SCRIPT);
    sandbox.write(".git/hooks/pre-push.sample", "an example\n");
    sandbox.check().ok();
    let fifo = sandbox.at(".git/hooks/pre-rebase");
    assert!(sandbox.command("mkfifo").arg(&fifo).status().unwrap().success());
    sandbox.check().violates(&["pre-rebase: created"]);
}

#[test]
fn hooks_are_watched_where_the_configuration_points() {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "core.hooksPath", "build/hooks"]).ok();
    hook(&sandbox, "build/hooks/pre-commit", 0o755);
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    hook(&sandbox, "build/hooks/pre-push", 0o755);
    sandbox.check().violates(&["build/hooks/pre-push: created"]);
}

#[test]
fn files_that_lead_elsewhere_are_watched() {
    for (path, content, words) in [
        (".git/objects/info/alternates", "/nowhere/objects\n", "alternates changed"),
        (".git/objects/info/http-alternates", "https://x.invalid/\n", "alternates changed"),
        (".git/info/grafts", "", "history boundary changed"),
        (".git/info/attributes", "*.py -diff\n", "attribute source changed"),
        (".git/info/sparse-checkout", "/src/\n", "sparse settings changed"),
        (".git/remotes/origin", "URL: https://mirror.invalid/a\n", "configuration changed"),
    ] {
        let sandbox = Sandbox::armed();
        sandbox.write(path, content);
        sandbox.check().violates(&[words, path]).says(&["rm "]);
        fs::remove_file(sandbox.at(path)).unwrap();
        sandbox.check().ok();
    }
}

#[test]
fn a_boundary_that_hides_history_is_a_violation() {
    let sandbox = Sandbox::project();
    sandbox.write("src/app.py", "X = 1\n");
    sandbox.commit("second");
    sandbox.arm(&["--allow", "src/**"]).ok();
    let head = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    sandbox.write(".git/shallow", &head);
    sandbox.check().violates(&["history now ends at"]);
}

/// Case 75: history that was cut off is fetched, a part of it and then the rest.
#[test]
fn deepening_is_honest() {
    let sandbox = Sandbox::empty();
    let upstream = Sandbox::project();
    for at in 0..4 {
        upstream.write("README.md", format!("{at}\n"));
        upstream.commit("more");
    }
    let url = format!("file://{}", upstream.root.display());
    sandbox.git(&["clone", "-q", "--depth", "1", &url, "."]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["fetch", "-q", "--deepen", "2"]).ok();
    sandbox.check().ok();
    sandbox.git(&["fetch", "-q", "--unshallow"]).ok();
    sandbox.check().ok();
}

/// Upstream went on, and the fetch brings nothing but its newest commit.
#[test]
fn a_fetch_of_limited_depth_is_honest() {
    for steps in [1, 3] {
        let upstream = Sandbox::project();
        let sandbox = Sandbox::empty();
        let url = format!("file://{}", upstream.root.display());
        sandbox.git(&["clone", "-q", "--depth", "1", &url, "."]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        for at in 0..steps {
            upstream.write("README.md", format!("{at}\n"));
            upstream.commit("more");
        }
        sandbox.git(&["fetch", "-q", "--depth", "1"]).ok();
        sandbox.check().ok();
    }
}

/// A commit that was made here cuts nothing off.
#[test]
fn a_boundary_at_new_work_is_a_violation() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.commit("new");
    let head = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    sandbox.check().ok();
    sandbox.write(".git/shallow", &head);
    sandbox.check().violates(&["history now ends at"]);
}

#[test]
fn a_linked_work_tree_is_noted_and_may_not_lead_elsewhere() {
    let sandbox = Sandbox::armed();
    let other = sandbox.outside().join("other");
    sandbox.git(&["worktree", "add", "-q", "--detach", other.to_str().unwrap()]).ok();
    let verdict = sandbox.check().ok().says(&["new linked work tree"]).json();
    assert_eq!(verdict["findings"].as_array().unwrap().len(), 1, "{verdict}");
    sandbox.cordon(&["reset"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write(".git/worktrees/other/gitdir", "/elsewhere/.git\n");
    sandbox.check().violates(&["Git directory leads elsewhere", "worktrees/other/gitdir"]);
}

#[test]
fn repositories_inside_are_watched_as_well() {
    let inner = Sandbox::project();
    let sandbox = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["init", "-q", "build/nested"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.git(&["-C", "libs/dep", "fetch", "-q"]).ok();
    sandbox.git(&["-C", "libs/dep", "status"]).ok();
    sandbox.check().ok();
    sandbox.git(&["-C", "libs/dep", "config", "core.fsmonitor", "x"]).ok();
    sandbox.check().violates(&["libs/dep: core.fsmonitor"]).says(&["cd libs/dep && git config --local"]);
    sandbox.git(&["-C", "libs/dep", "config", "--unset", "core.fsmonitor"]).ok();
    hook(&sandbox, ".git/modules/libs/dep/hooks/pre-push", 0o755);
    sandbox.check().violates(&["control file changed", "modules/libs/dep/hooks/pre-push"]);
    fs::remove_file(sandbox.at(".git/modules/libs/dep/hooks/pre-push")).unwrap();
    hook(&sandbox, "build/nested/.git/hooks/post-checkout", 0o755);
    sandbox.check().violates(&["build/nested: ", "post-checkout"]);
}
