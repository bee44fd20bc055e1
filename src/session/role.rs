//! A role of `cordon.toml` as the commit has it that will be the baseline, whatever the work tree says by now.

use std::path::Path;

use super::policy::policy_at_head;
use crate::error::{Error, Result};
use crate::policy::file::settings::Settings;

/// A role, and the commit that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRef {
    /// Its name.
    pub name: String,
    /// The commit, in hex.
    pub commit: String,
}

/// A role with what it says.
#[derive(Debug, Clone)]
pub struct ReadRole {
    /// Which one.
    pub reference: RoleRef,
    /// What holds for it.
    pub settings: Settings,
}

/// The role of this name in the commit of HEAD.
pub fn role_at_head(start: &Path, name: &str) -> Result<ReadRole> {
    let source = policy_at_head(start)?;
    let settings = source.read()?.role(name)?.settings.clone();
    Ok(ReadRole { reference: RoleRef { name: name.to_owned(), commit: source.commit.unwrap_or_default() }, settings })
}

/// Refuses a baseline other than the commit that the role was read from.
pub fn require_commit(role: Option<&RoleRef>, baseline: &str) -> Result<()> {
    match role {
        Some(role) if role.commit != baseline => {
            Err(Error::refused(format!("HEAD moved while the role {} was read", role.name)).hint("Arm again."))
        }
        _ => Ok(()),
    }
}
