//! Confinement: the command and all that it starts can only read `.stone/`, or nothing runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::common::{Outcome, Space, counterpart, ours, privileged, run};

/// Whether this system has the namespaces; says so when not, and fails when all tests were asked for.
fn possible() -> bool {
    let space = Space::new();
    let possible = run(space.command("unshare".as_ref(), &["--user", "--map-root-user", "--mount", "true"])).code == 0;
    assert!(possible || std::env::var_os("CORDON_TEST_ALL").is_none(), "this test needs user namespaces");
    if !possible {
        eprintln!("skipped: this system has no user namespaces for everybody");
    }
    possible
}

/// Ways to write into `.stone/` that must all fail; each that succeeds leaves a file `done-NAME`.
const ATTACKS: [(&str, &str); 9] = [
    ("write", "echo x > .stone/evil"),
    ("append", "echo x >> .stone/index.jsonl"),
    ("remove", "rm .stone/lock"),
    ("rename", "mv .stone .stolen"),
    ("detached", "setsid sh -c 'echo x > .stone/evil'"),
    ("unmount", "umount .stone"),
    ("remount", "mount -o remount,rw,bind .stone"),
    (
        "nested",
        "unshare --user --map-root-user --mount sh -c 'umount .stone; mount -o remount,rw,bind .stone; echo x > .stone/evil'",
    ),
    ("observer", "echo x > /proc/$PPID/cwd/.stone/evil || echo x > /proc/$PPID/root$PWD/.stone/evil"),
];

fn attacks() -> String {
    let tries = ATTACKS.map(|(name, script)| format!("( {script} ) 2>/dev/null && touch done-{name}"));
    tries.join("\n") + "\ncat .stone/lock > read\nid -u > user\ntrue\n"
}

#[track_caller]
fn assert_confined(space: &Space, outcome: Outcome, user: &str) {
    let outcome = outcome.exits(0);
    assert!(outcome.stdout.contains("\nConfinement: userns (ledger profile)\n"), "{}", outcome.stdout);
    assert_eq!(space.told(), ["created read", "created user"], "no attack succeeds, and reading is allowed");
    assert!(fs::read_to_string(space.at("read")).unwrap().contains("\"pid\":"));
    assert_eq!(fs::read_to_string(space.at("user")).unwrap().trim(), user);
    let started = &space.records()[0];
    let fields = ["confinement_backend", "confinement_profile"].map(|name| started[name].as_str().unwrap());
    assert_eq!(fields, ["userns", "ledger"]);
    assert_eq!(started["confinement_signal_scope"], false);
    let mut left: Vec<_> = fs::read_dir(space.at(".stone")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["index.jsonl", "sessions"]);
    space.stone(&["verify", "latest"]).exits(0);
    if let Some(real) = counterpart() {
        let theirs = space.real(&real, &["show", "latest"]).exits(0).stdout;
        assert!(theirs.contains("Confinement: userns (ledger profile)"), "{theirs}");
        space.real(&real, &["verify", "latest"]).exits(0);
    }
}

#[test]
fn nothing_that_a_confined_command_does_reaches_the_record() {
    if !possible() {
        return;
    }
    let space = Space::new();
    let outcome = space.stone(&["run", "--confine", "--", "sh", "-c", &attacks()]);
    assert_confined(&space, outcome, &rustix::process::geteuid().as_raw().to_string());
}

#[test]
fn an_ordinary_user_confines_as_well() {
    if !possible() || !privileged() {
        return;
    }
    let space = Space::new();
    for path in [space.root.as_path(), space.root.parent().unwrap()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let (ours, script) = (ours().into_string().unwrap(), attacks());
    let args =
        ["--reuid=65534", "--regid=65534", "--clear-groups", &ours, "run", "--confine", "--", "sh", "-c", &script];
    let outcome = run(space.command("setpriv".as_ref(), &args));
    assert_confined(&space, outcome, "65534");
}

#[test]
fn the_end_is_the_same_as_without() {
    if !possible() {
        return;
    }
    for confine in [&[][..], &["--confine"]] {
        let space = Space::new();
        space.write("plain", "#!/bin/sh\n");
        let stone = |command: &[&str]| space.stone(&[&["run"], confine, &["--"], command].concat());
        for (name, code) in [("no-such-command", 127), ("./missing", 127), ("./plain", 126)] {
            stone(&[name]).exits(code);
        }
        assert_eq!(space.sessions(), [""; 0], "what cannot start leaves no record");
        stone(&["sh", "-c", "exit 7"]).exits(7);
        stone(&["sh", "-c", "kill -KILL $$"]).exits(137);
        let args =
            [&["run", "--capture-output"], confine, &["--", "sh", "-c", "echo said; (sleep 0.2; echo x > late) &"]];
        let outcome = space.stone(&args.concat()).exits(0);
        assert!(outcome.stdout.starts_with("said\nSession: "), "{}", outcome.stdout);
        assert_eq!(space.told(), ["created late"]);
    }
}

#[test]
fn what_cannot_be_confined_does_not_run() {
    if !possible() {
        return;
    }
    let space = Space::new();
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces || exit 77; {} run --confine -- touch ran",
        ours().into_string().unwrap()
    );
    let outcome = run(space.command("unshare".as_ref(), &["--user", "--map-root-user", "sh", "-c", &script]));
    let outcome = outcome.exits(95);
    assert!(outcome.stderr.contains("does not let an ordinary user confine"), "{}", outcome.stderr);
    assert!(!space.at("ran").exists() && !space.at(".stone/lock").exists());
    assert_eq!(space.sessions(), [""; 0]);
}
