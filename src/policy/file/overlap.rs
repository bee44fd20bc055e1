//! Paths that several roles own: not wrong, and worth knowing.

use super::keys::Key;
use super::role::{PolicyFile, Role};
use crate::policy::pattern::witness::{self, Witness};

/// Two roles that own something together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The two, in the order of the file.
    pub roles: (String, String),
    /// A path that both own; `None` where the patterns are too many to look further.
    pub example: Option<String>,
}

/// Every pair of roles whose territories are not surely apart.
pub fn overlaps(file: &PolicyFile) -> Vec<Overlap> {
    let mut found = Vec::new();
    for (at, one) in file.roles.iter().enumerate() {
        for other in &file.roles[at + 1..] {
            let example = match witness::common(&[territory(one), territory(other)]) {
                Witness::None => continue,
                Witness::Path(path) => Some(path),
                Witness::Unknown => None,
            };
            found.push(Overlap { roles: (one.name.clone(), other.name.clone()), example });
        }
    }
    found
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

fn territory(role: &Role) -> witness::Territory<'_> {
    (role.settings.globs(Key::Allow), role.settings.globs(Key::Deny))
}
