//! Work that left its scope in plain sight, in ways that trip up a gate.

use std::fs;

use crate::common::sandbox::Sandbox;

/// Case 22: an eight-file fix becomes 37 files, twelve of them in one new directory.
#[test]
fn a_budget_counts_files_and_not_lines_of_status() {
    let sandbox = Sandbox::project();
    for i in 0..25 {
        sandbox.write(format!("src/module{i}.py"), "a\n");
    }
    sandbox.commit("more");
    sandbox.arm(&["--allow", "src/**", "--max-files", "8"]).ok();
    for i in 0..25 {
        sandbox.append(&format!("src/module{i}.py"), "b\n");
    }
    for i in 0..12 {
        sandbox.write(format!("src/new/part{i}.py"), "n\n");
    }
    sandbox.check().violates(&["file budget exceeded: 37 > 8"]);
}

/// Case 43: a file stands where a directory was.
#[test]
fn a_directory_that_became_a_file_loses_every_path_below() {
    let sandbox = Sandbox::project();
    sandbox.write("zz.txt", "z\n");
    sandbox.commit("z");
    sandbox.arm(&["--allow", "src/**"]).ok();
    fs::remove_dir_all(sandbox.at("docs")).unwrap();
    sandbox.write("docs", "");
    sandbox.append("zz.txt", "tail\n");
    let outside = ["docs", "docs/guide.md", "zz.txt"].map(|path| format!("path outside policy: {path}"));
    sandbox.check().violates(&outside.each_ref().map(String::as_str));
}

/// Case 45: names that Git quotes when it prints them.
#[test]
fn names_that_git_quotes_match_their_deny_pattern() {
    for commit in [false, true] {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "**", "--deny", "docs/**", "--allow-commits"]).ok();
        sandbox.write("docs/schéma.md", "x\n");
        sandbox.write("docs/a \"quoted\" name.md", "y\n");
        if commit {
            sandbox.commit("docs");
        }
        let words = ["path outside policy: docs/schéma.md", "path outside policy: docs/a \"quoted\" name.md"];
        sandbox.check().violates(&words);
    }
}

/// Case 47: a file name that is a command for a CI runner.
#[test]
fn a_name_gives_no_command_to_a_runner() {
    let sandbox = Sandbox::armed();
    sandbox.write_raw(b"x\n::stop-commands::pwn\r\x1b[2J", "x\n");
    for format in ["json", "human"] {
        let outcome = sandbox.cordon(&["check", "--format", format]).rejected().says(&["stop-commands"]);
        assert!(!outcome.text().lines().any(|line| line.starts_with("::stop-commands")), "{outcome:?}");
        assert!(!outcome.text().contains("\u{1b}[2J"), "{outcome:?}");
    }
}

/// Case 49: the index is damaged while a file outside was edited.
#[test]
fn a_damaged_index_never_fails_open() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "evil\n");
    fs::write(sandbox.at(".git/index"), "garbage").unwrap();
    let _ = sandbox.check().never_accepts().says(&["index"]);
}

/// Case 53: the agent arms again, wider.
#[test]
fn an_envelope_cannot_be_armed_over() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "evil\n");
    sandbox.cordon(&["arm", "wider", "--allow", "**"]).refused();
    sandbox.check().violates(&["path outside policy: README.md"]);
}

/// Case 18: the verifier itself rewrites a file outside and exits with 0.
#[test]
fn a_verifier_that_writes_outside_is_caught() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", "sh -c \"printf drift >> config/prod.yml\""]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().violates(&["path outside policy: config/prod.yml"]);
}
