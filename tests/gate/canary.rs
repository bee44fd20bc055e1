//! Nothing that the repository or its configuration names runs at arm, check, status or diff.
//!
//! Every place where Git would start a program names a canary that leaves its name behind when it is started. The same
//! canaries run when Git does the same work, or the test would prove nothing.

mod alive;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Keys whose values Git runs as they are.
const PROGRAMS: &[&str] = &[
    "browser.x.cmd",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "credential.https://x.invalid.helper",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "difftool.x.cmd",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "filter.y.process",
    "gc.recentObjectsHook",
    "gpg.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "gpg.x509.program",
    "imap.tunnel",
    "instaweb.httpd",
    "interactive.diffFilter",
    "man.x.cmd",
    "merge.x.driver",
    "mergetool.x.cmd",
    "pager.diff",
    "pager.log",
    "pager.status",
    "remote.x.receivepack",
    "remote.x.uploadpack",
    "sendemail.ccCmd",
    "sendemail.headerCmd",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
];

/// Keys that take a program behind `!` or `ext::`.
const COMMANDS: &[&str] = &["alias.diff", "alias.status", "alias.x", "remote.x.url", "submodule.libs/dep.update"];

/// Every hook that Git knows.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// The directory in which canaries leave their names.
fn ran_below(sandbox: &Sandbox) -> PathBuf {
    let ran = sandbox.outside().join("ran");
    fs::create_dir_all(&ran).unwrap();
    ran
}

/// A program that leaves its name behind. All are links to one script, which a child wrote: a file that this process had
/// open for writing may be busy for another test's child for a while.
fn canary(sandbox: &Sandbox, ran: &Path, name: &str) -> PathBuf {
    link_to(sandbox, name, "script", &format!("#!/bin/sh\n: > '{}'/\"${{0##*/}}\"\nexit 1\n", ran.display()))
}

/// One that lets Git go on.
fn singing_and_content(sandbox: &Sandbox, ran: &Path) -> PathBuf {
    link_to(sandbox, "content", "content-script", &format!("#!/bin/sh\n: > '{}'/content\nexit 0\n", ran.display()))
}

fn link_to(sandbox: &Sandbox, name: &str, script: &str, text: &str) -> PathBuf {
    let bin = sandbox.outside().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = bin.join(script);
    if !script.exists() {
        let mut write = sandbox.command("sh");
        write.args(["-c", "cat > \"$0\" && chmod +x \"$0\""]).arg(&script);
        let _ = run(write, text.as_bytes(), PATIENCE).ok();
    }
    let program = bin.join(name.replace('/', "-"));
    if !program.exists() {
        symlink(&script, &program).unwrap();
    }
    program
}

struct Cage {
    sandbox: Sandbox,
    ran: PathBuf,
}

impl Cage {
    /// Canaries everywhere, set up after everything is committed, so that none of them ran yet.
    fn new() -> Self {
        let inner = Sandbox::project();
        let sandbox = Sandbox::project();
        sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
        sandbox.write(".gitattributes", "*.py filter=x diff=x merge=x\n*.md filter=y diff=x\n");
        sandbox.commit("attributes");
        let ran = ran_below(&sandbox);
        let cage = Cage { sandbox, ran };
        for key in PROGRAMS {
            let program = cage.canary(key);
            cage.sandbox.git_quietly(&["config", key, program.to_str().unwrap()]);
        }
        for key in COMMANDS {
            let before = if key.starts_with("remote.") { "ext::" } else { "!" };
            let program = format!("{before}{}", cage.canary(key).display());
            cage.sandbox.git_quietly(&["config", key, &program]);
        }
        let global = cage.sandbox.outside().join("home/.gitconfig");
        for key in PROGRAMS {
            let program = cage.canary(&format!("global-{key}"));
            let file = global.to_str().unwrap();
            cage.sandbox.git_quietly(&["config", "--file", file, key, program.to_str().unwrap()]);
        }
        let inner = cage.canary("inner-fsmonitor");
        cage.sandbox.git_quietly(&["-C", "libs/dep", "config", "core.fsmonitor", inner.to_str().unwrap()]);
        for directory in [".git/hooks", ".githooks", ".git/modules/libs/dep/hooks"] {
            for hook in HOOKS {
                let to = cage.sandbox.at(format!("{directory}/{hook}"));
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                symlink(cage.canary(hook), to).unwrap();
            }
        }
        fs::write(cage.sandbox.at(".git/info/exclude"), ".githooks/\n").unwrap();
        cage.clear();
        cage
    }

    fn canary(&self, name: &str) -> PathBuf {
        canary(&self.sandbox, &self.ran, name)
    }

    fn ran(&self) -> BTreeSet<String> {
        let names = fs::read_dir(&self.ran).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }

    fn clear(&self) {
        for name in self.ran() {
            fs::remove_file(self.ran.join(name)).unwrap();
        }
    }

    /// Runs `cordon` with the variables of the environment that name programs for Git.
    fn cordon(&self, args: &[&str]) -> i32 {
        let mut command = self.sandbox.cordon_command(args);
        for name in [
            "GIT_EXTERNAL_DIFF",
            "GIT_PAGER",
            "GIT_EDITOR",
            "GIT_ASKPASS",
            "GIT_SSH_COMMAND",
            "GIT_SSH",
            "GIT_PROXY_COMMAND",
            "GIT_SEQUENCE_EDITOR",
            "SSH_ASKPASS",
        ] {
            command.env(name, self.canary(name));
        }
        let outcome = run(command, b"", PATIENCE).orderly();
        outcome.code()
    }
}

impl Sandbox {
    /// Runs git where a canary may make it fail.
    fn git_quietly(&self, args: &[&str]) {
        self.git_command(args).output().unwrap();
    }
}

#[test]
fn no_canary_runs() {
    for hooks_path in [None, Some(".githooks")] {
        let cage = Cage::new();
        let sandbox = &cage.sandbox;
        if let Some(path) = hooks_path {
            sandbox.git_quietly(&["config", "core.hooksPath", path]);
        }
        cage.clear();
        let mut codes = vec![cage.cordon(&["arm", "test", "--allow", "src/**"])];
        codes.push(cage.cordon(&["check"]));
        // Everything is stat-dirty now, so that filters and textconv would be asked.
        sandbox.append("src/app.py", "X = 1\n");
        sandbox.append("docs/guide.md", "more\n");
        sandbox.append("libs/dep/src/app.py", "X = 1\n");
        sandbox.write("src/new.py", "X = 1\n");
        for args in [
            &["check"][..],
            &["check", "--rehash"],
            &["status"],
            &["diff"],
            &["explain", "src/app.py"],
            &["reset"],
            &["arm", "test", "--allow", "src/**", "--allow-dirty"],
            &["rescue", "--to", "../rescued"],
            &["check"],
        ] {
            codes.push(cage.cordon(args));
        }
        assert_eq!(codes, [0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(cage.ran(), BTreeSet::new());
    }
}
