//! The XML of `JUnit`: a suite with a case for each code, and one with a case for each verifier.

use super::report::{Report, of_code};
use super::xml::escaped;
use crate::audit::codes::CODES;
use crate::audit::finding::{Code, Finding, Severity, sentence};
use crate::audit::verdict::{Verdict, Verification};
use crate::policy::escape::typed;
use crate::policy::text::Text;
use crate::report::verifiers;

/// One case: what it is called, and the elements in it.
struct Case {
    name: String,
    failed: bool,
    body: String,
}

/// The verdict as two suites.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    let verdict = report.verdict;
    let rules: Vec<Case> = CODES.iter().map(|row| rule(verdict, row.code)).collect();
    let verifiers: Vec<Case> = verdict.verification.iter().map(verifier).collect();
    let suites = [suite("cordon.rules", &properties(verdict), &rules), suite("cordon.verifiers", "", &verifiers)];
    let all = || rules.iter().chain(&verifiers);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cordon\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}</testsuites>\n",
        all().count(),
        all().filter(|case| case.failed).count(),
        suites.concat()
    )
    .into_bytes()
}

fn suite(name: &str, properties: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failed).count();
    let cases: String = cases.iter().map(|case| element(name, case)).collect();
    let tests = cases.matches("<testcase ").count();
    format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n{properties}{cases}  </testsuite>\n",
    )
}

fn element(suite: &str, case: &Case) -> String {
    let head = format!("    <testcase classname=\"{suite}\" name=\"{}\"", escaped(&case.name));
    if case.body.is_empty() { format!("{head}/>\n") } else { format!("{head}>\n{}    </testcase>\n", case.body) }
}

fn properties(verdict: &Verdict) -> String {
    let row = |name: &str, value: &str| format!("      <property name=\"{name}\" value=\"{}\"/>\n", escaped(value));
    let mut rows = vec![
        row("label", &typed(verdict.label.as_bytes())),
        row("baseline", &verdict.baseline),
        row("anchor", &verdict.anchor),
    ];
    rows.extend(verdict.session.iter().map(|session| row("session", session)));
    rows.extend(verdict.notes.iter().map(|note| row("note", &note.plain())));
    format!("    <properties>\n{}    </properties>\n", rows.concat())
}

fn rule(verdict: &Verdict, code: Code) -> Case {
    let told = |severity| {
        let findings = of_code(verdict, code).filter(move |finding| finding.severity == severity);
        findings.map(paragraph).collect::<Vec<_>>()
    };
    let (violations, notes) = (told(Severity::Violation), told(Severity::Note));
    let first = of_code(verdict, code).find(|finding| finding.severity == Severity::Violation);
    let failure = first.map(|first| {
        let message = match violations.len() {
            1 => sentence(&first.message),
            more => format!("{} and {} more", sentence(&first.message), more - 1),
        };
        failure(&message, code.name(), &violations.join("\n"))
    });
    Case {
        name: code.name().to_owned(),
        failed: failure.is_some(),
        body: failure.unwrap_or_default() + &stream("system-out", &notes.join("\n")),
    }
}

fn paragraph(finding: &Finding) -> String {
    let undo = finding.undo.as_ref().map(|undo| format!("\n  undo: {}", typed(undo.as_bytes())));
    format!("{}\n  help: {}{}", sentence(&finding.message), finding.advice(), undo.unwrap_or_default())
}

fn verifier(run: &Verification) -> Case {
    let name = typed(run.command.as_bytes());
    let output = |text: &Text| verifiers::kept(text.as_bytes()).lines.join("\n");
    let failure =
        (!run.passed).then(|| failure(&format!("{name}: {}", run.ending()), "verifier-failed", &run.ending()));
    let body = failure.unwrap_or_default()
        + &stream("system-out", &output(&run.stdout))
        + &stream("system-err", &output(&run.stderr));
    Case { name, failed: !run.passed, body }
}

fn failure(message: &str, kind: &str, text: &str) -> String {
    format!("      <failure message=\"{}\" type=\"{kind}\">{}</failure>\n", escaped(message), escaped(text))
}

fn stream(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("      <{name}>{}</{name}>\n", escaped(text)) }
}
