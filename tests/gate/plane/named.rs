//! Programs, templates and keys inside the repository that the configuration names: the key stands as it did, and what it
//! names does not.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

const BEFORE: &str = "#!/bin/sh\nexit 0\n";
const AFTER: &str = "#!/bin/sh\nexit 1\n";

/// A repository whose configuration says something, with a program at `path`.
fn configured(key: &str, value: &str, path: &str) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", key, value]).ok();
    program(&sandbox, path, BEFORE);
    sandbox
}

fn program(sandbox: &Sandbox, path: &str, content: &str) {
    sandbox.write(path, content);
    fs::set_permissions(sandbox.at(path), Permissions::from_mode(0o755)).unwrap();
}

fn arm(sandbox: &Sandbox) {
    sandbox.arm(&["--allow", "src/**", "--allow", "tools/**", "--allow-commits"]).ok();
}

/// The message of the one finding, which is only a note.
fn noted(outcome: Outcome) -> String {
    let verdict = outcome.ok().json();
    let findings = verdict["findings"].as_array().unwrap();
    assert!(findings.len() == 1 && findings[0]["severity"] == "note", "{verdict}");
    findings[0]["message"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_key_names_may_not_change() {
    for (key, value, path) in [
        ("core.fsmonitor", ".git/tools/watch", ".git/tools/watch"),
        ("core.fsmonitor", "build/watch", "build/watch"),
        ("core.sshCommand", "ssh -F .git/ssh_config", ".git/ssh_config"),
        ("core.pager", "sh -c '.git/pager | less'", ".git/pager"),
        ("core.editor", "'.git/my editor' --wait", ".git/my editor"),
        ("diff.x.textconv", "build/convert", "build/convert"),
        ("diff.x.command", "sh ./.git/diff.sh", ".git/diff.sh"),
        ("filter.x.clean", "python3 data/clean.py %f", "data/clean.py"),
        ("filter.x.process", "$GIT_DIR/filter", ".git/filter"),
        ("merge.x.driver", ".git/merge %O %A %B", ".git/merge"),
        ("credential.helper", "!.git/helper", ".git/helper"),
        ("credential.https://example.invalid.helper", "!f() { .git/helper; }; f", ".git/helper"),
        ("gpg.ssh.program", ".git/sign", ".git/sign"),
        ("gpg.ssh.allowedSignersFile", ".git/info/signers", ".git/info/signers"),
        ("user.signingKey", ".git/key.pub", ".git/key.pub"),
        ("commit.template", ".git/template", ".git/template"),
        ("alias.x", "!$(git rev-parse --git-dir)/x", ".git/x"),
        ("core.fsmonitor", ".git/hooks/lib/watch", ".git/hooks/lib/watch"),
        ("guitool.x.cmd", "make -C .git/tools", ".git/tools/Makefile"),
    ] {
        let sandbox = configured(key, value, path);
        arm(&sandbox);
        sandbox.check().ok();
        program(&sandbox, path, AFTER);
        let words = ["file that the configuration names changed: ", &key.to_lowercase(), path, "has other content"];
        sandbox.check().violates(&words);
        fs::remove_file(sandbox.at(path)).unwrap();
        sandbox.check().violates(&[path, "deleted"]);
        program(&sandbox, path, BEFORE);
        sandbox.check().ok();
    }
}

/// The key named nothing at arm.
#[test]
fn what_a_key_names_may_not_appear() {
    for path in [".git/tools/watch", "build/watch"] {
        let sandbox = Sandbox::project();
        sandbox.git(&["config", "core.fsmonitor", path]).ok();
        arm(&sandbox);
        program(&sandbox, path, AFTER);
        sandbox.check().violates(&["core.fsmonitor", path, "created"]).says(&["rm "]);
        fs::remove_file(sandbox.at(path)).unwrap();
        sandbox.check().ok();
    }
}

#[test]
fn submodules_are_watched_as_well() {
    let inner = Sandbox::project();
    let sandbox = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["-C", "libs/dep", "config", "core.fsmonitor", "../../.git/modules/libs/dep/watch"]).ok();
    program(&sandbox, ".git/modules/libs/dep/watch", BEFORE);
    arm(&sandbox);
    sandbox.check().ok();
    program(&sandbox, ".git/modules/libs/dep/watch", AFTER);
    sandbox.check().violates(&["core.fsmonitor", "modules/libs/dep/watch"]);
}

/// What Git lists is judged as a path, and what an alias runs is run by whoever types it.
#[test]
fn what_is_in_sight_is_only_noted() {
    let sandbox = configured("diff.x.textconv", "tools/convert", "tools/convert");
    sandbox.commit("tools");
    arm(&sandbox);
    program(&sandbox, "tools/convert", AFTER);
    assert!(noted(sandbox.check()).contains("diff.x.textconv names tools/convert"));

    let sandbox = configured("alias.x", "!build/tool", "build/tool");
    arm(&sandbox);
    program(&sandbox, "build/tool", AFTER);
    assert!(noted(sandbox.check()).contains("alias.x names build/tool"));
}

#[test]
fn bytes_that_stay_are_no_change() {
    let sandbox = configured("core.fsmonitor", ".git/watch", ".git/watch");
    arm(&sandbox);
    fs::remove_file(sandbox.at(".git/watch")).unwrap();
    program(&sandbox, ".git/watch", BEFORE);
    assert_eq!(sandbox.check().ok().json()["findings"].as_array().unwrap().len(), 0);
}

/// Files that Git itself writes may be named: an alias that takes up the last message, a trace, an index.
#[test]
fn what_git_writes_may_be_named() {
    let sandbox = Sandbox::project();
    for (key, value) in [
        ("alias.again", "!git commit -eF .git/COMMIT_EDITMSG"),
        ("alias.last", "log -1 HEAD FETCH_HEAD"),
        ("trace2.normalTarget", ".git/trace"),
        ("core.pager", "less -FRX"),
        ("filter.lfs.clean", "git-lfs clean -- %f"),
        ("credential.helper", "cache --socket .git/credential.sock"),
    ] {
        sandbox.git(&["config", key, value]).ok();
    }
    sandbox.git(&["config", "trace2.normalTarget", sandbox.at(".git/trace").to_str().unwrap()]).ok();
    arm(&sandbox);
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.git(&["add", "-A"]).ok();
    sandbox.git(&["commit", "-q", "-m", "work"]).ok();
    sandbox.git(&["gc", "-q"]).ok();
    let socket = std::os::unix::net::UnixListener::bind(sandbox.at(".git/credential.sock")).unwrap();
    assert!(Path::new(&sandbox.at(".git/credential.sock")).exists());
    sandbox.check().ok();
    drop(socket);
}
