//! The paragraph "Commands": arguments, help, formats, `explain` and `diff`.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program};

/// Names that move a cursor, start a line, give a CI runner a command, or reorder text.
const HOSTILE: &[&[u8]] = &[
    b"x\n::stop-commands::pwn\r\x1b[2J",
    b"\x1b]0;title\x07",
    b"bell\x07back\x08",
    b"bad\xff\x9b31m",
    "right\u{202e}left".as_bytes(),
    "c1\u{9b}2J".as_bytes(),
    "zero\u{200b}width".as_bytes(),
];

#[test]
fn what_is_no_command_is_refused() {
    let sandbox = Sandbox::armed();
    for args in [
        &[][..],
        &["frobnicate"],
        &["check", "--frobnicate"],
        &["arm"],
        &["check", "--format", "yaml"],
        &["check", "x"],
    ] {
        sandbox.cordon(args).refused();
    }
}

#[test]
fn help_teaches_every_option_with_its_default_and_an_example() {
    let sandbox = Sandbox::empty();
    sandbox.cordon(&["--version"]).ok().says(&["cordon 0."]);
    sandbox.cordon(&["--help"]).ok().says(&["arm", "check", "status", "reset", "diff", "explain", "--repo"]);
    let arm = sandbox.cordon(&["arm", "--help"]).ok();
    let options = "--allow --deny --max-files 25 --max-added-lines 2000 --max-deleted-lines 1000 --max-working-bytes 2097152 \
                   --max-binary-files 2 --allow-commits --verify --verify-timeout 300 --max-attempts 3";
    let _ = arm.says(&options.split_whitespace().collect::<Vec<_>>());
    sandbox.cordon(&["check", "--help"]).ok().says(&["--format", "--rehash", "human", "json"]);
    sandbox.cordon(&["diff", "--help"]).ok().says(&["--inside", "--outside"]);
    sandbox.cordon(&["explain", "--help"]).ok().says(&["-z", "--allow", "--deny"]);
    for command in ["arm", "check", "status", "reset", "diff", "explain"] {
        sandbox.cordon(&[command, "--help"]).ok().says(&[&format!("cordon {command}"), "example"]);
    }
}

#[test]
fn repo_names_the_repository_from_anywhere() {
    let sandbox = Sandbox::project();
    let root = sandbox.root.to_str().unwrap();
    let elsewhere = |args: &[&str]| {
        let mut command = sandbox.cordon_command(&[&["--repo", root], args].concat());
        command.current_dir(sandbox.outside());
        run(command, b"", PATIENCE)
    };
    elsewhere(&["arm", "test", "--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    elsewhere(&["check"]).ok();
    elsewhere(&["status"]).ok();
    let mut below = sandbox.cordon_command(&["check"]);
    below.current_dir(sandbox.at("src"));
    run(below, b"", PATIENCE).ok();
    elsewhere(&["reset"]).ok();
    assert!(!sandbox.at(".cordon").exists());
    sandbox.cordon(&["--repo", "/nonexistent/place", "check"]).refused();
}

#[test]
fn a_pipe_gets_json_and_format_overrides() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    for args in [&["check"][..], &["check", "--format", "json"]] {
        assert_eq!(sandbox.cordon(args).rejected().json()["passed"], false);
    }
    let human = sandbox.cordon(&["check", "--format", "human"]).rejected().says(&["README.md"]);
    assert!(json::parse(&human.stdout).is_err(), "{human:?}");
    assert!(!human.stdout.contains(&0x1b), "colours in a pipe: {human:?}");
}

#[test]
fn a_terminal_gets_words_and_colours_unless_no_color_is_set() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    let terminal = |args: &str, no_color: bool| {
        let mut command = sandbox.command("script");
        let line = format!("{} {args}", cordon_program().to_str().unwrap());
        command.args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm-256color");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        run(command, b"", PATIENCE)
    };
    for args in ["check", "check --format human", "diff"] {
        let coloured = terminal(args, false).says(&["README.md"]);
        assert!(coloured.stdout.windows(2).any(|pair| pair == b"\x1b["), "no colours: {coloured:?}");
        let plain = terminal(args, true).says(&["README.md"]);
        assert!(!plain.stdout.windows(2).any(|pair| pair == b"\x1b["), "colours: {plain:?}");
    }
    let outcome = terminal("check --format json", false).says(&["\"passed\""]);
    assert_eq!(outcome.code(), 3);
}

/// Expects that no byte of a hostile name stands raw in either stream.
#[track_caller]
fn is_tame(outcome: &Outcome) {
    for stream in [&outcome.stdout, &outcome.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap_or_else(|_| panic!("bytes that are no text: {outcome:?}"));
        let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || "\u{202e}\u{200b}".contains(c);
        assert!(!text.contains(bad), "{outcome:?}");
        assert!(!text.lines().any(|line| line.starts_with("::")), "{outcome:?}");
    }
}

