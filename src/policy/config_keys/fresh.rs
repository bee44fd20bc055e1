//! What Git itself writes into the configuration of a repository that it creates or clones.

use super::fits;

/// How a repository came to be, as far as its configuration may tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `git init`, `git clone`, or the checkout of a submodule.
    Created,
    /// `git worktree add` in a repository that existed.
    LinkedWorktree,
}

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Anything,
    /// An address or a path, but no remote helper and no option.
    Address,
}

/// Keys with what Git may write there.
const CREATED: &[(&str, Allowed)] = &[
    ("core.repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks", Allowed::Anything),
    ("core.logallrefupdates|sparsecheckout|sparsecheckoutcone", Allowed::Anything),
    ("extensions.objectformat|refstorage|partialclone|worktreeconfig|relativeworktrees", Allowed::Anything),
    ("index.sparse", Allowed::Anything),
    ("remote.*.url", Allowed::Address),
    ("remote.*.fetch|tagopt|mirror|promisor|partialclonefilter", Allowed::Anything),
    ("branch.*.remote", Allowed::Address),
    ("submodule.active", Allowed::Anything),
    ("submodule.*.active", Allowed::Anything),
    ("submodule.*.url", Allowed::Address),
];

/// Keys of `config.worktree`.
const LINKED: &[(&str, Allowed)] =
    &[("core.sparsecheckout|sparsecheckoutcone|bare", Allowed::Anything), ("index.sparse", Allowed::Anything)];

/// Whether Git itself writes this key with such a value.
pub fn is_gits_own(origin: Origin, key: &[u8], value: &[u8]) -> bool {
    let table = match origin {
        Origin::Created => CREATED,
        Origin::LinkedWorktree => LINKED,
    };
    table.iter().find(|(pattern, _)| fits(pattern, key)).is_some_and(|(_, allowed)| match allowed {
        Allowed::Anything => true,
        Allowed::Address => !value.starts_with(b"-") && !names_a_helper(value),
    })
}

/// `helper::address` makes Git run `git-remote-helper`; `ext::` runs any program.
fn names_a_helper(value: &[u8]) -> bool {
    let scheme = value.split(|byte| matches!(byte, b'/' | b'@' | b'[')).next().unwrap_or_default();
    scheme.windows(2).any(|pair| pair == b"::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_gits_own_and_a_trap_is_not() {
        let own = |key: &str, value: &str| is_gits_own(Origin::Created, key.as_bytes(), value.as_bytes());
        for (key, value) in [
            ("core.filemode", "true"),
            ("remote.origin.url", "https://a.invalid/x.git"),
            ("remote.origin.url", "git@a.invalid:x.git"),
            ("remote.origin.url", "ssh://[::1]/x.git"),
            ("remote.up.stream.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"),
        ] {
            assert!(own(key, value), "{key} {value}");
        }
        for (key, value) in [
            ("core.fsmonitor", "true"),
            ("core.worktree", "/"),
            ("remote.origin.url", "ext::sh -c x"),
            ("remote.origin.url", "--upload-pack=x"),
            ("remote.origin.uploadpack", "x"),
            ("submodule.x.update", "!x"),
        ] {
            assert!(!own(key, value), "{key} {value}");
        }
    }
}
