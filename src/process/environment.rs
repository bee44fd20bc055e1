//! The environment that a verifier sees: the caller's own, without what would redirect its Git.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables whose names begin like this are dropped: `GIT_DIR`, `GIT_INDEX_FILE`, `GIT_WORK_TREE` and their kin would
/// point a verifier's Git at another repository than the one that was audited.
const DROPPED_PREFIXES: &[&str] = &["GIT_"];

/// Variables that every verifier sees, so that a script can tell that a gate runs it.
const ADDED: &[(&str, &str)] = &[("CORDON_VERIFIER", "1")];

/// The variables for a verifier, made from the caller's `variables`.
pub(super) fn for_verifiers(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    variables
        .filter(|(name, _)| !is_dropped(name))
        .chain(ADDED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
        .collect()
}

fn is_dropped(name: &OsStr) -> bool {
    DROPPED_PREFIXES.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(variables: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        for_verifiers(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[test]
    fn git_variables_go_and_everything_else_stays() {
        let seen = names(&[("GIT_DIR", "/x"), ("PATH", "/bin"), ("GIT_", ""), ("DIGIT_SUM", "3"), ("GITHUB_SHA", "a")]);
        let expected = [("PATH", "/bin"), ("DIGIT_SUM", "3"), ("GITHUB_SHA", "a"), ("CORDON_VERIFIER", "1")];
        assert_eq!(seen, expected.map(|(name, value)| (OsString::from(name), OsString::from(value))));
    }
}
