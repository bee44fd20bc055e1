//! The positive control: real git runs each of these programs in just the place where the cage puts a canary.

use std::fs;

use super::canary;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Each key with the script that makes git run its value. `$BIRD` is the canary; the repository has a history of two
/// commits, attributes for all drivers, and a change that is not staged.
const KEYS: &[(&str, &str)] = &[
    ("core.fsmonitor", "git status"),
    ("core.fsmonitor", "git config core.fsmonitorHookVersion 2; git status"),
    ("core.sshCommand", "git ls-remote ssh://host.invalid/x"),
    ("core.gitProxy", "git ls-remote git://host.invalid/x"),
    ("core.pager", "script -qec '$GIT log' /dev/null"),
    ("pager.log", "script -qec '$GIT log' /dev/null"),
    ("core.editor", "git commit --amend"),
    ("core.askPass", r"printf 'protocol=https\nhost=x.invalid\n\n' | git credential fill"),
    ("credential.helper", r"printf 'protocol=https\nhost=x.invalid\n\n' | git credential fill"),
    (
        "core.alternateRefsCommand",
        "git clone -q -s . ../c; git -C ../c config core.alternateRefsCommand $BIRD; git push ../c main:x",
    ),
    ("gpg.program", "git commit --allow-empty -S -m x"),
    ("gpg.ssh.program", "git -c gpg.format=ssh -c user.signingKey=key commit --allow-empty -S -m x"),
    ("gpg.ssh.defaultKeyCommand", "git -c gpg.format=ssh commit --allow-empty -S -m x"),
    ("diff.external", "git diff"),
    ("diff.x.command", "git diff"),
    ("diff.x.textconv", "git diff"),
    ("difftool.x.cmd", "git difftool -y -t x"),
    (
        "merge.x.driver",
        "git commit -qam one; git checkout -q -b side HEAD~1; echo two > a.py; git commit -qam two; git merge main",
    ),
    (
        "mergetool.x.cmd",
        "git commit -qam one; git checkout -q -b side HEAD~1; echo two > b.md; echo 2 > c; git add c; git commit -qam two; git checkout -q main; echo 3 > c; git add c; git commit -qm three; git merge side; git mergetool -y -t x",
    ),
    ("filter.x.clean", "git add a.py"),
    ("filter.x.smudge", "rm a.py; git checkout -- a.py"),
    ("filter.x.process", "git add a.py"),
    ("sequence.editor", "git stash -q; git rebase -i HEAD~1"),
    ("interactive.diffFilter", "echo q | script -qec '$GIT add -p' /dev/null"),
    ("trailer.x.cmd", "echo message | git interpret-trailers --trailer x=1"),
    ("trailer.x.command", "echo message | git interpret-trailers --trailer x=1"),
    ("man.x.cmd", "git -c man.viewer=x help -m status"),
    ("browser.x.cmd", "git web--browse --browser=x README"),
    ("tar.x.command", "git archive --format=x HEAD"),
    ("remote.x.uploadpack", "git config remote.x.url .; git fetch x"),
    ("remote.x.receivepack", "git config remote.x.url .; git push x main:y"),
    ("alias.x", "git config alias.x \"!$BIRD\"; git x"),
    ("remote.x.url", "git config remote.x.url \"ext::$BIRD\"; git -c protocol.ext.allow=always ls-remote x"),
    (
        "submodule.libs/dep.update",
        "git config submodule.libs/dep.update \"!$BIRD\"; git -C libs/dep commit -q --allow-empty -m x; git submodule update",
    ),
    (
        "uploadpack.packObjectsHook",
        "git config -f ../g uploadpack.packObjectsHook $BIRD; GIT_CONFIG_GLOBAL=$PWD/../g git clone file://$PWD ../c",
    ),
];

