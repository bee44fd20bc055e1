//! Where an armed repository stands, and what `reset` did, for people.

use super::envelope::{self, Row};
use super::style::{ACCEPTED, HEADING, HINT, REJECTED, WARNING, paint};
use super::words::{count, counted, guarded, len};
use crate::audit::answer::{AgentStatus, Rescued, ResetReport, Status};
use crate::audit::finding::sentence;
use crate::audit::verdict::Summary;
use crate::policy::escape::typed;

/// What to do with an accepted change: first end the envelope, because a commit moves HEAD.
pub const ACCEPTED_NEXT: &str = "cordon reset, then commit";

/// What a phase is called, how it looks, and what to do next. A phase that is not listed is shown by its own name.
const PHASES: [(&str, anstyle::Style, &str); 7] = [
    ("armed", ACCEPTED, "Let the agent work, then run `cordon check`."),
    ("running", WARNING, "An agent is at work; wait for it."),
    ("agent_finished", WARNING, "Run `cordon check` to judge what the agent did."),
    ("accepted", ACCEPTED, ACCEPTED_NEXT),
    ("rejected", REJECTED, "Repair what `cordon check` names and check again, or give up with `cordon reset`."),
    ("engine_error", REJECTED, "Read the last error, then run `cordon check` or `cordon reset`."),
    ("interrupted", WARNING, "Run `cordon check` to see where things stand, or `cordon reset` to start over."),
];

/// The whole status.
pub fn human(status: &Status) -> String {
    let known = PHASES.iter().find(|(name, ..)| *name == status.phase);
    let style = known.map_or(HEADING, |(_, style, _)| *style);
    let phase = guarded(status.phase.to_uppercase().as_bytes());
    let head = format!("{}  {}\n\n", paint(style, phase), typed(status.label.as_bytes()));
    let next = known.map_or(String::new(), |(.., next)| format!("\n{} {next}\n", paint(HINT, "next:")));
    head + &envelope::block(&rows(status)) + &next
}

fn rows(status: &Status) -> Vec<Row> {
    let mode = if status.mode == "manual" { Vec::new() } else { vec![guarded(status.mode.as_bytes())] };
    let mut rows = envelope::rows(&status.policy, &status.verify, status.verify_timeout);
    rows.insert(0, envelope::role(status.role.as_deref()));
    rows.extend([
        ("mode", mode),
        envelope::attempts(&status.mode, format!("{} of {}", status.attempt, status.max_attempts)),
        ("agent", status.agent.as_ref().map(agent).unwrap_or_default()),
        ("baseline", vec![guarded(status.baseline.as_bytes())]),
        ("armed at", vec![guarded(status.created_at.as_bytes())]),
        ("anchor", vec![guarded(status.anchor.as_bytes())]),
        ("last check", status.last_audit.as_ref().map(last_check).unwrap_or_default()),
        ("last error", last_error(status)),
        ("history", status.rearmed.note().map(|note| guarded(note.as_bytes())).into_iter().collect()),
    ]);
    rows
}

/// The agent, and how its last attempt ended.
fn agent(agent: &AgentStatus) -> Vec<String> {
    let name = format!("{}  (at most {})", guarded(agent.name.as_bytes()), counted(agent.timeout, "second"));
    let last = agent.ended.then(|| match &agent.failure {
        Some(failure) => format!("last attempt failed: {}", failure.plain()),
        None => format!("last attempt ended in good order{}", super::agent::figures(agent.turns, agent.cost_usd)),
    });
    [name].into_iter().chain(last).collect()
}

/// What the last check said, and of a rejection how much of what.
fn last_check(audit: &Summary) -> Vec<String> {
    if audit.passed {
        return vec!["accepted".to_owned()];
    }
    let mut lines = vec![format!("rejected with {}", counted(len(&audit.violations), "violation"))];
    lines.extend(audit.counts.iter().map(|(code, number)| format!("{:>7} {}", count(*number), code.name())));
    lines.extend(audit.violations.first().map(|first| format!("first: {}", sentence(first))));
    lines
}

/// What went wrong, unless the last check says it already.
fn last_error(status: &Status) -> Vec<String> {
    let told = status.last_audit.as_ref().and_then(|audit| audit.violations.first());
    status.last_error.iter().filter(|error| Some(*error) != told).map(sentence).collect()
}

