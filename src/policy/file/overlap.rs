//! Paths that several roles own: not wrong, and worth knowing.

use serde::Serialize;

use super::keys::Key;
use super::role::{PolicyFile, Role};
use crate::error::Result;
use crate::policy::options::AuditRules;
use crate::policy::pattern::Pattern;
use crate::policy::pattern::witness::{self, Witness};
use crate::policy::protected::PROTECTED;

/// Two roles that own something together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The two, in the order of the file.
    pub roles: (String, String),
    /// A path that both own; `None` where the patterns are too many to look further.
    pub example: Option<String>,
}

/// Every pair of roles whose territories are not surely apart.
pub fn overlaps(file: &PolicyFile) -> Result<Vec<Overlap>> {
    let territories = file.roles.iter().map(Territory::of).collect::<Result<Vec<_>>>()?;
    let mut found = Vec::new();
    for (at, one) in territories.iter().enumerate() {
        for other in &territories[at + 1..] {
            let example = match one.shared_with(other) {
                Witness::None => continue,
                Witness::Path(path) => Some(path),
                Witness::Unknown => None,
            };
            found.push(Overlap { roles: (one.role.name.clone(), other.role.name.clone()), example });
        }
    }
    Ok(found)
}

/// Branch names that two roles claim, of which the gate would refuse to judge any.
pub fn contested(file: &PolicyFile) -> Vec<Overlap> {
    let mut found = Vec::new();
    for (at, one) in file.roles.iter().enumerate() {
        for other in &file.roles[at + 1..] {
            if let Witness::Path(path) = witness::common(&[(one.branches(), &[]), (other.branches(), &[])]) {
                found.push(Overlap { roles: (one.name.clone(), other.name.clone()), example: Some(path) });
            }
        }
    }
    found
}

/// What a role may change.
struct Territory<'a> {
    role: &'a Role,
    rules: AuditRules,
    out: Vec<Pattern>,
}

impl<'a> Territory<'a> {
    fn of(role: &'a Role) -> Result<Territory<'a>> {
        let mut out = role.settings.globs(Key::Deny).to_vec();
        if !role.opens_protected() {
            out.extend_from_slice(role.settings.globs(Key::Protect));
        }
        Ok(Territory { role, rules: role.settings.audit().compile()?, out })
    }

    /// A path that both may change. The built-in protected paths are many and seldom shared, so they are taken out only
    /// where the first answer is one of them.
    fn shared_with(&self, other: &Territory<'_>) -> Witness {
        let (ours, theirs) = (self.role.settings.globs(Key::Allow), other.role.settings.globs(Key::Allow));
        let first = witness::common(&[(ours, &self.out), (theirs, &other.out)]);
        let Witness::Path(path) = &first else { return first };
        let is_protected = |territory: &Territory<'_>| territory.rules.protected(path.as_bytes()).is_some();
        if !is_protected(self) && !is_protected(other) {
            return first;
        }
        witness::common(&[(ours, &self.without_protected()), (theirs, &other.without_protected())])
    }

    fn without_protected(&self) -> Vec<Pattern> {
        let mut out = self.out.clone();
        if !self.role.opens_protected() {
            out.extend(PROTECTED.iter().filter_map(|row| Pattern::parse(row.glob).ok()));
        }
        out
    }
}

impl Role {
    /// Whether some protected path is open to it, so that none can be taken out of its territory as a whole.
    fn opens_protected(&self) -> bool {
        !self.settings.globs(Key::AllowProtected).is_empty()
    }
}
