//! What every format is made of: a verdict, and the session that it was recorded in where the format tells of it.

use crate::audit::finding::{Code, Finding, Severity};
use crate::audit::verdict::Verdict;
use crate::ledger::record::Ledger;

/// The version of this program, for the formats that name who wrote them.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One verdict to report.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The session of the ledger that holds it.
    pub session: Option<&'a Ledger>,
}

/// One budget with its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// What it counts.
    pub name: &'static str,
    /// How much of it the change uses.
    pub used: u64,
    /// How much there is.
    pub limit: u64,
    /// What is left; negative when it is overdrawn.
    pub left: i64,
}

impl Budget {
    /// How much of it is used, in `parts`: at most all of them, and at least one where anything is used.
    pub fn share(&self, parts: u64) -> u64 {
        if self.used == 0 {
            return 0;
        }
        let exact = u128::from(self.used) * u128::from(parts) / u128::from(self.limit.max(1));
        u64::try_from(exact).unwrap_or(parts).clamp(1, parts)
    }

    /// Whether more is used than there is.
    pub fn is_over(&self) -> bool {
        self.used > self.limit
    }
}

/// The budgets of a verdict, in the order in which every report shows them.
pub fn budgets(verdict: &Verdict) -> [Budget; 5] {
    let (used, limits, left) = (&verdict.metrics, &verdict.limits, &verdict.left);
    let row = |name, used, limit, left| Budget { name, used, limit, left };
    [
        row("files", used.files, limits.max_files, left.files),
        row("added lines", used.added_lines, limits.max_added_lines, left.added_lines),
        row("deleted lines", used.deleted_lines, limits.max_deleted_lines, left.deleted_lines),
        row("working bytes", used.working_bytes, limits.max_working_bytes, left.working_bytes),
        row("binary files", used.binary_files, limits.max_binary_files, left.binary_files),
    ]
}

/// The one word for the verdict, in capitals.
pub fn word(verdict: &Verdict) -> &'static str {
    if verdict.passed { "ACCEPTED" } else { "REJECTED" }
}

/// The findings that reject the change, or those that do not.
pub fn of_severity(verdict: &Verdict, severity: Severity) -> impl Iterator<Item = &Finding> {
    verdict.findings.iter().filter(move |finding| finding.severity == severity)
}

/// The findings with this code.
pub fn of_code(verdict: &Verdict, code: Code) -> impl Iterator<Item = &Finding> {
    verdict.findings.iter().filter(move |finding| finding.code == code)
}

/// How many verifiers failed.
pub fn failed(verdict: &Verdict) -> usize {
    verdict.verification.iter().filter(|run| !run.passed).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_never_nothing_of_something_and_never_more_than_all() {
        let share = |used, limit| Budget { name: "x", used, limit, left: 0 }.share(20);
        assert_eq!([share(0, 10), share(1, 1000), share(5, 10), share(10, 10), share(99, 10)], [0, 1, 10, 20, 20]);
        assert_eq!([share(0, 0), share(1, 0), share(u64::MAX, 1)], [0, 20, 20]);
    }
}
