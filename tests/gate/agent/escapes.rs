//! Descendants that leave their group, their session and their parents: all of them are gone before the verdict.

use super::common::{EDIT, attempt, processes, repeat, wait_until};
use crate::common::sandbox::Sandbox;

/// A process that nobody asks to end with success.
const STUBBORN: &str = "trap '' INT TERM HUP; while :; do sleep 1000; done";

#[track_caller]
fn nobody_outlives(script: &str) {
    repeat(|| {
        let sandbox = Sandbox::project();
        attempt(&sandbox, &["--timeout", "60"], &format!("{EDIT}; {script}")).ok();
    });
}

/// Starts a script in a session of its own and goes on once it runs.
fn daemon(script: &str) -> String {
    format!("(setsid sh -c \"touch src/up; {script}\" >/dev/null 2>&1 &); until [ -e src/up ]; do sleep 0.01; done")
}

#[test]
fn a_session_of_its_own() {
    nobody_outlives(&daemon("exec sleep 1000"));
}

#[test]
fn a_daemon_by_a_double_fork() {
    nobody_outlives(&daemon("(sleep 1000 &) ; exit 0"));
}

#[test]
fn a_daemon_that_ignores_every_request() {
    nobody_outlives(&daemon(STUBBORN));
}

#[test]
fn a_daemon_without_an_environment() {
    nobody_outlives(&daemon("exec env -i sleep 1000"));
}

#[test]
fn a_stopped_daemon() {
    nobody_outlives(&daemon("kill -STOP \\$\\$"));
}

#[test]
fn two_hundred_at_once() {
    nobody_outlives("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done");
}

#[test]
fn two_hundred_that_ignore_every_request_in_sessions_of_their_own() {
    nobody_outlives("trap '' INT TERM; i=0; while [ $i -lt 200 ]; do setsid sleep 1000 & i=$((i+1)); done");
}

#[test]
fn a_chain_in_which_everybody_forks_and_ends_at_once() {
    nobody_outlives(&daemon("f() { (f &) ; }; f"));
}

#[test]
fn a_verifier_is_kept_as_an_agent_is() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let verifier = format!("sh -c \"(setsid sh -c \\\"{STUBBORN}\\\" >/dev/null 2>&1 &)\"");
        sandbox.arm(&["--allow", "src/**", "--verify", &verifier]).ok();
        sandbox.check().ok();
        assert_eq!(processes(&sandbox), Vec::<String>::new());
    });
}

#[test]
fn a_killed_check_takes_its_verifiers_with_it() {
    repeat(|| {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**", "--verify", &format!("sh -c \"touch build/up; {STUBBORN}\"")]).ok();
        std::fs::create_dir_all(sandbox.at("build")).unwrap();
        let mut check = sandbox.cordon_start(&["check"]);
        wait_until("the verifier is up", || sandbox.at("build/up").exists());
        check.kill();
        wait_until("nobody is left", || processes(&sandbox).is_empty());
        sandbox.cordon(&["status"]).ok();
    });
}
