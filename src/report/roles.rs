//! The answer of `policy show`: each role of a policy file with everything that holds for it.

use serde::Serialize;

use super::envelope::{self, Row};
use super::style::{FAINT, HEADING, paint};
use super::words::counted;
use crate::audit::verdict::SCHEMA_VERSION;
use crate::json;
use crate::policy::envelope::Envelope;
use crate::policy::escape::typed;
use crate::policy::file::keys::Key;
use crate::policy::file::role::{PolicyFile, Role};
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;

/// The keys that hold patterns and are no part of the envelope itself.
const FURTHER: [(Key, &str); 6] = [
    (Key::Protect, "protected"),
    (Key::AllowProtected, "opened"),
    (Key::Scratch, "scratch"),
    (Key::AllowIgnored, "ignored"),
    (Key::Uncounted, "uncounted"),
    (Key::Branches, "branches"),
];

/// The roles for people.
pub fn human(file: &str, commit: Option<&str>, policy: &PolicyFile) -> String {
    let from = commit.map_or_else(String::new, |commit| format!(" of the commit {commit}"));
    let head = paint(FAINT, format!("{file}{from}"));
    let gate = policy.gate_role.as_ref().map_or_else(String::new, |role| {
        format!("\nbranches that no role claims are judged as {}\n", typed(role.as_bytes()))
    });
    let roles: String = policy.roles.iter().map(role).collect();
    format!("{head}\n{roles}{gate}")
}

fn role(role: &Role) -> String {
    let settings = &role.settings;
    let mut rows: Vec<Row> =
        vec![("owner", settings.owner().map(|owner| typed(owner.as_bytes())).into_iter().collect())];
    rows.extend(envelope::rows(&settings.envelope(), settings.verify(), settings.verify_timeout()));
    let further =
        FURTHER.iter().map(|(key, name)| (*name, settings.globs(*key).iter().map(Pattern::to_string).collect()));
    rows.extend(further);
    rows.push(("attempts", vec![counted(u64::from(settings.max_attempts()), "attempt")]));
    format!("\n{}\n{}", paint(HEADING, typed(role.name.as_bytes())), envelope::block(&rows))
}

#[derive(Serialize)]
struct Form<'a> {
    schema_version: u32,
    file: &'a str,
    commit: Option<&'a str>,
    gate_role: Option<&'a str>,
    roles: Vec<RoleForm<'a>>,
}

#[derive(Serialize)]
struct RoleForm<'a> {
    name: &'a str,
    line: usize,
    owner: Option<&'a str>,
    branches: &'a [Pattern],
    policy: Envelope,
    audit: AuditOptions,
    verify: &'a [String],
    verify_timeout: u64,
    max_attempts: u32,
}

impl RoleForm<'_> {
    fn of(role: &Role) -> RoleForm<'_> {
        let settings = &role.settings;
        RoleForm {
            name: &role.name,
            line: role.line,
            owner: settings.owner(),
            branches: role.branches(),
            policy: settings.envelope(),
            audit: settings.audit(),
            verify: settings.verify(),
            verify_timeout: settings.verify_timeout(),
            max_attempts: settings.max_attempts(),
        }
    }
}

/// The roles for programs.
pub fn json(file: &str, commit: Option<&str>, policy: &PolicyFile) -> Vec<u8> {
    let roles = policy.roles.iter().map(RoleForm::of).collect();
    json::pretty(&Form { schema_version: SCHEMA_VERSION, file, commit, gate_role: policy.gate_role.as_deref(), roles })
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::policy::file::read::read;

    #[test]
    fn a_role_is_shown_with_all_that_holds_for_it() {
        let text = "version = 1\n[defaults]\ndeny = [\"x/**\"]\nowner = \"the team\"\n[gate]\nrole = \"core\"\n[role.docs]\nallow = [\"docs/**\"]\nmax_files = 3\n[role.core]\nallow = [\"src/**\", \"Cargo.lock\"]\nuncounted = [\"Cargo.lock\"]\nverify = [\"cargo test\"]\nbranches = [\"core/*\"]\nallow_commits = true\n";
        let policy = read("f", text.as_bytes()).unwrap();
        insta::assert_snapshot!(strip_str(&human("f", Some("abc"), &policy)), @r"
        f of the commit abc

        docs
        owner        the team
        allow        docs/**
        deny         x/**
        budgets      3 files
                     2,000 added lines
                     1,000 deleted lines
                     2,097,152 working bytes
                     2 binary files
        commits      not allowed
        attempts     3 attempts

        core
        owner        the team
        allow        src/**
                     Cargo.lock
        deny         x/**
        budgets      25 files
                     2,000 added lines
                     1,000 deleted lines
                     2,097,152 working bytes
                     2 binary files
        commits      allowed
        verify       cargo test  (at most 300 seconds)
        uncounted    Cargo.lock
        branches     core/*
        attempts     3 attempts

        branches that no role claims are judged as core
        ");
    }
}
