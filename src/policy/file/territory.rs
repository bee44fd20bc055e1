//! Who owns a path: the roles that may change it, nobody, or nobody but who may change protected paths.

use serde::{Deserialize, Serialize};

use super::keys::Key;
use super::role::{PolicyFile, Role};
use crate::error::Result;
use crate::policy::envelope::Rules;
use crate::policy::escape::typed;
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;

/// What the roles of a file claim: enough to tell the owners of a path, and what is kept at arm.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// Whom to ask about what no role owns: the owner of `[defaults]`.
    pub owner: Option<String>,
    /// The claim of each role, in the order of the file.
    pub roles: Vec<Claim>,
}

/// What one role claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The role.
    pub role: String,
    /// Whom to ask.
    pub owner: Option<String>,
    /// Paths that it may change.
    pub allow: Vec<Pattern>,
    /// Paths that it may not change all the same.
    pub deny: Vec<Pattern>,
    /// Protected paths beside the built-in ones.
    pub protect: Vec<Pattern>,
    /// Protected paths that it may change.
    pub allow_protected: Vec<Pattern>,
}

impl Claims {
    /// What the roles of a file claim.
    pub fn of(file: &PolicyFile) -> Claims {
        Claims { owner: file.owner.clone(), roles: file.roles.iter().map(Claim::of).collect() }
    }
}

impl Claim {
    fn of(role: &Role) -> Claim {
        let globs = |key| role.settings.globs(key).to_vec();
        Claim {
            role: role.name.clone(),
            owner: role.settings.owner().map(str::to_owned),
            allow: globs(Key::Allow),
            deny: globs(Key::Deny),
            protect: globs(Key::Protect),
            allow_protected: globs(Key::AllowProtected),
        }
    }

    fn rules(&self) -> Result<Rules> {
        let (protect, allow_protected) = (self.protect.clone(), self.allow_protected.clone());
        Rules::compile(&self.allow, &self.deny)?.under(&AuditOptions {
            protect,
            allow_protected,
            ..AuditOptions::default()
        })
    }
}

/// The claims of a file, compiled.
pub struct Territory {
    /// Whom to ask about what no role owns.
    owner: Option<String>,
    holders: Vec<Holder>,
    /// The rules of a role that does not exist: what is protected where no role says otherwise.
    nobody: Rules,
}

struct Holder {
    owner: Owner,
    rules: Rules,
}

/// Who owns one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ownership {
    /// The roles that may change it.
    pub roles: Vec<Owner>,
    /// Why it is protected, where it is and no role opens it.
    pub protected: Option<String>,
    /// The roles whose `allow` covers it although they may not change it: they deny it, or it is protected.
    pub barred: Vec<String>,
    /// Whom to ask: the owners of these roles, or who is named for what no role owns; each once.
    pub ask: Vec<String>,
}

/// A role that owns a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The role.
    pub role: String,
    /// Whom to ask.
    pub owner: Option<String>,
}

impl Territory {
    /// Compiles the claims of a file.
    pub fn of(claims: &Claims) -> Result<Territory> {
        let holder = |claim: &Claim| {
            let owner = Owner { role: claim.role.clone(), owner: claim.owner.clone() };
            Ok(Holder { owner, rules: claim.rules()? })
        };
        let holders = claims.roles.iter().map(holder).collect::<Result<Vec<_>>>()?;
        Ok(Territory { owner: claims.owner.clone(), holders, nobody: Rules::compile(&[], &[])? })
    }

    /// Who owns a path.
    pub fn whose(&self, path: &[u8]) -> Ownership {
        let mut found = Ownership { roles: Vec::new(), protected: None, barred: Vec::new(), ask: Vec::new() };
        for holder in self.holders.iter().filter(|holder| holder.rules.covers(path)) {
            let protected = holder.rules.audit.protected(path);
            if holder.rules.decide(path).is_allowed() && protected.is_none() {
                found.roles.push(holder.owner.clone());
            } else {
                found.barred.push(holder.owner.role.clone());
                found.protected = found.protected.or(protected.map(str::to_owned));
            }
        }
        let owners: Vec<&String> = if found.roles.is_empty() {
            found.protected = found.protected.or(self.nobody.audit.protected(path).map(str::to_owned));
            self.owner.iter().collect()
        } else {
            found.protected = None;
            found.roles.iter().filter_map(|owner| owner.owner.as_ref()).collect()
        };
        let mut ask: Vec<String> = Vec::new();
        for owner in owners {
            if !ask.contains(owner) {
                ask.push(owner.clone());
            }
        }
        found.ask = ask;
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
        let ask = match self.ask.as_slice() {
            [] => String::new(),
            whom => format!(" Ask {}.", typed(whom.join(", ").as_bytes())),
        };
        match (roles.as_slice(), &self.protected) {
            ([], Some(reason)) => format!("No role owns it, and it is protected: {reason}.{ask}"),
            ([], None) => format!("No role owns it.{ask}"),
            ([role], _) => format!("Role {role} owns it."),
            (several, _) => format!("Roles {} own it.", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::file::read::read;

    fn territory(text: &str) -> Territory {
        Territory::of(&Claims::of(&read("cordon.toml", text.as_bytes()).unwrap())).unwrap()
    }

    #[test]
    fn somebody_is_named_for_what_no_role_owns() {
        let text = "version = 1\n[defaults]\nowner = \"the team\"\n[role.a]\nallow = [\"a/**\"]\n[role.b]\nallow = [\"a/**\"]\n";
        let territory = territory(text);
        assert_eq!(territory.whose(b"x").sentence(), "No role owns it. Ask the team.");
        assert_eq!(territory.whose(b"a/x").ask, ["the team"]);
        let claims = Claims::of(&read("f", text.as_bytes()).unwrap());
        let kept = serde_json::to_string(&claims).unwrap();
        assert_eq!(serde_json::from_str::<Claims>(&kept).unwrap(), claims);
    }

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
        let territory = territory(text);
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
