//! How `stone` ends, and what it leaves behind when it does not do what it was asked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use super::common::{Space, privileged, run};

#[test]
fn the_exit_code_is_that_of_the_command() {
    let space = Space::new();
    for (script, code, outcome) in [("true", 0, "success"), ("exit 3", 3, "failed"), ("exit 255", 255, "failed")] {
        space.observe(script).exits(code);
        assert_eq!(space.end(), (outcome.into(), code.into()));
    }
    space.observe("kill -KILL $$").exits(137);
    assert_eq!(space.end(), ("interrupted".into(), 137));
}

#[test]
fn a_command_that_cannot_start_leaves_no_record() {
    let space = Space::new();
    space.write("plain", "#!/bin/sh\n");
    space.write("text", "no program");
    space.write("lost", "#!/no/such/interpreter\n");
    for name in ["text", "lost"] {
        fs::set_permissions(space.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::create_dir(space.at("folder")).unwrap();
    for (name, code) in [
        ("no-such-command", 127),
        ("./missing", 127),
        ("./lost", 127),
        ("./plain", 126),
        ("./folder", 126),
        ("./text", 126),
        ("", 127),
    ] {
        let outcome = space.stone(&["run", "--", name]).exits(code);
        assert!(outcome.stderr.contains("cannot start"), "{}", outcome.stderr);
    }
    assert_eq!(space.sessions(), [""; 0]);
    assert!(!space.at(".stone/lock").exists());
    assert!(!space.at(".stone/index.jsonl").exists());
}

#[test]
fn bad_arguments_are_2_and_a_call_for_help_is_0() {
    let space = Space::new();
    for args in [
        &["run"][..],
        &["run", "true"],
        &["run", "--"],
        &["run", "--actor"],
        &["run", "--nonsense", "--", "true"],
        &["show"],
        &["verify"],
        &["verify", "a", "b"],
        &["list", "x"],
        &["nonsense"],
    ] {
        space.stone(args).exits(2);
    }
    for args in [&[][..], &["--help"], &["-h"], &["run", "--help"], &["--version"]] {
        assert!(!space.stone(args).exits(0).stdout.is_empty());
    }
    assert!(!space.at(".stone").exists(), "none of them needs a workspace");
}

#[test]
fn a_session_that_is_not_there_is_1() {
    let space = Space::new();
    for name in ["latest", "01K0EJ3V9CJ0Q6ZM3S1R8T5W2X", "../../etc", "x\u{1b}[2J"] {
        let outcome = space.stone(&["show", name]).exits(1);
        assert!(!outcome.stderr.contains('\u{1b}'));
        space.stone(&["verify", name]).exits(1);
    }
    assert_eq!(space.stone(&["list"]).exits(0).stdout, "No sessions recorded.\n");
    assert!(!space.at(".stone").exists(), "readers leave nothing");
}

#[test]
fn a_lock_is_96_until_its_process_is_gone() {
    let space = Space::new();
    space.observe("true").exits(0);
    let mut other = Command::new("sleep").arg("100").spawn().unwrap();
    let lock = format!("{{\"id\":\"01K0EJ3V9CJ0Q6ZM3S1R8T5W2X\",\"pid\":{}}}\n", other.id());
    fs::write(space.at(".stone/lock"), &lock).unwrap();
    space.observe("touch ran").exits(96);
    assert!(!space.at("ran").exists());
    assert_eq!(fs::read_to_string(space.at(".stone/lock")).unwrap(), lock);
    other.kill().unwrap();
    other.wait().unwrap();
    let outcome = space.observe("touch ran").exits(0);
    assert!(outcome.stderr.contains("took over the lock"), "{}", outcome.stderr);
    assert_eq!(space.told(), ["created ran"]);
    assert!(!space.at(".stone/lock").exists());
}

#[test]
fn a_session_inside_a_session_is_refused() {
    let space = Space::new();
    let ours = super::common::ours();
    let script = format!("{} run -- true; echo inner $?", ours.to_str().unwrap());
    let outcome = space.observe(&script).exits(0);
    assert!(outcome.stdout.contains("inner 96"), "{}", outcome.stdout);
}

#[test]
fn a_broken_configuration_is_97() {
    let space = Space::new();
    fs::create_dir(space.at(".stone")).unwrap();
    let config = space.at(".stone/config.toml");
    for text in [
        &b"ignore = 1"[..],
        b"ignore = [\"/a\"]",
        b"ignore = [\"a*\"]",
        b"capture_max_bytes = 0",
        b"other = 1",
        b"ignore = [",
        b"\xff\xfe",
        b"ignore = [\"\xff\"]",
        b"capture_max_bytes = 99999999999999999999",
    ] {
        fs::write(&config, text).unwrap();
        space.observe("touch ran").exits(97);
    }
    fs::remove_file(&config).unwrap();
    symlink("/dev/null", &config).unwrap();
    space.observe("touch ran").exits(97);
    fs::remove_file(&config).unwrap();
    fs::create_dir(&config).unwrap();
    space.observe("touch ran").exits(97);
    fs::remove_dir(&config).unwrap();
    run(space.command("mkfifo".as_ref(), &[&config])).exits(0);
    space.observe("touch ran").exits(97);
    assert!(!space.at("ran").exists());
    assert_eq!(space.sessions(), [""; 0]);
}

#[test]
fn what_is_set_is_obeyed() {
    let space = Space::new();
    fs::create_dir(space.at(".stone")).unwrap();
    fs::write(space.at(".stone/config.toml"), "ignore = [\"data/cache/\", \"tmp\"]\ncapture_max_bytes = 4\n").unwrap();
    let script = "mkdir -p data/cache tmp data/cached .git node_modules sub/.git sub/venv
        for d in data/cache tmp data/cached data .git node_modules sub/.git sub/venv; do echo $d > $d/f; done
        echo x > venv; printf 123456789; printf ab >&2";
    let outcome = space.stone(&["run", "--capture-output", "--", "sh", "-c", script]).exits(0);
    assert_eq!(space.told(), ["created data/cached/f", "created data/f", "created sub/.git/f", "created sub/venv/f"]);
    assert!(outcome.stdout.starts_with("123456789Session: "), "everything is passed on: {}", outcome.stdout);
    let id = space.sessions().pop().unwrap();
    for (name, content) in [("stdout.log", "6789"), ("stderr.log", "ab")] {
        let path = space.file(&id, name);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_workspace_that_cannot_hold_a_ledger_is_97() {
    let space = Space::new();
    fs::create_dir(space.at("elsewhere")).unwrap();
    symlink("elsewhere", space.at(".stone")).unwrap();
    space.observe("touch ran").exits(97);
    space.stone(&["list"]).exits(97);
    fs::remove_file(space.at(".stone")).unwrap();
    space.write(".stone", "");
    space.observe("touch ran").exits(97);
    fs::remove_file(space.at(".stone")).unwrap();
    fs::create_dir(space.at(".stone")).unwrap();
    symlink("../elsewhere", space.at(".stone/sessions")).unwrap();
    space.observe("touch ran").exits(97);
    fs::remove_file(space.at(".stone/sessions")).unwrap();
    let index = space.at(".stone/index.jsonl");
    run(space.command("mkfifo".as_ref(), &[&index])).exits(0);
    space.observe("touch ran").exits(97);
    fs::remove_file(&index).unwrap();
    symlink("../elsewhere/index", &index).unwrap();
    space.observe("touch ran").exits(97);
    assert!(!space.at("ran").exists(), "nothing ran");
    assert_eq!(fs::read_dir(space.at("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_store_that_is_swapped_for_a_link_meanwhile_redirects_nothing() {
    let space = Space::new();
    fs::create_dir(space.at("elsewhere")).unwrap();
    space.observe("true").exits(0);
    space.observe("mv .stone moved; ln -s elsewhere .stone").exits(0);
    assert_eq!(fs::read_dir(space.at("elsewhere")).unwrap().count(), 0);
    fs::remove_file(space.at(".stone")).unwrap();
    fs::rename(space.at("moved"), space.at(".stone")).unwrap();
    assert_eq!(space.sessions().len(), 2);
    assert!(!space.at(".stone/lock").exists());
    assert_eq!(space.stone(&["list"]).exits(0).stdout.lines().count(), 3);
    space.stone(&["verify", "latest"]).exits(0);
}

#[test]
fn what_cannot_be_observed_is_98() {
    if !privileged() {
        return;
    }
    let space = Space::new();
    space.write("closed/file", "x");
    fs::set_permissions(&space.root, fs::Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(space.at(".stone")).unwrap();
    fs::set_permissions(space.at(".stone"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(space.root.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    let as_nobody = |script: &str| {
        let ours = super::common::ours().into_string().unwrap();
        let args = ["--reuid=65534", "--regid=65534", "--clear-groups", &ours, "run", "--", "sh", "-c", script];
        run(space.command("setpriv".as_ref(), &args))
    };
    fs::set_permissions(space.at("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    let outcome = as_nobody("touch ran").exits(98);
    assert!(outcome.stderr.contains("cannot read closed"), "{}", outcome.stderr);
    assert!(!space.at("ran").exists());
    assert_eq!(space.sessions(), [""; 0]);

    fs::set_permissions(space.at("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = as_nobody("mkdir mine && echo x > mine/f && chmod 0 mine").exits(98);
    assert!(outcome.stdout.contains("the net effects of this session are unknown"), "{}", outcome.stdout);
    assert_eq!(space.end(), ("incomplete".into(), 0));
    assert_eq!(space.records().len(), 2);
    space.stone(&["verify", "latest"]).exits(0);
}

#[test]
fn json_has_the_session_on_its_last_line() {
    let space = Space::new();
    let outcome =
        space.stone(&["run", "--json", "--actor", "me", "--", "sh", "-c", "echo out; echo x > a; exit 4"]).exits(4);
    let last: serde_json::Value = serde_json::from_str(outcome.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["outcome"], &last["exit_code"], &last["actor"]), (&"failed".into(), &4.into(), &"me".into()));
    assert_eq!(last["effects"], serde_json::json!([{"type": "file.created", "path": "a"}]));
    assert_eq!(last["session"], space.sessions().pop().unwrap().as_str());
    assert!(space.at(last["ledger"].as_str().unwrap()).is_file());
    let shown = space.stone(&["show", "--json", "latest"]).exits(0).stdout;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), last);
    let json =
        |args: &[&str]| -> serde_json::Value { serde_json::from_str(&space.stone(args).exits(0).stdout).unwrap() };
    let listed = json(&["list", "--json"]);
    assert_eq!(listed["sessions"][0]["actor"], "me");
    assert_eq!(
        (&listed["sessions"][0]["session"], &listed["broken_lines"]),
        (&last["session"], &serde_json::json!([]))
    );
    let verified = json(&["--json", "verify", "latest"]);
    assert_eq!(
        (&verified["intact"], &verified["records"], &verified["receipt"]),
        (&true.into(), &3.into(), &false.into())
    );
    let refused = space.stone(&["--json", "run", "--", "no-such-command"]).exits(127).stdout;
    let refused: serde_json::Value = serde_json::from_str(&refused).unwrap();
    assert_eq!(refused["error"]["kind"], "command");
}
