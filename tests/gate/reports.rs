//! `--format` and `--output`: several reports of one check, whole files, what GitHub Actions reads, and refusals.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::Value;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;
use crate::premerge::rig;

/// The formats of a verdict, and what a file of each has in it when the change is rejected.
const FORMATS: [(&str, &str); 8] = [
    ("human", "violation[path-outside]: path outside policy: README.md"),
    ("json", "\"passed\": false"),
    ("github", "::error file=README.md,line=1,title=path-outside::path outside policy: README.md"),
    ("sarif", "\"version\": \"2.1.0\""),
    ("junit", "<failure message=\"path outside policy: README.md\" type=\"path-outside\">"),
    ("markdown", "- **path-outside** path outside policy: ` README.md `"),
    ("gitlab", "\"check_name\": \"path-outside\""),
    ("html", "<code>path outside policy: README.md</code>"),
];

/// A project with a change that is rejected.
fn rejected() -> Sandbox {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    sandbox
}

fn file(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.outside().join(name)
}

/// `--output FORMAT=FILE`, the file beside the repository.
fn output(sandbox: &Sandbox, format: &str, name: &str) -> String {
    format!("--output={format}={}", file(sandbox, name).display())
}

fn sessions(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.at(".stone/sessions")).map_or(0, Iterator::count)
}

