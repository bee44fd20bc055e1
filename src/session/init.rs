//! `init`: what is proposed, and the file that is written.

use std::path::Path;

use super::fresh::{self, NewFile};
use super::store::Store;
use crate::audit::propose::{self, Proposal};
use crate::error::{Error, Result};
use crate::git::open::Repository;
use crate::git::{locate, past};
use crate::policy::file::read::{self, NAME};

pub use crate::git::past::Since;

/// How many commits are looked at if nobody says.
pub const COMMITS: usize = 500;

/// What `--since` says: a date, else a revision.
pub fn since(text: &str) -> Since {
    match time(text) {
        Some(seconds) => Since::Time(seconds),
        None => Since::Revision(text.to_owned()),
    }
}

/// The time that a text says; a date alone is its first second in UTC. What is made of digits only may be a commit.
fn time(text: &str) -> Option<i64> {
    let midnight = || text.get(4..5).filter(|dash| *dash == "-").map(|_| format!("{text}T00:00:00Z"));
    let parsed = text.parse::<jiff::Timestamp>().ok().or_else(|| midnight()?.parse().ok())?;
    Some(parsed.as_second())
}

/// Proposes a policy file for a repository.
pub fn proposal(start: &Path, since: &Since) -> Result<Proposal> {
    let repository = Repository::discover(start)?;
    let layout = past::layout(&repository, propose::is_manifest)?;
    if layout.paths.is_empty() {
        return Err(Error::refused("the commit of HEAD has no files, so there is nothing to propose roles for")
            .hint("Commit something first."));
    }
    propose::propose(&layout, &past::past(&repository, since)?)
}

/// Writes the proposed file into the work tree.
pub fn write(start: &Path, text: &str) -> Result<()> {
    let root = locate::locate(start)?.root;
    if Store::at(&root).is_armed() {
        return Err(Error::refused(format!("an envelope is armed, and {NAME} is protected in it"))
            .hint("End it first with cordon reset, or print the proposal with --dry-run."));
    }
    // A draft that would be refused is worse than none.
    read::read(NAME, text.as_bytes())?;
    fresh::write(&root, &[NewFile { path: NAME.to_owned(), bytes: text.into(), executable: false }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_date_is_one() {
        for (text, seconds) in [
            ("2024-01-02", Some(1_704_153_600)),
            ("2024-01-02T00:00:10Z", Some(1_704_153_610)),
            ("20240102", None),
            ("main", None),
            ("v1.0", None),
            ("2024-13-02", None),
        ] {
            assert_eq!(time(text), seconds, "{text}");
        }
    }
}
