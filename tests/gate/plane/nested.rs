//! Repositories that appear since arm: only what Git itself writes is honest there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::sandbox::Sandbox;

const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

fn hook(sandbox: &Sandbox, path: &str) {
    sandbox.write(path, SCRIPT);
    fs::set_permissions(sandbox.at(path), Permissions::from_mode(0o755)).unwrap();
}

/// Runs the command of the finding with this code, and expects that it undoes it.
#[track_caller]
fn undone(sandbox: &Sandbox, code: &str) {
    let verdict = sandbox.check().rejected().json();
    let finding = verdict["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code);
    let help = finding.unwrap_or_else(|| panic!("no {code} in {verdict}"))["help"].as_str().unwrap();
    let command = help.strip_prefix("Undo it: ").unwrap_or_else(|| panic!("{help}"));
    assert!(sandbox.command("sh").args(["-c", command]).status().unwrap().success(), "{command}");
    sandbox.check().ok();
}

/// What `git init` and `git clone` leave is only its files.
#[test]
fn repositories_as_git_makes_them_are_honest() {
    let sandbox = Sandbox::project();
    let upstream = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-files", "100"]).ok();
    let (url, file_url) = (upstream.root.to_str().unwrap(), format!("file://{}", upstream.root.display()));
    sandbox.git(&["init", "-q", "src/plain"]).ok();
    sandbox.write("src/plain/a", "x\n");
    sandbox.git(&["init", "-q", "--object-format=sha256", "build/other"]).ok();
    sandbox.git(&["clone", "-q", url, "src/clone"]).ok();
    sandbox.git(&["clone", "-q", "--depth", "1", "--no-tags", "-b", "main", &file_url, "build/shallow"]).ok();
    sandbox.git(&["clone", "-q", "--sparse", url, "build/sparse"]).ok();
    sandbox.git(&["clone", "-q", "--mirror", url, "build/mirror.git"]).ok();
    sandbox.git(&["init", "-q", "--bare", "build/bare"]).ok();
    sandbox.git(&["-C", "src/clone", "fetch", "-q"]).ok();
    sandbox.check().ok();
}

#[test]
fn hooks_and_configuration_of_new_repositories_are_violations() {
    for (place, git_dir) in [("src/vendor", "src/vendor/.git"), ("data/vendor", "data/vendor/.git")] {
        let sandbox = Sandbox::armed();
        sandbox.git(&["init", "-q", place]).ok();
        sandbox.write(format!("{place}/a"), "x\n");
        sandbox.check().ok();
        hook(&sandbox, &format!("{git_dir}/hooks/post-checkout"));
        sandbox.check().violates(&["new repository inside", place, "post-checkout"]);
        undone(&sandbox, "nested-repository");
        for (key, value) in [
            ("core.fsmonitor", "/tmp/x"),
            ("core.hooksPath", "/tmp"),
            ("remote.origin.url", "ext::sh -c true"),
            ("filter.x.clean", "cat"),
            ("include.path", "/tmp/x"),
            ("url.https://m.invalid/.insteadOf", "https://a.invalid/"),
        ] {
            sandbox.git(&["-C", place, "config", key, value]).ok();
            sandbox.check().violates(&[&key.rsplit_once('.').unwrap().1.to_lowercase()]);
            undone(&sandbox, "nested-repository");
        }
        // Taste, and the addresses of remotes, are nothing.
        sandbox.git(&["-C", place, "config", "user.name", "x"]).ok();
        sandbox.git(&["-C", place, "remote", "add", "origin", "https://a.invalid/x"]).ok();
        sandbox.check().ok();
    }
}

/// Test suites make repositories with hooks in build output, where nothing is judged; a name alone makes no scratch zone.
#[test]
fn a_repository_in_a_scratch_zone_is_only_noted() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["init", "-q", "build/suite"]).ok();
    hook(&sandbox, "build/suite/.git/hooks/pre-commit");
    sandbox.git(&["-C", "build/suite", "config", "core.fsmonitor", "x"]).ok();
    sandbox.check().ok().says(&["new repository in a scratch zone: build/suite: ", "pre-commit"]);
    sandbox.git(&["init", "-q", "src/target/suite"]).ok();
    hook(&sandbox, "src/target/suite/.git/hooks/pre-commit");
    sandbox.check().violates(&["new repository inside: src/target/suite: ", "pre-commit"]);
}

#[test]
fn new_bare_repositories_under_any_name_are_watched() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["init", "-q", "--bare", "data/fixtures"]).ok();
    sandbox.check().ok();
    hook(&sandbox, "data/fixtures/hooks/update");
    sandbox.check().violates(&["new repository inside: data/fixtures: ", "hooks/update"]);
    undone(&sandbox, "nested-repository");
    sandbox.git(&["-C", "data/fixtures", "config", "core.fsmonitor", "x"]).ok();
    sandbox.check().violates(&["data/fixtures: core.fsmonitor"]);
    undone(&sandbox, "nested-repository");
}

