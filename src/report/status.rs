//! Where an armed repository stands, and what `reset` did, for people.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::style::{ACCEPTED, HEADING, HINT, REJECTED, WARNING, paint};
use super::words::{counted, guarded, len};
use crate::audit::answer::{Rescued, ResetReport, Status};
use crate::policy::text::Text;

/// What a phase is called, how it looks, and what to do next. A phase that is not listed is shown by its own name.
const PHASES: [(&str, anstyle::Style, &str); 7] = [
    ("armed", ACCEPTED, "Let the agent work, then run `cordon check`."),
    ("running", WARNING, "An agent is at work; wait for it."),
    ("agent_finished", WARNING, "Run `cordon check` to judge what the agent did."),
    ("accepted", ACCEPTED, "Commit the change, then run `cordon reset`."),
    ("rejected", REJECTED, "Repair what `cordon check` names and check again, or give up with `cordon reset`."),
    ("engine_error", REJECTED, "Read the last error, then run `cordon check` or `cordon reset`."),
    ("interrupted", WARNING, "Run `cordon check` to see where things stand, or `cordon reset` to start over."),
];

/// The part of a kept verdict that a status shows; whatever else stands in it is not looked at.
#[derive(Deserialize)]
struct LastAudit {
    passed: bool,
    violations: Vec<Text>,
}

/// The whole status.
pub fn human(status: &Status) -> String {
    let known = PHASES.iter().find(|(name, ..)| *name == status.phase);
    let style = known.map_or(HEADING, |(_, style, _)| *style);
    let phase = guarded(status.phase.to_uppercase().as_bytes());
    let mut out = vec![format!("{}  {}\n\n", paint(style, phase), status.label.plain())];
    let rows = [
        ("mode", Some(guarded(status.mode.as_bytes()))),
        ("attempt", Some(format!("{} of {}", status.attempt, status.max_attempts))),
        ("baseline", Some(guarded(status.baseline.as_bytes()))),
        ("anchor", Some(guarded(status.anchor.as_bytes()))),
        ("last audit", status.last_audit.as_deref().map(last_audit)),
        ("last error", status.last_error.as_ref().map(Text::plain)),
        ("history", status.rearmed.note().map(|note| guarded(note.as_bytes()))),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            out.push(format!("{} {value}\n", paint(HEADING, format!("{name:<11}"))));
        }
    }
    if let Some((.., next)) = known {
        out.push(format!("\n{} {next}\n", paint(HINT, "next:")));
    }
    out.concat()
}

fn last_audit(kept: &RawValue) -> String {
    match serde_json::from_str::<LastAudit>(kept.get()) {
        Ok(audit) if audit.passed => "accepted".to_owned(),
        Ok(audit) => {
            let first = audit.violations.first().map_or(String::new(), |text| format!(": {}", text.plain()));
            let rest = match audit.violations.len() {
                0 | 1 => String::new(),
                _ => format!(" (and {} more)", len(&audit.violations) - 1),
            };
            format!("rejected with {}{first}{rest}", counted(len(&audit.violations), "violation"))
        }
        Err(_) => "kept, see `--format json`".to_owned(),
    }
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

    fn status(phase: &str, last_audit: Option<&str>) -> Status {
        Status {
            mode: "manual".into(),
            label: "fix\nit".into(),
            baseline: "1".repeat(40),
            phase: phase.into(),
            attempt: 1,
            max_attempts: 3,
            last_error: Some("path outside policy: a\nb".into()),
            last_audit: last_audit.map(|text| RawValue::from_string(text.into()).unwrap()),
            anchor: "c".repeat(64),
            rearmed: Rearmed::default(),
        }
    }

    #[test]
    fn a_rejected_session() {
        let kept = r#"{"passed":false,"violations":["path outside policy: a\n\udcff","HEAD changed"],"more":1}"#;
        insta::assert_snapshot!(strip_str(&human(&status("rejected", Some(kept)))), @r"
        REJECTED  fix\nit

        mode        manual
        attempt     1 of 3
        baseline    1111111111111111111111111111111111111111
        anchor      cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
        last audit  rejected with 2 violations: path outside policy: a\n\xff (and 1 more)
        last error  path outside policy: a\nb

        next: Repair what `cordon check` names and check again, or give up with `cordon reset`.
        ");
    }

    #[test]
    fn what_is_not_known_is_shown_as_it_is() {
        let text = strip_str(&human(&status("later\u{1b}", Some("[1]")))).to_string();
        assert!(text.starts_with("LATER\\u{1b}  fix\\nit\n"), "{text}");
        assert!(text.contains("last audit  kept, see `--format json`\n"), "{text}");
        assert!(!text.contains("next:"), "{text}");
        let text = strip_str(&human(&status("accepted", Some(r#"{"passed":true,"violations":[]}"#)))).to_string();
        assert!(text.contains("last audit  accepted\n"), "{text}");
    }

    #[test]
    fn a_reset_says_what_it_removed() {
        let report = |removed| reset(&ResetReport { removed, path: Text::from_bytes(&b"/r\xff/.cordon"[..]) });
        assert_eq!(strip_str(&report(true)).to_string(), "RESET  removed /r\\xff/.cordon; nothing else was touched\n");
        assert_eq!(strip_str(&report(false)).to_string(), "nothing to reset: /r\\xff/.cordon does not exist\n");
    }
}
