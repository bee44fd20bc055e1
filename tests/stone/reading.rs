//! Ledgers that somebody has tampered with, and what is told of those that are whole.

use std::fs;
use std::os::unix::fs::symlink;

use super::common::{Space, counterpart, run};

#[test]
fn a_summary_is_printed_and_shown_again() {
    let space = Space::new();
    space.write("notes.txt", "notes");
    space.write("README.md", "old");
    space.write("draft.tmp", "draft");
    space.write("tool", "#!/bin/sh\n");
    let script =
        "mkdir docs; mv notes.txt docs/; echo new > README.md; rm draft.tmp; chmod 700 tool; echo a > docs/a.md";
    let printed = space.stone(&["run", "--actor", "codex", "--", "sh", "-c", script]).exits(0).stdout;
    let id = space.sessions().pop().unwrap();
    let took = space.records().last().unwrap()["duration_s"].as_f64().unwrap();
    let expected = format!(
        "Session: {id}\nDeclared actor: codex\nCommand: sh -c '{script}'\nOutcome: success\nDuration: {took:.1} seconds\n\
         Confinement: none\n\nNet effects detected:\nCREATED      docs/a.md\nDELETED      draft.tmp\nMETADATA     tool\n\
         MODIFIED     README.md\nRENAMED      notes.txt \u{2192} docs/notes.txt\n\nThe order shown does not necessarily \
         represent\nthe chronological order of the operations.\n"
    );
    assert_eq!(printed, expected);
    assert_eq!(space.stone(&["show", "latest"]).exits(0).stdout, expected);
    assert_eq!(space.stone(&["show", &id]).exits(0).stdout, expected);
    let whole = "Ledger intact: 7 records, hash chain and structure verified.\n";
    assert_eq!(space.stone(&["verify", &id]).exits(0).stdout, whole);
    if let Some(real) = counterpart() {
        assert_eq!(space.real(&real, &["show", "latest"]).exits(0).stdout, expected);
        assert_eq!(space.real(&real, &["verify", &id]).exits(0).stdout, whole);
        assert_eq!(space.real(&real, &["list"]).exits(0).stdout, space.stone(&["list"]).exits(0).stdout);
    }
}

#[test]
fn the_latest_session_is_the_one_that_began_last() {
    let space = Space::new();
    for name in ["a", "b", "c"] {
        space.observe(&format!("echo {name} > {name}")).exits(0);
    }
    let ids = space.sessions();
    let listed = space.stone(&["list"]).exits(0).stdout;
    let order: Vec<&str> = listed.lines().skip(1).map(|line| &line[..26]).collect();
    assert_eq!(order, [&ids[2], &ids[1], &ids[0]]);
    assert!(space.stone(&["show", "latest"]).exits(0).stdout.contains("CREATED      c\n"));
}

#[test]
fn tampering_is_found_and_the_record_is_named() {
    let space = Space::new();
    space.write("a", "1");
    space.observe("echo 2 > a; echo 3 > b").exits(0);
    let id = space.sessions().pop().unwrap();
    let path = space.file(&id, "events.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let cases = [
        (whole.replace("\"size\":2", "\"size\":3"), "record 3 does not follow from the record before"),
        (whole[..whole.len() - 1].to_owned(), "record 4 does not end with a newline"),
        (whole[..whole.len() - 9].to_owned(), "record 4 does not end with a newline"),
        (lines[..3].join("\n") + "\n", "record 3 is the last one and no `session.finished`"),
        ([lines[0], lines[2], lines[1], lines[3]].join("\n") + "\n", "record 2 does not follow"),
        ([lines[0], lines[3]].join("\n") + "\n", "record 2 does not follow"),
        (whole.replacen("{\"actor\"", "{ \"actor\"", 1), "record 1 is not in the canonical form"),
        (whole.clone() + &whole, "record 4 is a `session.finished` that is not the last record"),
        (String::new(), "record 1 is missing: the ledger is empty"),
        ("\0\n".into(), "record 1 is not valid JSON"),
    ];
    for (text, reason) in cases {
        fs::write(&path, text).unwrap();
        for command in ["verify", "show"] {
            let told = space.stone(&[command, "latest"]).exits(1).stdout;
            assert!(told.starts_with(&format!("Ledger NOT intact: {reason}")), "{told}");
        }
        let json = space.stone(&["verify", "--json", "latest"]).exits(1).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["intact"], json["broken_record"].is_u64()), (&false.into(), true));
    }
}

#[test]
fn a_session_that_was_copied_or_put_under_another_name_is_found() {
    let space = Space::new();
    space.observe("echo 1 > a").exits(0);
    let id = space.sessions().pop().unwrap();
    let other = "01K0EJ3V9CJ0Q6ZM3S1R8T5W2X";
    run(space.command("cp".as_ref(), &["-r", &format!(".stone/sessions/{id}"), &format!(".stone/sessions/{other}")]))
        .exits(0);
    let told = space.stone(&["verify", other]).exits(1).stdout;
    assert_eq!(told, format!("Ledger NOT intact: record 1 belongs to the session {id}, not to {other}\n"));
}

#[test]
fn a_link_or_a_pipe_in_the_place_of_a_ledger_is_refused_at_once() {
    let space = Space::new();
    space.observe("echo 1 > a").exits(0);
    let id = space.sessions().pop().unwrap();
    let path = space.file(&id, "events.jsonl");
    fs::rename(&path, space.at("moved")).unwrap();
    symlink("../../../moved", &path).unwrap();
    space.stone(&["verify", &id]).exits(1);
    fs::remove_file(&path).unwrap();
    run(space.command("mkfifo".as_ref(), &[&path])).exits(0);
    space.stone(&["verify", &id]).exits(1);
    assert!(space.stone(&["list"]).exits(0).stdout.contains(&format!("{id}  ")));
    let sessions = space.at(".stone/sessions");
    fs::rename(sessions.join(&id), space.at("whole")).unwrap();
    symlink("../../whole", sessions.join(&id)).unwrap();
    space.stone(&["verify", &id]).exits(1);
}

#[test]
fn a_torn_index_is_read_as_far_as_it_goes_and_mended_by_the_next_session() {
    let space = Space::new();
    space.observe("echo 1 > a").exits(0);
    space.observe("echo 2 > a").exits(0);
    let index = space.at(".stone/index.jsonl");
    let whole = fs::read(&index).unwrap();
    fs::write(&index, &whole[..whole.len() - 20]).unwrap();
    let outcome = space.stone(&["list"]).exits(0);
    assert_eq!(outcome.stdout.lines().count(), 2);
    assert!(outcome.stderr.contains("line 2"), "{}", outcome.stderr);
    space.observe("echo 3 > a").exits(0);
    assert_eq!(space.stone(&["list"]).exits(0).stdout.lines().count(), 3);
    if let Some(real) = counterpart() {
        assert_eq!(space.real(&real, &["list"]).exits(0).stdout.lines().count(), 3);
    }
}
