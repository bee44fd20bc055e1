//! `cordon init`: what it proposes is valid, covers the repository, and says of the past what the judge says.

use serde_json::{Value, json};

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// A project whose code grew in 40 commits, the n-th by n lines, with some documentation and one commit across both.
fn grown() -> Sandbox {
    let sandbox = Sandbox::unborn();
    sandbox.write("src/app.rs", "");
    sandbox.write("docs/guide.md", "# Guide\n");
    sandbox.write("Cargo.toml", "[package]\n");
    sandbox.write(".envrc", "x\n");
    sandbox.commit("base");
    for lines in 1..=40 {
        sandbox.append("src/app.rs", "line\n".repeat(lines * 10));
        sandbox.commit(&format!("grow by {lines}"));
    }
    sandbox.append("docs/guide.md", "x\n");
    sandbox.commit("docs");
    sandbox.append("docs/guide.md", "x\n");
    sandbox.append("src/app.rs", "x\n");
    sandbox.commit("both");
    sandbox
}

fn role<'a>(proposal: &'a Value, name: &str) -> &'a Value {
    let roles = proposal["roles"].as_array().unwrap();
    roles.iter().find(|role| role["name"] == name).unwrap_or_else(|| panic!("no {name} in {proposal:#}"))
}

#[test]
fn the_proposal_is_valid_and_learns_from_the_past() {
    let sandbox = grown();
    let proposal = sandbox.cordon(&["init"]).ok().json();
    assert_eq!(proposal["written"], true);
    let code = role(&proposal, "code");
    assert_eq!((&code["commits"], &code["refused"]), (&json!(40), &json!(2)));
    assert_eq!(code["settings"]["allow"], json!(["src/**", "Cargo.toml"]));
    // 38 of the 40 commits are 95 %, and the 38th adds 380 lines, as git says as well.
    assert_eq!(code["settings"]["max_added_lines"], 380);
    let numstat = sandbox.git(&["log", "--no-merges", "--format=", "--numstat", "--", "src"]).ok();
    let text = String::from_utf8(numstat.stdout).unwrap();
    let mut added: Vec<u64> = text.lines().filter_map(|line| line.split('\t').next()?.parse().ok()).collect();
    added.sort_unstable();
    assert_eq!(added.iter().filter(|lines| **lines > 380).count(), 2);
    assert_eq!(
        (code["settings"]["verify"][0].as_str(), &code["settings"]["owner"]),
        (Some("cargo test"), &json!("Test"))
    );
    let replay = &proposal["replay"];
    assert_eq!((&replay["commits"], &replay["accepted"]), (&json!(42), &json!(39)));
    assert_eq!((&replay["over_budget"], &replay["several_roles"]), (&json!(2), &json!(1)));
    let checked = sandbox.cordon(&["policy", "check"]).ok().json();
    assert_eq!((&checked["valid"], &checked["overlaps"]), (&json!(true), &json!([])));
    let written = std::fs::read_to_string(sandbox.at("cordon.toml")).unwrap();
    assert_eq!(proposal["text"].as_str(), Some(written.as_str()));
}

#[test]
fn its_budgets_are_those_that_check_enforces() {
    let sandbox = grown();
    sandbox.cordon(&["init"]).ok();
    let text = std::fs::read_to_string(sandbox.at("cordon.toml")).unwrap();
    sandbox.write("cordon.toml", text.replace("verify = [\"cargo test\"]", "verify = [\"true\"]"));
    sandbox.commit("policy");
    sandbox.arm(&["--role", "code"]).ok();
    sandbox.append("src/app.rs", "line\n".repeat(380));
    assert_eq!(sandbox.check().ok().json()["role"], "code");
    sandbox.append("src/app.rs", "line\n");
    sandbox.check().violates(&["added-line budget exceeded: 381 > 380"]);
}

