//! The command of a finding really undoes what the finding is about: it is run in a real shell, and the check accepts.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::common::json;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Runs the commands of all findings, in their order, until the check accepts or nothing more is offered.
#[track_caller]
pub fn undo_all(sandbox: &Sandbox, what: &str) {
    let mut done = Vec::new();
    for _ in 0..8 {
        let outcome = sandbox.check();
        if outcome.code() == 0 {
            return;
        }
        let verdict = outcome.rejected().json();
        let commands: Vec<Vec<u8>> = json::array(&verdict["findings"])
            .iter()
            .filter(|finding| !finding["undo"].is_null())
            .map(|finding| json::bytes(&finding["undo"]))
            .collect();
        assert!(!commands.is_empty(), "{what}: no command is left after {done:?}: {verdict:#}");
        for command in commands {
            assert!(command.iter().all(|byte| !byte.is_ascii_control()), "{what}: {command:?}");
            let mut shell = sandbox.command("bash");
            shell.arg("-c").arg(OsStr::from_bytes(&command));
            let told = run(shell, b"", PATIENCE);
            done.push((String::from_utf8_lossy(&command).into_owned(), told.code()));
        }
    }
    panic!("{what}: still rejected after {done:?}");
}

#[test]
fn the_commands_undo_changes_of_files() {
    type Act = fn(&Sandbox);
    let acts: &[(&str, Act)] = &[
        ("edited", |s| s.append("README.md", "x\n")),
        ("edited and staged", |s| {
            s.append("README.md", "x\n");
            s.git(&["add", "README.md"]).ok();
        }),
        ("staged only", |s| {
            s.append("README.md", "x\n");
            s.git(&["add", "README.md"]).ok();
            s.write("README.md", "# Demo\n");
        }),
        ("deleted", |s| fs::remove_file(s.at("docs/guide.md")).unwrap()),
        ("removed", |s| drop(s.git(&["rm", "-q", "docs/guide.md"]).ok())),
        ("left the index", |s| drop(s.git(&["rm", "-q", "--cached", "docs/guide.md"]).ok())),
        ("new", |s| s.write("new file", "x")),
        ("new and staged", |s| {
            s.write("new", "x");
            s.git(&["add", "new"]).ok();
        }),
        ("new in the index only", |s| {
            s.write("new", "x");
            s.git(&["add", "new"]).ok();
            fs::remove_file(s.at("new")).unwrap();
        }),
        ("ignored and staged", |s| {
            s.write("x.log", "x");
            s.git(&["add", "-f", "x.log"]).ok();
        }),
        ("renamed", |s| drop(s.git(&["mv", "README.md", "src/README.md"]).ok())),
        ("executable", |s| fs::set_permissions(s.at("README.md"), Permissions::from_mode(0o755)).unwrap()),
        ("executable unseen", |s| {
            s.git(&["config", "core.fileMode", "true"]).ok();
            fs::set_permissions(s.at("README.md"), Permissions::from_mode(0o755)).unwrap();
            s.git(&["add", "README.md"]).ok();
        }),
        ("of the same size and time", |s| {
            let time = fs::metadata(s.at("README.md")).unwrap().modified().unwrap();
            fs::write(s.at("README.md"), "# Evil\n").unwrap();
            fs::File::options().write(true).open(s.at("README.md")).unwrap().set_modified(time).unwrap();
        }),
        ("a link now", |s| {
            fs::remove_file(s.at("README.md")).unwrap();
            symlink("src/app.py", s.at("README.md")).unwrap();
        }),
        ("a directory now", |s| {
            fs::remove_file(s.at("README.md")).unwrap();
            s.write("README.md/a", "x");
        }),
        ("a FIFO now", |s| {
            fs::remove_file(s.at("README.md")).unwrap();
            let fifo = s.at("README.md");
            rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
        }),
        ("protected", |s| s.write(".vscode/tasks.json", "{}")),
        ("hidden", |s| {
            s.append("README.md", "x\n");
            s.git(&["update-index", "--assume-unchanged", "README.md"]).ok();
            s.git(&["update-index", "--skip-worktree", "docs/guide.md"]).ok();
        }),
        ("set-user-id", |s| fs::set_permissions(s.at("src/app.py"), Permissions::from_mode(0o4644)).unwrap()),
        ("hard link", |s| {
            fs::remove_file(s.at("src/util.py")).unwrap();
            fs::hard_link(s.at("README.md"), s.at("src/util.py")).unwrap();
        }),
        ("hidden by a new exclude file", |s| {
            s.write("src/gen/.gitignore", "*.py\n");
            s.write("src/gen/a.py", "x\n");
        }),
        ("hidden by an edited exclude file", |s| {
            s.append(".gitignore", "hidden.py\n");
            s.write("src/hidden.py", "x\n");
        }),
        ("a link that leads away", |s| symlink("/etc/passwd", s.at("src/away")).unwrap()),
        ("a repository inside", |s| {
            fs::create_dir(s.at("inner")).unwrap();
            s.git(&["init", "-q", "inner"]).ok();
        }),
        ("committed", |s| {
            s.append("src/app.py", "X = 1\n");
            s.append("README.md", "x\n");
            s.commit("x");
        }),
    ];
    for (what, act) in acts {
        let sandbox = Sandbox::armed();
        act(&sandbox);
        sandbox.check().rejected();
        undo_all(&sandbox, what);
    }
}

