//! Links, twins and names that stand only in the index or in a commit.

use super::{blob, committing};
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Puts entries into the index alone.
#[track_caller]
fn stage(sandbox: &Sandbox, entries: &[(&str, &str, &str)]) {
    for (mode, path, content) in entries {
        let id = blob(sandbox, content);
        sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{path}")]).ok();
    }
}

/// Commits what is staged and takes it back.
#[track_caller]
fn commit_and_revert(sandbox: &Sandbox) {
    sandbox.git(&["commit", "-q", "-m", "payload"]).ok();
    sandbox.git(&["reset", "-q", "--hard"]).ok();
    sandbox.git(&["revert", "--no-edit", "HEAD"]).ok();
}

#[test]
fn a_link_that_leads_away_is_found_where_it_stands() {
    for (target, words) in [
        ("../../secret", "symbolic link leads out of the repository: src/link -> ../../secret"),
        ("/etc/passwd", "symbolic link leads to an absolute path: src/link -> /etc/passwd"),
        ("../.git/hooks", "symbolic link leads into a control directory: src/link -> ../.git/hooks"),
        ("up/../x", "symbolic link leads out of the repository: src/link -> up/../x"),
    ] {
        let sandbox = committing();
        stage(&sandbox, &[("120000", "src/link", target), ("120000", "src/up", "..")]);
        sandbox.check().violates(&[&format!("{words} (in the index)")]);
        commit_and_revert(&sandbox);
        sandbox.check().violates(&[&format!("{words} (in commit ")]);
    }
}

#[test]
fn a_link_that_stays_inside_is_fine_in_every_layer() {
    let sandbox = committing();
    stage(&sandbox, &[("120000", "src/link", "../docs/guide.md"), ("120000", "src/dangling", "missing/../x")]);
    sandbox.check().ok();
    commit_and_revert(&sandbox);
    sandbox.check().ok();
}

#[test]
fn twins_are_found_where_they_stand() {
    let sandbox = committing();
    stage(&sandbox, &[("100644", "src/App.py", "x\n")]);
    sandbox.check().violates(&["form only: src/App.py and src/app.py (in the index)"]);
    commit_and_revert(&sandbox);
    sandbox.check().violates(&["form only: src/App.py and src/app.py (in commit "]);
}

#[test]
fn a_rename_of_case_alone_is_fine_in_a_commit() {
    let sandbox = committing();
    sandbox.git(&["mv", "src/app.py", "src/App.py"]).ok();
    sandbox.commit("case");
    sandbox.git(&["mv", "src/App.py", "src/app.py"]).ok();
    sandbox.commit("and back");
    sandbox.check().ok();
}

/// Git refuses to stage such names, but not to store a tree that holds them.
#[test]
fn names_that_are_taken_for_git_are_found_in_commits() {
    for name in ["git~1", ".GIT", ".g\u{200c}it", ".git "] {
        let sandbox = committing();
        let payload = blob(&sandbox, "[core]\n\tfsmonitor = evil\n");
        let tree = |line: String| {
            let command = sandbox.git_command(&["mktree"]);
            String::from_utf8(run(command, line.as_bytes(), PATIENCE).ok().stdout).unwrap().trim().to_owned()
        };
        let inner = tree(format!("100644 blob {payload}\tconfig\n"));
        let src = tree(format!("040000 tree {inner}\t{name}\n"));
        let listing = String::from_utf8(sandbox.git(&["ls-tree", "HEAD"]).ok().stdout).unwrap();
        let mut rest: Vec<&str> = listing.lines().filter(|line| !line.ends_with("\tsrc")).collect();
        let src = format!("040000 tree {src}\tsrc");
        rest.push(&src);
        let top = tree(rest.join("\n") + "\n");
        let commit = super::id(&sandbox, &["commit-tree", "-p", "HEAD", "-m", "x", &top]);
        sandbox.git(&["update-ref", "refs/heads/side", &commit]).ok();
        sandbox.check().violates(&["take for Git's own directory", "(in commit "]);
    }
}

#[test]
fn names_that_are_taken_for_git_are_found_on_disk() {
    let sandbox = Sandbox::armed();
    sandbox.write("src/.GIT/hooks/post-checkout", "#!/bin/sh\n");
    sandbox.write("src/git~1", "x\n");
    sandbox.check().violates(&["own directory or for a way out (.GIT): src/.GIT", "(git~1): src/git~1"]);
    let sandbox = Sandbox::armed();
    for name in ["src/.gitkeep", "src/.github/x", "src/git~x", "src/aux", "src/a:b", "src/bell\u{7}"] {
        sandbox.write(name, "x\n");
    }
    sandbox.check().ok();
}

/// The link itself is as it was; a directory on its way is a link now.
#[test]
fn a_link_that_is_led_astray_by_another_is_found_in_every_layer() {
    let sandbox = Sandbox::project();
    sandbox.write("src/dir/keep", "x\n");
    std::os::unix::fs::symlink("dir/../../docs", sandbox.at("src/way")).unwrap();
    std::os::unix::fs::symlink("../../elsewhere", sandbox.at("src/always")).unwrap();
    sandbox.commit("way");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    let words = "symbolic link leads out of the repository: src/way -> dir/../../docs";
    std::fs::remove_dir_all(sandbox.at("src/dir")).unwrap();
    std::os::unix::fs::symlink("../docs/sub", sandbox.at("src/dir")).unwrap();
    // By way of another directory of the same depth it still leads inside.
    sandbox.check().ok();
    std::fs::remove_file(sandbox.at("src/dir")).unwrap();
    std::os::unix::fs::symlink("..", sandbox.at("src/dir")).unwrap();
    sandbox.check().violates(&[words]);
    sandbox.git(&["add", "-A"]).ok();
    std::fs::remove_file(sandbox.at("src/dir")).unwrap();
    sandbox.write("src/dir/keep", "x\n");
    let outcome = sandbox.check().violates(&[&format!("{words} (in the index)")]);
    assert!(!outcome.text().contains("src/always"), "it led out before: {outcome:?}");
    commit_and_revert(&sandbox);
    sandbox.check().violates(&[&format!("{words} (in commit ")]);
}