/// Each hook with the script that makes git run it.
const HOOKS: &[(&str, &str)] = &[
    ("applypatch-msg", "git stash -q; git format-patch -1 --stdout > ../p; git checkout -q HEAD~1; git am ../p"),
    ("pre-applypatch", "git stash -q; git format-patch -1 --stdout > ../p; git checkout -q HEAD~1; git am ../p"),
    ("post-applypatch", "git stash -q; git format-patch -1 --stdout > ../p; git checkout -q HEAD~1; git am ../p"),
    ("commit-msg", "git commit -qam x"),
    ("post-checkout", "git checkout -q -b side"),
    ("post-commit", "git commit -qam x"),
    ("post-index-change", "git add a.py"),
    ("post-merge", "git branch side; git commit -qam x; git checkout -q side; git merge -q main"),
    ("post-rewrite", "git commit -q --amend -m x"),
    ("pre-commit", "git commit -qam x"),
    ("pre-merge-commit", "git branch side; git commit -qam x; git checkout -q side; git merge -q --no-ff -m x main"),
    ("pre-push", "git clone -q --bare . ../c; git commit -qam x; git push ../c main"),
    ("pre-rebase", "git stash -q; git rebase --no-ff HEAD~1"),
    ("prepare-commit-msg", "git commit -qam x"),
    ("reference-transaction", "git update-ref refs/heads/x HEAD"),
    ("pre-receive", "git push . HEAD:refs/heads/y"),
    ("update", "git push . HEAD:refs/heads/y"),
    ("post-receive", "git push . HEAD:refs/heads/y"),
    ("post-update", "git push . HEAD:refs/heads/y"),
    ("pre-auto-gc", "git repack -q; git commit -qam x; git repack -q; git -c gc.autoPackLimit=1 gc --auto"),
];

fn aviary() -> Sandbox {
    let inner = Sandbox::project();
    let sandbox = Sandbox::unborn();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    for (path, content) in
        [(".gitattributes", "*.py filter=x diff=x merge=x\n"), ("a.py", "1\n"), ("b.md", "1\n"), ("README", "1\n")]
    {
        sandbox.write(path, content);
    }
    sandbox.commit("one");
    sandbox.write("b.md", "2\n");
    sandbox.commit("two");
    sandbox.write("a.py", "2\n");
    sandbox
}

#[track_caller]
fn sings(sandbox: &Sandbox, ran: &std::path::Path, bird: &std::path::Path, name: &str, script: &str) {
    let mut shell = sandbox.command("sh");
    let git = crate::common::sandbox::git_program();
    let script = format!("git() {{ command \"$GIT\" -c protocol.file.allow=always \"$@\"; }}\n{script}\nexit 0");
    shell.args(["-c", &script]).env("BIRD", bird).env("GIT", git).env("TERM", "xterm");
    let outcome = run(shell, b"", PATIENCE);
    let sang = fs::read_dir(ran).unwrap().count() > 0;
    assert!(sang, "git did not run {name}: {outcome:?}");
}

#[test]
fn git_runs_what_each_key_names() {
    for (key, script) in KEYS {
        let sandbox = aviary();
        let ran = super::ran_below(&sandbox);
        let bird = canary(&sandbox, &ran, "bird");
        sandbox.git(&["config", key, bird.to_str().unwrap()]).ok();
        sings(&sandbox, &ran, &bird, key, script);
    }
}

#[test]
fn git_runs_each_hook() {
    for (hook, script) in HOOKS {
        let sandbox = aviary();
        let ran = super::ran_below(&sandbox);
        let bird = super::singing_and_content(&sandbox, &ran);
        let place = sandbox.at(format!(".git/hooks/{hook}"));
        std::os::unix::fs::symlink(&bird, place).unwrap();
        sings(&sandbox, &ran, &bird, hook, script);
    }
}

/// The cage must hold a canary for everything that is known to sing.
#[test]
fn the_cage_holds_them_all() {
    for (key, _) in KEYS {
        let caged = super::PROGRAMS.contains(key) || super::COMMANDS.contains(key);
        assert!(caged, "{key}");
    }
    for (hook, _) in HOOKS {
        assert!(super::HOOKS.contains(hook), "{hook}");
    }
}