#[test]
fn one_check_gives_every_report_at_once() {
    let sandbox = rejected();
    let mut args = vec!["check".to_owned()];
    args.extend(FORMATS.map(|(format, _)| output(&sandbox, format, &format!("report.{format}"))));
    let outcome = sandbox.cordon(&args).rejected();
    assert_eq!((outcome.json()["passed"].clone(), sessions(&sandbox)), (Value::Bool(false), 1));
    fs::write(file(&sandbox, "ordinary"), "").unwrap();
    let ordinary = fs::metadata(file(&sandbox, "ordinary")).unwrap().permissions().mode();
    for (format, expected) in FORMATS {
        let path = file(&sandbox, &format!("report.{format}"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(expected), "{format}: {text}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode(), ordinary, "{format}");
    }
    assert_eq!(fs::read(file(&sandbox, "report.json")).unwrap(), outcome.stdout);
    let left: Vec<_> = fs::read_dir(sandbox.outside()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), FORMATS.len() + 3, "{left:?}");
}

#[test]
fn standard_output_has_each_format_and_so_has_a_session() {
    for (format, expected) in FORMATS {
        let sandbox = rejected();
        let check = sandbox.cordon(&["check", "--format", format]).rejected();
        assert!(String::from_utf8_lossy(&check.stdout).contains(expected), "{check:?}");
        let show = sandbox.cordon(&["ledger", "show", "--format", format, &output(&sandbox, "markdown", "x.md")]).ok();
        let expected = if format == "human" { "Verdict: REJECTED, 1 violation" } else { expected };
        assert!(String::from_utf8_lossy(&show.stdout).contains(expected), "{show:?}");
        assert!(fs::read_to_string(file(&sandbox, "x.md")).unwrap().contains("- modified ` README.md `"));
    }
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let sandbox = rejected();
    let args = ["check", &output(&sandbox, "json", "x")];
    let _ = sandbox.cordon(&args).rejected();
    let (mut older, before) = (fs::File::open(file(&sandbox, "x")).unwrap(), fs::read(file(&sandbox, "x")).unwrap());
    sandbox.git(&["restore", "README.md"]).ok();
    let _ = sandbox.cordon(&args).ok();
    let mut read = Vec::new();
    older.read_to_end(&mut read).unwrap();
    assert_eq!(read, before, "who has the older file open reads it to its end");
    assert_ne!(older.metadata().unwrap().ino(), fs::metadata(file(&sandbox, "x")).unwrap().ino());
    assert_eq!(json::parse(&fs::read(file(&sandbox, "x")).unwrap()).unwrap()["passed"], true);
}

#[test]
fn a_report_of_an_earlier_run_does_not_outlive_a_run_without_a_verdict() {
    let sandbox = Sandbox::armed();
    let args = ["check", "--format", "github", &output(&sandbox, "junit", "x.xml")];
    let _ = sandbox.cordon(&args).ok();
    assert!(file(&sandbox, "x.xml").exists());
    let _ = sandbox.cordon(&[&args[..], &["--anchor", "nonsense"]].concat()).refused();
    assert!(!file(&sandbox, "x.xml").exists());
    let _ = sandbox.cordon(&args).ok();
    fs::write(sandbox.at(".cordon/state.json"), "{").unwrap();
    let refused = sandbox.cordon(&args).refused();
    assert!(!file(&sandbox, "x.xml").exists());
    assert!(refused.stdout.starts_with(b"::error title=no verdict (state)::"), "{refused:?}");
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_done() {
    let sandbox = rejected();
    fs::create_dir(file(&sandbox, "directory")).unwrap();
    fs::write(file(&sandbox, "real"), "kept").unwrap();
    symlink(file(&sandbox, "real"), file(&sandbox, "link")).unwrap();
    let twice = output(&sandbox, "sarif", "x");
    let cases = [
        (vec![output(&sandbox, "sarif", "directory")], "is no regular file"),
        (vec![output(&sandbox, "sarif", "link")], "is no regular file"),
        (vec!["--output=sarif=/dev/stdout".to_owned()], "is no regular file"),
        (vec![output(&sandbox, "sarif", "none/x")], "is in no directory that exists"),
        (vec![twice.clone(), twice], "is named twice"),
        (vec![output(&sandbox, "intoto", "x")], "the formats are human, json, github"),
        (vec![output(&sandbox, "xml\u{1b}", "x")], "xml\\u{1b}"),
        (vec!["--output=sarif".to_owned()], "write FORMAT=FILE"),
        (vec!["--output=sarif=".to_owned()], "it names no file"),
        (vec!["--format=intoto".to_owned()], "--format intoto is not for this command"),
    ];
    for (args, expected) in cases {
        let outcome = sandbox.cordon(&[vec!["check".to_owned()], args].concat()).refused().says(&[expected]);
        assert!(!outcome.text().contains('\u{1b}'), "{outcome:?}");
    }
    assert_eq!((sessions(&sandbox), fs::read(file(&sandbox, "real")).unwrap()), (0, b"kept".to_vec()));
    let _ = sandbox.cordon(&["status", "--format", "sarif"]).refused().says(&["It has the formats human, json."]);
}

/// A check in a step of GitHub Actions.
fn step(sandbox: &Sandbox, args: &[&str], files: [&str; 2]) -> Outcome {
    let mut command = sandbox.cordon_command(&[&["check"], args].concat());
    command.env("GITHUB_STEP_SUMMARY", file(sandbox, files[0])).env("GITHUB_OUTPUT", file(sandbox, files[1]));
    run(command, b"", PATIENCE).orderly()
}

#[test]
fn a_step_of_github_gets_its_summary_and_its_outputs() {
    let sandbox = rejected();
    fs::write(file(&sandbox, "summary"), "before\n").unwrap();
    let _ = step(&sandbox, &[], ["summary", "output"]).rejected();
    assert_eq!(fs::read(file(&sandbox, "summary")).unwrap(), b"before\n", "only its own format is for GitHub");
    let _ = step(&sandbox, &["--format", "github"], ["summary", "output"]).rejected();
    let summary = fs::read_to_string(file(&sandbox, "summary")).unwrap();
    assert!(summary.starts_with("before\n## Cordon: \u{274c} rejected\n"), "{summary}");
    let outputs = fs::read_to_string(file(&sandbox, "output")).unwrap();
    assert!(outputs.starts_with("verdict=rejected\nviolations=1\nfindings=1\n"), "{outputs}");
    let _ = step(&sandbox, &[&output(&sandbox, "github", "log")], ["summary", "other"]).rejected();
    assert!(file(&sandbox, "other").exists());
}

#[test]
fn a_file_of_the_runner_that_is_none_is_refused() {
    let sandbox = rejected();
    fs::write(file(&sandbox, "real"), "kept").unwrap();
    symlink(file(&sandbox, "real"), file(&sandbox, "link")).unwrap();
    fs::create_dir(file(&sandbox, "directory")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, file(&sandbox, "pipe"), rustix::fs::Mode::RWXU).unwrap();
    for name in ["link", "directory", "pipe"] {
        let outcome = step(&sandbox, &["--format", "github"], ["summary", name]).refused();
        let _ = outcome.says(&["cannot append to", "GITHUB_OUTPUT names", "cordon ledger show"]);
    }
    assert_eq!(fs::read(file(&sandbox, "real")).unwrap(), b"kept");
}

#[test]
fn a_session_without_a_verdict_has_no_report_of_one() {
    let sandbox = Sandbox::project();
    let mut stone = sandbox.command(env!("CARGO_BIN_EXE_stone"));
    stone.args(["run", "--", "true"]);
    let _ = run(stone, b"", PATIENCE).ok();
    let _ = sandbox.cordon(&["ledger", "show", "--format", "json"]).ok();
    let args = ["ledger", "show", "--format", "sarif"];
    let _ = sandbox.cordon(&args).refused().says(&["there is no verdict here", "sarif"]);
}

#[test]
fn names_that_git_allows_are_harmless_in_every_report() {
    let names: [&[u8]; 6] = [
        b"x\n::stop-commands::pwn\r\x1b[2J",
        b"##[error]x",
        b"<img src=x onerror=alert(1)>",
        b"`a` | @everyone",
        b"bad\xff\x9b31m",
        "right\u{202e}left".as_bytes(),
    ];
    let sandbox = Sandbox::armed();
    for name in names {
        sandbox.write_raw(name, "x\n");
    }
    for (format, _) in FORMATS {
        let outcome = sandbox.cordon(&["check", "--format", format]).rejected();
        let text = String::from_utf8(outcome.stdout.clone()).unwrap();
        let shows = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(shows) && !text.contains("##["), "{outcome:?}");
        assert!(!text.contains("<img") || ["human", "json", "github", "sarif", "gitlab", "markdown"].contains(&format));
        if format != "github" {
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{outcome:?}");
        }
    }
    let sarif = sandbox.cordon(&["check", "--format", "sarif"]).rejected().json();
    let results = json::array(&sarif["runs"][0]["results"]);
    let uri = |result: &Value| {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    let mut uris: Vec<String> = results.iter().map(uri).collect();
    uris.sort();
    assert_eq!(uris.len(), names.len());
    assert!(uris.contains(&"bad%FF%9B31m".to_owned()), "{uris:?}");
}

#[test]
fn what_check_and_gate_print_has_the_form_that_is_told() {
    let schema = serde_json::from_str(include_str!("../../fixtures/schemas/verdict.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let valid = |verdict: &serde_json::Value| {
        let faults: Vec<String> =
            validator.iter_errors(verdict).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:?} in {verdict}");
    };
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", "true"]).ok();
    valid(&sandbox.check().ok().json());
    sandbox.append("src/app.py", "x\n");
    valid(&sandbox.check().ok().json());
    sandbox.write("docs/new", "x\n");
    sandbox.git(&["add", "docs/new"]).ok();
    valid(&sandbox.check().rejected().json());
    let team = rig::team();
    rig::branch(&team, "x");
    rig::change(&team, "docs/guide.md", "x\n");
    let args = ["gate", "--base", "main", "--head", "x", "--no-verify", "--role"];
    valid(&team.cordon(&[&args[..], &["docs"]].concat()).json());
    valid(&team.cordon(&[&args[..], &["core"]].concat()).json());
}
