//! The older program and this one on the same directory, one after the other.

use std::fs;
use std::process::Stdio;

use super::common::{Space, counterpart};

#[test]
fn each_lists_shows_and_verifies_what_the_other_wrote() {
    let Some(real) = counterpart() else { return };
    let space = Space::new();
    space.write("a", "1");
    space.write("b", "2");
    let script =
        |number: u32| format!("echo {number} > a; mv b c || mv c b; chmod {number}00 a; ln -s {number} l{number}");
    for number in [4, 5, 6, 7] {
        if number % 2 == 0 {
            space.observe(&script(number)).exits(0);
        } else {
            space.real(&real, &["run", "--actor", "the older", "--", "sh", "-c", &script(number)]).exits(0);
        }
    }
    space.real(&real, &["run", "--", "sh", "-c", "exit 9"]).exits(9);
    space.observe("kill -TERM $$").exits(143);
    for id in space.sessions() {
        for command in ["show", "verify"] {
            let (ours, theirs) = (space.stone(&[command, &id]).exits(0), space.real(&real, &[command, &id]).exits(0));
            assert_eq!(ours.stdout, theirs.stdout);
        }
    }
    for args in [&["list"][..], &["show", "latest"], &["verify", "latest"]] {
        assert_eq!(space.stone(args).exits(0).stdout, space.real(&real, args).exits(0).stdout);
    }
    assert_eq!(space.sessions().len(), 6);
}

/// What is put into `.stone/config.toml`, and the arguments.
const CALLS: [(&str, &[&str]); 28] = [
    ("", &["run", "--", "true"]),
    ("", &["run", "--actor", "a", "--actor=b", "--", "sh", "-c", "exit 3"]),
    ("", &["run", "--actor", "-x", "--", "true"]),
    ("", &["run", "--actor=", "--capture-output", "--capture-output", "--", "false"]),
    ("", &["run", "--", "echo", "--", "--help"]),
    ("", &["run", "--", "--", "x"]),
    ("", &["run", "true"]),
    ("", &["run", "--"]),
    ("", &["run", "--odd", "--", "true"]),
    ("", &["run", "--attest-policy", "strict", "--", "true"]),
    ("", &["run", "--attest-policy", "odd", "--", "true"]),
    ("", &["run", "--attest", "http://witness.invalid", "--", "sh", "-c", "exit 4"]),
    ("", &["run", "--attest=http://127.0.0.1:1", "--attest-policy=strict", "--", "sh", "-c", "exit 4"]),
    ("", &["run", "--", "no-such-command"]),
    ("", &["run", "--", "/etc/passwd"]),
    ("", &["run", "--", "sh", "-c", "kill -INT $$"]),
    ("", &["run", "--confine", "--", "sh", "-c", "exit 5"]),
    ("ignore = [\"x/\"]", &["run", "--", "sh", "-c", "mkdir x; touch x/y z"]),
    ("ignore = [1]", &["run", "--", "true"]),
    ("odd = 1", &["run", "--", "true"]),
    ("capture_max_bytes = -1", &["run", "--", "true"]),
    ("", &["show", "latest"]),
    ("", &["verify", "latest"]),
    ("", &["verify", "nonsense"]),
    ("", &["attest", "latest"]),
    ("", &["attest"]),
    ("", &["list"]),
    ("", &[]),
];

#[test]
fn both_end_in_the_same_way() {
    let Some(real) = counterpart() else { return };
    for (config, args) in CALLS {
        let (ours, theirs) = (Space::new(), Space::new());
        for space in [&ours, &theirs] {
            if !config.is_empty() {
                space.write(".stone/config.toml", config);
            }
        }
        let (our_end, their_end) = (ours.stone(args), theirs.real(&real, args));
        assert_eq!(our_end.code, their_end.code, "{config} {args:?}: {}{}", our_end.stderr, their_end.stderr);
        assert_eq!(ours.sessions().len(), theirs.sessions().len(), "{args:?}");
        if !ours.sessions().is_empty() {
            let fields = ["actor", "command", "outcome", "exit_code", "confinement_backend", "type"];
            let told = |space: &Space| {
                let records = space.records().into_iter();
                records.flat_map(|record| fields.map(|field| record.get(field).cloned())).collect::<Vec<_>>()
            };
            assert_eq!(told(&ours), told(&theirs), "{args:?}");
        }
    }
}

#[test]
fn neither_runs_while_the_other_does() {
    let Some(real) = counterpart() else { return };
    let space = Space::new();
    let wait = ["run", "--", "sh", "-c", "echo x > begun; while [ ! -e enough ]; do sleep 0.02; done"];
    for ours_first in [true, false] {
        fs::remove_file(space.at("begun")).ok();
        fs::remove_file(space.at("enough")).ok();
        let mut command = if ours_first { space.ours_command(&wait) } else { space.command(&real, &wait) };
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !space.at("begun").exists() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        space.observe("true").exits(96);
        space.real(&real, &["run", "--", "true"]).exits(96);
        space.write("enough", "");
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(space.sessions().len(), 2);
}

#[test]
fn what_the_older_one_finds_broken_this_one_does_too() {
    let Some(real) = counterpart() else { return };
    let space = Space::new();
    space.write("a", "1");
    space.observe("echo 2 > a; echo 3 > b; ln -s x l").exits(0);
    let id = space.sessions().pop().unwrap();
    let path = space.file(&id, "events.jsonl");
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    for at in (0..whole.len()).step_by(23) {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        fs::write(&path, changed).unwrap();
        if space.real(&real, &["verify", &id]).code != 0 {
            found += 1;
            space.stone(&["verify", &id]).exits(1);
        }
    }
    assert!(found > 20, "the older program finds most of them");
}
