//! Branches, tags, stash and replace refs, and what a fetch and the upkeep of a repository do to refs.

use crate::common::sandbox::Sandbox;

fn undo(sandbox: &Sandbox, command: &[&str]) {
    sandbox.git(command).ok();
    sandbox.check().ok();
}

#[test]
fn branches_tags_and_stash_are_the_users_own() {
    let sandbox = Sandbox::project();
    sandbox.write("src/app.py", "X = 1\n");
    sandbox.commit("second");
    sandbox.git(&["branch", "kept", "HEAD"]).ok();
    sandbox.git(&["tag", "v1", "HEAD"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["branch", "new"]).ok();
    sandbox.check().violates(&["branch created: refs/heads/new"]);
    undo(&sandbox, &["update-ref", "-d", "refs/heads/new"]);
    sandbox.git(&["branch", "-f", "kept", "HEAD~1"]).ok();
    sandbox.check().violates(&["branch moved: refs/heads/kept"]);
    undo(&sandbox, &["branch", "-f", "kept", "HEAD"]);
    sandbox.git(&["branch", "-D", "kept"]).ok();
    sandbox.check().violates(&["branch deleted: refs/heads/kept"]);
    undo(&sandbox, &["branch", "kept"]);
    sandbox.git(&["tag", "-f", "v1", "HEAD~1"]).ok();
    sandbox.check().violates(&["tag changed: refs/tags/v1"]);
    undo(&sandbox, &["tag", "-f", "v1", "HEAD"]);
    sandbox.write("src/app.py", "X = 2\n");
    sandbox.git(&["stash"]).ok();
    sandbox.check().violates(&["stash changed: refs/stash"]);
    undo(&sandbox, &["stash", "pop"]);
    sandbox.git(&["notes", "add", "-m", "x"]).ok();
    sandbox.check().violates(&["refs/notes/commits"]);
}

/// Case 20: another branch on the same commit shows no change of any file.
#[test]
fn head_stays_on_its_branch() {
    let sandbox = Sandbox::project();
    sandbox.git(&["branch", "other"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["switch", "-q", "other"]).ok();
    sandbox.check().violates(&["HEAD", "is on other"]).says(&["git switch main"]);
    sandbox.git(&["checkout", "-q", "--detach"]).ok();
    sandbox.check().violates(&["is on no branch"]);
    undo(&sandbox, &["switch", "-q", "main"]);
}

/// Case 37: the commit of arm is replaced by another, loose and packed.
#[test]
fn replace_refs_are_violations() {
    let sandbox = Sandbox::armed();
    let head = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    let made = sandbox.git(&["commit-tree", "HEAD^{tree}", "-m", "evil"]).ok().stdout;
    sandbox.git(&["replace", head.trim(), String::from_utf8(made).unwrap().trim()]).ok();
    sandbox.check().violates(&["replace ref: refs/replace/"]).says(&["git replace -d"]);
    sandbox.git(&["pack-refs", "--all"]).ok();
    sandbox.check().violates(&["replace ref: refs/replace/"]);
    undo(&sandbox, &["replace", "-d", head.trim()]);
}

#[test]
fn a_new_tag_counts_by_what_it_is_on() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["tag", "-a", "-m", "x", "known"]).ok();
    sandbox.check().ok().says(&["new tag on known history: refs/tags/known"]);
    let made = sandbox.git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "evil"]).ok().stdout;
    sandbox.git(&["tag", "payload", String::from_utf8(made).unwrap().trim()]).ok();
    sandbox.check().violates(&["tag changed: refs/tags/payload"]);
}

