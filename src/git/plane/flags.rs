//! Flags in the index of a nested repository that hide tracked files there.

use super::super::open::Repository;
use crate::error::Result;
use crate::policy::text::Text;

/// More of them are not kept.
const MOST: usize = 1000;

/// The hidden paths, each with the flag that hides it.
pub fn read(repository: &Repository) -> Result<Vec<Text>> {
    let hidden = repository.index()?.hidden();
    let said = |(path, flag): (crate::policy::path::RepoPath, crate::audit::evidence::HidingFlag)| {
        Text::default().path(&path).word(" (").word(flag.name()).word(")")
    };
    Ok(hidden.into_iter().take(MOST).map(said).collect())
}
