//! Places where honest tools leave links that lead out of the repository, or files that share their inode with a store
//! outside of it. Anywhere else a new ignored link that leads out is a way by which the next build writes, or a cleaning
//! deletes, what nobody named.
//!
//! Installed dependencies are such places too. The table is data in Cordon's own pattern language.

/// One such place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linking {
    /// The pattern that covers the links.
    pub glob: &'static str,
    /// Who makes them.
    pub reason: &'static str,
}

const fn row(glob: &'static str, reason: &'static str) -> Linking {
    Linking { glob, reason }
}

/// The places.
pub const LINKING: &[Linking] = &[
    row("**/.tox/**", "interpreters and packages of tox"),
    row("**/.nox/**", "interpreters and packages of nox"),
    row("**/bin/python", "interpreter of a virtual environment"),
    row("**/bin/python3", "interpreter of a virtual environment"),
    row("**/bin/python3.*", "interpreter of a virtual environment"),
    row("**/bin/pypy*", "interpreter of a virtual environment"),
    row("**/site-packages/**", "packages that uv links from its cache"),
    row("**/env/**", "Python or conda environment, linked from a store"),
    row("**/envs/**", "conda environments, linked from a store"),
    row("**/.conda/**", "conda environment, linked from a store"),
    row("**/.pixi/**", "pixi environment, linked from a store"),
    row("**/objects/??/*", "objects that git clone links from a repository of this machine; Git never writes to one"),
    row("**/objects/pack/*", "objects that git clone links from a repository of this machine; Git never writes to one"),
    row("**/.direnv/**", "environments that direnv keeps"),
    row("**/.devenv/**", "environments that devenv keeps"),
    row("**/result", "output of nix build, in its store"),
    row("**/result-*", "output of nix build, in its store"),
    row("bazel-*", "output of Bazel, in its cache"),
    row("**/.symlinks/**", "plug-ins of Flutter, in its cache"),
    row("**/.plugin_symlinks/**", "plug-ins of Flutter, in its cache"),
    row("**/.terraform/providers/**", "providers of Terraform, in its cache"),
    row("**/SingletonSocket", "socket of a running browser"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::{Pattern, PatternSet};

    #[test]
    fn every_row_compiles_and_has_a_reason_and_no_build_directory_is_one() {
        let patterns: Vec<_> = LINKING.iter().map(|row| Pattern::parse(row.glob).unwrap()).collect();
        let set = PatternSet::compile(&patterns).unwrap();
        assert!(set.is_match(b"env/bin/python3.12") && set.is_match(b"bazel-out") && set.is_match(b".tox/py/x"));
        assert!(!set.is_match(b"build") && !set.is_match(b"build/out") && !set.is_match(b"target/x"));
        assert!(LINKING.iter().all(|row| !row.reason.is_empty()));
    }
}
