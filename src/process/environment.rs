//! The environment that a program sees: the caller's own, without what would redirect its Git, and for a verifier with
//! what leads tools away from the caches of the repository.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::policy::caches::{VARIABLES, Value, Variable};

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

/// The variables of a verifier, with those that lead its tools away from the caches of the repository and into `directory`.
pub(super) fn with_caches_in(directory: &Path, variables: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let value = |row: &Variable| match row.value {
        Value::Words(words) => OsString::from(words),
        Value::Directory => directory.as_os_str().to_owned(),
    };
    let set: Vec<_> = VARIABLES.iter().map(|row| (OsString::from(row.name), value(row))).collect();
    let others = variables.into_iter().filter(|(name, _)| !VARIABLES.iter().any(|row| name == row.name));
    others.chain(set).collect()
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
    fn caches_are_led_away_whatever_the_caller_has_set() {
        let given = [("PATH", "/bin"), ("PYTHONPYCACHEPREFIX", "/old")];
        let seen = with_caches_in(Path::new("/tmp/a b"), variables(&given));
        let of = |name: &str| {
            let all: Vec<_> = seen.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect();
            assert_eq!(all.len(), 1, "{name}");
            all[0].to_str().unwrap().to_owned()
        };
        assert_eq!(of("PATH"), "/bin");
        assert_eq!(of("PYTHONPYCACHEPREFIX"), "/tmp/a b");
        assert_eq!(of("MYPY_CACHE_DIR"), "/tmp/a b");
        assert_eq!(of("RUFF_NO_CACHE"), "true");
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
