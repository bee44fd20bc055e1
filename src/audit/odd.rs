//! Ignored entries that are violations although they are new: what matters about them is not that they are there.

use super::ignored::{Ignored, IgnoredKind};
use super::links::Escape;
use crate::policy::options::AuditRules;
use crate::policy::steering::Steering;
use crate::policy::text::Text;

/// What is odd about a new or changed ignored entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// It steers what verifiers run.
    Steers(&'static Steering),
    /// It is a symbolic link that leads away.
    Leads {
        /// Where to.
        to: Escape,
        /// The link's own text.
        target: Text,
    },
    /// It is a file that has another name outside of the repository.
    Shared,
}

/// The first oddity of an entry that counts where it lies.
pub fn oddity<'a>(rules: &AuditRules, entry: &'a Ignored) -> Option<&'a Oddity> {
    let path = entry.path.as_bytes();
    if entry.kind == IgnoredKind::Deleted || rules.allows_ignored(path) {
        return None;
    }
    entry.odd.iter().find(|odd| match odd {
        Oddity::Steers(steering) => entry.cache.is_none() && rules.is_steered_by(path, steering),
        Oddity::Leads { .. } | Oddity::Shared => !rules.links_out(path),
    })
}
