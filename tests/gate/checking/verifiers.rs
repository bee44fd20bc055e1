//! Verifiers: when they run, how they are bounded, and what is told about them.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

/// A project that is armed with these verifiers and holds an accepted edit.
#[track_caller]
fn with(verifiers: &[&str], more: &[&str]) -> Sandbox {
    let sandbox = Sandbox::project();
    let verify = verifiers.iter().flat_map(|command| ["--verify", command]);
    let args: Vec<&str> = ["--allow", "src/**"].into_iter().chain(verify).chain(more.iter().copied()).collect();
    sandbox.arm(&args).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox
}

fn first(outcome: &Outcome) -> Value {
    outcome.json()["verification"][0].clone()
}

#[test]
fn a_verifier_that_exits_with_0_is_reported_with_its_output() {
    let outcome = with(&["sh -c 'echo out; echo err >&2'"], &[]).check().ok();
    let expected = serde_json::json!({
        "command": "sh -c 'echo out; echo err >&2'", "returncode": 0, "stdout": "out\n", "stderr": "err\n",
        "passed": true, "timed_out": false, "output_limited": false
    });
    assert_eq!(first(&outcome), expected);
}

#[test]
fn all_verifiers_run_even_after_one_failed() {
    let outcome = with(&["sh -c 'exit 7'", "true", "false"], &[]).check();
    let outcome = outcome.violates(&["verifier failed (exit 7): sh -c 'exit 7'", "verifier failed (exit 1): false"]);
    let passed: Vec<bool> =
        json::array(&outcome.json()["verification"]).iter().map(|v| v["passed"].as_bool().unwrap()).collect();
    assert_eq!(passed, [false, true, false]);
}

#[test]
fn verifiers_run_only_when_the_envelope_holds() {
    let sandbox = with(&["touch src/ran"], &[]);
    sandbox.write("docs/new.md", "x\n");
    let outcome = sandbox.check().violates(&["path outside policy: docs/new.md"]);
    assert_eq!(outcome.json()["verification"], serde_json::json!([]));
    assert!(!sandbox.at("src/ran").exists());
}

#[test]
fn a_verifier_runs_in_the_root_with_empty_input_and_no_shell() {
    let sandbox = with(&["sh -c 'pwd; wc -c; test -e README.md'", "echo $HOME '*' && true"], &[]);
    let verification = sandbox.check().ok().json()["verification"].clone();
    let lines = String::from_utf8(json::bytes(&verification[0]["stdout"])).unwrap();
    assert_eq!(lines.lines().next(), sandbox.root.to_str());
    assert_eq!(lines.lines().nth(1).map(str::trim), Some("0"));
    assert_eq!(verification[1]["stdout"], "$HOME * && true\n");
}

#[test]
fn a_verifier_is_its_own_process_group() {
    let sandbox = with(&["sh -c 'ps -o pid=,pgid= -p $$'"], &[]);
    let outcome = sandbox.check().ok();
    let line = String::from_utf8(json::bytes(&first(&outcome)["stdout"])).unwrap();
    let ids: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(ids[0], ids[1], "{line}");
}

#[test]
fn a_signal_is_a_negative_return_code() {
    let outcome = with(&["sh -c 'kill -KILL $$'"], &[])
        .check()
        .violates(&["verifier failed (ended by signal 9 (SIGKILL)): sh -c"]);
    assert_eq!(first(&outcome)["returncode"], -9);
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let sandbox = with(
        &["sh -c \"trap '' TERM; (trap '' TERM; sleep 6; touch src/late) & sleep 30\""],
        &["--verify-timeout", "1"],
    );
    let outcome = sandbox.check().violates(&["verifier failed (timeout)"]);
    assert!(outcome.took < Duration::from_secs(15), "{outcome:?}");
    assert_eq!(first(&outcome)["timed_out"], true);
    assert_eq!(first(&outcome)["passed"], false);
    sleep(Duration::from_secs(7).saturating_sub(outcome.took));
    assert!(!sandbox.at("src/late").exists(), "a process of the verifier's group survived its end");
}

#[test]
fn nothing_of_a_finished_group_survives() {
    let sandbox = with(&["sh -c '(sleep 1; touch src/late) >/dev/null 2>&1 & exit 0'"], &[]);
    sandbox.check().ok();
    sleep(Duration::from_millis(1500));
    assert!(!sandbox.at("src/late").exists());
}

#[test]
fn a_background_child_that_holds_the_output_delays_nothing() {
    let outcome = with(&["sh -c 'sleep 60 & echo done'"], &[]).check().ok();
    assert!(outcome.took < Duration::from_secs(10), "{outcome:?}");
    assert_eq!(first(&outcome)["stdout"], "done\n");
}

#[test]
fn much_output_is_cut_and_too_much_ends_the_verifier() {
    let outcome = with(&["sh -c 'head -c 1000000 /dev/zero | tr \"\\\\0\" x'"], &[]).check().ok();
    let stdout = json::bytes(&first(&outcome)["stdout"]);
    assert!(stdout.starts_with(&[b'x'; 16_384]) && stdout.len() < 17_000, "{} bytes are kept", stdout.len());
    assert_ne!(stdout.get(16_384..), Some(&b""[..]), "nothing marks the cut");
    assert_ne!(stdout.get(16_384), Some(&b'x'));

    let outcome =
        with(&["yes"], &["--verify-timeout", "60"]).check().violates(&["verifier failed (output limit): yes"]);
    assert_eq!(first(&outcome)["output_limited"], true);
    assert_eq!(first(&outcome)["timed_out"], false);
}

#[test]
fn undecodable_output_is_told_byte_by_byte() {
    let outcome = with(&["printf '\\377\\033[2J'"], &[]).check().ok();
    assert_eq!(json::bytes(&first(&outcome)["stdout"]), b"\xff\x1b[2J");
}

#[test]
fn an_executable_that_cannot_start_is_refused_and_changes_no_state() {
    for command in ["no-such-program-anywhere --flag", "./README.md", "./docs"] {
        let sandbox = with(&[command], &[]);
        let before = fs::read(sandbox.at(".cordon/state.json")).unwrap();
        sandbox.check().refused().says(&[command.split(' ').next().unwrap()]);
        assert_eq!(before, fs::read(sandbox.at(".cordon/state.json")).unwrap(), "{command}");
        assert_eq!(sandbox.cordon(&["status"]).ok().json()["phase"], "armed");
    }
}

#[test]
fn what_a_verifier_writes_is_part_of_the_verdict() {
    let sandbox = with(&["sh -c 'echo drift >> README.md'"], &[]);
    sandbox.check().violates(&["path outside policy: README.md"]);
}
