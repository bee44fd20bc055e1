//! Caches that a tool believes in place of the files that they were made from. Git ignores them and they lie in scratch
//! zones, so whoever fills one decides what a verifier sees of the sources, and no diff shows it. Each row names the
//! variable by which the tool leaves its cache in the repository alone, so that a verifier reads the sources themselves.
//!
//! A row is here when a forged cache was seen to turn a failing verifier of the real tool green and the variable was seen
//! to turn it red again. Not here is what no variable of its own switches off at a bearable price: the output of compilers
//! (`target/`, `build/`, `*.o`), `*.tsbuildinfo` and `.eslintcache`; nor `.pytest_cache`, which only `--lf` and `--sw` believe,
//! and which no variable leads away without breaking those who run pytest without it.

use serde::{Deserialize, Serialize};

/// What becomes of these variables when verifiers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheRule {
    /// They are set, with a fresh directory for each verifier.
    #[default]
    Private,
    /// The caches of the repository are believed.
    Keep,
}

impl CacheRule {
    /// Whether it is what holds when nobody says anything.
    pub fn is_default(&self) -> bool {
        *self == CacheRule::default()
    }
}

/// One variable that leads a tool away from its cache in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it is set to.
    pub value: Value,
    /// Whose cache it is, and what it would be believed in place of.
    pub reason: &'static str,
}

/// What a variable is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// These words.
    Words(&'static str),
    /// The private directory.
    Directory,
}

const fn row(name: &'static str, value: Value, reason: &'static str) -> Variable {
    Variable { name, value, reason }
}

/// The variables.
pub const VARIABLES: &[Variable] = &[
    row("PYTHONPYCACHEPREFIX", Value::Directory, "Python bytecode of __pycache__, in place of the source"),
    row("MYPY_CACHE_DIR", Value::Directory, "mypy's answers about files of the same size and time"),
    row("RUFF_NO_CACHE", Value::Words("true"), "ruff's answers about files of the same time"),
    row("BABEL_DISABLE_CACHE", Value::Words("1"), "Babel's output for files of the same time"),
    row("TURBO_FORCE", Value::Words("true"), "Turborepo's kept results of whole tasks"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_stands_once_with_a_reason() {
        let mut names: Vec<_> = VARIABLES.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
        assert!(VARIABLES.iter().all(|row| !row.reason.is_empty()));
    }

    #[test]
    fn the_rule_reads_back_as_it_is_written() {
        for (rule, text) in [(CacheRule::Private, "\"private\""), (CacheRule::Keep, "\"keep\"")] {
            assert_eq!(serde_json::to_string(&rule).unwrap(), text);
            assert_eq!(serde_json::from_str::<CacheRule>(text).unwrap(), rule);
        }
    }
}
