//! A policy file looked at as a whole before anybody relies on it: its faults, or what is valid and may not be meant.

use serde::Serialize;

use super::fault::Fault;
use super::keys::Key;
use super::overlap::{self, Overlap};
use super::read;
use super::role::{PolicyFile, Role};
use crate::error::Result;
use crate::policy::escape::typed;

/// What a review comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Review {
    /// What is wrong; the file is refused as a whole where there is any.
    pub faults: Vec<Fault>,
    /// The names of the roles, in the order of the file.
    pub roles: Vec<String>,
    /// Roles that own a path together.
    pub overlaps: Vec<Overlap>,
    /// Roles that claim a branch together, which the gate then refuses to judge.
    pub contested: Vec<Overlap>,
    /// What is valid and worth a second look.
    pub warnings: Vec<Fault>,
}

/// Reviews the bytes of a policy file.
pub fn review(bytes: &[u8]) -> Result<Review> {
    let file = match read::check(bytes) {
        Ok(file) => file,
        Err(faults) => return Ok(Review { faults, ..Review::default() }),
    };
    Ok(Review {
        faults: Vec::new(),
        roles: file.roles.iter().map(|role| role.name.clone()).collect(),
        overlaps: overlap::overlaps(&file)?,
        contested: overlap::contested(&file),
        warnings: warnings(&file)?,
    })
}

/// A question that each role is asked.
struct Question {
    key: Key,
    is_missing: fn(&Role) -> bool,
    what: &'static str,
    hint: &'static str,
}

const QUESTIONS: &[Question] = &[
    Question {
        key: Key::Owner,
        is_missing: |role| role.settings.owner().is_none(),
        what: "is not said, so no finding can tell whom to ask",
        hint: "Write owner = \"...\" in the role, or once in [defaults].",
    },
    Question {
        key: Key::Verify,
        is_missing: |role| role.settings.verify().is_empty(),
        what: "is not said, so work is accepted without any program having run on it",
        hint: "Write verify = [\"...\"], or verify = [] if that is meant.",
    },
];

fn warnings(file: &PolicyFile) -> Result<Vec<Fault>> {
    let mut found = Vec::new();
    if file.roles.is_empty() {
        found.push(fault(
            1,
            "[role.NAME]",
            "there is none, so nothing can be armed by role",
            "Add a table [role.NAME].",
        ));
    }
    if !file.roles.is_empty() && file.gate_role.is_none() && file.roles.iter().all(|role| role.branches().is_empty()) {
        let hint = "Write branches = [\"...\"] in the roles, or role = \"NAME\" in [gate].";
        found.push(fault(1, "[gate] role", "is not said and no role has branches, so cordon gate needs --role", hint));
    }
    for role in &file.roles {
        let place = format!("[role.{}]", typed(role.name.as_bytes()));
        for Question { key, is_missing, what, hint } in QUESTIONS {
            if is_missing(role) && role.settings.get(*key).is_none() {
                found.push(fault(role.line, &format!("{place} {}", key.row().name), *what, *hint));
            }
        }
        found.extend(futile(role, &place));
        found.extend(barred(role, &place)?);
    }
    found.sort();
    Ok(found)
}

/// Patterns that cover no path whatever, beside others that do.
fn futile(role: &Role, place: &str) -> Vec<Fault> {
    let lists = role.settings.iter().map(|(key, _)| (key, role.settings.globs(key)));
    let patterns = lists.flat_map(|(key, globs)| globs.iter().map(move |pattern| (key, pattern)));
    patterns
        .filter_map(|(key, pattern)| {
            let (why, instead) = pattern.futility()?.split_once("; ").map(|(why, instead)| {
                (format!("has `{pattern}`, which {why}"), format!("{}.", instead.replacen('w', "W", 1)))
            })?;
            Some(fault(role.line, &format!("{place} {}", key.row().name), why, instead))
        })
        .collect()
}

