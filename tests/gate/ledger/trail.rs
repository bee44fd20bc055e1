//! `cordon ledger`: what is whole is told, and whatever was done to a trail is found and named.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::common::json;
use crate::common::sandbox::Sandbox;

/// Three checks: accepted, rejected, accepted.
fn checked() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::armed();
    let mut sessions = Vec::new();
    let mut check = |sandbox: &Sandbox| sessions.push(sandbox.check().json()["session"].as_str().unwrap().to_owned());
    sandbox.append("src/app.py", "X = 1\n");
    check(&sandbox);
    sandbox.append("README.md", "more\n");
    check(&sandbox);
    sandbox.git(&["checkout", "-q", "README.md"]).ok();
    check(&sandbox);
    (sandbox, sessions)
}

fn file(sandbox: &Sandbox, session: &str, name: &str) -> PathBuf {
    sandbox.at(format!(".stone/sessions/{session}/{name}"))
}

#[test]
fn a_whole_trail_is_listed_shown_verified_and_written_out() {
    let (sandbox, sessions) = checked();
    let list = sandbox.cordon(&["ledger", "list"]).ok().json();
    let listed: Vec<_> =
        json::array(&list["sessions"]).iter().map(|row| (row["session"].clone(), row["passed"].clone())).collect();
    let expected = [(&sessions[2], true), (&sessions[1], false), (&sessions[0], true)];
    assert_eq!(listed, expected.map(|(id, passed)| (id.as_str().into(), passed.into())));
    let show = sandbox.cordon(&["ledger", "show", &sessions[1]]).ok().json();
    assert_eq!(show["verdict"]["passed"], false);
    assert_eq!(show["effects"][0]["path"], "README.md");
    let _ =
        sandbox.cordon(&["ledger", "show", "--format", "human"]).ok().says(&["ACCEPTED", "MODIFIED     src/app.py"]);
    let verified = sandbox.cordon(&["ledger", "verify"]).ok().json();
    assert_eq!(
        (&verified["intact"], &verified["sessions"], &verified["session"]),
        (&true.into(), &3.into(), &sessions[2].as_str().into())
    );
    let path = sandbox.cordon(&["ledger", "path", &sessions[0]]).ok().json();
    assert!(PathBuf::from(path["path"].as_str().unwrap()).join("events.jsonl").is_file());
    let markdown = sandbox.cordon(&["ledger", "export", &sessions[1], "--format", "markdown"]).ok();
    let _ = markdown.says(&["**rejected**", "path outside policy: README.md", "modified: ` README.md `"]);
    let statement = sandbox.cordon(&["ledger", "export", "--format", "intoto"]).ok();
    assert_eq!(statement.stdout, fs::read(file(&sandbox, &sessions[2], "statement.intoto.json")).unwrap());
    let statement = statement.json();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let head = String::from_utf8(sandbox.git(&["rev-parse", "HEAD"]).ok().stdout).unwrap();
    let subjects = json::array(&statement["subject"]);
    assert_eq!(subjects[0]["digest"]["gitTree"].as_str(), sandbox.written_tree().as_deref());
    assert_eq!(subjects[1]["digest"]["gitCommit"], head.trim());
    assert_eq!(statement["predicate"]["passed"], true);
    for refused in [
        &["status", "--format", "intoto"][..],
        &["ledger", "list", "--format", "markdown"],
        &["ledger", "show", "nonsense"],
        &["ledger"],
    ] {
        sandbox.cordon(refused).refused();
    }
}

/// What is done to a trail, and what is said of it.
type Harm = (&'static str, fn(&Sandbox, &[String]), &'static str);

fn rewrite(path: PathBuf, how: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, how(text)).unwrap();
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| [line, "\n"].concat()).collect::<Vec<_>>().concat()
}

