//! What people are told: warnings at arm, the whole envelope in `status`, and patches that bring binary files back.

use std::fs;

use serde_json::{Value, json};

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

fn warnings(outcome: &Outcome) -> Vec<String> {
    let warnings = json::array(&outcome.json()["warnings"]).clone();
    let all: Vec<String> = warnings.iter().map(|warning| warning.as_str().unwrap().to_owned()).collect();
    for warning in &all {
        assert!(outcome.text().contains(&format!("warning: {warning}\n")), "{outcome:?}");
    }
    all
}

#[test]
fn arm_warns_of_patterns_that_may_not_mean_what_they_seem_to() {
    for (pattern, expected) in [
        ("src", Some("names a directory and covers no file in it; write src/**")),
        ("src/", Some("names a directory and covers no file in it; write src/**")),
        ("new/", Some("ends in a slash, as no file does; write new/**")),
        ("s?c/", Some("ends in a slash, as no file does; write s?c/**")),
        ("src//app.py", Some("has an empty component, as no path does; write src/app.py")),
        ("**//app.py", Some("has an empty component, as no path does; write **/app.py")),
        ("src/app.py**/", None),
        ("scr/**", Some("matches no tracked file, and none is below scr/")),
        ("scr/app.py", Some("matches no tracked file, and none is below scr/")),
        ("build/**", Some("matches no tracked file, and none is below build/")),
        ("src/*.{py,rs}", Some("holds `{`, which stands for itself here")),
        ("!src/[a]*", Some("holds `[` and `!`, which stand for themselves here")),
        ("src/**", None),
        ("src/app.py", None),
        ("src/new.py", None),
        ("NEWS.md", None),
        ("**/*.toml", None),
        ("*", None),
    ] {
        for (option, args) in
            [("--allow", ["--allow", pattern].to_vec()), ("--deny", vec!["--allow", "**", "--deny", pattern])]
        {
            let sandbox = Sandbox::project();
            sandbox.write("build/out", "x\n");
            let expected: Vec<String> = expected.iter().map(|words| format!("{option} {pattern} {words}")).collect();
            assert_eq!(warnings(&sandbox.arm(&args).ok()), expected);
        }
    }
    let sandbox = Sandbox::project();
    sandbox.write("app/[id]/page.js", "x\n");
    sandbox.commit("a name with brackets");
    assert_eq!(warnings(&sandbox.arm(&["--allow", "app/[id]/**", "app/[id]/page.js"]).ok()), [""; 0]);
}

#[test]
fn arm_warns_of_every_option_whose_pattern_covers_nothing() {
    for option in ["--scratch", "--allow-ignored", "--protect", "--allow-protected"] {
        for (pattern, expected) in [
            ("build", Some("names a directory and covers no file in it; write build/**")),
            ("src/", Some("names a directory and covers no file in it; write src/**")),
            ("new/", Some("ends in a slash, as no file does; write new/**")),
            ("a//b", Some("has an empty component, as no path does; write a/b")),
            ("build/**", None),
            ("not/there/**", None),
        ] {
            let sandbox = Sandbox::project();
            sandbox.write(
                "build/out",
                "x
",
            );
            let expected: Vec<String> = expected.iter().map(|words| format!("{option} {pattern} {words}")).collect();
            assert_eq!(warnings(&sandbox.arm(&["--allow", "**", option, pattern]).ok()), expected);
        }
    }
}

#[test]
fn explain_warns_of_patterns_that_cover_nothing() {
    let sandbox = Sandbox::project();
    let warning = "warning: --allow src/ ends in a slash, as no file does; write src/**
";
    sandbox.cordon(&["explain", "src/app.py", "--allow", "src/"]).rejected().says(&[warning]);
    let denied = ["explain", "src/app.py", "--allow", "**", "--deny", "src//app.py"];
    sandbox.cordon(&denied).ok().says(&["warning: --deny src//app.py has an empty component, as no path does"]);
    sandbox.arm(&["--allow", "src/"]).ok();
    sandbox.cordon(&["explain", "src/app.py"]).rejected().says(&[warning]);
    let quiet = sandbox.cordon(&["explain", "src/app.py", "--allow", "src/**"]).ok();
    assert!(!quiet.text().contains("warning:"), "{quiet:?}");
}

