//! The keys of `cordon.toml` as one table: what each takes, where it may stand, how it is merged, and what it is for. The
//! reader, the merge, the schema and what `policy show` prints all go by it.

use crate::policy::limits::{MAX_ATTEMPTS, MAX_VERIFY_TIMEOUT};

/// A key of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the table has a sentence for each")]
pub enum Key {
    Allow,
    Deny,
    Protect,
    AllowProtected,
    Scratch,
    AllowIgnored,
    Uncounted,
    MaxFiles,
    MaxAddedLines,
    MaxDeletedLines,
    MaxWorkingBytes,
    MaxBinaryFiles,
    MaxAttempts,
    AllowCommits,
    Verify,
    VerifyTimeout,
    Branches,
    Owner,
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A list of patterns.
    Globs,
    /// A list of commands.
    Commands,
    /// A whole number between these two.
    Number(u64, u64),
    /// `true` or `false`.
    Flag,
    /// Words.
    Text,
}

/// What becomes of a value where a further one is given: that of a role over `[defaults]`, that of the command line over a
/// role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// The further one is added: the key only tightens.
    Adds,
    /// The further one stands in its place.
    Replaces,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The key.
    pub key: Key,
    /// Its name in the file.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// How it is merged.
    pub merge: Merge,
    /// Whether `[defaults]` may have it.
    pub in_defaults: bool,
    /// What it is for.
    pub what: &'static str,
}

const fn row(key: Key, name: &'static str, takes: Takes, merge: Merge, what: &'static str) -> Row {
    Row { key, name, takes, merge, in_defaults: true, what }
}

/// The largest whole number that TOML has.
const ANY: u64 = i64::MAX as u64;

/// The longest `owner`, in characters.
pub const MAX_TEXT: usize = 1_024;

/// A row for each key, in the order in which they are shown.
#[rustfmt::skip]
pub const KEYS: &[Row] = &[
    row(Key::Allow, "allow", Takes::Globs, Merge::Replaces, "Paths that may change."),
    row(Key::Deny, "deny", Takes::Globs, Merge::Adds, "Paths that may not change, whatever `allow` says."),
    row(Key::Protect, "protect", Takes::Globs, Merge::Adds, "Protected paths beside the built-in ones: no `allow` opens them."),
    row(Key::AllowProtected, "allow_protected", Takes::Globs, Merge::Replaces, "Protected paths that may change where `allow` covers them."),
    row(Key::Scratch, "scratch", Takes::Globs, Merge::Replaces, "Places of ignored files that tools fill by themselves."),
    row(Key::AllowIgnored, "allow_ignored", Takes::Globs, Merge::Replaces, "Ignored files that may change, installed dependencies included."),
    row(Key::Uncounted, "uncounted", Takes::Globs, Merge::Replaces, "Files whose lines count in no budget, such as lock files and generated code."),
    row(Key::MaxFiles, "max_files", Takes::Number(0, ANY), Merge::Replaces, "How many paths may change; a rename is two."),
    row(Key::MaxAddedLines, "max_added_lines", Takes::Number(0, ANY), Merge::Replaces, "How many lines may be added."),
    row(Key::MaxDeletedLines, "max_deleted_lines", Takes::Number(0, ANY), Merge::Replaces, "How many lines may be deleted."),
    row(Key::MaxWorkingBytes, "max_working_bytes", Takes::Number(0, ANY), Merge::Replaces, "How large the changed files may be together, in bytes."),
    row(Key::MaxBinaryFiles, "max_binary_files", Takes::Number(0, ANY), Merge::Replaces, "How many binary files may change."),
    row(Key::MaxAttempts, "max_attempts", Takes::Number(1, MAX_ATTEMPTS as u64), Merge::Replaces, "How many attempts an agent has that Cordon starts."),
    row(Key::AllowCommits, "allow_commits", Takes::Flag, Merge::Replaces, "Whether HEAD may move to new commits while armed."),
    row(Key::Verify, "verify", Takes::Commands, Merge::Adds, "Commands that must exit with 0."),
    row(Key::VerifyTimeout, "verify_timeout", Takes::Number(1, MAX_VERIFY_TIMEOUT), Merge::Replaces, "How many seconds each of them has."),
    Row { in_defaults: false, ..row(Key::Branches, "branches", Takes::Globs, Merge::Replaces, "Names of branches that the gate judges by this role.") },
    row(Key::Owner, "owner", Takes::Text, Merge::Replaces, "Whom to ask about these paths."),
];

/// The row of a key's name.
pub fn find(name: &str) -> Option<&'static Row> {
    KEYS.iter().find(|row| row.name == name)
}

impl Key {
    /// The row of this key.
    pub fn row(self) -> &'static Row {
        KEYS.iter().find(|row| row.key == self).expect("a test finds a row for each key")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_key_has_one_row() {
        let source = include_str!("keys.rs");
        let body = source.split("pub enum Key {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
        let variants = body.lines().filter(|line| line.ends_with(',')).count();
        assert_eq!(KEYS.iter().map(|row| row.key).collect::<BTreeSet<_>>().len(), variants);
        assert_eq!(KEYS.iter().map(|row| row.name).collect::<BTreeSet<_>>().len(), KEYS.len());
        assert!(KEYS.iter().all(|row| row.key.row().name == row.name && row.what.ends_with('.')));
    }
}
