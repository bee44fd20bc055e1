//! The past, judged by the proposal: the same judge, the same words.

use serde::Serialize;

use super::proposal::{Past, Proposed};
use crate::audit::evidence::{Evidence, HeadMovement};
use crate::audit::judge;
use crate::error::Result;
use crate::policy::envelope::{Envelope, Rules};
use crate::policy::options::AuditOptions;

/// What would have become of the past commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Replay {
    /// Those that were judged: all with exactly one parent.
    pub commits: u64,
    /// Accepted in some role.
    pub accepted: u64,
    /// Refused although one role may change all of their paths: larger than its budgets, or rejected for what they bring.
    pub over_budget: u64,
    /// Refused because their paths belong to several roles.
    pub several_roles: u64,
    /// Refused because they change a protected path.
    pub protected: u64,
    /// Refused because they change paths that no role owns, such as what is not there any more.
    pub nobody: u64,
}

/// A role, compiled.
pub(super) struct Bench {
    envelope: Envelope,
    rules: Rules,
}

impl Bench {
    /// Compiles a role.
    pub fn of(role: &Proposed) -> Result<Bench> {
        let envelope = role.settings.envelope();
        let rules = envelope.rules()?.under(&role.settings.audit())?;
        Ok(Bench { envelope, rules })
    }

    /// Whether a role may change every path of a commit.
    pub fn owns(&self, past: &Past) -> bool {
        past.changes.iter().all(|change| self.rules.decide(change.path.as_bytes()).is_allowed())
            && !self.touches_protected(past)
    }

    /// Whether the role would have had this commit accepted, if it had been work that is not committed yet.
    pub fn accepts(&self, past: &Past) -> bool {
        let head = HeadMovement {
            baseline: past.id.clone(),
            current: Some(past.id.clone()),
            baseline_ref: None,
            current_ref: None,
        };
        let evidence = Evidence { head, changes: past.changes.clone(), ..Evidence::default() };
        !judge::judge(&self.envelope, &self.rules, &evidence).rejects()
    }

    fn touches_protected(&self, past: &Past) -> bool {
        past.changes.iter().any(|change| self.rules.audit.protected(change.path.as_bytes()).is_some())
    }
}

/// Judges every commit by every role.
pub(super) fn replay(benches: &[Bench], past: &[Past]) -> Result<Replay> {
    let mut replay = Replay { commits: past.len() as u64, ..Replay::default() };
    let protected = AuditOptions::default().compile()?;
    for commit in past {
        let paths = || commit.changes.iter().map(|change| change.path.as_bytes());
        let counter = if benches.iter().any(|bench| bench.owns(commit) && bench.accepts(commit)) {
            &mut replay.accepted
        } else if benches.iter().any(|bench| bench.owns(commit)) {
            &mut replay.over_budget
        } else if paths().any(|path| protected.protected(path).is_some()) {
            &mut replay.protected
        } else if paths().any(|path| !benches.iter().any(|bench| bench.rules.decide(path).is_allowed())) {
            &mut replay.nobody
        } else {
            &mut replay.several_roles
        };
        *counter += 1;
    }
    Ok(replay)
}
