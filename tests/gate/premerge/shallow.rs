//! Clones without all of history: judged where what is needed is there, else refused with what helps.

use super::rig::{branch, change, clone, cordon_at, git_at, line, team};

#[test]
fn a_shallow_clone_is_judged_once_it_goes_back_far_enough() {
    let sandbox = team();
    for number in 0..60 {
        change(&sandbox, "src/app.py", &format!("{number}\n"));
    }
    branch(&sandbox, "docs/x");
    for number in 0..5 {
        change(&sandbox, "docs/a.md", &format!("{number}\n"));
    }
    let args = ["gate", "--base", "origin/main", "--head", "origin/docs/x"];
    let one = clone(&sandbox, "one", &["--depth=1", "--no-single-branch"]);
    cordon_at(&sandbox, &one, &args).refused().says(&[
        "shallow",
        "git fetch --deepen",
        "--unshallow",
        "fetch-depth: 0",
    ]);
    git_at(&sandbox, &one, &["fetch", "-q", "--deepen=3"]).ok();
    cordon_at(&sandbox, &one, &args).refused().says(&["shallow"]);
    git_at(&sandbox, &one, &["fetch", "-q", "--deepen=2"]).ok();
    let verdict = cordon_at(&sandbox, &one, &args).ok().json();
    assert_eq!((&verdict["role"], &verdict["metrics"]["files"]), (&"docs".into(), &1.into()));
    let fifty = clone(&sandbox, "fifty", &["--depth=50", "--no-single-branch"]);
    cordon_at(&sandbox, &fifty, &args).ok();
    let single = clone(&sandbox, "single", &["--depth=50", "--branch=docs/x"]);
    cordon_at(&sandbox, &single, &["gate", "--base", "origin/main"]).refused().says(&["names no commit"]);
    git_at(&sandbox, &one, &["fetch", "-q", "--unshallow"]).ok();
    cordon_at(&sandbox, &one, &args).ok();
}

#[test]
fn a_merge_of_the_ci_that_was_fetched_alone_is_refused() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "a\n");
    sandbox.git(&["switch", "-q", "-c", "merge", "main"]).ok();
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "docs/x"]).ok();
    let alone = clone(&sandbox, "alone", &["--depth=1", "--branch=merge"]);
    cordon_at(&sandbox, &alone, &["gate", "--base", "HEAD^1", "--role", "docs"]).refused().says(&["shallow"]);
    git_at(&sandbox, &alone, &["fetch", "-q", "--deepen=1"]).ok();
    cordon_at(&sandbox, &alone, &["gate", "--base", "HEAD^1", "--role", "docs"]).ok();
}

#[test]
fn an_object_that_is_missing_is_no_pass() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/a.md", "some text\n");
    let bare = clone(&sandbox, "bare.git", &["--bare"]);
    let blob = line(&sandbox, &["rev-parse", "HEAD:docs/a.md"]);
    git_at(&sandbox, &bare, &["repack", "-q", "-a", "-d"]).ok();
    let pack = std::fs::read_dir(bare.join("objects/pack")).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        (path.extension()? == "pack").then_some(path)
    });
    let kept = sandbox.outside().join("kept.pack");
    std::fs::rename(pack.unwrap(), &kept).unwrap();
    std::fs::remove_dir_all(bare.join("objects/pack")).unwrap();
    let mut unpack = sandbox.git_command(&["unpack-objects", "-q"]);
    unpack.current_dir(&bare);
    crate::common::run::run(unpack, &std::fs::read(&kept).unwrap(), crate::common::run::PATIENCE).ok();
    let args = ["gate", "--base", "main", "--head", "docs/x"];
    cordon_at(&sandbox, &bare, &args).ok();
    let loose = bare.join("objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::remove_file(loose).unwrap();
    cordon_at(&sandbox, &bare, &args).refused().says(&[&blob, "missing"]);
}
