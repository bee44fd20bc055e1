//! Files of the Git directory that answer in a ref's place, links where Git makes files, operations under way.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::sandbox::Sandbox;

fn line(sandbox: &Sandbox, args: &[&str]) -> String {
    String::from_utf8(sandbox.git(args).ok().stdout).unwrap().trim().to_owned()
}

/// A commit that no ref names.
fn payload(sandbox: &Sandbox) -> String {
    line(sandbox, &["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "evil"])
}

/// Git itself takes each of these for the branch.
#[test]
fn files_that_stand_in_for_a_ref_are_violations() {
    for (path, name) in [
        (".git/main", "main"),
        (".git/refs/main", "main"),
        (".git/heads/main", "heads/main"),
        (".git/origin/main", "origin/main"),
        (".git/refs/tags/main", "main"),
    ] {
        let upstream = Sandbox::project();
        let sandbox = Sandbox::empty();
        sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        let evil = payload(&sandbox);
        sandbox.write(path, format!("{evil}\n"));
        assert_eq!(line(&sandbox, &["rev-parse", name]), evil, "{path}");
        let verdict = sandbox.check().rejected().json();
        let codes: Vec<&str> =
            verdict["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect();
        assert!(codes.contains(&"ref-shadowed") || codes.contains(&"ref-changed"), "{path}: {codes:?}");
        fs::remove_file(sandbox.at(path)).unwrap();
        sandbox.check().ok();
    }
}

#[test]
fn files_that_tools_leave_in_the_git_directory_are_nothing() {
    let sandbox = Sandbox::armed();
    let head = line(&sandbox, &["rev-parse", "HEAD"]);
    for (path, content) in [
        (".git/gc.pid", "1 host\n"),
        (".git/index.lock", ""),
        (".git/GITGUI_MSG", "words\n"),
        (".git/tool/state", "{}\n"),
        (".git/lost-found/commit/x", head.as_str()),
        (".git/ORIG_HEAD", head.as_str()),
        (".git/FETCH_HEAD", head.as_str()),
        (".git/COMMIT_EDITMSG", "words\n"),
    ] {
        sandbox.write(path, content);
    }
    sandbox.check().ok();
}

#[test]
fn a_peeled_line_that_lies_is_a_violation() {
    let sandbox = Sandbox::project();
    sandbox.git(&["tag", "-a", "-m", "x", "v1"]).ok();
    sandbox.git(&["pack-refs", "--all"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    let packed = fs::read_to_string(sandbox.at(".git/packed-refs")).unwrap();
    let (head, evil) = (line(&sandbox, &["rev-parse", "HEAD"]), payload(&sandbox));
    fs::write(sandbox.at(".git/packed-refs"), packed.replace(&format!("^{head}"), &format!("^{evil}"))).unwrap();
    assert!(sandbox.git(&["show-ref", "-d"]).ok().says(&[&evil]).code() == 0);
    sandbox.check().violates(&["refs/tags/v1", "peels to"]);
    fs::write(sandbox.at(".git/packed-refs"), format!("{packed}\n")).unwrap();
    sandbox.check().ok();
}

#[test]
fn links_in_the_git_directory_are_violations() {
    for name in ["hooks", "objects", "config", "refs", "refs/heads", "info", "HEAD", "packed-refs"] {
        let sandbox = Sandbox::project();
        sandbox.git(&["branch", "other"]).ok();
        sandbox.git(&["pack-refs", "--all"]).ok();
        sandbox.git(&["update-ref", "refs/heads/main", "HEAD"]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        let (from, to) = (sandbox.at(format!(".git/{name}")), sandbox.outside().join("moved"));
        fs::rename(&from, &to).unwrap();
        symlink(&to, &from).unwrap();
        sandbox.check().violates(&["became a link to "]);
        fs::remove_file(&from).unwrap();
        fs::rename(&to, &from).unwrap();
        sandbox.check().ok();
    }
}

/// Links that were there at arm are how some people work.
#[test]
fn links_of_arm_are_fine_and_stay_where_they_lead() {
    let sandbox = Sandbox::project();
    let hooks = sandbox.at(".git/hooks");
    fs::remove_dir_all(&hooks).unwrap();
    for name in ["one", "two"] {
        fs::create_dir(sandbox.outside().join(name)).unwrap();
    }
    symlink(sandbox.outside().join("one"), &hooks).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    fs::remove_file(&hooks).unwrap();
    symlink(sandbox.outside().join("two"), &hooks).unwrap();
    sandbox.check().violates(&["is a link to "]);
}

#[test]
fn a_loose_ref_that_became_a_link_is_a_violation() {
    let sandbox = Sandbox::project();
    sandbox.git(&["update-ref", "refs/heads/other", "HEAD"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    let other = sandbox.at(".git/refs/heads/other");
    fs::remove_file(&other).unwrap();
    symlink("main", &other).unwrap();
    sandbox.check().violates(&["refs/heads/other", "link: main"]);
}

#[test]
fn operations_under_way_are_violations() {
    let sandbox = Sandbox::armed();
    let evil = payload(&sandbox);
    for (path, content) in [
        (".git/MERGE_HEAD", evil.as_str()),
        (".git/CHERRY_PICK_HEAD", evil.as_str()),
        (".git/REVERT_HEAD", evil.as_str()),
        (".git/MERGE_AUTOSTASH", evil.as_str()),
        (".git/BISECT_START", "main\n"),
        (".git/rebase-merge/git-rebase-todo", "exec true\n"),
        (".git/rebase-apply/autostash", evil.as_str()),
        (".git/sequencer/todo", "pick x\n"),
    ] {
        sandbox.write(path, content);
        let verdict = sandbox.check().violates(&["in the middle of an operation"]).json();
        let help = verdict["findings"][0]["help"].as_str().unwrap().strip_prefix("Undo it: ").unwrap().to_owned();
        assert!(sandbox.command("sh").args(["-c", &help]).status().unwrap().success(), "{help}");
        sandbox.check().ok();
    }
}