const HARMS: &[Harm] = &[
    (
        "a torn tail",
        |s, ids| rewrite(file(s, &ids[1], "events.jsonl"), |text| text[..text.len() - 9].to_owned()),
        "record 4",
    ),
    (
        "a truncated ledger",
        |s, ids| {
            rewrite(file(s, &ids[1], "events.jsonl"), |text| joined(text.lines().take(3)));
        },
        "session.finished",
    ),
    (
        "reordered records",
        |s, ids| {
            rewrite(file(s, &ids[1], "events.jsonl"), |text| {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.swap(1, 2);
                lines.join("\n") + "\n"
            });
        },
        "record 2",
    ),
    (
        "an edited record",
        |s, ids| rewrite(file(s, &ids[0], "events.jsonl"), |text| text.replace("src/app.py", "src/app.pz")),
        "record 3",
    ),
    (
        "an edited verdict",
        |s, ids| rewrite(file(s, &ids[1], "audit.json"), |text| text.replace("\"passed\": false", "\"passed\": true")),
        "otherwise how it ended",
    ),
    (
        "an edited label",
        |s, ids| {
            rewrite(file(s, &ids[1], "audit.json"), |text| text.replace("\"label\": \"test\"", "\"label\": \"text\""));
        },
        "statement.intoto.json",
    ),
    (
        "a verdict in another form",
        |s, ids| rewrite(file(s, &ids[1], "audit.json"), |text| text + " "),
        "the form that Cordon writes",
    ),
    (
        "a verdict of another session",
        |s, ids| {
            fs::copy(file(s, &ids[0], "audit.json"), file(s, &ids[1], "audit.json")).unwrap();
        },
        "belongs to another session",
    ),
    (
        "an edited statement",
        |s, ids| rewrite(file(s, &ids[2], "statement.intoto.json"), |text| text.replace("HEAD", "HEAT")),
        "statement.intoto.json",
    ),
    (
        "a removed statement",
        |s, ids| fs::remove_file(file(s, &ids[2], "statement.intoto.json")).unwrap(),
        "statement.intoto.json",
    ),
    ("a removed verdict", |s, ids| fs::remove_file(file(s, &ids[2], "audit.json")).unwrap(), "audit.json is missing"),
    (
        "a removed verdict and statement",
        |s, ids| {
            fs::remove_file(file(s, &ids[1], "audit.json")).unwrap();
            fs::remove_file(file(s, &ids[1], "statement.intoto.json")).unwrap();
        },
        "a check was removed",
    ),
    ("a removed session", |s, ids| fs::remove_dir_all(file(s, &ids[1], "")).unwrap(), "its ledger is missing"),
    (
        "a session removed from the index too",
        |s, ids| {
            fs::remove_dir_all(file(s, &ids[1], "")).unwrap();
            rewrite(s.at(".stone/index.jsonl"), |text| joined(text.lines().filter(|line| !line.contains(&ids[1]))));
        },
        "a check was removed",
    ),
    (
        "the newest session removed everywhere",
        |s, ids| {
            fs::remove_dir_all(file(s, &ids[2], "")).unwrap();
            rewrite(s.at(".stone/index.jsonl"), |text| joined(text.lines().filter(|line| !line.contains(&ids[2]))));
        },
        "holds the last check",
    ),
    (
        "a session named twice",
        |s, ids| {
            rewrite(s.at(".stone/index.jsonl"), |text| {
                let line = text.lines().find(|line| line.contains(&ids[0])).unwrap().to_owned();
                text + &line + "\n"
            });
        },
        "2 times",
    ),
    (
        "sessions in another order",
        |s, _| {
            rewrite(s.at(".stone/index.jsonl"), |text| joined(text.lines().rev()));
        },
        "stands before it",
    ),
    (
        "a copied session",
        |s, ids| {
            let copy = "01ZZZZZZZZZZZZZZZZZZZZZZZZ";
            fs::create_dir(file(s, copy, "")).unwrap();
            for name in ["events.jsonl", "audit.json", "statement.intoto.json"] {
                fs::copy(file(s, &ids[0], name), file(s, copy, name)).unwrap();
            }
            rewrite(s.at(".stone/index.jsonl"), |text| {
                let line = text.lines().next().unwrap().replace(&ids[0], copy);
                text + &line + "\n"
            });
        },
        "belongs to the session",
    ),
    (
        "another outcome in the index",
        |s, _| rewrite(s.at(".stone/index.jsonl"), |text| text.replacen("failed", "success", 1)),
        "the index says something else",
    ),
    (
        "a torn index",
        |s, _| rewrite(s.at(".stone/index.jsonl"), |text| format!("{text}{{\"id\":")),
        "line 4 of the index",
    ),
    (
        "a FIFO",
        |s, ids| {
            let path = file(s, &ids[1], "events.jsonl");
            fs::remove_file(&path).unwrap();
            mkfifoat(CWD, &path, Mode::from_raw_mode(0o644)).unwrap();
        },
        "of another kind",
    ),
    (
        "a link",
        |s, ids| {
            let path = file(s, &ids[1], "events.jsonl");
            fs::rename(&path, s.at(".stone/elsewhere")).unwrap();
            symlink("../../elsewhere", &path).unwrap();
        },
        "is a link",
    ),
    (
        "a link for a session",
        |s, ids| {
            fs::rename(file(s, &ids[1], ""), s.at(".stone/elsewhere")).unwrap();
            symlink("../elsewhere", s.at(format!(".stone/sessions/{}", ids[1]))).unwrap();
        },
        "is a link",
    ),
    (
        "a FIFO for a verdict",
        |s, ids| {
            let path = file(s, &ids[1], "audit.json");
            fs::remove_file(&path).unwrap();
            mkfifoat(CWD, &path, Mode::from_raw_mode(0o644)).unwrap();
        },
        "of another kind",
    ),
];

