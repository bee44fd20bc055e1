//! Command lines of Bash, each with the path that its denial must name, or with silence: `fixtures/hook/commands.jsonl`.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Command lines: what a denial must name, or nothing, and the line itself with `@ROOT@` for the work tree.
fn table() -> Vec<(Option<String>, String)> {
    let text = include_str!("../../../fixtures/hook/commands.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// A project with links, ignored files that were there at arm, and a file and a directory that came after it.
fn scene() -> Sandbox {
    let sandbox = Sandbox::project();
    symlink("docs", sandbox.at("link")).unwrap();
    symlink("../docs/guide.md", sandbox.at("src/tolink")).unwrap();
    sandbox.commit("links");
    sandbox.write(".env", "KEY=1\n");
    sandbox.write("data/set.csv", "1\n");
    sandbox.write("build/nested/a", "1\n");
    sandbox.git(&["-C", "build/nested", "init", "-q"]).ok();
    sandbox.arm(&["--allow", "src/**", "--deny", "src/secret/**"]).ok();
    sandbox.write("stray.txt", "1\n");
    sandbox.write("stray/a", "1\n");
    sandbox
}

/// The reason of the denial of a command, if there is one.
fn denial(sandbox: &Sandbox, command: &str) -> Option<String> {
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": sandbox.root, "tool_input": {"command": command}});
    let outcome = run(sandbox.cordon_command(&["hook", "pre-tool-use"]), event.to_string().as_bytes(), PATIENCE).ok();
    if outcome.stdout.is_empty() {
        return None;
    }
    let answer: Value = outcome.json();
    let decision = &answer["hookSpecificOutput"];
    assert_eq!((&decision["hookEventName"], &decision["permissionDecision"]), (&json!("PreToolUse"), &json!("deny")));
    decision["permissionDecisionReason"].as_str().map(str::to_owned)
}

#[test]
fn plain_writes_outside_are_denied_and_everything_else_is_met_with_silence() {
    let (sandbox, table) = (scene(), table());
    assert!(table.len() >= 500, "{} command lines", table.len());
    let root = sandbox.root.to_str().unwrap();
    let judge = |(expected, line): &(Option<String>, String)| {
        let reason = denial(&sandbox, &line.replace("@ROOT@", root));
        let right = match (expected, &reason) {
            (None, None) => true,
            (Some(path), Some(reason)) => reason.contains(path.as_str()),
            _ => false,
        };
        (!right).then(|| format!("{line:?}\n  expected {expected:?}\n  answered {reason:?}"))
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let parts = table.chunks(table.len().div_ceil(4));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().filter_map(judge).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.len(), wrong.join("\n"));
    // Nothing of all this disturbed what is armed.
    fs::remove_file(sandbox.at("stray.txt")).unwrap();
    fs::remove_dir_all(sandbox.at("stray")).unwrap();
    sandbox.check().ok();
}

/// Far above what it takes on a busy machine, and far below what a cost that grows with the square would take.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn neither_a_path_nor_a_list_is_too_long_for_an_answer() {
    let sandbox = scene();
    let began = Instant::now();
    for part in ["a/", "src/", "../", "link/"] {
        let path = part.repeat(400_000 / part.len());
        for command in [format!("rm {path}"), format!("mkdir -p {path}"), format!("cp README.md {path}")] {
            assert_eq!(denial(&sandbox, &command), None, "{part}");
        }
    }
    for part in ["cd src;", "pushd src;", "(cd src);", "x || "] {
        assert_eq!(denial(&sandbox, &format!("{}true", part.repeat(400_000 / part.len()))), None, "{part}");
    }
    // Detours alone make no path too long that is short without them.
    let detour = format!("echo x > {}README.md", "src/../".repeat(50_000));
    assert!(denial(&sandbox, &detour).is_some_and(|reason| reason.contains("README.md")));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}
