//! The pre-receive hook in a real bare repository, with pushes over files, the daemon of git, and HTTP.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program};

use super::rig::{TEAM, branch, change, clone, cordon_at, git_at, line, team};

/// A server with the hook, and the repository that pushes to it.
pub struct Server {
    /// The repository that pushes.
    pub local: Sandbox,
    /// The bare repository.
    pub bare: PathBuf,
}

impl Server {
    /// A server that has `main` of the team.
    pub fn new() -> Server {
        let local = team();
        let bare = clone(&local, "server.git", &["--bare"]);
        let hook = bare.join("hooks/pre-receive");
        let program = Path::new(&cordon_program()).display().to_string();
        std::fs::write(&hook, format!("#!/bin/sh\nexec '{program}' gate --pre-receive $CORDON_HOOK\n")).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        local.git(&["remote", "add", "origin", &format!("file://{}", bare.display())]).ok();
        local.git(&["fetch", "-q", "origin"]).ok();
        Server { local, bare }
    }

    /// Pushes to the origin.
    #[track_caller]
    pub fn push(&self, refs: &[&str]) -> Outcome {
        self.local.git(&[&["push", "origin"], refs].concat())
    }

    /// What the server has at a ref.
    pub fn has(&self, name: &str) -> bool {
        git_at(&self.local, &self.bare, &["rev-parse", "-q", "--verify", name]).code() == 0
    }
}

/// Expects that the server took the push.
#[track_caller]
pub fn taken(outcome: Outcome) -> Outcome {
    outcome.ok()
}

/// Expects that the hook declined the push, in these words.
#[track_caller]
pub fn declined(outcome: Outcome, words: &[&str]) -> Outcome {
    let outcome = outcome.ends_with(1).says(&["pre-receive hook declined"]).says(words);
    assert!(!outcome.text().contains("remote: {") && !outcome.stderr.contains(&0x1b), "{outcome:?}");
    outcome
}

#[test]
fn a_new_branch_is_judged_by_the_role_that_claims_it() {
    let server = Server::new();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    taken(server.push(&["docs/x"])).says(&["remote: ACCEPTED  refs/heads/docs/x  (role docs, 1 file)"]);
    assert!(server.has("refs/heads/docs/x"));
    change(&server.local, "src/app.py", "x\n");
    let words = ["remote: REJECTED  refs/heads/docs/x", "path outside policy: src/app.py", "own it", "1 ref rejected"];
    declined(server.push(&["docs/x"]), &words);
    declined(server.push(&["docs/x:nobody"]), &["no role of cordon.toml claims the branch nobody"]);
    assert!(!server.has("refs/heads/nobody"));
    // What a later commit took back is published all the same.
    server.local.git(&["checkout", "-q", "HEAD~1", "--", "src/app.py"]).ok();
    server.local.commit("back");
    declined(server.push(&["docs/x"]), &["Only history has this change"]);
}

#[test]
fn objects_in_quarantine_are_read_and_packs_as_well() {
    let server = Server::new();
    branch(&server.local, "core/x");
    for number in 0..200 {
        server.local.write(format!("src/{number}.py"), format!("{number}\n"));
    }
    server.local.commit("many");
    git_at(&server.local, &server.bare, &["config", "receive.unpackLimit", "1"]).ok();
    declined(server.push(&["core/x"]), &["file budget exceeded: 200 > 25"]);
    server.local.git(&["reset", "-q", "--hard", "main"]).ok();
    for number in 0..20 {
        server.local.write(format!("src/{number}.py"), format!("{number}\n"));
    }
    server.local.commit("fewer");
    taken(server.push(&["core/x"]));
}

#[test]
fn branches_go_on_are_rebased_and_take_over_what_main_has() {
    let server = Server::new();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    taken(server.push(&["docs/x"]));
    change(&server.local, "docs/b.md", "b\n");
    taken(server.push(&["docs/x"]));
    // Each push is judged by what it adds: what was accepted before is not judged again.
    server.local.git(&["commit", "-q", "--amend", "-m", "other"]).ok();
    server.push(&["docs/x"]).ends_with(1).says(&["non-fast-forward"]);
    taken(server.push(&["--force", "docs/x"]));
}

