//! What the disk has otherwise than at arm, whatever Git makes of it: the bytes and the permissions of files and links. The
//! ledger writes this down; no finding depends on it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ignored, odd};
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::Stat;

/// One path whose bytes, permissions or kind on disk may differ from arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The path.
    pub path: RepoPath,
    /// What stood there at arm, if a file or a link did.
    pub before: Option<OnDisk>,
    /// What stands there now.
    pub after: Option<OnDisk>,
}

/// A file or a link as it lies on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDisk {
    /// Its stat fields.
    pub stat: Stat,
    /// SHA-256 of its bytes, of a link's target.
    pub sha256: [u8; 32],
    /// Where a link leads.
    pub target: Option<Text>,
}

/// A place of which the ledger tells nothing although something changed there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unobserved {
    /// A pattern or a path.
    pub zone: Text,
    /// Why.
    pub reason: String,
    /// How many entries differ there.
    pub count: u64,
}

/// Counts what is left out, a row for each place and reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Omissions(BTreeMap<(Vec<u8>, String), u64>);

impl Omissions {
    /// Counts one more entry.
    pub fn note(&mut self, zone: impl Into<Vec<u8>>, reason: impl Into<String>) {
        *self.0.entry((zone.into(), reason.into())).or_insert(0) += 1;
    }

    /// All of them, sorted.
    pub fn rows(&self) -> Vec<Unobserved> {
        let row = |((zone, reason), count): (&(Vec<u8>, String), &u64)| Unobserved {
            zone: Text::from_bytes(zone.clone()),
            reason: reason.clone(),
            count: *count,
        };
        self.0.iter().map(row).collect()
    }
}

/// The place of an ignored entry that the ledger leaves out, with the reason; `None` for one that it tells of: whatever
/// could be a violation.
pub fn left_out(rules: &AuditRules, entry: &ignored::Ignored) -> Option<(String, String)> {
    let path = entry.path.as_bytes();
    if rules.protected_ignored(path).is_some() || odd::oddity(rules, entry).is_some() {
        return None;
    }
    if let Some(reason) = rules.dependency(path) {
        let is_new = entry.kind == ignored::IgnoredKind::Added;
        let zone = || ignored::top(&entry.path).plain();
        return is_new.then(|| (zone(), format!("new among installed dependencies ({reason})")));
    }
    ignored::zone(rules, entry).map(|(zone, reason)| (zone, format!("scratch zone ({reason})")))
}