#[test]
fn what_a_new_repository_borrows_or_hides_is_a_violation() {
    for (path, content) in [
        ("data/v/.git/objects/info/alternates", "/nowhere\n"),
        ("data/v/.git/info/grafts", ""),
        ("data/v/.git/info/attributes", "*.py -diff\n"),
        ("data/v/.git/commondir", "/nowhere\n"),
        ("data/v/.git/remotes/origin", "URL: https://m.invalid/a\n"),
    ] {
        let sandbox = Sandbox::armed();
        sandbox.git(&["init", "-q", "data/v"]).ok();
        sandbox.write(path, content);
        sandbox.check().rejected();
        fs::remove_file(sandbox.at(path)).unwrap();
        sandbox.check().ok();
    }
    let sandbox = Sandbox::armed();
    sandbox.git(&["clone", "-q", ".", "data/v"]).ok();
    sandbox.git(&["-C", "data/v", "update-index", "--assume-unchanged", "README.md"]).ok();
    sandbox.check().violates(&["data/v: README.md (assume-unchanged)"]);
}

#[test]
fn a_git_file_that_leads_elsewhere_is_a_violation() {
    let sandbox = Sandbox::armed();
    let elsewhere = sandbox.outside().join("elsewhere");
    sandbox.git(&["init", "-q", "--separate-git-dir", elsewhere.to_str().unwrap(), "src/one"]).ok();
    sandbox.write("src/one/a", "x\n");
    sandbox.check().violates(&["new repository inside: src/one: .git: leads to ", "elsewhere"]);
    undone(&sandbox, "nested-repository");
    fs::create_dir(sandbox.at("src/two")).unwrap();
    symlink(&elsewhere, sandbox.at("src/two/.git")).unwrap();
    sandbox.write("src/two/b", "x\n");
    sandbox.check().violates(&["src/two: .git: leads to "]);
    // A further work tree of this repository is only noted.
    fs::remove_file(sandbox.at("src/two/.git")).unwrap();
    sandbox.git(&["worktree", "add", "-q", "--detach", "build/tree"]).ok();
    sandbox.check().ok().says(&["new linked work tree"]);
}

#[test]
fn a_directory_called_git_is_a_repository_or_a_violation() {
    let sandbox = Sandbox::armed();
    sandbox.write("src/lib/.git/payload", "x\n");
    sandbox.check().violates(&["directory called .git is no repository"]);
    undone(&sandbox, "false-git-directory");
    // In packages and build output such things are test data.
    sandbox.write("build/pkg/.git/payload", "x\n");
    sandbox.check().ok();
}

#[test]
fn a_false_git_directory_of_arm_stays_as_it_is() {
    let sandbox = Sandbox::project();
    sandbox.write("build/odd/.git/one", "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.write("build/odd/.git/two", "x\n");
    sandbox.check().violates(&["directory called .git is no repository"]);
}

/// The Git directory of a submodule that is not checked out is what the next checkout runs.
#[test]
fn modules_without_a_work_tree_are_watched() {
    let inner = Sandbox::project();
    let sandbox = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["submodule", "deinit", "-q", "-f", "libs/dep"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    hook(&sandbox, ".git/modules/libs/dep/hooks/post-checkout");
    sandbox.check().violates(&["modules/libs/dep", "post-checkout: created"]);
    fs::remove_file(sandbox.at(".git/modules/libs/dep/hooks/post-checkout")).unwrap();
    sandbox.git(&["--git-dir", ".git/modules/libs/dep", "config", "core.fsmonitor", "x"]).ok();
    sandbox.check().violates(&["modules/libs/dep: core.fsmonitor"]);
    sandbox.git(&["--git-dir", ".git/modules/libs/dep", "config", "--unset", "core.fsmonitor"]).ok();
    // Checking it out again is honest, and so is taking it away again.
    sandbox.git(&["submodule", "update", "-q", "--init"]).ok();
    sandbox.check().ok();
    hook(&sandbox, ".git/modules/libs/dep/hooks/post-checkout");
    sandbox.check().violates(&["post-checkout"]);
}

#[test]
fn a_submodule_that_was_cloned_since_arm_is_watched() {
    let inner = Sandbox::project();
    let sandbox = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["submodule", "deinit", "-q", "-f", "libs/dep"]).ok();
    fs::remove_dir_all(sandbox.at(".git/modules")).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    // By hand first, then as Git does it.
    sandbox.git(&["clone", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.check().ok();
    hook(&sandbox, "libs/dep/.git/hooks/post-merge");
    sandbox.check().violates(&["new repository inside: libs/dep: ", "post-merge"]);
    fs::remove_dir_all(sandbox.at("libs/dep")).unwrap();
    fs::create_dir(sandbox.at("libs/dep")).unwrap();
    sandbox.git(&["submodule", "update", "-q", "--init"]).ok();
    sandbox.check().ok();
    hook(&sandbox, ".git/modules/libs/dep/hooks/post-merge");
    sandbox.check().violates(&["post-merge"]);
}