#[test]
fn arm_warns_of_verifiers_that_need_a_shell_or_are_not_there() {
    let sandbox = Sandbox::project();
    let commands = ["true && false", "no-such-program-anywhere", "sh -c 'a && b'", "true"];
    let args: Vec<&str> = ["--allow", "src/**", "--verify"].into_iter().chain(commands).collect();
    let warnings = warnings(&sandbox.arm(&args).ok());
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("--verify true && false: no shell reads `&&`"), "{warnings:?}");
    assert!(warnings[1].starts_with("--verify no-such-program-anywhere cannot start as things stand: no such program"));
}

#[test]
fn status_shows_the_whole_envelope() {
    let sandbox = Sandbox::project();
    let grep = r"grep -q '\d' src/app.py";
    sandbox.arm(&["--allow", "src/**", "--deny", "src/gen/**", "--verify", grep, "--verify-timeout", "7"]).ok();
    let status = sandbox.cordon(&["status"]).ok().json();
    assert_eq!(status["schema_version"], 1);
    assert_eq!((&status["policy"]["allow"], &status["policy"]["deny"]), (&json!(["src/**"]), &json!(["src/gen/**"])));
    assert_eq!((&status["verify"], &status["verify_timeout"]), (&json!([grep]), &json!(7)));
    assert!(status["created_at"].as_str().is_some_and(|time| time.ends_with('Z')), "{status}");
    let line = format!("verify       {grep}  (at most 7 seconds)\n");
    let human =
        sandbox.cordon(&["status", "--format", "human"]).ok().says(&["allow        src/**\n", &line, "25 files"]);
    assert!(!human.text().contains("attempts") && !human.text().contains("mode"), "{human:?}");
    sandbox.write("docs/a", "x\n");
    sandbox.write("docs/b", "x\n");
    sandbox.check().rejected();
    sandbox.cordon(&["status", "--format", "human"]).ok().says(&["rejected with 2 violations", "2 path-outside"]);
    let kept = sandbox.cordon(&["status"]).ok();
    assert_eq!(kept.json()["last_audit"]["counts"], json!({"path-outside": 2}));
    assert!(kept.text().contains("\n    \"passed\": false,\n"), "the last audit is not indented: {kept:?}");
    assert_eq!(sandbox.cordon(&["reset"]).ok().json()["schema_version"], 1);
}

#[test]
fn a_check_says_why_verifiers_did_not_run() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", "true"]).ok();
    sandbox.append("README.md", "more\n");
    let sentence = "verifiers: 1 not run, because the change is outside the envelope";
    let verdict = sandbox.check().rejected().json();
    assert_eq!((&verdict["notes"][0], &verdict["verification"]), (&json!(sentence), &json!([])));
    sandbox.cordon(&["check", "--format", "human"]).rejected().says(&[sentence, "+1 -0  outside\n"]);
    sandbox.write("README.md", "# Demo\n");
    assert_eq!(sandbox.check().ok().json()["notes"], json!([]));
}

#[test]
fn a_patch_brings_binary_files_back() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::empty();
        sandbox.git(&["init", "-q", "-b", "main", "--object-format", format, "."]).ok();
        let old: &[(&str, &[u8])] = &[("logo.png", b"\x89PNG\0old"), ("gone.png", b"\0gone"), ("a.txt", b"text\n")];
        for (path, content) in old {
            sandbox.write(path, content);
        }
        sandbox.commit("base");
        sandbox.arm(&["--allow", "src/**"]).ok();
        assert_eq!(sandbox.cordon(&["diff"]).ok().says(&["note: no changed path to show"]).stdout, b"");
        sandbox.write("logo.png", [b"\x89PNG\0new".as_slice(), &[0; 5000]].concat());
        sandbox.write("new.png", b"\0new");
        sandbox.write("a.txt", b"other\n");
        fs::remove_file(sandbox.at("gone.png")).unwrap();
        let diff = |forced: &str| {
            let mut command = sandbox.cordon_command(&["diff", "--outside"]);
            command.env("CLICOLOR_FORCE", forced);
            run(command, b"", PATIENCE).ok().stdout
        };
        let patch = diff("1");
        assert_eq!(patch, diff("0"), "a patch in a pipe is the same whatever is said about colours");
        run(sandbox.git_command(&["apply", "--reverse"]), &patch, PATIENCE).ok();
        for (path, content) in old {
            assert_eq!(fs::read(sandbox.at(path)).unwrap(), *content, "{path}");
        }
        assert!(!sandbox.at("new.png").exists());
        assert_eq!(sandbox.check().ok().json()["changes"], Value::Array(Vec::new()));
        run(sandbox.git_command(&["apply"]), &patch, PATIENCE).ok();
        assert_eq!(fs::read(sandbox.at("new.png")).unwrap(), b"\0new");
    }
}

