//! The reports that have a schema, held against it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use cordon::audit::codes::CODES;
use cordon::audit::verdict::{Gated, Verdict};
use cordon::report::formats::table::Format;
use serde_json::Value;

use crate::hostile::NAMES;
use crate::verdict::{accepted, hostile, outside, rendered, session};

const SARIF: &str = include_str!("../../fixtures/schemas/sarif-2.1.0.json");
const GITLAB: &str = include_str!("../../fixtures/schemas/gitlab-code-quality.json");
const VERDICT: &str = include_str!("../../fixtures/schemas/verdict.json");
const JUNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/schemas/junit-10.xsd");

fn validator(schema: &str) -> jsonschema::Validator {
    // One pattern of the published schema, about languages, is no regular expression as ECMA has them in Unicode.
    let schema = schema.replace("{2}]?$", "{2}\\\\]?$");
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

fn valid(validator: &jsonschema::Validator, text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&value).map(|fault| format!("{fault} at {}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?} in {text}");
    value
}

#[test]
fn every_log_is_sarif() {
    let validator = validator(SARIF);
    assert!(
        !validator.is_valid(&serde_json::json!({"version": "2.1.0", "runs": [{}]})),
        "the schema demands something"
    );
    valid(&validator, &rendered(Format::Sarif, &accepted(), None));
    for name in NAMES {
        let log = valid(&validator, &rendered(Format::Sarif, &hostile(name), Some(&session(name))));
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), CODES.len());
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 4);
        for result in results {
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
            assert!(!uri.is_empty() && uri.bytes().all(harmless), "{uri}");
        }
        assert_eq!(
            decoded(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap()),
            *name
        );
        assert_eq!(
            (&run["invocations"][0]["exitCode"], &run["invocations"][0]["executionSuccessful"]),
            (&3.into(), &true.into())
        );
    }
}

#[test]
fn every_verdict_has_the_form_that_is_told() {
    let schema: Value = serde_json::from_str(VERDICT).unwrap();
    let named: Vec<&str> = schema["$defs"]["finding"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for row in CODES {
        assert!(named.contains(&row.code.name()), "{}", row.code.name());
    }
    let validator = validator(VERDICT);
    assert!(
        !validator.is_valid(&serde_json::json!({"schema_version": 1, "passed": true})),
        "the schema demands something"
    );
    let gated = Verdict {
        gate: Some(Gated { base: "1".repeat(40), head: "2".repeat(40) }),
        role: Some("docs".into()),
        session: None,
        anchor: String::new(),
        ..accepted()
    };
    for verdict in [accepted(), gated].into_iter().chain(NAMES.iter().map(|name| hostile(name))) {
        // A byte that is no UTF-8 is a lone surrogate, which this reader does not take.
        let text = String::from_utf8(cordon::json::pretty(&verdict)).unwrap().replace("\\udc", "?");
        let value = valid(&validator, &text);
        let keys = text.lines().filter(|line| line.starts_with("  \"")).count();
        assert_eq!(value.as_object().unwrap().len(), keys, "a key stands there twice: {text}");
    }
}

/// The bytes that a URI stands for.
fn decoded(uri: &str) -> Vec<u8> {
    let mut parts = uri.split('%');
    let mut out = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        out.push(u8::from_str_radix(&part[..2], 16).unwrap());
        out.extend_from_slice(&part.as_bytes()[2..]);
    }
    out
}

#[test]
fn a_finding_keeps_its_fingerprint_and_shares_it_with_none() {
    let prints = |text: &str, pointer: &str| -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap();
        let results = value.pointer(pointer).unwrap().as_array().unwrap();
        let print = |result: &Value| {
            result["fingerprint"]
                .as_str()
                .or(result["partialFingerprints"]["cordonFinding/v1"].as_str())
                .unwrap()
                .to_owned()
        };
        results.iter().map(print).collect()
    };
    let mut verdict = hostile(b"a");
    for (format, pointer) in [(Format::Sarif, "/runs/0/results"), (Format::Gitlab, "")] {
        let first = prints(&rendered(format, &verdict, None), pointer);
        let mut different = first.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), first.len());
        verdict.findings.insert(0, outside(b"another"));
        assert_eq!(prints(&rendered(format, &verdict, None), pointer)[1..], first);
        verdict.findings.remove(0);
    }
}

#[test]
fn every_list_is_a_code_quality_report() {
    let validator = validator(GITLAB);
    assert_eq!(rendered(Format::Gitlab, &accepted(), None), "[]\n");
    for name in NAMES {
        let issues = valid(&validator, &rendered(Format::Gitlab, &hostile(name), None));
        assert_eq!(issues.as_array().unwrap().len(), 4);
        assert_eq!((&issues[0]["check_name"], &issues[0]["severity"]), (&"path-outside".into(), &"major".into()));
        assert_eq!(issues[3]["severity"], "info");
        if let Ok(text) = std::str::from_utf8(name) {
            assert_eq!(issues[0]["location"]["path"], text);
        }
    }
}

/// Holds each document against the schema of `JUnit`, where there is an `xmllint`.
fn assert_junit(documents: &[String]) {
    let found = Command::new("xmllint").arg("--version").stderr(Stdio::null()).stdout(Stdio::null()).status();
    if found.is_err() {
        assert!(std::env::var_os("CORDON_TEST_ALL").is_none(), "xmllint is not there (package libxml2-utils)");
        eprintln!("skipped: xmllint is not there (package libxml2-utils)");
        return;
    }
    for document in documents {
        let mut child = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema", JUNIT, "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}\n{document}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn every_document_is_junits() {
    let mut documents: Vec<String> = NAMES.iter().map(|name| rendered(Format::Junit, &hostile(name), None)).collect();
    documents.push(rendered(Format::Junit, &accepted(), None));
    for document in &documents {
        roxmltree::Document::parse(document).unwrap_or_else(|error| panic!("{error}: {document}"));
    }
    assert_junit(&documents);
}

#[test]
fn each_rule_and_each_verifier_is_a_case() {
    let mut verdict = hostile(b"make test");
    verdict.findings.push(outside(b"b"));
    let text = rendered(Format::Junit, &verdict, None);
    let document = roxmltree::Document::parse(&text).unwrap();
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), CODES.len() + 2);
    let failures: Vec<(&str, &str)> = cases
        .iter()
        .filter_map(|case| {
            let failure = case.children().find(|node| node.has_tag_name("failure"))?;
            Some((case.attribute("name")?, failure.attribute("message")?))
        })
        .collect();
    assert_eq!(
        failures,
        [
            ("path-outside", "path outside policy: make test and 1 more"),
            ("config-changed", "configuration changed: make test"),
            ("verifier-failed", "verifier failed (exit 1): make test"),
            ("make test", "make test: exit 1"),
        ]
    );
    for suite in document.descendants().filter(|node| node.has_tag_name("testsuite")) {
        let cases = || suite.children().filter(|node| node.has_tag_name("testcase"));
        let failed = cases().filter(|case| case.children().any(|node| node.has_tag_name("failure"))).count();
        assert_eq!(suite.attribute("tests"), Some(cases().count().to_string().as_str()));
        assert_eq!(suite.attribute("failures"), Some(failed.to_string().as_str()));
    }
}
