//! What is said about an attempt, with an agent that would take over the terminal if it could.

use anstream::adapter::strip_str;

use super::*;
use crate::agent::result::Reported;
use crate::audit::verdict::{Left, SCHEMA_VERSION, Verdict};

fn ran(failure: Option<&str>, passed: bool, attempt: u32) -> Ran {
    let limits = Limits::default();
    let verdict = Verdict {
        schema_version: SCHEMA_VERSION,
        passed,
        label: "fix it".into(),
        role: None,
        baseline: "1".repeat(40),
        current_head: Some("1".repeat(40)),
        head_changed: false,
        tree: None,
        changed_files: Vec::new(),
        metrics: Metrics::default(),
        limits,
        left: Left { files: 25, added_lines: 2000, deleted_lines: 1000, working_bytes: 2_097_152, binary_files: 2 },
        violations: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        verification: Vec::new(),
        changes: Vec::new(),
        unobserved: Vec::new(),
        session: None,
        anchor: "c".repeat(64),
        duration_s: 0.01,
        gate: None,
    };
    let reported = Reported {
        turns: Some(3),
        cost_usd: Some(0.126),
        denied: 7,
        denials: vec![Denial { tool: "Edit".into(), target: Some("a\u{1b}[2J".into()) }; 7],
        result: Some("done\u{1b}[31m\nreally".into()),
        ..Reported::default()
    };
    let agent = Ended {
        name: "claude".into(),
        returncode: 0,
        timed_out: false,
        output_limited: false,
        duration_s: 12.34,
        failure: failure.map(Text::from),
        reported,
    };
    Ran { verdict, agent, attempt, max_attempts: 3 }
}

fn told(ran: &Ran) -> String {
    strip_str(&human(ran)).to_string()
}

#[test]
fn a_good_end_stands_before_the_verdict() {
    let told = told(&ran(None, true, 1));
    let head: Vec<&str> = told.lines().take(12).collect();
    insta::assert_snapshot!(head.join("\n"), @r"
    agent claude, attempt 1 of 3: ended in good order after 12.3 s, 3 turns, 0.13 US dollars by its own estimate
      denied Edit a\u{1b}[2J
      denied Edit a\u{1b}[2J
      denied Edit a\u{1b}[2J
      denied Edit a\u{1b}[2J
      denied Edit a\u{1b}[2J
      ... and 2 denied calls more
      it says:
      | done\u{1b}[31m
      | really

    ACCEPTED  fix it
    ");
}

#[test]
fn a_failed_agent_is_never_told_as_accepted() {
    let passing = told(&ran(Some("it exited with 7"), true, 1));
    assert!(passing.contains("AGENT FAILED, the audit passes:  fix it"), "{passing}");
    assert!(passing.contains("failed: it exited with 7"), "{passing}");
    assert!(passing.contains("run cordon check to accept it, or cordon resume"), "{passing}");
    assert!(!passing.contains("ACCEPTED"), "{passing}");
    let last = told(&ran(Some("it exited with 7"), true, 3));
    assert!(last.contains("run cordon check to accept it.") && !last.contains("cordon resume"), "{last}");
}

#[test]
fn a_rejection_names_the_next_attempt_while_one_is_left() {
    assert!(told(&ran(None, false, 2)).contains("cordon resume"));
    assert!(!told(&ran(None, false, 3)).contains("cordon resume"));
    assert!(!told(&ran(None, true, 1)).contains("cordon resume"));
}

#[test]
fn the_line_of_a_running_attempt_has_the_budgets_once_they_are_known() {
    assert_eq!(glance((1, 3), None, &Limits::default()), "agent at work, attempt 1/3");
    let metrics = Metrics { files: 2, added_lines: 1200, deleted_lines: 3, ..Metrics::default() };
    assert_eq!(
        glance((2, 3), Some(&metrics), &Limits::default()),
        "agent at work, attempt 2/3: 2/25 files, +1,200/2,000 -3/1,000 lines"
    );
}
