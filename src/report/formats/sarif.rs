//! SARIF 2.1.0: the codes as rules, the findings as results with places and stable fingerprints.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::report::{Report, VERSION, word};
use super::{fingerprint, place};
use crate::audit::codes::{CODES, Explained};
use crate::audit::finding::{Finding, Severity, sentence};
use crate::exit::Exit;
use crate::json;
use crate::ledger::record::Ledger;
use crate::policy::escape::typed;
use crate::policy::text::Text;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name that SARIF has for the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// The version of the way in which fingerprints are made.
const FINGERPRINT: &str = "cordonFinding/v1";

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Value,
    automation_details: Value,
    original_uri_base_ids: Value,
    invocations: [Value; 1],
    results: Vec<Value>,
    properties: Value,
}

/// The verdict as a log with one run.
pub fn render(report: &Report<'_>) -> Vec<u8> {
    let verdict = report.verdict;
    let results = verdict.findings.iter().zip(fingerprint::of_all(&verdict.findings)).map(result).collect();
    json::pretty(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: json!({"driver": {
                "name": "Cordon",
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": CODES.iter().map(rule).collect::<Vec<_>>(),
            }}),
            automation_details: json!({"id": "cordon/"}),
            original_uri_base_ids: json!({ROOT: {"description": {"text": "The root of the repository."}}}),
            invocations: [invocation(report)],
            results,
            properties: json!({
                "verdict": word(verdict).to_lowercase(),
                "label": typed(verdict.label.as_bytes()),
                "baseline": verdict.baseline,
                "anchor": verdict.anchor,
                "session": verdict.session,
                "metrics": verdict.metrics,
                "limits": verdict.limits,
                "notes": verdict.notes.iter().map(Text::plain).collect::<Vec<_>>(),
            }),
        }],
    })
}

fn rule(row: &Explained) -> Value {
    json!({
        "id": row.name(),
        "name": pascal(row.name()),
        "shortDescription": {"text": row.what},
        "fullDescription": {"text": row.why},
        "help": {
            "text": format!("{} {}", row.help, row.allow),
            "markdown": format!("**Undo:** {}\n\n**Allow:** {}", row.help, row.allow),
        },
        "defaultConfiguration": {"level": "error"},
    })
}

/// `path-outside` as `PathOutside`, the form in which SARIF wants names.
fn pascal(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(word).collect()
}

fn result((finding, fingerprint): (&Finding, String)) -> Value {
    let mut properties = Map::new();
    if let Some(undo) = &finding.undo {
        properties.insert("undo".into(), typed(undo.as_bytes()).into());
    }
    json!({
        "ruleId": finding.code.name(),
        "ruleIndex": CODES.iter().position(|row| row.code == finding.code),
        "level": match finding.severity {
            Severity::Violation => "error",
            Severity::Note => "note",
        },
        "message": {"text": format!("{}\n{}", sentence(&finding.message), finding.advice())},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": place::uri(finding), "uriBaseId": ROOT},
            "region": {"startLine": 1},
        }}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": properties,
    })
}

fn invocation(report: &Report<'_>) -> Value {
    let exit = if report.verdict.passed { Exit::Accepted } else { Exit::Rejected };
    let mut invocation = json!({
        "executionSuccessful": true,
        "exitCode": exit.code(),
        "exitCodeDescription": word(report.verdict).to_lowercase(),
    });
    if let Some(Ledger { started, finished, .. }) = report.session {
        invocation["startTimeUtc"] = started.ts.as_str().into();
        invocation["endTimeUtc"] = finished.ts.as_str().into();
    }
    invocation
}