#[test]
fn what_is_too_big_for_a_patch_is_left_out_by_name() {
    let sandbox = Sandbox::armed();
    fs::File::create(sandbox.at("src/big")).unwrap().set_len(513 * 1024 * 1024).unwrap();
    sandbox.append("src/app.py", "X = 1\n");
    let diff = sandbox.cordon(&["diff"]).ok().says(&["warning: left out, because it is larger than 512 MiB: src/big"]);
    assert!(!String::from_utf8_lossy(&diff.stdout).contains("big"), "{diff:?}");
    run(sandbox.git_command(&["apply", "--reverse", "--check"]), &diff.stdout, PATIENCE).ok();
}

/// A name that would give commands to a terminal, a reader and a CI runner.
const HOSTILE: &[u8] = b"data/x\n::error::y\r\x1b[2J\xe2\x80\xae\xff";

#[track_caller]
fn is_safe(outcome: &Outcome) {
    for stream in [&outcome.stdout, &outcome.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap_or_else(|_| panic!("no UTF-8: {outcome:?}"));
        assert!(!text.contains("\u{1b}[2J") && !text.contains(['\u{202e}', '\r']), "{outcome:?}");
        assert!(!text.lines().any(|line| line.starts_with("::")), "{outcome:?}");
    }
}

#[test]
fn a_hostile_name_is_safe_in_notes_errors_hints_and_answers() {
    let human = |sandbox: &Sandbox, args: &[&str]| {
        let outcome = sandbox.cordon(&[args, &["--format", "human"]].concat());
        is_safe(&outcome);
        outcome
    };
    // A note about an ignored file, and a finding about it.
    let sandbox = Sandbox::armed();
    sandbox.write_raw(HOSTILE, "x\n");
    human(&sandbox, &["check"]).ok().says(&["new ignored: data/x"]);
    let sandbox = Sandbox::project();
    sandbox.write_raw(HOSTILE, "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write_raw(HOSTILE, "other\n");
    human(&sandbox, &["check"]).rejected().says(&["ignored file changed: data/x"]);
    human(&sandbox, &["status"]).ok();
    // Refusals that name it, and a command in a hint that clears what it is about.
    let sandbox = Sandbox::project();
    sandbox.write_raw(HOSTILE, "x\n");
    sandbox.git(&["add", "-f", "data"]).ok();
    human(&sandbox, &["arm", "t", "--allow", "src/**"]).refused().says(&["dirty", "data/x"]);
    sandbox.git(&["commit", "-q", "-m", "hostile"]).ok();
    let mut flag = sandbox.git_command(&["update-index", "--assume-unchanged", "--"]);
    flag.arg(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(HOSTILE));
    run(flag, b"", PATIENCE).ok();
    let told = human(&sandbox, &["arm", "t", "--allow", "src/**"]).refused().text();
    let command = told.lines().find_map(|line| line.split_once("Clear the flag: ")).expect("a hint").1;
    let mut shell = sandbox.command("bash");
    shell.args(["-c", command]);
    run(shell, b"", PATIENCE).ok();
    human(&sandbox, &["arm", "t", "--allow", "src/**"]).ok();
    // Work that was kept.
    let sandbox = Sandbox::project();
    sandbox.write_raw(b"x\n::error::y\x1b[2J", "x\n");
    human(&sandbox, &["arm", "t", "--allow", "src/**", "--allow-dirty"]).ok();
    sandbox.git(&["clean", "-fdq"]).ok();
    human(&sandbox, &["check"]).rejected().says(&["cordon rescue $'x\\012::error"]);
    human(&sandbox, &["reset"]).refused();
    human(&sandbox, &["rescue"]).ok();
}
