//! What a person sees of a running attempt, and what its agent cannot see of Cordon.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::common::{EDIT, LONG, arguments, attempt, copy_program, processes};
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program, privileged};

#[test]
fn a_terminal_shows_the_attempt_and_the_budgets_as_they_grow() {
    let sandbox = Sandbox::project();
    let agent = sandbox.outside().join("agent");
    fs::write(&agent, format!("{EDIT}; sleep 6")).unwrap();
    let line = format!("{} run 'do it' --allow 'src/**' -- sh {}", cordon_program().display(), agent.display());
    let mut command = sandbox.command("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm-256color");
    let outcome = run(command, b"", LONG).ok();
    outcome.says(&[
        "agent at work, attempt 1/3",
        "1/25 files, +1/2,000 -0/1,000 lines",
        "ACCEPTED",
        "ended in good order",
    ]);
}

#[test]
fn a_pipe_gets_the_answer_and_nothing_else() {
    let sandbox = Sandbox::project();
    let outcome = attempt(&sandbox, &[], &format!("{EDIT}; sleep 3")).ok();
    assert!(outcome.stderr.is_empty(), "{outcome:?}");
    assert_eq!(outcome.json()["passed"], true);
}

#[test]
fn an_agent_of_the_same_user_cannot_look_into_cordon_or_its_keeper() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    copy_program(&sandbox.outside().join("cordon"));
    for dir in [sandbox.path(), sandbox.outside(), &sandbox.outside().join("cordon")] {
        fs::set_permissions(dir, Permissions::from_mode(0o755)).unwrap();
    }
    let mut chown = sandbox.command("chown");
    chown.args(["-R", "65534:65534"]).arg(&sandbox.root).arg(sandbox.outside().join("home"));
    run(chown, b"", PATIENCE).ok();
    // Its own descriptors it may list, so that a refusal is one.
    let script = "ls /proc/$$/fd >/dev/null || exit 9; for process in $PPID $(ps -o ppid= -p $PPID); do \
                  ls /proc/$process/fd && exit 8; cat /proc/$process/environ && exit 7; done; (setsid sleep 1000 &); exit 0";
    let mut command = sandbox.command("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(sandbox.outside().join("cordon"));
    command.args(arguments(&["--verify", "true"], script));
    run(command, b"", LONG).ok();
    assert_eq!(processes(&sandbox), Vec::<String>::new());
}