#[test]
fn hostile_names_are_never_raw() {
    let sandbox = Sandbox::armed();
    for name in HOSTILE {
        sandbox.write_raw(name, "x\n");
        sandbox.write_raw(&[b"src/", *name].concat(), "x\n");
    }
    for format in ["human", "json"] {
        is_tame(&sandbox.cordon(&["check", "--format", format]).rejected());
    }
    is_tame(&sandbox.cordon(&["diff"]).ok());
    is_tame(&sandbox.cordon(&["status", "--format", "human"]).ok());
    let dirty = Sandbox::project();
    dirty.write_raw(HOSTILE[0], "x\n");
    is_tame(&dirty.arm(&["--allow", "**"]).refused());
    is_tame(&dirty.cordon(&["explain", "--format", "human", "--allow", "src/**", "--", "x\n::stop\x1b[2J"]).rejected());
}

/// Each object that `explain` printed.
fn objects(outcome: &Outcome) -> Vec<Value> {
    let text = outcome.stdout.clone();
    match json::parse(&text) {
        Ok(Value::Array(all)) => all,
        _ => text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| json::parse(line).unwrap())
            .collect(),
    }
}

#[test]
fn explain_needs_no_repository_when_patterns_are_given() {
    let sandbox = Sandbox::empty();
    let patterns = ["--allow", "src/**", "--deny", "src/gen/**"];
    let ask = |paths: &[&str]| sandbox.cordon(&[&["explain"], &patterns[..], &["--"], paths].concat());
    let inside = ask(&["src/a.py"]).ok();
    let object = &objects(&inside)[0];
    assert_eq!((&object["path"], &object["allowed"]), (&"src/a.py".into(), &true.into()));
    assert_eq!((&object["decided_by"], &object["pattern"]), (&"allow".into(), &"src/**".into()));

    let mixed = ask(&["src/gen/x.py", "src", "src/ok.py"]).rejected();
    let all = objects(&mixed);
    assert_eq!(all.len(), 3, "{mixed:?}");
    assert_eq!((&all[0]["allowed"], &all[0]["decided_by"]), (&false.into(), &"deny".into()));
    assert_eq!(all[0]["pattern"], "src/gen/**");
    assert_eq!((&all[1]["allowed"], &all[1]["pattern"]), (&false.into(), &Value::Null));
    assert_eq!(all[2]["allowed"], true);
    sandbox.cordon(&["explain", "--allow", "/bad", "x"]).refused();
    sandbox.cordon(&["explain", "x"]).refused();
}

#[test]
fn explain_reads_any_bytes_with_z() {
    let sandbox = Sandbox::empty();
    let ask =
        |input: &[u8]| run(sandbox.cordon_command(&["explain", "-z", "--allow", "src/?"]), input, PATIENCE).orderly();
    let outcome = ask(b"src/\xff\0src/\n\0src/\xc3\xa9").ok();
    let paths: Vec<Vec<u8>> = objects(&outcome).iter().map(|object| json::bytes(&object["path"])).collect();
    assert_eq!(paths, [b"src/\xff".to_vec(), b"src/\n".to_vec(), b"src/\xc3\xa9".to_vec()]);
    ask(b"src/\xff\xfe\0").rejected();
    ask(b"src/a\n\0").rejected();
}

#[test]
fn explain_answers_for_the_armed_envelope() {
    let sandbox = Sandbox::armed();
    sandbox.cordon(&["explain", "src/app.py"]).ok();
    sandbox.cordon(&["explain", "src/app.py", "README.md"]).rejected();
}

#[test]
fn the_diff_is_a_patch_from_the_baseline() {
    let sandbox = Sandbox::armed();
    assert!(sandbox.cordon(&["diff"]).ok().stdout.is_empty());
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("src/new.py", "no end");
    fs::remove_file(sandbox.at("src/util.py")).unwrap();
    sandbox.append("README.md", "more\n");
    let all = sandbox.cordon(&["diff"]).ok();
    for args in [["apply", "-R", "--check", "-"], ["apply", "-R", "--numstat", "-"]] {
        run(sandbox.git_command(&args), &all.stdout, PATIENCE).ok();
    }
    let all = all.says(&["+X = 1", "-LIMIT = 10", "+more", "+no end"]);
    let inside = sandbox.cordon(&["diff", "--inside"]).ok().says(&["+X = 1"]);
    let outside = sandbox.cordon(&["diff", "--outside"]).ok().says(&["+more"]);
    assert!(!inside.text().contains("README.md") && !outside.text().contains("src/"), "{inside:?}\n{outside:?}");
    assert!(all.stdout.len() >= inside.stdout.len() + outside.stdout.len());
}

#[test]
fn an_unarmed_repository_has_nothing_to_check() {
    let sandbox = Sandbox::project();
    for args in [&["check"][..], &["status"], &["diff"], &["explain", "x"]] {
        sandbox.cordon(args).refused().says(&["cordon arm"]);
    }
    sandbox.cordon(&["reset"]).ok();
}

#[test]
fn variables_of_git_lead_nowhere_else() {
    let sandbox = Sandbox::armed();
    let other = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    let variables: &[(&str, &std::path::Path)] = &[
        ("GIT_DIR", &other.at(".git")),
        ("GIT_WORK_TREE", &other.root),
        ("GIT_INDEX_FILE", &other.at(".git/index")),
        ("GIT_OBJECT_DIRECTORY", &other.at(".git/objects")),
        ("GIT_COMMON_DIR", &other.at(".git")),
    ];
    for (name, value) in variables {
        let mut command: Command = sandbox.cordon_command(&["check"]);
        command.env(name, value);
        run(command, b"", PATIENCE).violates(&["path outside policy: README.md"]);
    }
}
