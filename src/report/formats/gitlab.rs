//! The Code Quality report of GitLab.

use serde::Serialize;

use super::report::Report;
use super::{fingerprint, place};
use crate::audit::finding::{Finding, Severity, sentence};
use crate::json;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// The findings as issues; an empty list where there are none.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    let findings = &report.verdict.findings;
    let issues: Vec<Issue> = findings.iter().zip(fingerprint::of_all(findings)).map(issue).collect();
    json::pretty(&issues)
}

fn issue((finding, fingerprint): (&Finding, String)) -> Issue {
    Issue {
        description: format!("{}. {}", sentence(&finding.message), finding.advice()),
        check_name: finding.code.name(),
        fingerprint,
        severity: match finding.severity {
            Severity::Violation => "major",
            Severity::Note => "info",
        },
        location: Location { path: place::text(finding), lines: Lines { begin: 1 } },
    }
}