/// Cases 63 and 73: what a fetch, the upkeep and a look at the repository do.
#[test]
fn fetch_and_upkeep_are_nothing() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.git(&["config", "--add", "remote.origin.fetch", "+refs/pull/*/head:refs/pull/*"]).ok();
    sandbox.git(&["branch", "topic"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    upstream.append("README.md", "more\n");
    upstream.commit("up");
    upstream.git(&["tag", "v2"]).ok();
    upstream.git(&["branch", "feature"]).ok();
    upstream.git(&["update-ref", "refs/pull/7/head", "HEAD"]).ok();
    sandbox.git(&["fetch", "-q", "origin", "--tags"]).ok();
    sandbox.git(&["fetch", "-q", "origin"]).ok();
    sandbox.git(&["rev-parse", "--verify", "refs/pull/7"]).ok();
    sandbox.git(&["branch", "--set-upstream-to", "origin/main", "topic"]).ok();
    sandbox.git(&["remote", "set-head", "origin", "--auto"]).ok();
    for command in
        [&["gc", "-q"][..], &["pack-refs", "--all"], &["status"], &["reflog", "expire", "--all"], &["repack", "-q"]]
    {
        sandbox.git(command).ok();
        sandbox.check().ok();
    }
    let verdict = sandbox.check().ok().says(&["new tag on known history: refs/tags/v2"]).json();
    assert_eq!(verdict["findings"].as_array().unwrap().len(), 1, "{verdict}");
}

/// A remote-tracking ref vouches for a tag where a fetch has moved it, and not where a push or a hand has.
#[test]
fn a_tag_on_a_commit_of_ones_own_is_not_vouched_for_by_a_ref_that_nobody_fetched() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    let made = sandbox.git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "evil"]).ok().stdout;
    let made = String::from_utf8(made).unwrap().trim().to_owned();
    sandbox.git(&["tag", "payload", &made]).ok();
    let pushed = format!("{made}:refs/heads/pushed");
    for (forge, name) in [
        (&["push", "-q", "origin", &pushed][..], "pushed"),
        (&["update-ref", "refs/remotes/origin/new", &made], "new"),
        (&["update-ref", "-m", "update by push", "refs/remotes/origin/main", &made], "main"),
    ] {
        sandbox.git(forge).ok();
        sandbox.check().violates(&[
            "tag changed: refs/tags/payload",
            &format!("no fetch has brought it with refs/remotes/origin/{name}"),
        ]);
        sandbox.git(&["update-ref", "-d", &format!("refs/remotes/origin/{name}")]).ok();
    }
    sandbox.git(&["fetch", "-q", "origin", "+refs/heads/main:refs/remotes/origin/main"]).ok();
    sandbox.write(".git/refs/remotes/origin/main", format!("{made}\n"));
    sandbox.check().violates(&["tag changed: refs/tags/payload"]);
    // Whoever fetches what was pushed has fetched it: what came from there cannot be told from what was made here.
    sandbox
        .git(&[
            "fetch",
            "-q",
            "origin",
            "+refs/heads/main:refs/remotes/origin/main",
            "pushed:refs/remotes/origin/pushed",
        ])
        .ok();
    sandbox.check().ok().says(&["new tag on known history", "came since arm with refs/remotes/origin/pushed"]);
}

/// With commits allowed HEAD's own branch moves, and `git pull` brings its bookkeeping along.
#[test]
fn a_pull_is_honest_where_commits_are() {
    let upstream = Sandbox::project();
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", upstream.root.to_str().unwrap(), "."]).ok();
    sandbox.arm(&["--allow", "**", "--allow-commits"]).ok();
    upstream.append("README.md", "more\n");
    upstream.commit("up");
    sandbox.git(&["pull", "-q", "--ff-only"]).ok();
    sandbox.check().ok();
}

/// What a forge keeps is noted when it is fetched; other refs are nobody's but the user's, also where commits are allowed.
#[test]
fn refs_beside_branches_and_tags_are_told_by_their_namespace() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.git(&["update-ref", "refs/pull/7/head", "HEAD"]).ok();
    sandbox.git(&["update-ref", "refs/merge-requests/7/head", "HEAD"]).ok();
    sandbox.check().ok().says(&["ref of a forge changed: refs/pull/7/head"]);
    let made = sandbox.git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "evil"]).ok().stdout;
    sandbox.git(&["update-ref", "refs/hidden/evil", String::from_utf8(made).unwrap().trim()]).ok();
    sandbox.check().violates(&["ref changed: refs/hidden/evil"]).says(&["git update-ref -d refs/hidden/evil"]);
}
