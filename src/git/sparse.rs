//! Sparse checkouts that the user set up before arm: which tracked files the patterns leave out of the work tree.

use std::path::PathBuf;

use gix::bstr::ByteSlice as _;
use gix::glob::pattern::Case;
use gix::ignore::search::Ignore;

use super::files;
use super::open::Repository;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::entry::Snapshot;

/// The patterns of a sparse checkout; none where the configuration asks for no such thing, or no file has any.
pub struct Sparse {
    patterns: Option<gix::ignore::Search>,
    case: Case,
}

/// Reads them.
pub fn read(repository: &Repository) -> Result<Sparse> {
    let config = repository.gix.config_snapshot();
    let case = if config.boolean("core.ignoreCase") == Some(true) { Case::Fold } else { Case::Sensitive };
    if config.boolean("core.sparseCheckout") != Some(true) {
        return Ok(Sparse { patterns: None, case });
    }
    let path: PathBuf = repository.location.git_dir.join("info/sparse-checkout");
    let Some(bytes) = files::read(&path)? else { return Ok(Sparse { patterns: None, case }) };
    let mut patterns = gix::ignore::Search::default();
    patterns.add_patterns_buffer(&bytes, path, None, Ignore { support_precious: false }).map_err(|error| {
        Error::repository("info/sparse-checkout cannot be parsed").caused_by(error).hint("git sparse-checkout list")
    })?;
    Ok(Sparse { patterns: Some(patterns), case })
}

impl Sparse {
    /// Whether a file of the checkout at `prefix` is left out and does not lie there either.
    pub fn has_left_out(&self, snapshot: &Snapshot, prefix: &RepoPath, inside: &[u8]) -> bool {
        snapshot.entry(prefix.join(inside).as_bytes()).is_none() && self.leaves_out(inside)
    }

    /// Whether the patterns leave a file out: the last one that says anything about it, or about the nearest directory
    /// above it, decides, and where none does it is left out.
    fn leaves_out(&self, path: &[u8]) -> bool {
        let Some(patterns) = &self.patterns else { return false };
        let (mut at, mut is_directory) = (path, false);
        while !at.is_empty() {
            let found = patterns.pattern_matching_relative_path(at.as_bstr(), Some(is_directory), self.case);
            if let Some(found) = found {
                return found.pattern.is_negative();
            }
            (at, is_directory) = (crate::snapshot::open::split(at).0, true);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(lines: &str) -> Sparse {
        let mut patterns = gix::ignore::Search::default();
        let ignore = Ignore { support_precious: false };
        patterns.add_patterns_buffer(lines.as_bytes(), "x", None, ignore).unwrap();
        Sparse { patterns: Some(patterns), case: Case::Sensitive }
    }

    /// Compared with what `git sparse-checkout set` leaves on disk in `tests/gate/sparse.rs`.
    #[test]
    fn the_nearest_pattern_decides() {
        let cone = sparse("/*\n!/*/\n/src/\n!/src/*/\n/src/deep/\n");
        for (path, left_out) in
            [("README", false), ("docs/a", true), ("src/a", false), ("src/other/a", true), ("src/deep/x/a", false)]
        {
            assert_eq!(cone.leaves_out(path.as_bytes()), left_out, "{path}");
        }
        let plain = sparse("*.py\n!docs/\n");
        assert!(!plain.leaves_out(b"a/b.py") && plain.leaves_out(b"a/b.c") && plain.leaves_out(b"docs/x"));
        // The pattern for the file itself comes before the one for its directory.
        assert!(!plain.leaves_out(b"docs/x.py"));
    }
}
