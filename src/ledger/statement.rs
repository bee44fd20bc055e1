//! PURE. Statements in the form of in-toto, version 1: what was looked at, by digest, and what is said of it
//! (<https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::json;

/// The type of every statement.
const TYPE: &str = "https://in-toto.io/Statement/v1";

/// The media type of a statement.
pub const MEDIA_TYPE: &str = "application/vnd.in-toto+json";

/// One thing that a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    name: String,
    digest: BTreeMap<&'static str, String>,
}

impl Subject {
    /// The thing called `name`, whose digest in hex by `algorithm` is `value`.
    pub fn new(name: &str, algorithm: &'static str, value: &str) -> Subject {
        Subject { name: name.to_owned(), digest: BTreeMap::from([(algorithm, value.to_owned())]) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Statement<'a, P> {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: &'a [Subject],
    predicate_type: &'a str,
    predicate: &'a P,
}

/// The bytes of a statement.
pub fn encode(subject: &[Subject], predicate_type: &str, predicate: &impl Serialize) -> Vec<u8> {
    json::pretty(&Statement { kind: TYPE, subject, predicate_type, predicate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_subjects_by_digest() {
        let subjects = [Subject::new("tree", "gitTree", "aa"), Subject::new("events.jsonl", "sha256", "bb")];
        let bytes = encode(&subjects, "urn:x:v1", &BTreeMap::from([("passed", true)]));
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [
                    { "name": "tree", "digest": { "gitTree": "aa" } },
                    { "name": "events.jsonl", "digest": { "sha256": "bb" } },
                ],
                "predicateType": "urn:x:v1",
                "predicate": { "passed": true },
            })
        );
    }
}
