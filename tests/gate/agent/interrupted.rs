//! Signals to Cordon, and agents that kill what watches over them.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use super::common::{EDIT, LONG, attempt, copy_program, phase, processes, repeat, started, wait_until};
use crate::common::run::run;
use crate::common::sandbox::Sandbox;

/// An agent that has started a stubborn daemon and waits.
const BUSY: &str = "mkdir -p build; (setsid sh -c \"trap '' INT TERM HUP; touch build/up; while :; do sleep 1000; done\" \
                    >/dev/null 2>&1 &); sleep 1000";

/// The parent of the keeper, in a shell that the keeper has started.
const CORDON: &str = "$(ps -o ppid= -p $PPID)";

fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn a_signal_ends_everybody_and_is_told() {
    repeat(|| {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let sandbox = Sandbox::project();
            let running = started(&sandbox, &[], BUSY);
            send(running.id(), signal);
            let outcome = running.finish(LONG).ends_with(128 + signal.as_raw());
            assert!(outcome.text().contains("interrupted"), "{outcome:?}");
            assert_eq!(processes(&sandbox), Vec::<String>::new());
            let status = sandbox.cordon(&["status"]).ok().json();
            assert_eq!((&status["phase"], &status["attempt"]), (&"interrupted".into(), &1.into()));
            sandbox.check().ok();
        }
    });
}

/// What the agent left takes days to read, and the envelope allows it.
#[test]
fn a_signal_ends_the_audit_as_well() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let agent = "mkdir -p build; touch build/up; truncate -s 15T src/new.bin";
        let running = started(&sandbox, &["--max-working-bytes", "20000000000000"], agent);
        wait_until("the audit is under way", || phase(&sandbox) == "agent_finished");
        std::thread::sleep(std::time::Duration::from_millis(300));
        send(running.id(), Signal::TERM);
        running.finish(LONG).ends_with(128 + Signal::TERM.as_raw()).says(&["interrupted"]);
        assert_eq!(phase(&sandbox), "interrupted");
        assert_eq!(processes(&sandbox), Vec::<String>::new());
    });
}

#[test]
fn a_killed_cordon_leaves_nobody_and_no_lock() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let mut running = started(&sandbox, &[], BUSY);
        assert_eq!(phase(&sandbox), "running");
        running.kill();
        wait_until("nobody is left", || processes(&sandbox).is_empty());
        assert_eq!(phase(&sandbox), "interrupted");
        sandbox.check().ok();
        assert_eq!(phase(&sandbox), "accepted");
    });
}

#[test]
fn an_agent_that_kills_cordon_dies_with_it() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let agent = format!("{EDIT}; (setsid sleep 1000 &); kill -KILL {CORDON}; sleep 1000");
        let outcome = run(sandbox.cordon_command(&super::common::arguments(&[], &agent)), b"", LONG);
        assert_eq!(outcome.code(), -9, "{outcome:?}");
        wait_until("nobody is left", || processes(&sandbox).is_empty());
        assert_eq!(phase(&sandbox), "interrupted");
        sandbox.check().ok();
    });
}

#[test]
fn an_agent_that_kills_its_keeper_has_failed() {
    repeat(|| {
        for signal in ["KILL", "TERM"] {
            let sandbox = Sandbox::project();
            let agent = format!("{EDIT}; (setsid sleep 1000 &); kill -{signal} $PPID; sleep 1000");
            let ran = attempt(&sandbox, &["--verify", "true"], &agent).ends_with(4).json();
            assert_eq!((&ran["passed"], &ran["agent"]["returncode"]), (&true.into(), &(-9).into()));
        }
    });
}

#[test]
fn a_stopped_keeper_is_woken() {
    repeat(|| {
        let sandbox = Sandbox::project();
        attempt(&sandbox, &["--timeout", "60"], &format!("{EDIT}; (setsid sleep 1000 &); kill -STOP $PPID")).ok();
    });
}

#[test]
fn who_survives_both_is_named_by_the_next_command() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let agent = format!(
            "{EDIT}; setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $! >src/survivor; mkdir -p build; touch build/up; \
             kill -KILL {CORDON} $PPID; while :; do :; done"
        );
        let outcome = run(sandbox.cordon_command(&super::common::arguments(&[], &agent)), b"", LONG);
        assert_eq!(outcome.code(), -9, "{outcome:?}");
        let survivor = fs::read_to_string(sandbox.at("src/survivor")).unwrap();
        let survivor = survivor.trim();
        wait_until("the agent itself is gone", || processes(&sandbox).len() <= 1);
        if processes(&sandbox).is_empty() {
            // The keeper lived long enough to see Cordon's end.
            sandbox.check().ok();
            return;
        }
        for command in [&["check"][..], &["resume"], &["diff"], &["reset"]] {
            sandbox.cordon(command).refused().says(&[survivor, "left processes behind"]);
        }
        assert!(Command::new("kill").args(["-KILL", survivor]).status().unwrap().success());
        wait_until("nobody is left", || processes(&sandbox).is_empty());
        sandbox.check().ok();
    });
}

#[test]
fn the_binary_may_be_replaced_while_it_runs() {
    repeat(|| {
        let sandbox = Sandbox::project();
        let copy = sandbox.outside().join("cordon");
        copy_program(&copy);
        let agent = format!("{EDIT}; rm ../cordon; printf '#!/bin/sh\\nexit 0\\n' >../cordon; chmod +x ../cordon");
        let mut command = sandbox.command(&copy);
        command.args(super::common::arguments(&["--verify", "grep -q X src/app.py", "--verify", "true"], &agent));
        let ran = run(command, b"", LONG).ok().json();
        assert_eq!(ran["verification"].as_array().map(Vec::len), Some(2));
    });
}
