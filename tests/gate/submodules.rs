//! Submodules and nested repositories: what is in them counts, whatever Git was told to ignore.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

/// A project with a submodule at `libs/dep` that Git is told to ignore; not armed yet.
fn project(format: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    let init = ["init", "-q", "-b", "main", &format!("--object-format={format}")];
    let dependency = sandbox.outside().join("dependency");
    let at = dependency.to_str().unwrap();
    sandbox.git(&[&init[..], &[at]].concat()).ok();
    fs::create_dir(dependency.join("sub")).unwrap();
    for (name, content) in [("lib.c", "v1\n"), ("sub/more.c", "x\n"), (".gitattributes", "*.c text\n")] {
        fs::write(dependency.join(name), content).unwrap();
    }
    sandbox.git(&["-C", at, "add", "-A"]).ok();
    sandbox.git(&["-C", at, "commit", "-q", "-m", "lib"]).ok();
    sandbox.git(&[&init[..], &["."]].concat()).ok();
    sandbox.write("src/app.py", "x\n");
    sandbox.commit("base");
    sandbox.git(&["submodule", "add", "-q", at, "libs/dep"]).ok();
    sandbox.git(&["config", "-f", ".gitmodules", "submodule.libs/dep.ignore", "all"]).ok();
    sandbox.commit("submodule");
    sandbox
}

fn armed() -> Sandbox {
    let sandbox = project("sha1");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox
}