#[test]
fn several_refs_are_judged_together_and_one_that_is_rejected_stops_all() {
    let server = Server::new();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    branch(&server.local, "core/x");
    let words = ["ACCEPTED  refs/heads/docs/x", "REJECTED  refs/heads/core/x", "the others were not taken over either"];
    declined(server.push(&["docs/x", "core/x"]), &words);
    assert!(!server.has("refs/heads/docs/x"));
    server.local.git(&["reset", "-q", "--hard", "main"]).ok();
    change(&server.local, "src/app.py", "x\n");
    taken(server.push(&["docs/x", "core/x"]));
}

#[test]
fn a_force_push_is_judged_like_a_new_branch_and_main_loses_nothing() {
    let server = Server::new();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    taken(server.push(&["docs/x"]));
    // The default branch goes on, by somebody whom no hook judges, and the branch is rebased onto it.
    server.local.git(&["switch", "-q", "main"]).ok();
    change(&server.local, "src/new.py", "x\n");
    let main = line(&server.local, &["rev-parse", "main"]);
    git_at(&server.local, &server.bare, &["fetch", "-q", &server.local.root.display().to_string(), "main"]).ok();
    git_at(&server.local, &server.bare, &["update-ref", "refs/heads/main", &main]).ok();
    server.local.git(&["switch", "-q", "docs/x"]).ok();
    server.local.git(&["rebase", "-q", "main"]).ok();
    taken(server.push(&["--force", "docs/x"]));
    // A merge of the default branch is not the pusher's doing.
    server.local.git(&["switch", "-q", "main"]).ok();
    change(&server.local, "src/newer.py", "x\n");
    let main = line(&server.local, &["rev-parse", "main"]);
    git_at(&server.local, &server.bare, &["fetch", "-q", &server.local.root.display().to_string(), "main"]).ok();
    git_at(&server.local, &server.bare, &["update-ref", "refs/heads/main", &main]).ok();
    server.local.git(&["switch", "-q", "docs/x"]).ok();
    server.local.git(&["merge", "-q", "--no-edit", "main"]).ok();
    taken(server.push(&["docs/x"]));
    // A head behind main, and one that leaves out commits of main.
    taken(server.push(&["--force", "main~1:docs/x"]));
    let policy = format!("{TEAM}\n[gate]\nrole = \"all\"\n");
    server.local.git(&["switch", "-q", "main"]).ok();
    change(&server.local, "cordon.toml", &policy);
    declined(server.push(&["main"]), &["no role of cordon.toml claims the branch main"]);
    let main = line(&server.local, &["rev-parse", "main"]);
    git_at(&server.local, &server.bare, &["fetch", "-q", &server.local.root.display().to_string(), "main"]).ok();
    git_at(&server.local, &server.bare, &["update-ref", "refs/heads/main", &main]).ok();
    declined(server.push(&["--force", "main~1:main"]), &["default branch would lose commits: refs/heads/main"]);
    change(&server.local, "src/app.py", "x\n");
    taken(server.push(&["main"]));
}

#[test]
fn deletions_tags_and_other_refs() {
    let server = Server::new();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    taken(server.push(&["docs/x"]));
    server.local.git(&["tag", "-a", "-m", "x", "v1"]).ok();
    taken(server.push(&["v1"])).says(&["new tag on a commit of a branch"]);
    change(&server.local, "docs/b.md", "a\n");
    server.local.git(&["tag", "v2"]).ok();
    declined(server.push(&["v2"]), &["tag on something that no branch has: refs/tags/v2"]);
    // Together with its branch it is judged by way of that.
    taken(server.push(&["docs/x", "v2"]));
    declined(server.push(&["--force", "v1:refs/tags/v2"]), &["tag would be moved or deleted: refs/tags/v2"]);
    declined(server.push(&[":v2"]), &["tag would be moved or deleted"]);
    let blob = line(&server.local, &["rev-parse", "HEAD:docs/b.md"]);
    declined(server.push(&[&format!("{blob}:refs/tags/blob")]), &["tag on something that no branch has"]);
    declined(server.push(&["HEAD:refs/notes/x"]), &["neither branch nor tag: refs/notes/x"]);
    taken(server.push(&[":docs/x"])).says(&["branch deleted"]);
    git_at(&server.local, &server.bare, &["config", "receive.denyDeleteCurrent", "ignore"]).ok();
    declined(server.push(&[":main"]), &["default branch would be deleted"]);
}

