//! `audit.json` beside a ledger: the whole verdict, tied by digests to the ledger, to the envelope and to the check before;
//! and the statement that is made of all of it.

use serde::{Deserialize, Serialize};

use crate::agent::ended::Ended;
use crate::audit::finding::{Code, Severity};
use crate::audit::verdict::{Metrics, Verdict};
use crate::ledger::record::Ledger;
use crate::ledger::statement::{self, Subject};
use crate::policy::limits::Limits;
use crate::policy::text::Text;
use crate::snapshot::digest;

/// The name of the file beside a ledger.
pub const AUDIT: &str = "audit.json";
/// The name of the statement beside a ledger.
pub const STATEMENT: &str = "statement.intoto.json";

/// The version of the file that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// What the predicate of a statement is, with its version.
const PREDICATE_TYPE: &str = "urn:cordon:verdict:v1";

/// The file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// The version of this form.
    pub schema_version: u32,
    /// The session that it belongs to.
    pub session: String,
    /// The check before in the same work tree; `null` for the first.
    pub previous: Option<Previous>,
    /// SHA-256 of the ledger's bytes.
    pub ledger_sha256: String,
    /// SHA-256 of the envelope, `config.json`.
    pub envelope_sha256: String,
    /// How the agent ended, if Cordon started one.
    pub agent: Option<Ended>,
    /// The verdict.
    pub verdict: Verdict,
}

/// A check before another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Previous {
    /// Its session.
    pub session: String,
    /// SHA-256 of its `audit.json`.
    pub sha256: String,
}

/// The essence of a verdict, for whoever checks an attestation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Predicate<'a> {
    session: &'a str,
    actor: &'a Text,
    started_on: &'a str,
    finished_on: &'a str,
    label: &'a Text,
    passed: bool,
    agent_failed: bool,
    baseline: &'a str,
    head_changed: bool,
    anchor: &'a str,
    envelope_sha256: &'a str,
    audit_sha256: String,
    metrics: Metrics,
    limits: Limits,
    violations: Vec<Code>,
    verifiers: Vec<Verifier<'a>>,
}

#[derive(Serialize)]
struct Verifier<'a> {
    command: &'a Text,
    passed: bool,
    returncode: i32,
}

impl Audit {
    /// The statement about this check; `own` are the bytes of this file, and `bytes` those of the ledger.
    pub fn statement(&self, own: &[u8], ledger: &Ledger, bytes: &[u8]) -> Vec<u8> {
        let verdict = &self.verdict;
        let tree = verdict.tree.as_deref().map(|tree| Subject::new("tree", "gitTree", tree));
        let head = verdict.current_head.as_deref().map(|head| Subject::new("HEAD", "gitCommit", head));
        let events = Subject::new("events.jsonl", "sha256", &sha256(bytes));
        let subjects: Vec<Subject> = tree.into_iter().chain(head).chain([events]).collect();
        let rejecting = verdict.findings.iter().filter(|finding| finding.severity == Severity::Violation);
        let mut violations: Vec<Code> = rejecting.map(|finding| finding.code).collect();
        violations.sort();
        violations.dedup();
        let predicate = Predicate {
            session: &self.session,
            actor: &ledger.started.actor,
            started_on: &ledger.started.ts,
            finished_on: &ledger.finished.ts,
            label: &verdict.label,
            passed: verdict.passed,
            agent_failed: self.agent.as_ref().is_some_and(|agent| agent.failure.is_some()),
            baseline: &verdict.baseline,
            head_changed: verdict.head_changed,
            anchor: &verdict.anchor,
            envelope_sha256: &self.envelope_sha256,
            audit_sha256: sha256(own),
            metrics: verdict.metrics,
            limits: verdict.limits,
            violations,
            verifiers: verdict
                .verification
                .iter()
                .map(|run| Verifier { command: &run.command, passed: run.passed, returncode: run.returncode })
                .collect(),
        };
        statement::encode(&subjects, PREDICATE_TYPE, &predicate)
    }
}

/// SHA-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    digest::hex(&digest::sha256(bytes))
}
