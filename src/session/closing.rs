//! The end of an audit: what was judged and verified, as a verdict.

use crate::audit::evidence::Evidence;
use crate::audit::finding::Severity;
use crate::audit::judge::{self, Judgement};
use crate::audit::verdict::{self, Gated, Verdict, Verification};
use crate::policy::limits::Limits;
use crate::policy::text::Text;

/// What a verdict says beside the judgement.
pub struct Closing {
    /// What the change is for.
    pub label: Text,
    /// The role of the envelope, if it has one.
    pub role: Option<String>,
    /// The commit that it is compared with.
    pub baseline: String,
    /// The budgets.
    pub limits: Limits,
    /// How many verifiers there are.
    pub verifiers: usize,
    /// How long each of them may take, in seconds.
    pub verify_timeout: u64,
    /// SHA-256 over envelope and fingerprint; nothing where there is none.
    pub anchor: String,
    /// What a gate judged.
    pub gate: Option<Gated>,
}

impl Closing {
    /// The verdict.
    pub fn verdict(
        self,
        evidence: &Evidence,
        judgement: Judgement,
        verification: Vec<Verification>,
        duration_s: f64,
    ) -> Verdict {
        let Judgement { metrics, left, mut findings, mut notes } = judgement;
        let timeout = self.verify_timeout;
        findings.extend(verification.iter().filter_map(|run| judge::verification(run, timeout)));
        let violations: Vec<Text> = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Violation)
            .map(|finding| finding.message.clone())
            .collect();
        if !violations.is_empty() && verification.is_empty() && self.verifiers > 0 {
            notes.insert(0, judge::not_verified(self.verifiers));
        }
        Verdict {
            schema_version: verdict::SCHEMA_VERSION,
            passed: violations.is_empty(),
            label: self.label,
            role: self.role,
            baseline: self.baseline,
            current_head: evidence.head.current.clone(),
            head_changed: evidence.head.moved(),
            tree: evidence.tree.clone(),
            changed_files: evidence
                .changes
                .iter()
                .filter(|change| judge::is_net(change))
                .map(|change| change.path.clone())
                .collect(),
            metrics,
            limits: self.limits,
            left,
            violations,
            findings,
            notes,
            verification,
            changes: evidence.changes.clone(),
            unobserved: evidence.omissions.rows(),
            session: None,
            anchor: self.anchor,
            duration_s,
            gate: self.gate,
        }
    }
}