/// Paths that a role allows by their full names although they are protected, so that it may not change them.
fn barred(role: &Role, place: &str) -> Result<Vec<Fault>> {
    let rules = role.settings.audit().compile()?;
    let named = role.settings.globs(Key::Allow).iter().filter(|pattern| !pattern.as_str().contains(['*', '?']));
    let about = |pattern: &crate::policy::pattern::Pattern| {
        let reason = rules.protected(pattern.as_str().as_bytes())?;
        let what = format!("has `{pattern}`, which is protected all the same: {reason}");
        Some(fault(role.line, &format!("{place} allow"), what, "Add it to allow_protected as well."))
    };
    Ok(named.filter_map(about).collect())
}

fn fault(line: usize, key: &str, what: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault { line, key: key.to_owned(), what: what.into(), hint: hint.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(text: &str) -> Vec<String> {
        let review = review(text.as_bytes()).unwrap();
        assert_eq!(review.faults, []);
        review.warnings.iter().map(|warning| warning.sentence("f")).collect()
    }

    #[test]
    fn a_file_that_says_all_of_it_has_no_warning() {
        let text = "version = 1\n[gate]\nrole = \"a\"\n[role.a]\nallow = [\"src/**\"]\nowner = \"Jane\"\nverify = []\n";
        assert_eq!(warned(text), <[&str; 0]>::default());
        let text = "version = 1\n[defaults]\nowner = \"Jane\"\nverify = [\"make\"]\n[role.a]\nallow = [\"src/**\"]\nbranches = [\"a/*\"]\n";
        assert_eq!(warned(text), <[&str; 0]>::default());
    }

    #[test]
    fn what_may_not_be_meant_is_told_with_its_line() {
        let text = "version = 1\n[role.a]\nallow = [\"src/**\", \"docs/\", \"x/.envrc\", \"src/**/\"]\nallow_protected = [\"y\"]\n";
        insta::assert_snapshot!(warned(text).join("\n"), @r"
        f:1: [gate] role: is not said and no role has branches, so cordon gate needs --role
        f:2: [role.a] allow: has `docs/`, which ends in a slash, as no file does
        f:2: [role.a] allow: has `src/**/`, which ends in a slash, as no file does
        f:2: [role.a] allow: has `x/.envrc`, which is protected all the same: shell code that direnv runs on entering the directory
        f:2: [role.a] owner: is not said, so no finding can tell whom to ask
        f:2: [role.a] verify: is not said, so work is accepted without any program having run on it
        ");
        assert_eq!(review(text.as_bytes()).unwrap().warnings[1].hint, "Write docs/**.");
        assert_eq!(warned("version = 1\n"), ["f:1: [role.NAME]: there is none, so nothing can be armed by role"]);
    }

    #[test]
    fn faults_leave_nothing_else_to_say() {
        let review = review(b"version = 1\n[role.a]\nalow = []\n").unwrap();
        assert_eq!((review.faults.len(), review.roles.len(), review.warnings.len()), (1, 0, 0));
        assert!(review.faults[0].hint.contains("`allow`"));
    }

    #[test]
    fn what_is_shared_only_among_protected_paths_is_no_overlap() {
        let text = |more: &str| {
            format!(
                "version = 1\n[role.a]\nallow = [\"**/*.rs\", \"cordon.toml\"]\nallow_protected = [\"cordon.toml\"]\n[role.b]\nallow = [\"cordon.*\"{more}]\n"
            )
        };
        assert_eq!(review(text("").as_bytes()).unwrap().overlaps[0].example.as_deref(), Some("cordon.rs"));
        let apart = text("").replace("cordon.*", "cordon.tom?");
        assert_eq!(review(apart.as_bytes()).unwrap().overlaps, []);
        let both = apart.clone() + "allow_protected = [\"cordon.toml\"]\n";
        assert_eq!(review(both.as_bytes()).unwrap().overlaps[0].example.as_deref(), Some("cordon.toml"));
    }
}