/// What `reset` did.
pub fn reset(report: &ResetReport) -> String {
    let path = report.path.plain();
    if report.removed {
        format!("{}  removed {path}; nothing else was touched\n", paint(ACCEPTED, "RESET"))
    } else {
        format!("nothing to reset: {path} does not exist\n")
    }
}

/// What `rescue` wrote.
pub fn rescued(report: &Rescued) -> String {
    let lines = report.paths.iter().map(|path| format!("  {}\n", path.plain())).collect::<Vec<_>>().concat();
    let (files, directory) = (counted(len(&report.paths), "file"), report.directory.plain());
    format!("{}  {files} in {directory}\n{lines}", paint(ACCEPTED, "RESCUED"))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::audit::answer::Rearmed;
    use crate::audit::finding::Code;
    use crate::audit::verdict::Metrics;
    use crate::policy::envelope::Envelope;
    use crate::policy::limits::Limits;
    use crate::policy::pattern::Pattern;
    use crate::policy::text::Text;

    fn audit(passed: bool, violations: &[&str]) -> Summary {
        Summary {
            passed,
            baseline: "1".repeat(40),
            current_head: None,
            head_changed: false,
            changed_files: Vec::new(),
            metrics: Metrics::default(),
            violations: violations.iter().map(|text| Text::from(*text)).collect(),
            counts: [(Code::PathOutside, 1_200), (Code::HeadChanged, 1)].into(),
            verification: Vec::new(),
        }
    }

    fn status(phase: &str, last_audit: Option<Summary>) -> Status {
        Status {
            schema_version: 1,
            mode: "manual".into(),
            label: "fix\nit".into(),
            role: None,
            baseline: "1".repeat(40),
            policy: Envelope {
                allow: vec![Pattern::parse("src/**").unwrap()],
                deny: Vec::new(),
                limits: Limits::default(),
                allow_commits: false,
            },
            verify: vec!["cargo test".into()],
            verify_timeout: 1,
            created_at: "2024-01-02T03:04:05Z".into(),
            phase: phase.into(),
            attempt: 1,
            max_attempts: 3,
            last_error: Some("path outside policy: a\nb".into()),
            last_audit,
            agent: None,
            anchor: "c".repeat(64),
            rearmed: Rearmed::default(),
        }
    }

    #[test]
    fn a_rejected_session() {
        let kept = audit(false, &["path outside policy: a\nb", "HEAD changed"]);
        insta::assert_snapshot!(strip_str(&human(&status("rejected", Some(kept)))), @r"
        REJECTED  fix\nit

        allow        src/**
        budgets      25 files
                     2,000 added lines
                     1,000 deleted lines
                     2,097,152 working bytes
                     2 binary files
        commits      not allowed
        verify       cargo test  (at most 1 second)
        baseline     1111111111111111111111111111111111111111
        armed at     2024-01-02T03:04:05Z
        anchor       cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
        last check   rejected with 2 violations
                       1,200 path-outside
                           1 head-changed
                     first: path outside policy: a\nb

        next: Repair what `cordon check` names and check again, or give up with `cordon reset`.
        ");
    }

    #[test]
    fn what_is_not_known_is_shown_as_it_is() {
        let text = strip_str(&human(&Status { mode: "later".into(), ..status("later\u{1b}", None) })).to_string();
        assert!(text.starts_with("LATER\\u{1b}  fix\\nit\n"), "{text}");
        assert!(text.contains("mode         later\nattempts     1 of 3\n"), "{text}");
        assert!(text.contains("last error   path outside policy: a\\nb\n"), "{text}");
        assert!(!text.contains("next:") && !text.contains("last check"), "{text}");
        let text = strip_str(&human(&status("accepted", Some(audit(true, &[]))))).to_string();
        assert!(text.contains("last check   accepted\n"), "{text}");
        assert!(text.ends_with("next: cordon reset, then commit\n"), "{text}");
    }

    #[test]
    fn a_reset_says_what_it_removed() {
        let report = |removed| {
            reset(&ResetReport { schema_version: 1, removed, path: Text::from_bytes(&b"/r\xff/.cordon"[..]) })
        };
        assert_eq!(strip_str(&report(true)).to_string(), "RESET  removed /r\\xff/.cordon; nothing else was touched\n");
        assert_eq!(strip_str(&report(false)).to_string(), "nothing to reset: /r\\xff/.cordon does not exist\n");
    }
}
