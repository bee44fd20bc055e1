//! Ignored entries that are violations although they are new: what matters about them is not that they are there.

use super::ignored::{Ignored, IgnoredKind};
use crate::policy::options::AuditRules;
use crate::policy::steering::Steering;

/// What is odd about a new or changed ignored entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// It steers what verifiers run.
    Steers(&'static Steering),
}

/// The oddity of an entry, where it counts.
pub fn oddity<'a>(rules: &AuditRules, entry: &'a Ignored) -> Option<&'a Oddity> {
    let path = entry.path.as_bytes();
    let odd = entry.odd.as_ref().filter(|_| entry.kind != IgnoredKind::Deleted && !rules.allows_ignored(path))?;
    let counts = match odd {
        Oddity::Steers(steering) => entry.cache.is_none() && rules.is_steered_by(path, steering),
    };
    counts.then_some(odd)
}
