//! `cordon setup`, `cordon completions` and `cordon man`: what other programs make of it.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// The targets, and the files that belong to them.
const TARGETS: [(&str, &str); 4] = [
    ("github", ".github/workflows/cordon.yml"),
    ("gitlab", ".gitlab/cordon.gitlab-ci.yml"),
    ("pre-commit", ".pre-commit-config.yaml"),
    ("claude", ".claude/settings.local.json"),
];

#[test]
fn each_file_is_written_once_and_printed_as_it_is_written() {
    let sandbox = Sandbox::project();
    for (target, file) in TARGETS {
        let printed = sandbox.cordon(&["setup", target, "--dry-run"]).ok().stdout;
        assert!(!sandbox.at(file).exists());
        let told = sandbox.cordon(&["setup", target]).ok().json();
        assert_eq!((&told["target"], &told["file"]), (&json!(target), &json!(file)));
        assert_eq!(std::fs::read(sandbox.at(file)).unwrap(), printed, "{target}");
        sandbox.write(file, "mine\n");
        sandbox.cordon(&["setup", target]).refused().says(&[file, "is there already", "--dry-run"]);
        assert_eq!(std::fs::read(sandbox.at(file)).unwrap(), b"mine\n");
    }
    sandbox.cordon(&["setup", "gitbub"]).refused().says(&["github"]);
}

#[test]
fn the_settings_for_claude_are_those_of_the_hooks() {
    let sandbox = Sandbox::project();
    let settings = sandbox.cordon(&["hook", "settings"]).ok().stdout;
    assert_eq!(sandbox.cordon(&["setup", "claude", "--dry-run"]).ok().stdout, settings);
}

#[test]
fn the_templates_are_yaml_that_a_reader_of_yaml_takes() {
    let reader = ["-c", "import sys, yaml; yaml.safe_load(sys.stdin)"];
    let has_reader = Command::new("python3").args(["-c", "import yaml"]).output().is_ok_and(|out| out.status.success());
    let sandbox = Sandbox::project();
    for target in ["github", "gitlab", "pre-commit"] {
        let printed = sandbox.cordon(&["setup", target, "--dry-run"]).ok().stdout;
        let text = String::from_utf8(printed.clone()).unwrap();
        assert!(text.contains("cordon gate") && !text.contains('\t') && text.starts_with("# Written by"), "{text}");
        if has_reader {
            let mut command = sandbox.command("python3");
            command.args(reader);
            run(command, &printed, PATIENCE).ok();
        }
    }
}

#[test]
fn the_hook_of_a_server_asks_cordon_and_takes_nothing_without_it() {
    let sandbox = Sandbox::project();
    let bare = sandbox.outside().join("bare.git");
    let bare = bare.to_str().unwrap();
    sandbox.git(&["init", "-q", "--bare", bare]).ok();
    sandbox.cordon(&["setup", "pre-receive", "--repo", bare]).ok();
    let hook = std::path::Path::new(bare).join("hooks/pre-receive");
    assert_eq!(std::fs::metadata(&hook).unwrap().permissions().mode() & 0o111, 0o111);
    sandbox.git(&["push", "-q", bare, "main"]).ends_with(1).says(&["cordon is not installed on this server"]);
    let bin = sandbox.outside().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let fake = |answer: &str| {
        let script = format!("#!/bin/sh\necho \"$@\" >\"$HOME/asked\"\ncat >>\"$HOME/asked\"\nexit {answer}\n");
        std::fs::write(bin.join("cordon"), script).unwrap();
        std::fs::set_permissions(bin.join("cordon"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut push = sandbox.git_command(&["push", "-q", bare, "main"]);
        push.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
        run(push, b"", PATIENCE)
    };
    fake("3").ends_with(1);
    let asked = std::fs::read_to_string(sandbox.outside().join("home/asked")).unwrap();
    assert!(asked.starts_with("gate --pre-receive\n") && asked.ends_with(" refs/heads/main\n"), "{asked}");
    fake("0").ok();
    sandbox.cordon(&["setup", "pre-receive", "--repo", bare]).refused().says(&["hooks/pre-receive is there already"]);
    sandbox.cordon(&["setup", "pre-receive"]).ok();
    assert!(sandbox.at(".git/hooks/pre-receive").exists());
}

#[test]
fn completions_are_scripts_that_their_shells_can_read() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.cordon(&["completions", shell]).ok();
        script.says(&["whose", "dry-run", "keygen"]);
    }
    for (shell, args) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = sandbox.cordon(&["completions", shell]).ok().stdout;
        sandbox.write("completions", &script);
        if Command::new(shell).arg("--version").output().is_ok() {
            let mut command = sandbox.command(shell);
            command.args(args).arg("completions");
            let read = run(command, b"", PATIENCE).ok();
            assert!(read.stderr.is_empty(), "{read:?}");
        }
    }
    let completing =
        "source completions; COMP_WORDS=(cordon po); COMP_CWORD=1; _cordon cordon po cordon; echo ${COMPREPLY[@]}";
    let script = sandbox.cordon(&["completions", "bash"]).ok().stdout;
    sandbox.write("completions", script);
    let mut command = sandbox.command("bash");
    command.args(["-c", completing]);
    assert_eq!(run(command, b"", PATIENCE).ok().stdout, b"policy\n");
}

#[test]
fn every_command_has_a_page_that_a_formatter_takes_without_complaint() {
    let sandbox = Sandbox::empty();
    let pages =
        [&["man"][..], &["man", "arm"], &["man", "ledger", "verify"], &["man", "policy", "check"], &["man", "setup"]];
    let formatter = [("mandoc", &["-T", "utf8", "-W", "error"][..]), ("groff", &["-man", "-Tutf8", "-ww"])];
    let formatter = formatter.into_iter().find(|(program, _)| Command::new(program).arg("--version").output().is_ok());
    for page in pages {
        let roff = sandbox.cordon(page).ok().stdout;
        let name = ["cordon"].iter().chain(&page[1..]).copied().collect::<Vec<_>>().join("-");
        let text = String::from_utf8(roff.clone()).unwrap();
        assert!(text.contains(&format!(".TH {name} 1")), "{text}");
        assert_eq!(text.contains("Example"), name != "cordon-ledger-verify", "{name}");
        if let Some((program, args)) = formatter {
            let mut command = sandbox.command(program);
            command.args(args);
            let outcome = run(command, &roff, PATIENCE).ok();
            assert!(outcome.stderr.is_empty(), "{outcome:?}");
        }
    }
    sandbox.cordon(&["man", "amr"]).refused().says(&["cordon has no command `amr`", "Did you mean `arm`?"]);
    sandbox.cordon(&["man", "arm", "x"]).refused().says(&["It has no commands of its own."]);
}
