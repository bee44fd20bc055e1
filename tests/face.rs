//! The binary as a script or a person meets it, where no repository is needed.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn cordon(words: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cordon"));
    command.args(words).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn explain_needs_no_repository_when_it_has_patterns() {
    let output = cordon(&["explain", "-z", "--allow", "src/**", "--deny", "src/x"], b"src/a\0src/x\0b\n\xff\0");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        text(&output.stdout),
        concat!(
            "{\"path\":\"src/a\",\"allowed\":true,\"decided_by\":\"allow\",\"pattern\":\"src/**\"}\n",
            "{\"path\":\"src/x\",\"allowed\":false,\"decided_by\":\"deny\",\"pattern\":\"src/x\"}\n",
            "{\"path\":\"b\\n\\udcff\",\"allowed\":false,\"decided_by\":\"none\",\"pattern\":null}\n",
        )
    );
    assert_eq!(text(&output.stderr), "");

    let output = cordon(&["explain", "--format=human", "src/a", "--allow", "src/**"], b"");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "inside   src/a  (allowed by `src/**`)\n");
}

#[test]
fn explain_refuses_a_path_that_git_would_not_write_so() {
    for path in ["./src/a", "src/../a", "src//a", "src/a/", "/src/a", "src/.", ""] {
        let output = cordon(&["explain", "src/ok", path, "--allow", "**"], b"");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!text(&output.stdout).contains("allowed"), "{output:?}");
        assert!(text(&output.stderr).starts_with(&format!("error: path `{path}` ")), "{output:?}");
    }
    assert_eq!(cordon(&["explain", "-z", "--allow", "**"], b"a\0\0b\0").status.code(), Some(2));
    assert_eq!(cordon(&["explain", "-z", "--allow", "**"], b"").status.code(), Some(0));
}

#[test]
fn deny_without_allow_is_told_what_to_write() {
    let output = cordon(&["explain", "a", "--deny", "b"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: --deny needs --allow, for example --allow '**'\n");
}

#[test]
fn a_number_out_of_range_is_told_the_range() {
    for (option, value, range) in [
        ("--max-files", "-1", "from 0"),
        ("--max-working-bytes", "2M", "from 0"),
        ("--verify-timeout", "0", "from 1 to 86400"),
        ("--max-attempts", "101", "from 1 to 100"),
    ] {
        let output = cordon(&["arm", "x", "--allow", "a", option, value], b"");
        assert_eq!(output.status.code(), Some(2));
        let sentence = format!("error: {option} takes a whole number {range}, got {value}\n");
        assert!(text(&output.stderr).starts_with(&sentence), "{output:?}");
    }
}

#[test]
fn a_repository_that_is_a_file_is_no_directory() {
    let output = cordon(&["--repo", "Cargo.toml", "status"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: --repo: Cargo.toml is no directory\n"), "{output:?}");
}

#[test]
fn bad_arguments_are_told_to_people_and_to_programs() {
    let output = cordon(&["chek"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: unrecognized subcommand 'chek'\n"), "{output:?}");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["schema_version"], 1);
    assert_eq!(object["error"]["kind"], "usage");
    assert!(object["error"]["hints"].as_array().is_some_and(|hints| !hints.is_empty()), "{object}");

    let output = cordon(&["chek", "--format", "human"], b"");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
}

#[test]
fn a_bad_pattern_is_refused_with_its_name() {
    let output = cordon(&["explain", "a", "--allow", "/\u{1b}[2J"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b), "{output:?}");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["error"]["kind"], "usage");
}

#[test]
fn outside_a_repository_every_command_is_refused() {
    let nowhere = tempfile::tempdir().unwrap();
    let repo = nowhere.path().to_str().unwrap();
    for words in [&["arm", "x", "--allow", "a"][..], &["check"], &["status"], &["reset"], &["diff"], &["explain", "a"]]
    {
        let output = cordon(&[&["--repo", repo, "--format", "json"], words].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {output:?}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error"]["kind"], "repository", "{words:?}: {object}");
        assert!(text(&output.stderr).starts_with("error: "), "{words:?}: {output:?}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for (words, start) in [
        (&["--help"][..], "Arm an envelope"),
        (&["arm", "-h"], "Record the repository"),
        (&["help", "--help"], "Arm an envelope"),
        (&["help", "arm", "-h"], "Record the repository"),
    ] {
        let output = cordon(words, b"");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        assert!(text(&output.stdout).contains(start), "{output:?}");
    }
    let output = cordon(&["--version"], b"");
    assert_eq!(text(&output.stdout), concat!("cordon ", env!("CARGO_PKG_VERSION"), "\n"));
    let output = cordon(&[], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage: cordon"), "{output:?}");
}

#[test]
fn colours_are_there_only_when_they_are_wanted() {
    let run = |name: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cordon"));
        command.args(["explain", "--format=human", "a", "--allow", "a"]);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env(name, value).output().unwrap().stdout
    };
    assert!(run("CLICOLOR_FORCE", "1").contains(&0x1b));
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0"), ("CLICOLOR_FORCE", "no")] {
        assert!(!run(name, value).contains(&0x1b), "{name}={value}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_neither_the_exit_code_nor_the_talk() {
    let input: Vec<u8> = (0..50_000).flat_map(|n| format!("outside/{n}\0").into_bytes()).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cordon"));
    command.args(["explain", "-z", "--allow", "src/**"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(3), ""));
}

/// What a command prints on a terminal with so many columns.
fn on_a_screen(columns: u32, words: &str) -> String {
    let line = format!("stty cols {columns}; NO_COLOR=1 '{}' {words}", env!("CARGO_BIN_EXE_cordon"));
    let output = Command::new("script").args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn sentences_are_wrapped_at_the_width_of_a_screen_and_stay_whole_in_a_pipe() {
    let piped = cordon(&["codes", "path-outside", "--format", "human"], b"");
    let longest = |text: &str| text.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(longest(text(&piped.stdout)) > 120, "{piped:?}");
    for (columns, limit) in [(60, 60), (0, 80), (10, 40), (500, 500)] {
        let screen = on_a_screen(columns, "codes path-outside");
        assert!(longest(&screen) <= limit && longest(&screen) > limit.min(120) - 20, "{columns}: {screen}");
        assert_eq!(words(&screen), words(text(&piped.stdout)));
    }
    let policy = on_a_screen(80, "policy");
    let is_wrapped = |line: &str| line.trim_end().chars().count() <= 80 || !line.trim().contains(' ');
    assert!(policy.lines().all(is_wrapped) && policy.contains("\n                                     "), "{policy}");
    let hints = on_a_screen(50, "explain");
    assert!(hints.contains("error: ") && hints.lines().any(|line| line.starts_with("        ")), "{hints}");
}
