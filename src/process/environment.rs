//! The environment that a program sees: the caller's own, without what would redirect its Git.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables whose names begin like this are dropped: `GIT_DIR`, `GIT_INDEX_FILE`, `GIT_WORK_TREE` and their kin would
/// point a verifier's Git at another repository than the one that was audited.
const DROPPED_PREFIXES: &[&str] = &["GIT_"];

/// Of these an agent keeps those that say who it commits as and how Git reaches a remote and a person: they redirect
/// nothing.
const KEPT_FOR_AGENTS: &[&str] = &["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT"];

/// Variables that every agent sees, so that a script can tell who started it.
const ADDED_FOR_AGENTS: &[(&str, &str)] = &[("CORDON_AGENT", "1")];

/// Variables that every verifier sees, so that a script can tell that a gate runs it.
const ADDED: &[(&str, &str)] = &[("CORDON_VERIFIER", "1")];

/// The variables for a verifier, made from the caller's `variables`.
pub(super) fn for_verifiers(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    with(variables.filter(|(name, _)| !begins(name, DROPPED_PREFIXES)), ADDED)
}

/// The variables for an agent, made from the caller's `variables`.
pub(super) fn for_agents(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let stays = |name: &OsStr| !begins(name, DROPPED_PREFIXES) || begins(name, KEPT_FOR_AGENTS);
    with(variables.filter(|(name, _)| stays(name)), ADDED_FOR_AGENTS)
}

/// Variables and those to add, which win.
fn with(variables: impl Iterator<Item = (OsString, OsString)>, added: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let others = variables.filter(|(name, _)| !added.iter().any(|(added, _)| name == added));
    others.chain(added.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)))).collect()
}

fn begins(name: &OsStr, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables = Vec<(OsString, OsString)>;

    fn variables(variables: &[(&str, &str)]) -> Variables {
        variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn git_variables_go_and_everything_else_stays() {
        let given = [
            ("GIT_DIR", "/x"),
            ("PATH", "/bin"),
            ("GIT_", ""),
            ("DIGIT_SUM", "3"),
            ("GITHUB_SHA", "a"),
            ("CORDON_VERIFIER", "0"),
        ];
        let expected = [("PATH", "/bin"), ("DIGIT_SUM", "3"), ("GITHUB_SHA", "a"), ("CORDON_VERIFIER", "1")];
        assert_eq!(for_verifiers(variables(&given).into_iter()), variables(&expected));
    }

    #[test]
    fn an_agent_keeps_what_it_commits_as_and_nothing_that_redirects() {
        let given = [
            ("GIT_INDEX_FILE", "x"),
            ("GIT_AUTHOR_NAME", "me"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_SSH_COMMAND", "ssh"),
            ("ANTHROPIC_API_KEY", "k"),
        ];
        let expected =
            [("GIT_AUTHOR_NAME", "me"), ("GIT_SSH_COMMAND", "ssh"), ("ANTHROPIC_API_KEY", "k"), ("CORDON_AGENT", "1")];
        assert_eq!(for_agents(variables(&given).into_iter()), variables(&expected));
    }
}