#[test]
fn the_commands_undo_what_a_commit_did() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.append("README.md", "x\n");
    sandbox.commit("x");
    undo_all(&sandbox, "committed with the right to commit");
    assert_eq!(sandbox.check().ok().json()["changed_files"], serde_json::json!(["src/app.py"]));
}

#[test]
fn a_hostile_name_is_undone_and_nothing_else_is() {
    let names: &[&[u8]] = &[
        b"-rf",
        b"a b",
        b"it's",
        b"$(touch pwned)",
        b"`touch pwned`;touch pwned",
        b"x\n::error::y\x1b[2J",
        b"bad\xff\xfe",
        "\u{202e}evil".as_bytes(),
        b"*",
        b":(top)README.md",
        b"back\\slash",
        b"!x",
    ];
    for name in names {
        let sandbox = Sandbox::armed();
        sandbox.write_raw(name, "x\n");
        for format in ["json", "human"] {
            let outcome = sandbox.cordon(&["check", "--format", format]).rejected();
            assert!(!outcome.stdout.contains(&0x1b), "{outcome:?}");
            assert!(!outcome.text().contains('\u{202e}') && !outcome.text().contains("\n::error"), "{outcome:?}");
        }
        undo_all(&sandbox, &String::from_utf8_lossy(name));
        assert!(!sandbox.at(OsStr::from_bytes(name)).exists() && !sandbox.at("pwned").exists());
        // The same name tracked, and edited.
        let sandbox = Sandbox::project();
        sandbox.write_raw(name, "x\n");
        sandbox.git(&["--literal-pathspecs", "add", "-A"]).ok();
        sandbox.git(&["commit", "-q", "-m", "more"]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.append("src/app.py", "X = 1\n");
        sandbox.write_raw(name, "longer\n");
        undo_all(&sandbox, &String::from_utf8_lossy(name));
        assert_eq!(fs::read(sandbox.at(OsStr::from_bytes(name))).unwrap(), b"x\n");
        assert!(fs::read_to_string(sandbox.at("src/app.py")).unwrap().contains("X = 1"));
    }
}

#[test]
fn a_submodule_is_undone_where_it_lies() {
    let sandbox = Sandbox::project();
    let inner = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("libs/dep/README.md", "x\n");
    sandbox.write("libs/dep/new", "x\n");
    sandbox.check().rejected();
    undo_all(&sandbox, "files of a submodule");
}

#[test]
fn the_commands_undo_commits_wherever_they_are_held() {
    type Act = fn(&Sandbox);
    fn honest(sandbox: &Sandbox) {
        sandbox.append("src/util.py", "HONEST = 1\n");
        sandbox.commit("honest");
    }
    fn aside(sandbox: &Sandbox, branch: &str) {
        sandbox.git(&["switch", "-q", "-c", branch]).ok();
        sandbox.append("docs/guide.md", "evil\n");
        sandbox.commit("evil");
        sandbox.git(&["switch", "-q", "main"]).ok();
    }
    let acts: &[(&str, &[&str], Act)] = &[
        ("on another branch", &["git branch -D nb"], |s| {
            aside(s, "nb");
            honest(s);
        }),
        ("on another branch, HEAD where it was", &["git branch -D nb"], |s| aside(s, "nb")),
        ("on branches of hostile names", &[r"git branch -D $'b\342\200\256x' 'it'\''s'"], |s| {
            aside(s, "it's");
            s.git(&["branch", "b\u{202e}x", "it's"]).ok();
            honest(s);
        }),
        (
            "merged",
            &[
                "git reset -q --soft BASE && git restore --source=BASE --staged --worktree -- docs/guide.md && git branch -D nb",
            ],
            |s| {
                aside(s, "nb");
                honest(s);
                s.git(&["merge", "-q", "--no-edit", "nb"]).ok();
            },
        ),
        ("merged and taken back", &["git reset -q --soft BASE && git branch -D nb"], |s| {
            aside(s, "nb");
            s.git(&["merge", "-q", "nb"]).ok();
            s.git(&["revert", "--no-edit", "HEAD"]).ok();
            honest(s);
        }),
        ("on two branches in two commits", &["git branch -D nb nb2"], |s| {
            aside(s, "nb");
            aside(s, "nb2");
            honest(s);
        }),
    ];
    for (what, expected, act) in acts {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
        let base = sandbox.git(&["rev-parse", "HEAD"]).ok().text().trim().to_owned();
        act(&sandbox);
        let verdict = sandbox.check().rejected().json();
        let findings = json::array(&verdict["findings"]);
        let commands: Vec<String> = findings.iter().map(|f| f["undo"].as_str().unwrap_or("none").to_owned()).collect();
        let expected: Vec<String> = expected.iter().map(|command| command.replace("BASE", &base)).collect();
        assert_eq!(commands, expected, "{what}");
        undo_all(&sandbox, what);
        // The honest commit is where it was, or its work is there still.
        let util = fs::read_to_string(sandbox.at("src/util.py")).unwrap();
        assert_eq!(util.contains("HONEST"), *what != "on another branch, HEAD where it was");
        let on_main = sandbox.git(&["log", "--oneline", "main"]).ok().text().contains("honest");
        assert_eq!(
            on_main,
            ["on another branch", "on branches of hostile names", "on two branches in two commits"].contains(what)
        );
    }
}
