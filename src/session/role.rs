//! A role of `cordon.toml` as the commit has it that will be the baseline, whatever the work tree says by now.

use std::path::Path;

use crate::error::{Error, Result};
use crate::git::committed;
use crate::git::open::Repository;
use crate::policy::file::read::{self, MAX_BYTES, NAME};
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
    let repository = Repository::discover(start)?;
    let commit = repository.head()?.commit.ok_or_else(|| {
        Error::repository("HEAD has no commit yet")
            .hint("Commit something first: the baseline of an envelope is a commit.")
    })?;
    let bytes = committed::file(&repository, commit, NAME.as_bytes(), MAX_BYTES)?.ok_or_else(|| {
        Error::refused(format!("the commit {commit} has no {NAME}")).hint(format!(
            "Roles are read from the commit, not from the work tree: commit {NAME} first, or arm with --allow."
        ))
    })?;
    // As Git calls it: the work tree may have another.
    let file = read::read(&format!("HEAD:{NAME}"), &bytes)?;
    let settings = file.role(name)?.settings.clone();
    Ok(ReadRole { reference: RoleRef { name: name.to_owned(), commit: commit.to_string() }, settings })
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
