//! The verdict: what `check` prints and keeps. Its JSON form is a contract with scripts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::evidence::Change;
use super::finding::{Code, Finding, Severity};
use super::touched::Unobserved;
use crate::policy::limits::Limits;
use crate::policy::path::RepoPath;
use crate::policy::pattern::PatternSet;
use crate::policy::signal;
use crate::policy::text::Text;

/// The version of the verdict's JSON form.
pub const SCHEMA_VERSION: u32 = 1;

/// The net change in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Metrics {
    /// Changed paths; a rename is two.
    pub files: u64,
    /// Added lines of text files.
    pub added_lines: u64,
    /// Deleted lines of text files.
    pub deleted_lines: u64,
    /// Bytes of the changed paths as they stand on disk.
    pub working_bytes: u64,
    /// Changed binary files.
    pub binary_files: u64,
}

impl Metrics {
    /// The numbers of these changes; the lines of `uncounted` files are left out.
    pub fn of<'a>(changes: impl Iterator<Item = &'a Change>, uncounted: &PatternSet) -> Metrics {
        let lines = |change: &Change, lines| if uncounted.is_match(change.path.as_bytes()) { 0 } else { lines };
        Metrics::sum(changes.map(|change| Metrics {
            files: 1,
            added_lines: lines(change, change.added),
            deleted_lines: lines(change, change.deleted),
            working_bytes: change.size_after.unwrap_or(0),
            binary_files: u64::from(change.binary),
        }))
    }

    /// These numbers less those of a part of them.
    #[must_use]
    pub fn without(self, part: Metrics) -> Metrics {
        Metrics {
            files: self.files.saturating_sub(part.files),
            added_lines: self.added_lines.saturating_sub(part.added_lines),
            deleted_lines: self.deleted_lines.saturating_sub(part.deleted_lines),
            working_bytes: self.working_bytes.saturating_sub(part.working_bytes),
            binary_files: self.binary_files.saturating_sub(part.binary_files),
        }
    }

    /// All of them together.
    pub fn sum(parts: impl Iterator<Item = Metrics>) -> Metrics {
        parts.fold(Metrics::default(), |sum, part| Metrics {
            files: sum.files.saturating_add(part.files),
            added_lines: sum.added_lines.saturating_add(part.added_lines),
            deleted_lines: sum.deleted_lines.saturating_add(part.deleted_lines),
            working_bytes: sum.working_bytes.saturating_add(part.working_bytes),
            binary_files: sum.binary_files.saturating_add(part.binary_files),
        })
    }
}

/// What remains of each budget; negative when it is overdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Of `max_files`.
    pub files: i64,
    /// Of `max_added_lines`.
    pub added_lines: i64,
    /// Of `max_deleted_lines`.
    pub deleted_lines: i64,
    /// Of `max_working_bytes`.
    pub working_bytes: i64,
    /// Of `max_binary_files`.
    pub binary_files: i64,
}

/// How one verifier ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The command as it was armed.
    pub command: Text,
    /// The exit code, or minus the number of the signal that ended it.
    pub returncode: i32,
    /// The first 16 KiB of standard output, with a marker where it was cut.
    pub stdout: Text,
    /// The first 16 KiB of standard error, with a marker where it was cut.
    pub stderr: Text,
    /// Whether it exited with 0 within its limits.
    pub passed: bool,
    /// Whether it was ended because its time was up.
    pub timed_out: bool,
    /// Whether it was ended because it wrote too much.
    pub output_limited: bool,
}

impl Verification {
    /// How it ended, in the words of its finding.
    pub fn ending(&self) -> String {
        match (self.timed_out, self.output_limited) {
            (true, _) => "timeout".to_owned(),
            (_, true) => "output limit".to_owned(),
            _ if self.returncode < 0 => format!("ended by {}", signal::words(-self.returncode)),
            _ => format!("exit {}", self.returncode),
        }
    }
}

/// The answer to one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The version of this form.
    pub schema_version: u32,
    /// Whether the change is accepted.
    pub passed: bool,
    /// What the envelope was armed for.
    pub label: Text,
    /// The role of cordon.toml that the envelope was made from, or by which a gate judged.
    #[serde(default)]
    pub role: Option<String>,
    /// The commit at arm.
    pub baseline: String,
    /// The commit now; `null` when HEAD resolves to none.
    pub current_head: Option<String>,
    /// Whether the two differ.
    pub head_changed: bool,
    /// The tree that `git add -A` and `git write-tree` would give for the work tree that was judged; `null` where Git would
    /// refuse, or where a filter driver, which is never run, has a say.
    pub tree: Option<String>,
    /// The paths of the net change, sorted.
    pub changed_files: Vec<RepoPath>,
    /// The net change in numbers.
    pub metrics: Metrics,
    /// The budgets.
    pub limits: Limits,
    /// What remains of them.
    pub left: Left,
    /// The messages of the findings that reject the change.
    pub violations: Vec<Text>,
    /// Everything found: what is about the whole change first, then path by path.
    pub findings: Vec<Finding>,
    /// What is only noted.
    pub notes: Vec<Text>,
    /// The verifiers that ran, in order.
    pub verification: Vec<Verification>,
    /// Each change in detail.
    pub changes: Vec<Change>,
    /// Where something differs of which the ledger tells nothing: scratch zones, and what could not be known.
    #[serde(default)]
    pub unobserved: Vec<Unobserved>,
    /// The session of the ledger that this check is recorded in.
    #[serde(default)]
    pub session: Option<String>,
    /// SHA-256 over envelope and fingerprint.
    pub anchor: String,
    /// How long the check took, in seconds.
    pub duration_s: f64,
    /// What a gate judged; absent in a check.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gated>,
}

/// What a gate judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gated {
    /// The commit that the change is to be merged into; the policy is that of its tree.
    pub base: String,
    /// The commit that is to be merged.
    pub head: String,
}

/// A verdict without its lists of details: what the state keeps and `status` shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Whether the change was accepted.
    pub passed: bool,
    /// The commit at arm.
    pub baseline: String,
    /// The commit at the check.
    pub current_head: Option<String>,
    /// Whether the two differed.
    pub head_changed: bool,
    /// The paths of the net change.
    pub changed_files: Vec<RepoPath>,
    /// The net change in numbers.
    pub metrics: Metrics,
    /// The messages of the findings that rejected it.
    pub violations: Vec<Text>,
    /// How many findings rejected it, by their code.
    pub counts: BTreeMap<Code, u64>,
    /// The verifiers that ran.
    pub verification: Vec<Verification>,
}

impl From<&Verdict> for Summary {
    fn from(verdict: &Verdict) -> Self {
        let mut counts = BTreeMap::new();
        for finding in verdict.findings.iter().filter(|finding| finding.severity == Severity::Violation) {
            *counts.entry(finding.code).or_insert(0) += 1;
        }
        Summary {
            counts,
            passed: verdict.passed,
            baseline: verdict.baseline.clone(),
            current_head: verdict.current_head.clone(),
            head_changed: verdict.head_changed,
            changed_files: verdict.changed_files.clone(),
            metrics: verdict.metrics,
            violations: verdict.violations.clone(),
            verification: verdict.verification.clone(),
        }
    }
}
