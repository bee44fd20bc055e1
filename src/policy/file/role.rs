//! The roles of a policy file, and which of them a branch belongs to.

use super::keys::Key;
use super::nearest::nearest;
use super::settings::Settings;
use crate::error::{Error, Result};
use crate::policy::escape::typed;
use crate::policy::pattern::{Pattern, PatternSet};

/// What a policy file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyFile {
    /// The roles, in the order of the file.
    pub roles: Vec<Role>,
    /// The role of branches that no role claims.
    pub gate_role: Option<String>,
    /// The owner that `[defaults]` names: whom to ask about what no role owns.
    pub owner: Option<String>,
}

/// One role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// The line of its table.
    pub line: usize,
    /// What holds for it: its own values over those of `[defaults]`.
    pub settings: Settings,
}

impl Role {
    /// The names of branches that it claims.
    pub fn branches(&self) -> &[Pattern] {
        self.settings.globs(Key::Branches)
    }

    /// Whether it claims a branch.
    pub fn claims(&self, branch: &[u8]) -> Result<bool> {
        Ok(PatternSet::compile(self.branches())?.is_match(branch))
    }
}

impl PolicyFile {
    /// The role of this name.
    pub fn role(&self, name: &str) -> Result<&Role> {
        self.roles.iter().find(|role| role.name == name).ok_or_else(|| self.unknown(name))
    }

    /// The role that judges a branch: the one that claims it, else the one that `[gate] role` names.
    ///
    /// # Errors
    /// When several claim it, or none does and none is named: nobody said by which rules to judge.
    pub fn role_of_branch(&self, branch: &[u8]) -> Result<&Role> {
        let mut claiming = Vec::new();
        for role in &self.roles {
            if role.claims(branch)? {
                claiming.push(role);
            }
        }
        let shown = typed(branch);
        match (claiming.as_slice(), &self.gate_role) {
            ([role], _) => Ok(role),
            ([], Some(name)) => self.role(name),
            ([], None) => Err(Error::refused(format!("no role of cordon.toml claims the branch {shown}"))
                .hint("Add a pattern for it to `branches` of a role, name one for all other branches with `role` in `[gate]`, or give --role NAME.")),
            (several, _) => {
                let names: Vec<&str> = several.iter().map(|role| role.name.as_str()).collect();
                Err(Error::refused(format!("several roles of cordon.toml claim the branch {shown}: {}", names.join(", ")))
                    .hint("Make their `branches` differ, or give --role NAME."))
            }
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let error = Error::usage(format!("cordon.toml has no role `{}`", typed(name.as_bytes())));
        let names: Vec<&str> = self.roles.iter().map(|role| role.name.as_str()).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => error.hint(format!("Did you mean `{near}`?")),
            None if names.is_empty() => error.hint("It has no role at all; add a table [role.NAME]."),
            None => error.hint(format!("Its roles: {}.", names.join(", "))),
        }
    }
}
