//! Who owns a path: the roles that may change it, nobody, or nobody but who may change protected paths.

use serde::Serialize;

use super::role::PolicyFile;
use crate::error::Result;
use crate::policy::envelope::Rules;
use crate::policy::escape::typed;

/// The roles of a file, compiled.
pub struct Territory {
    holders: Vec<Holder>,
    /// The rules of a role that does not exist: what is protected where no role says otherwise.
    nobody: Rules,
}

struct Holder {
    name: String,
    owner: Option<String>,
    rules: Rules,
}

/// Who owns one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ownership {
    /// The roles that may change it.
    pub roles: Vec<Owner>,
    /// Why it is protected, where it is and no role opens it.
    pub protected: Option<String>,
    /// The roles whose `allow` covers it although they may not change it: they deny it, or it is protected.
    pub barred: Vec<String>,
}

/// A role that owns a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owner {
    /// The role.
    pub role: String,
    /// Whom to ask.
    pub owner: Option<String>,
}

impl Territory {
    /// Compiles the roles of a file.
    pub fn of(file: &PolicyFile) -> Result<Territory> {
        let holder = |role: &super::role::Role| {
            let rules = role.settings.envelope().rules()?.under(&role.settings.audit())?;
            Ok(Holder { name: role.name.clone(), owner: role.settings.owner().map(str::to_owned), rules })
        };
        let holders = file.roles.iter().map(holder).collect::<Result<Vec<_>>>()?;
        Ok(Territory { holders, nobody: Rules::compile(&[], &[])? })
    }

    /// Who owns a path.
    pub fn whose(&self, path: &[u8]) -> Ownership {
        let mut found = Ownership { roles: Vec::new(), protected: None, barred: Vec::new() };
        for holder in &self.holders {
            let protected = holder.rules.audit.protected(path);
            if holder.rules.decide(path).is_allowed() && protected.is_none() {
                found.roles.push(Owner { role: holder.name.clone(), owner: holder.owner.clone() });
            } else if holder.rules.covers(path) {
                found.barred.push(holder.name.clone());
                found.protected = found.protected.or(protected.map(str::to_owned));
            }
        }
        if found.roles.is_empty() {
            found.protected = found.protected.or(self.nobody.audit.protected(path).map(str::to_owned));
        } else {
            found.protected = None;
        }
        found
    }
}

impl Ownership {
    /// The answer in a sentence, safe to show, for somebody who may not change the path.
    pub fn sentence(&self) -> String {
        let named = |owner: &Owner| match &owner.owner {
            Some(whom) => format!("`{}` (ask {})", owner.role, typed(whom.as_bytes())),
            None => format!("`{}`", owner.role),
        };
        let roles: Vec<String> = self.roles.iter().map(named).collect();
        match (roles.as_slice(), &self.protected) {
            ([], Some(reason)) => format!("No role owns it, and it is protected: {reason}."),
            ([], None) => "No role owns it.".to_owned(),
            ([role], _) => format!("Role {role} owns it."),
            (several, _) => format!("Roles {} own it.", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::file::read::read;

    #[test]
    fn a_path_has_its_owners_or_none_or_is_protected() {
        let text = r#"
            version = 1
            [role.docs]
            allow = ["docs/**", "*.md"]
            owner = "Jane"
            [role.core]
            allow = ["src/**", "docs/api/**", "**/*.code-workspace"]
            deny = ["src/vendor/**"]
            protect = ["src/keys/**"]
            [role.policy]
            allow = ["cordon.toml"]
            allow_protected = ["cordon.toml"]
        "#;
        let territory = Territory::of(&read("cordon.toml", text.as_bytes()).unwrap()).unwrap();
        for (path, told) in [
            ("docs/a.md", "Role `docs` (ask Jane) owns it."),
            ("docs/api/x", "Roles `docs` (ask Jane), `core` own it."),
            ("src/a.rs", "Role `core` owns it."),
            ("src/vendor/x", "No role owns it."),
            ("src/keys/x", "No role owns it, and it is protected: protected at arm."),
            (".envrc", "No role owns it, and it is protected: shell code that direnv runs on entering the directory."),
            ("x.code-workspace", "No role owns it, and it is protected: editor settings and tasks."),
            ("cordon.toml", "Role `policy` owns it."),
            ("Makefile", "No role owns it."),
        ] {
            assert_eq!(territory.whose(path.as_bytes()).sentence(), told, "{path}");
        }
        assert_eq!(territory.whose(b"src/vendor/x").barred, ["core"]);
    }
}
