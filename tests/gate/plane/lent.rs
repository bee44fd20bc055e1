//! What stands in for Git's own files, lends objects or turns something on by being there.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::sandbox::Sandbox;

/// The repository borrows from one beside it, and that one from a third since arm.
#[test]
fn alternates_of_alternates_are_watched() {
    for (path, line) in [
        ("../lender/.git/objects/info/alternates", "/nowhere/objects\n"),
        (".git/objects/info/alternates", "/nowhere\n"),
    ] {
        let lender = Sandbox::project();
        let sandbox = Sandbox::empty();
        fs::rename(&lender.root, sandbox.outside().join("lender")).unwrap();
        sandbox.git(&["clone", "-q", "--shared", "../lender", "."]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.check().ok();
        let before = fs::read(sandbox.at(path)).ok();
        sandbox.write(path, [before.clone().unwrap_or_default(), line.into()].concat());
        sandbox.check().violates(&["alternates changed", "objects/info/alternates"]);
        match before {
            Some(before) => sandbox.write(path, before),
            None => fs::remove_file(sandbox.at(path)).unwrap(),
        }
        sandbox.check().ok();
    }
}

/// A lender that borrows from the borrower, which Git takes for an error, ends in a refusal or a verdict.
#[test]
fn alternates_in_a_circle_come_to_an_end() {
    let sandbox = Sandbox::armed();
    sandbox.write(".git/objects/info/alternates", "../objects\n../../.git/objects\n".repeat(40));
    sandbox.check().never_accepts();
}

/// Git writes to these by name: a link sends what it writes elsewhere.
#[test]
fn links_in_the_place_of_what_git_writes_are_violations() {
    for path in [
        "COMMIT_EDITMSG",
        "FETCH_HEAD",
        "MERGE_MSG",
        "SQUASH_MSG",
        "TAG_EDITMSG",
        "ORIG_HEAD",
        "MERGE_RR",
        "index.lock",
        "gc.log",
        "rr-cache",
        "logs/HEAD",
        "logs/refs/heads/main",
        "logs/refs/heads/deep/er",
        "info/refs",
        "objects/info/commit-graphs",
        "objects/info/packs",
        "objects/pack",
        "refs/remotes",
        "hooks",
        "description",
        "rebase-merge",
    ] {
        let sandbox = Sandbox::armed();
        let place = sandbox.at(format!(".git/{path}"));
        let target = sandbox.outside().join("elsewhere");
        let kept = sandbox.outside().join("kept");
        fs::rename(&place, &kept).ok();
        if kept.is_dir() {
            fs::rename(&kept, &target).unwrap();
        }
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&target, &place).unwrap();
        sandbox.check().violates(&[path, "link to "]);
    }
}

#[test]
fn hard_links_of_what_git_writes_in_place_are_violations() {
    for path in ["COMMIT_EDITMSG", "FETCH_HEAD", "MERGE_MSG", "logs/HEAD", "logs/refs/heads/main"] {
        let sandbox = Sandbox::armed();
        let place = sandbox.at(format!(".git/{path}"));
        let other = sandbox.outside().join("other");
        fs::rename(&place, &other).or_else(|_| fs::write(&other, "")).unwrap();
        fs::hard_link(&other, &place).unwrap();
        sandbox.check().violates(&[path, "another name"]);
        fs::remove_file(&other).unwrap();
        if !path.ends_with("MSG") {
            sandbox.check().ok();
        }
    }
}

/// What had another name at arm may lose it: Git replaces most of its files.
#[test]
fn links_of_before_arm_are_no_change() {
    let sandbox = Sandbox::project();
    fs::hard_link(sandbox.at(".git/logs/HEAD"), sandbox.outside().join("backup")).unwrap();
    fs::rename(sandbox.at(".git/description"), sandbox.outside().join("description")).unwrap();
    symlink(sandbox.outside().join("description"), sandbox.at(".git/description")).unwrap();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.check().ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.git(&["commit", "-qam", "work"]).ok();
    sandbox.git(&["reflog", "expire", "--all"]).ok();
    sandbox.git(&["gc", "-q"]).ok();
    sandbox.check().ok();
    fs::remove_file(sandbox.outside().join("backup")).unwrap();
    sandbox.check().ok();
}

/// The directory alone turns it on, where the configuration says nothing.
#[test]
fn rerere_is_not_turned_on_by_a_directory() {
    let sandbox = Sandbox::armed();
    sandbox.write(".git/rr-cache/0123/postimage", "evil\n");
    sandbox.check().violates(&["configuration changed", "rr-cache: created"]).says(&["rm -r "]);

    let sandbox = Sandbox::project();
    sandbox.git(&["config", "rerere.enabled", "true"]).ok();
    sandbox.git(&["switch", "-q", "-c", "side"]).ok();
    sandbox.write("src/app.py", "SIDE\n");
    sandbox.commit("side");
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.write("src/app.py", "MAIN\n");
    sandbox.commit("main");
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    assert_ne!(sandbox.git(&["merge", "-q", "side"]).code(), 0);
    assert!(sandbox.at(".git/rr-cache").is_dir());
    sandbox.write("src/app.py", "BOTH\n");
    sandbox.git(&["commit", "-qam", "merged"]).ok();
    sandbox.check().ok();
}

/// The next commit would say what these hold. Each way to finish or to give up takes them away again.
#[test]
fn messages_that_wait_for_the_next_commit_are_told() {
    for name in ["MERGE_MSG", "SQUASH_MSG"] {
        let sandbox = Sandbox::armed();
        sandbox.write(format!(".git/{name}"), "Signed-off-by: somebody\n");
        sandbox.check().violates(&["in the middle of an operation", name]).says(&["rm "]);
        fs::remove_file(sandbox.at(format!(".git/{name}"))).unwrap();
        sandbox.check().ok();
    }
    let sandbox = Sandbox::project();
    sandbox.git(&["switch", "-q", "-c", "side"]).ok();
    sandbox.write("src/app.py", "SIDE\n");
    sandbox.commit("side");
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    for finish in [&["commit", "-q", "-m", "squashed"][..], &["reset", "-q", "--hard", "HEAD~1"]] {
        sandbox.git(&["merge", "-q", "--squash", "side"]).ok();
        sandbox.git(finish).ok();
        sandbox.check().ok();
    }
}