/// A clone whose submodule was never checked out.
fn uninitialised() -> Sandbox {
    let sandbox = project("sha1");
    sandbox.git(&["submodule", "deinit", "-q", "-f", "libs/dep"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox
}

fn paths(outcome: &Outcome) -> Vec<String> {
    let verdict = outcome.json();
    json::array(&verdict["changes"])
        .iter()
        .map(|change| String::from_utf8(json::bytes(&change["path"])).unwrap())
        .collect()
}

/// Case 35: the agent commits inside, and the status is clean.
#[test]
fn a_commit_inside_is_found() {
    for format in ["sha1", "sha256"] {
        let sandbox = project(format);
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.write("libs/dep/lib.c", "v2\n");
        sandbox.git(&["-C", "libs/dep", "commit", "-q", "-a", "-m", "evil"]).ok();
        assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
        let outcome = sandbox.check().violates(&["outside policy: libs/dep", "outside policy: libs/dep/lib.c"]);
        assert_eq!(paths(&outcome), ["libs/dep", "libs/dep/lib.c"]);
    }
}

#[test]
fn a_commit_inside_that_was_taken_back_is_found() {
    let sandbox = armed();
    sandbox.git(&["-C", "libs/dep", "checkout", "-q", "-b", "side"]).ok();
    sandbox.write("libs/dep/evil.c", "v2\n");
    sandbox.git(&["-C", "libs/dep", "add", "-A"]).ok();
    sandbox.git(&["-C", "libs/dep", "commit", "-q", "-a", "-m", "evil"]).ok();
    sandbox.git(&["-C", "libs/dep", "checkout", "-q", "main"]).ok();
    sandbox.check().violates(&["path outside policy: libs/dep/evil.c"]);
}

#[test]
fn changed_new_and_staged_files_inside_are_found() {
    let sandbox = armed();
    sandbox.write("libs/dep/lib.c", "v2\n");
    sandbox.check().violates(&["path outside policy: libs/dep/lib.c"]);
    sandbox.write("libs/dep/lib.c", "v1\n");
    sandbox.check().ok();
    sandbox.write("libs/dep/new.c", "v2\n");
    sandbox.check().violates(&["path outside policy: libs/dep/new.c"]);
    sandbox.git(&["-C", "libs/dep", "add", "new.c"]).ok();
    fs::remove_file(sandbox.at("libs/dep/new.c")).unwrap();
    let outcome = sandbox.check().violates(&["path outside policy: libs/dep/new.c"]);
    assert_eq!(outcome.json()["metrics"]["files"], 0);
}

/// The superproject's index names another commit; the submodule itself is as it was.
#[test]
fn a_gitlink_that_is_only_staged_is_found() {
    let sandbox = armed();
    let other = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    sandbox.git(&["update-index", "--cacheinfo", &format!("160000,{},libs/dep", other.trim())]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: libs/dep"]);
    assert_eq!(outcome.json()["changes"][0]["layers"], serde_json::json!(["index"]));
}

/// Committed and taken back: the push publishes it all the same.
#[test]
fn a_gitlink_in_history_is_found() {
    let sandbox = project("sha1");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    let head = || String::from_utf8(sandbox.git(&["rev-parse", "HEAD:libs/dep"]).ok().stdout).unwrap();
    let (before, other) = (head(), sandbox.git(&["rev-parse", "HEAD"]).ok().stdout);
    for id in [String::from_utf8(other).unwrap(), before] {
        sandbox.git(&["update-index", "--cacheinfo", &format!("160000,{},libs/dep", id.trim())]).ok();
        sandbox.git(&["commit", "-q", "-m", "moved"]).ok();
    }
    let outcome = sandbox.check().violates(&["path outside policy: libs/dep"]);
    assert_eq!(outcome.json()["changes"][0]["layers"], serde_json::json!(["commit"]));
}

#[test]
fn a_submodule_that_is_removed_is_found() {
    let sandbox = armed();
    sandbox.git(&["rm", "-q", "-f", "libs/dep"]).ok();
    sandbox.check().violates(&["path outside policy: libs/dep"]);
}

/// Git cannot see this at all.
#[test]
fn a_submodule_that_became_a_directory_is_found() {
    let sandbox = armed();
    fs::remove_dir_all(sandbox.at("libs/dep")).unwrap();
    sandbox.write("libs/dep/payload", "x\n");
    let outcome = sandbox.check().violates(&["outside policy: libs/dep", "outside policy: libs/dep/payload"]);
    assert_eq!(paths(&outcome), ["libs/dep", "libs/dep/payload"]);
}

/// Case 84: nothing was ever checked out there.
#[test]
fn a_submodule_that_was_never_checked_out_is_fine() {
    let sandbox = uninitialised();
    sandbox.append("src/app.py", "x\n");
    sandbox.check().ok();
}

#[test]
fn checking_out_a_submodule_is_fine() {
    let sandbox = uninitialised();
    sandbox.git(&["submodule", "update", "-q", "--init"]).ok();
    assert!(sandbox.at("libs/dep/sub/more.c").exists());
    let outcome = sandbox.check().ok();
    assert!(paths(&outcome).is_empty(), "{outcome:?}");
}

#[test]
fn what_differs_from_the_commit_that_was_checked_out_is_found() {
    let sandbox = uninitialised();
    sandbox.git(&["submodule", "update", "-q", "--init"]).ok();
    sandbox.write("libs/dep/lib.c", "v2\n");
    sandbox.write("libs/dep/new.c", "v2\n");
    fs::remove_file(sandbox.at("libs/dep/sub/more.c")).unwrap();
    let outcome = sandbox.check().rejected();
    assert_eq!(paths(&outcome), ["libs/dep/lib.c", "libs/dep/new.c", "libs/dep/sub/more.c"]);
}

#[test]
fn another_commit_than_the_recorded_one_is_found() {
    let sandbox = uninitialised();
    sandbox.git(&["submodule", "update", "-q", "--init"]).ok();
    sandbox.write("libs/dep/lib.c", "v2\n");
    sandbox.git(&["-C", "libs/dep", "commit", "-q", "-a", "-m", "evil"]).ok();
    let outcome = sandbox.check().violates(&["path outside policy: libs/dep"]);
    assert!(paths(&outcome).contains(&"libs/dep/lib.c".to_owned()), "{outcome:?}");
}

/// Case 33: Git shows one entry for forty files.
#[test]
fn the_files_of_a_new_repository_count_one_by_one() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-files", "5"]).ok();
    for at in 0..40 {
        sandbox.write(format!("src/vendor/f{at}.py"), "x\n");
    }
    sandbox.git(&["init", "-q", "src/vendor"]).ok();
    sandbox.git(&["-C", "src/vendor", "add", "-A"]).ok();
    sandbox.git(&["-C", "src/vendor", "commit", "-q", "-m", "x"]).ok();
    sandbox.check().violates(&["file budget exceeded: 40 > 5"]);
}

#[test]
fn a_new_repository_outside_is_found_and_a_small_one_inside_is_fine() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["init", "-q", "src/vendor"]).ok();
    sandbox.write("src/vendor/one.py", "x\n");
    let outcome = sandbox.check();
    assert_eq!(paths(&outcome), ["src/vendor/one.py"]);
    sandbox.git(&["init", "-q", "vendor"]).ok();
    sandbox.write("vendor/one.py", "x\n");
    sandbox.check().violates(&["path outside policy: vendor/one.py"]);
}

/// The repository inside has its Git directory elsewhere, by a file or by a link.
#[test]
fn a_git_directory_elsewhere_hides_no_file() {
    let sandbox = Sandbox::armed();
    let elsewhere = sandbox.outside().join("elsewhere");
    sandbox.git(&["init", "-q", "--separate-git-dir", elsewhere.to_str().unwrap(), "one"]).ok();
    sandbox.write("one/a", "x\n");
    fs::create_dir(sandbox.at("two")).unwrap();
    symlink(&elsewhere, sandbox.at("two/.git")).unwrap();
    sandbox.write("two/b", "x\n");
    sandbox.check().violates(&["path outside policy: one/a", "path outside policy: two/b"]);
}
