//! Refs and index flags of submodules and of ignored nested repositories.

use std::fs;

use crate::common::sandbox::Sandbox;

fn with_both() -> Sandbox {
    let sandbox = Sandbox::project();
    let upstream = sandbox.outside().join("upstream");
    let upstream = upstream.to_str().unwrap();
    sandbox.git(&["clone", "-q", ".", upstream]).ok();
    sandbox.git(&["submodule", "add", "-q", upstream, "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["clone", "-q", upstream, "data/nested"]).ok();
    sandbox
}

#[test]
fn refs_inside_are_the_users_own() {
    for place in ["libs/dep", "data/nested"] {
        let sandbox = with_both();
        sandbox.arm(&["--allow", "src/**"]).ok();
        let git = |args: &[&str]| sandbox.git(&[&["-C", place], args].concat()).ok();
        for (act, undo, words) in [
            (&["branch", "evil"][..], &["branch", "-D", "evil"][..], "refs/heads/evil"),
            (&["tag", "-a", "-m", "x", "evil", "HEAD^{tree}"], &["tag", "-d", "evil"], "refs/tags/evil"),
            (
                &["symbolic-ref", "HEAD", "refs/heads/x"],
                &["symbolic-ref", "HEAD", "refs/heads/main"],
                "HEAD: was on main",
            ),
            (&["update-ref", "refs/x/y", "HEAD"], &["update-ref", "-d", "refs/x/y"], "refs/x/y"),
        ] {
            git(act);
            sandbox.check().violates(&[&format!("{place}: {words}")]);
            git(undo);
            sandbox.check().ok();
        }
        git(&["checkout", "-q", "--detach"]);
        let detached = sandbox.check();
        // A submodule is detached by every update of it.
        assert_eq!(detached.code() == 0, place == "libs/dep", "{detached:?}");
        git(&["checkout", "-q", "main"]);
        fs::write(sandbox.at(format!("{place}/README.md")), "other\n").unwrap();
        git(&["stash", "-q"]);
        sandbox.check().violates(&[&format!("{place}: refs/stash")]);
    }
}

#[test]
fn looking_and_fetching_inside_is_nothing() {
    let sandbox = with_both();
    sandbox.arm(&["--allow", "src/**"]).ok();
    for place in ["libs/dep", "data/nested"] {
        for args in [&["fetch", "-q", "--tags"][..], &["gc", "-q"], &["status"], &["pack-refs", "--all"]] {
            sandbox.git(&[&["-C", place], args].concat()).ok();
        }
    }
    sandbox.check().ok();
}

#[test]
fn commits_inside_pass_where_commits_are_allowed() {
    let sandbox = with_both();
    sandbox.arm(&["--allow", "libs/dep", "--allow", "libs/dep/src/**", "--allow-commits"]).ok();
    sandbox.append("libs/dep/src/app.py", "X = 1\n");
    sandbox.git(&["-C", "libs/dep", "commit", "-q", "-a", "-m", "x"]).ok();
    sandbox.git(&["-C", "libs/dep", "branch", "topic"]).ok();
    sandbox.check().ok();
    sandbox.git(&["-C", "libs/dep", "update-ref", "refs/x/y", "HEAD"]).ok();
    sandbox.check().violates(&["libs/dep: refs/x/y"]);
}

#[test]
fn flags_inside_are_found() {
    for place in ["libs/dep", "data/nested"] {
        for flag in ["assume-unchanged", "skip-worktree"] {
            let sandbox = with_both();
            sandbox.arm(&["--allow", "src/**"]).ok();
            sandbox.git(&["-C", place, "update-index", &format!("--{flag}"), "README.md"]).ok();
            let undo = format!("cd {place} && git update-index --no-{flag} -- README.md");
            let rejected = sandbox.check().violates(&[flag]);
            if place == "data/nested" {
                // The flags of a submodule are told path by path, like those of the repository itself.
                rejected.says(&[&undo]);
            }
            assert!(sandbox.command("sh").args(["-c", &undo]).status().unwrap().success());
            sandbox.check().ok();
        }
    }
}
