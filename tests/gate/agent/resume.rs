//! `cordon resume`: when it is possible, and what the agent is told.

use std::fs;

use super::common::{EDIT, attempt, phase, repeat};
use crate::common::sandbox::Sandbox;

/// An agent that does another thing in each attempt.
const TWICE: &str = "cat > build/told; if [ -e build/second ]; then echo 'Y = 2' >> src/app.py; else touch build/second; echo 'X = 1' >> src/app.py; fi";

fn project() -> Sandbox {
    let sandbox = Sandbox::project();
    fs::create_dir_all(sandbox.at("build")).unwrap();
    sandbox
}

#[test]
fn a_veto_followed_by_resume_is_accepted() {
    repeat(|| {
        let sandbox = project();
        let verifier = "sh -c 'echo the reason; grep -q Y src/app.py'";
        attempt(&sandbox, &["--verify", verifier], TWICE).violates(&["verifier failed (exit 1)"]);
        let ran = sandbox.cordon(&["resume"]).ok().json();
        assert_eq!((&ran["passed"], &ran["attempt"]), (&true.into(), &2.into()));
        let told = fs::read_to_string(sandbox.at("build/told")).unwrap();
        for words in ["attempt 2 of 3", "the reason", "failed (exit 1)", "Left of the budgets"] {
            assert!(told.contains(words), "{words} is missing in {told}");
        }
        assert!(sandbox.at(".cordon/attempts/1/stdout").exists() && sandbox.at(".cordon/attempts/2/stdout").exists());
        sandbox.cordon(&["resume"]).refused().says(&["accepted"]);
    });
}

#[test]
fn a_failed_attempt_is_told_to_the_next() {
    let sandbox = project();
    let script = format!("cat > build/told; {EDIT}; [ -e build/second ] || {{ touch build/second; exit 7; }}");
    attempt(&sandbox, &[], &script).ends_with(4);
    sandbox.cordon(&["resume"]).ok();
    let told = fs::read_to_string(sandbox.at("build/told")).unwrap();
    assert!(told.contains("it exited with 7"), "{told}");
}

#[test]
fn attempts_are_counted_and_come_to_an_end() {
    let sandbox = project();
    attempt(&sandbox, &["--max-attempts", "2"], "exit 1").ends_with(4);
    sandbox.cordon(&["resume"]).ends_with(4);
    let status = sandbox.cordon(&["status"]).ok().json();
    assert_eq!((&status["attempt"], &status["max_attempts"]), (&2.into(), &2.into()));
    sandbox.cordon(&["resume"]).refused().says(&["2 of 2", "--max-attempts"]);
}

#[test]
fn what_left_the_envelope_must_come_back_first() {
    let sandbox = project();
    attempt(&sandbox, &[], &format!("{EDIT}; echo more >> README.md; exit 1")).ends_with(4);
    let refusal = sandbox.cordon(&["resume"]).refused();
    assert!(refusal.text().contains("README.md"), "{refusal:?}");
    assert_eq!(phase(&sandbox), "rejected");
    assert_eq!(sandbox.cordon(&["status"]).ok().json()["attempt"], 1);
    sandbox.git(&["checkout", "README.md"]).ok();
    sandbox.cordon(&["resume"]).ends_with(4);
}

#[test]
fn an_envelope_without_an_agent_cannot_be_resumed() {
    let sandbox = Sandbox::armed();
    sandbox.cordon(&["resume"]).refused().says(&["cordon check"]);
    let nothing = Sandbox::project();
    nothing.cordon(&["resume"]).refused().says(&["nothing is armed"]);
}

#[test]
fn an_agent_that_cannot_start_any_more_is_no_attempt() {
    let sandbox = project();
    let agent = sandbox.outside().join("agent");
    fs::write(&agent, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&agent, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.cordon(&["run", "do it", "--allow", "src/**", "--", agent.to_str().unwrap()]).ends_with(4);
    fs::remove_file(&agent).unwrap();
    sandbox.cordon(&["resume"]).refused().says(&["cannot start"]);
    let status = sandbox.cordon(&["status"]).ok().json();
    assert_eq!((&status["phase"], &status["attempt"]), (&"engine_error".into(), &1.into()));
}

#[test]
fn an_interrupted_attempt_can_be_resumed_and_is_told() {
    let sandbox = project();
    let script = "cat > build/told; [ -e build/up ] && exit 0; touch build/up; sleep 1000";
    let mut running = super::common::started(&sandbox, &[], script);
    running.kill();
    super::common::wait_until("nobody is left", || super::common::processes(&sandbox).is_empty());
    sandbox.cordon(&["resume"]).ok();
    let told = fs::read_to_string(sandbox.at("build/told")).unwrap();
    assert!(told.contains("attempt 2 of 3") && told.contains("interrupted"), "{told}");
}
