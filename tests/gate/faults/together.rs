//! Two operations at once, sudden death, and a reader that goes away.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::run::PATIENCE;
use crate::common::sandbox::Sandbox;

#[test]
fn the_second_operation_is_refused_at_once() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--verify", "sh -c 'touch src/started; sleep 3'"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    let first = sandbox.cordon_start(&["check"]);
    let began = Instant::now();
    while !sandbox.at("src/started").exists() {
        assert!(began.elapsed() < PATIENCE, "the first check runs no verifier");
        sleep(Duration::from_millis(10));
    }
    for args in [&["check"][..], &["arm", "again", "--allow", "**"], &["reset"]] {
        let outcome = sandbox.cordon(args).refused().says(&["another"]);
        assert!(outcome.took < Duration::from_millis(1_500), "not at once: {outcome:?}");
    }
    first.finish(PATIENCE).ok();
    sandbox.check().ok();
}

#[test]
fn a_killed_check_loses_nothing() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    sandbox.check().rejected();
    for delay in 0..30 {
        let mut running = sandbox.cordon_start(&["check"]);
        sleep(Duration::from_millis(delay));
        running.kill();
        let _ = running.finish(PATIENCE);
        let status = sandbox.cordon(&["status"]).ok().json();
        assert!(matches!(status["phase"].as_str(), Some("armed" | "rejected")), "{status}");
        if delay % 5 == 0 {
            sandbox.check().violates(&["path outside policy: README.md"]);
        }
    }
    sandbox.write("README.md", "# Demo\n");
    sandbox.check().ok();
    let left: Vec<_> = fs::read_dir(sandbox.at(".cordon")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.len() <= 8, "dead processes pile up files: {left:?}");
    sandbox.cordon(&["reset"]).ok();
}

#[test]
fn a_killed_arm_is_armed_or_not() {
    let sandbox = Sandbox::project();
    for delay in 0..30 {
        let mut running = sandbox.cordon_start(&["arm", "test", "--allow", "src/**"]);
        sleep(Duration::from_millis(delay));
        running.kill();
        let _ = running.finish(PATIENCE);
        let check = sandbox.check();
        assert!(matches!(check.code(), 0 | 2), "{check:?}");
        assert!(!check.text().contains("damaged"), "half an arm is left: {check:?}");
        sandbox.cordon(&["reset"]).ok();
        assert!(!sandbox.at(".cordon").exists());
        // Nothing of it stands in the way of the next one, whichever it was.
        if delay % 5 == 0 {
            sandbox.arm(&["--allow", "src/**"]).ok();
            sandbox.cordon(&["reset"]).ok();
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::armed();
    for i in 0..20_000 {
        sandbox.write(format!("src/file-with-a-rather-long-name-{i}"), "");
    }
    for args in [&["check"][..], &["check", "--format", "human"], &["diff"], &["status"]] {
        let mut command = sandbox.cordon_command(args);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked") && !stderr.contains("Broken pipe"), "{args:?}: {stderr}");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{args:?}: {:?} {stderr}", output.status);
    }
}