#[test]
fn the_policy_is_that_of_the_default_branch_whatever_it_is_called() {
    let server = Server::new();
    git_at(&server.local, &server.bare, &["branch", "-m", "main", "trunk"]).ok();
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    taken(server.push(&["docs/x"]));
    // A branch that brought a policy of its own would still be judged by that of the default branch.
    change(&server.local, "cordon.toml", &TEAM.replace("\"docs/**\", ", "\"**\", "));
    change(&server.local, "src/app.py", "a\n");
    declined(server.push(&["docs/x"]), &["control file changed: cordon.toml", "path outside policy: src/app.py"]);
    git_at(&server.local, &server.bare, &["symbolic-ref", "HEAD", "refs/heads/gone"]).ok();
    declined(server.push(&["docs/x~2:refs/heads/docs/y"]), &["HEAD of this repository names no branch"]);
}

#[test]
fn names_of_refs_and_files_reach_the_pusher_escaped() {
    let server = Server::new();
    branch(&server.local, "docs/\u{202e}x");
    server.local.write_raw(b"docs/a\x1b]0;x\x07", "x\n");
    server.local.write_raw(b"src/a\x1b]0;x\x07", "x\n");
    server.local.commit("x");
    let outcome = declined(server.push(&["HEAD"]), &["docs/\\u{202e}x", "src/a\\u{1b}]0;x\\u{7}"]);
    assert!(!outcome.stderr.contains(&0x07), "{outcome:?}");
}

#[test]
fn what_is_no_hook_input_is_refused_and_json_is_for_who_asks() {
    let server = Server::new();
    let ask = |input: &[u8], args: &[&str]| {
        let mut command = server.local.command(cordon_program());
        command.current_dir(&server.bare).args(["gate", "--pre-receive"]).args(args);
        run(command, input, PATIENCE).orderly()
    };
    for input in ["x\n", "aa bb refs/heads/x\n", "0 0 0\n", &format!("{0} {0} --x\n", "0".repeat(40))] {
        ask(input.as_bytes(), &[]).refused();
    }
    ask(b"", &[]).ok();
    let main = line(&server.local, &["rev-parse", "main"]);
    let input = format!("{} {main} refs/heads/docs/x\n", "0".repeat(40));
    assert!(ask(input.as_bytes(), &[]).ok().stdout.is_empty());
    let pushed = ask(input.as_bytes(), &["--format", "json"]).ok().json();
    assert_eq!((&pushed["passed"], &pushed["updates"][0]["verdict"]["role"]), (&true.into(), &"docs".into()));
    assert_eq!(pushed["updates"][0]["ref"], "refs/heads/docs/x");
    let gone = "1".repeat(40);
    ask(format!("{} {gone} refs/heads/docs/x\n", "0".repeat(40)).as_bytes(), &[]).refused().says(&["missing"]);
    cordon_at(&server.local, &server.bare, &["gate", "--pre-receive", "--base", "x"]).refused();
}

#[test]
fn another_name_of_a_branch_is_no_way_around_its_rules() {
    let server = Server::new();
    change(&server.local, "docs/more.md", "x\n");
    git_at(&server.local, &server.bare, &["fetch", "-q", server.local.root.to_str().unwrap(), "main:main"]).ok();
    let main = line(&server.local, &["rev-parse", "main"]);
    git_at(&server.local, &server.bare, &["symbolic-ref", "refs/heads/docs/latest", "refs/heads/main"]).ok();
    declined(server.push(&["-f", "main~1:refs/heads/docs/latest"]), &["another name of another ref"]);
    declined(server.push(&[":refs/heads/docs/latest"]), &["another name of another ref"]);
    std::os::unix::fs::symlink("../main", server.bare.join("refs/heads/docs/link")).unwrap();
    declined(server.push(&["-f", "main~1:refs/heads/docs/link"]), &["another name of another ref"]);
    let now = git_at(&server.local, &server.bare, &["rev-parse", "refs/heads/main"]).ok();
    assert_eq!(String::from_utf8_lossy(&now.stdout).trim(), main);
    // HEAD has to lead to the branch itself.
    git_at(&server.local, &server.bare, &["symbolic-ref", "refs/heads/master", "refs/heads/main"]).ok();
    git_at(&server.local, &server.bare, &["symbolic-ref", "HEAD", "refs/heads/master"]).ok();
    declined(server.push(&["-f", "main~1:main"]), &["HEAD of this repository leads to refs/heads/master"]);
}