#[test]
fn an_existing_file_is_never_written_over() {
    let sandbox = grown();
    sandbox.write("cordon.toml", "mine\n");
    sandbox.cordon(&["init"]).refused().says(&["cordon.toml is there already", "--dry-run"]);
    assert_eq!(std::fs::read(sandbox.at("cordon.toml")).unwrap(), b"mine\n");
    let printed = sandbox.cordon(&["init", "--dry-run"]).ok();
    sandbox.write("cordon.toml", &printed.stdout);
    assert_eq!(sandbox.cordon(&["policy", "check"]).ok().json()["roles"], json!(["code", "docs"]));
    let told = sandbox.cordon(&["init", "--dry-run", "--format", "json"]).ok().json();
    assert_eq!(
        (&told["written"], told["text"].as_str().unwrap().as_bytes()),
        (&json!(false), printed.stdout.as_slice())
    );
    std::fs::remove_file(sandbox.at("cordon.toml")).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.cordon(&["init"]).refused().says(&["an envelope is armed", "cordon reset"]);
    assert!(!sandbox.at("cordon.toml").exists());
}

#[test]
fn the_past_begins_where_it_is_said() {
    let sandbox = grown();
    let commits =
        |since: &str| sandbox.cordon(&["init", "--dry-run", "--format", "json", "--since", since]).ok().json();
    assert_eq!(commits("HEAD~5")["replay"]["commits"], 5);
    sandbox.git(&["tag", "v1", "HEAD~7"]).ok();
    assert_eq!(commits("v1")["replay"]["commits"], 7);
    assert_eq!(commits("2024-01-02")["replay"]["commits"], 42);
    assert_eq!(commits("2024-01-03")["replay"]["commits"], 0);
    let few = commits("HEAD~5");
    assert_eq!(role(&few, "code")["settings"]["max_files"], Value::Null);
    sandbox.cordon(&["init", "--since", "nowhere"]).refused().says(&["`nowhere` is neither a date nor a revision"]);
    Sandbox::unborn().cordon(&["init"]).refused().says(&["Commit something first"]);
}

#[test]
fn merges_are_left_out_and_shallow_clones_have_a_shorter_past() {
    let sandbox = grown();
    sandbox.git(&["switch", "-qc", "side", "HEAD~3"]).ok();
    sandbox.write("src/side.rs", "x\n");
    sandbox.commit("side");
    sandbox.git(&["merge", "-q", "-m", "merge", "main"]).ok();
    let replay = sandbox.cordon(&["init", "--dry-run", "--format", "json"]).ok().json()["replay"].clone();
    assert_eq!(replay["commits"], 43);
    let origin = format!("file://{}", sandbox.root.display());
    let clone = sandbox.outside().join("clone");
    sandbox.git(&["clone", "-q", "--depth", "10", "--branch", "main", &origin, clone.to_str().unwrap()]).ok();
    let shallow =
        sandbox.cordon(&["init", "--dry-run", "--format", "json", "--repo", clone.to_str().unwrap()]).ok().json();
    assert_eq!(shallow["replay"]["commits"], 9);
}

#[test]
fn every_path_has_one_owner_whatever_it_is_called() {
    let sandbox = Sandbox::project();
    for path in [
        &b"src/\xff\x1b[2J"[..],
        b"a*b/x",
        b"we?rd",
        b"[x]{y}",
        b"new\nline/a",
        b"\"q\"\\/x",
        b"crates/a/x",
        b"crates/b/x",
    ] {
        sandbox.write_raw(path, "x\n");
    }
    sandbox.commit("names");
    sandbox.cordon(&["init"]).ok();
    sandbox.cordon(&["policy", "check"]).ok();
    sandbox.commit("policy");
    let paths = sandbox.git(&["ls-files", "-z"]).ok().stdout;
    let answer = run(sandbox.cordon_command(&["whose", "-z"]), &paths, PATIENCE).ok();
    let lines = String::from_utf8(answer.stdout).unwrap();
    assert_eq!(lines.lines().count(), paths.split(|byte| *byte == 0).count() - 1);
    for line in lines.lines() {
        let whose: Value = serde_json::from_str(&line.replace("\\udcff", "?")).unwrap();
        let (roles, protected) = (whose["roles"].as_array().unwrap().len(), whose["protected"].is_string());
        assert_eq!((roles, protected), if whose["path"] == "cordon.toml" { (0, true) } else { (1, false) }, "{line}");
    }
    let text = sandbox.cordon(&["init", "--dry-run"]).ok().stdout;
    assert!(text.iter().all(|byte| *byte == b'\n' || !byte.is_ascii_control()));
}