#[test]
fn whatever_is_done_to_a_trail_is_found_and_named() {
    for (what, harm, word) in HARMS {
        let (sandbox, ids) = checked();
        sandbox.cordon(&["ledger", "verify"]).ok();
        sandbox.damages_the_trail();
        harm(&sandbox, &ids);
        eprintln!("{what}");
        let outcome = sandbox.cordon(&["ledger", "verify"]).ends_with(3);
        let told = outcome.json();
        assert_eq!(told["intact"], false);
        assert!(told["reason"].as_str().unwrap().contains(word), "{what}: {outcome:?}");
        for args in [&["ledger", "list"][..], &["ledger", "show"], &["ledger", "verify", "--format", "human"]] {
            let _ = sandbox.cordon(args).orderly();
        }
    }
}

#[test]
fn a_signature_is_checked_with_its_key_and_no_other() {
    let (sandbox, ids) = checked();
    let at = |name: &str| sandbox.outside().join(name).to_str().unwrap().to_owned();
    let (key, other) = (at("key"), at("other"));
    for key in [&key, &other] {
        sandbox.cordon(&["ledger", "keygen", key]).ok();
    }
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    sandbox.cordon(&["ledger", "keygen", &key]).refused();
    let (public, foreign) = (format!("{key}.pub"), format!("{other}.pub"));
    sandbox.cordon(&["ledger", "verify", "--key", &public]).ends_with(3).says(&["not signed"]);
    sandbox.cordon(&["ledger", "sign", "--key", &public]).refused().says(&["no private key"]);
    let signed = sandbox.cordon(&["ledger", "sign", "--key", &key]).ok().json();
    let verified = sandbox.cordon(&["ledger", "verify", "--key", &public]).ok().json();
    assert_eq!(verified["signed_by"], signed["key"]);
    sandbox.cordon(&["ledger", "sign", "--key", &key]).refused();
    sandbox.cordon(&["ledger", "verify", "--key", &foreign]).ends_with(3).says(&["no signature of this key"]);
    sandbox.cordon(&["ledger", "verify", &ids[0], "--key", &public]).ends_with(3).says(&["not signed"]);
    // The whole session written anew, in agreement with itself, is not what was signed.
    fs::copy(file(&sandbox, &ids[2], "statement.dsse.json"), file(&sandbox, &ids[1], "statement.dsse.json")).unwrap();
    sandbox.cordon(&["ledger", "verify", &ids[1], "--key", &public]).ends_with(3).says(&["another statement"]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    sandbox.cordon(&["ledger", "sign", &ids[0], "--key", &key]).refused().says(&["read by others"]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    sandbox.damages_the_trail();
    fs::write(file(&sandbox, &ids[0], "events.jsonl"), "x\n").unwrap();
    sandbox.cordon(&["ledger", "sign", &ids[0], "--key", &key]).refused().says(&["not intact"]);
}

#[test]
fn hostile_names_are_escaped_in_every_form() {
    let sandbox = Sandbox::armed();
    sandbox.write_raw(b"src/\x1b[2J\n::x\xff`|", "x\n");
    sandbox.cordon(&["check", "--actor", "a\x1b]0;t\x07"]).ok();
    for args in [
        &["ledger", "list", "--format", "human"][..],
        &["ledger", "show", "--format", "human"],
        &["ledger", "show"],
        &["ledger", "export", "--format", "markdown"],
        &["ledger", "export"],
        &["ledger", "export", "--format", "intoto"],
    ] {
        let outcome = sandbox.cordon(args).ok();
        let is_raw = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
        assert!(!outcome.stdout.iter().any(is_raw), "{outcome:?}");
        assert!(!outcome.text().contains("\n::x"), "{outcome:?}");
    }
}
