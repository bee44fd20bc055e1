//! Nothing that the repository or its configuration names runs at arm, check, status or diff.
//!
//! Every place where Git would start a program names a canary that leaves its name behind when it is started. The same
//! canaries run when Git does the same work, or the test would prove nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Keys whose values Git runs.
const PROGRAMS: &[&str] = &[
    "core.fsmonitor",
    "core.sshCommand",
    "core.gitProxy",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "gpg.program",
    "diff.external",
    "diff.x.textconv",
    "diff.x.command",
    "merge.x.driver",
    "filter.x.clean",
    "filter.x.smudge",
    "filter.y.process",
    "uploadpack.packObjectsHook",
    "sequence.editor",
    "interactive.diffFilter",
    "pager.status",
    "pager.diff",
    "sendemail.toCmd",
    "gc.recentObjectsHook",
];

/// Hooks that Git runs when somebody looks or works.
const HOOKS: &[&str] =
    &["post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"];

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
        let ran = sandbox.outside().join("ran");
        fs::create_dir(&ran).unwrap();
        fs::create_dir(sandbox.outside().join("bin")).unwrap();
        let cage = Cage { sandbox, ran };
        for key in PROGRAMS {
            let program = cage.canary(key);
            cage.sandbox.git_quietly(&["config", key, program.to_str().unwrap()]);
        }
        let alias = format!("!{}", cage.canary("alias").display());
        for name in ["status", "diff", "x"] {
            cage.sandbox.git_quietly(&["config", &format!("alias.{name}"), &alias]);
        }
        cage.sandbox.git_quietly(&["config", "submodule.libs/dep.update", &alias]);
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

    /// A program that leaves its name behind. All are links to one script, which a child wrote: a file that this
    /// process had open for writing may be busy for another test's child for a while.
    fn canary(&self, name: &str) -> PathBuf {
        let bin = self.sandbox.outside().join("bin");
        let script = bin.join("script");
        if !script.exists() {
            let text = format!("#!/bin/sh\n: > '{}'/\"${{0##*/}}\"\nexit 1\n", self.ran.display());
            let mut write = self.sandbox.command("sh");
            write.args(["-c", "cat > \"$0\" && chmod +x \"$0\""]).arg(&script);
            let _ = run(write, text.as_bytes(), PATIENCE).ok();
        }
        let program = bin.join(name);
        if !program.exists() {
            symlink(&script, &program).unwrap();
        }
        program
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
        for args in [&["check"][..], &["check", "--rehash"], &["status"], &["diff"], &["reset"]] {
            codes.push(cage.cordon(args));
        }
        assert_eq!(codes, [0, 0, 3, 3, 0, 0, 0]);
        assert_eq!(cage.ran(), BTreeSet::new());
    }
}

/// The same canaries sing for Git.
#[test]
fn the_canaries_are_alive() {
    let cage = Cage::new();
    let sandbox = &cage.sandbox;
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.append("README.md", "more\n");
    sandbox.append(".gitmodules", "# more\n");
    for args in [
        &["status"][..],
        &["add", "README.md"],
        // Git gives up where this one fails, and asks nobody else.
        &["config", "--unset", "filter.y.process"],
        &["diff", "--", ".gitmodules"],
        &["diff", "--", "src"],
        &["log", "-p"],
        &["add", "src/app.py"],
        &["commit", "-S", "-m", "x"],
        &["x"],
        &["-C", "libs/dep", "status"],
        &["update-ref", "refs/heads/new", "HEAD"],
    ] {
        sandbox.git_quietly(args);
    }
    let ran = cage.ran();
    for name in [
        "core.fsmonitor",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.y.process",
        "pre-commit",
        "alias",
        "inner-fsmonitor",
        "reference-transaction",
    ] {
        assert!(ran.contains(name), "{name} did not run: {ran:?}");
    }
}
