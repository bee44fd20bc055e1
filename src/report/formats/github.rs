//! GitHub Actions: a command of the runner for each finding, and the outputs of the step.
//!
//! The runner reads commands out of what a step prints, so everything foreign is escaped twice: as for a terminal, and as the
//! runner unescapes it.

use super::place;
use super::report::{Report, failed, of_severity, word};
use crate::audit::finding::{Finding, Severity, sentence};
use crate::audit::verdict::Verdict;
use crate::error::Error;
use crate::policy::escape::typed;
use crate::report::words::{counted, guarded, len};

/// What a step may print about one verdict.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    let verdict = report.verdict;
    let findings = verdict.findings.iter().map(annotation);
    let notes = verdict.notes.iter().map(|note| command("notice", &[("title", "note")], &note.plain()));
    let mut lines: Vec<String> = findings.chain(notes).collect();
    lines.push(last_line(verdict));
    lines.concat().into_bytes()
}

/// An error that left no verdict, as an annotation.
pub fn error(error: &Error) -> Vec<u8> {
    let parts = [&error.message].into_iter().chain(&error.hints).map(|part| guarded(part.as_bytes()));
    let message = parts.collect::<Vec<_>>().join("\n");
    command("error", &[("title", &format!("no verdict ({})", error.kind.name()))], &message).into_bytes()
}

/// The outputs of the step, a line each. No foreign text is among them, so that none can add an output of its own.
pub fn outputs(report: &Report<'_>) -> Vec<u8> {
    let verdict = report.verdict;
    let violations = of_severity(verdict, Severity::Violation).count();
    let used = &verdict.metrics;
    let mut rows = vec![
        ("verdict", word(verdict).to_lowercase()),
        ("violations", violations.to_string()),
        ("findings", verdict.findings.len().to_string()),
        ("notes", verdict.notes.len().to_string()),
        ("verifiers-failed", failed(verdict).to_string()),
        ("files", used.files.to_string()),
        ("added-lines", used.added_lines.to_string()),
        ("deleted-lines", used.deleted_lines.to_string()),
    ];
    let ids = [("session", verdict.session.as_deref()), ("tree", verdict.tree.as_deref())];
    rows.extend(ids.map(|(name, id)| (name, identifier(id.unwrap_or_default()))));
    let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    lines.concat().into_bytes()
}

/// An id without anything that no id has.
fn identifier(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn annotation(finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Violation => "error",
        Severity::Note => "notice",
    };
    let mut properties: Vec<(&str, &str)> = Vec::new();
    if let Some(path) = place::shown(finding) {
        properties.extend([("file", path), ("line", "1")]);
    }
    properties.push(("title", finding.code.name()));
    let mut parts = vec![sentence(&finding.message), finding.advice()];
    parts.extend(finding.undo.iter().map(|undo| format!("undo: {}", typed(undo.as_bytes()))));
    command(level, &properties, &parts.join("\n"))
}

fn last_line(verdict: &Verdict) -> String {
    let violations = of_severity(verdict, Severity::Violation).count() as u64;
    let mut parts = vec![counted(violations, "violation")];
    if !verdict.verification.is_empty() {
        let passed = verdict.verification.len() - failed(verdict);
        parts.push(format!("{passed} of {} passed", counted(len(&verdict.verification), "verifier")));
    }
    format!("{}  {}: {}\n", word(verdict), typed(verdict.label.as_bytes()), parts.join(", "))
}

/// One command of the runner; nothing in it ends the line or a property early.
fn command(name: &str, properties: &[(&str, &str)], message: &str) -> String {
    let properties: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    format!("::{name} {}::{}\n", properties.join(","), data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_a_runner_unescapes_is_escaped() {
        assert_eq!(
            command("error", &[("file", "a,b:c%\r\n::x"), ("title", "t")], "50%\n::set-output name=a::b"),
            "::error file=a%2Cb%3Ac%25%0D%0A%3A%3Ax,title=t::50%25%0A::set-output name=a::b\n"
        );
    }

    #[test]
    fn an_error_is_an_annotation() {
        let failure = Error::state("`a` is damaged\u{1b}").hint("Run `cordon reset`.");
        assert_eq!(
            String::from_utf8(error(&failure)).unwrap(),
            "::error title=no verdict (state)::`a` is damaged\\u{1b}%0ARun `cordon reset`.\n"
        );
    }

    #[test]
    fn an_output_is_an_id_or_a_number() {
        assert_eq!(identifier("01AB\nverdict=accepted"), "01ABverdictaccepted");
    }
}
