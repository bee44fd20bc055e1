//! Flags in the index of a nested repository that hide tracked files there.

use super::super::open::Repository;
use super::files::quoted;
use crate::audit::evidence::HidingFlag;
use crate::error::Result;
use crate::policy::text::Text;

/// More of them are not kept.
const MOST: usize = 1000;

/// The hidden paths, each with the flag that hides it.
pub fn read(repository: &Repository) -> Result<Vec<Text>> {
    let hidden = repository.index()?.hidden();
    let said = |(path, flag): (crate::policy::path::RepoPath, HidingFlag)| {
        Text::default().path(&path).word(" (").word(flag.name()).word(")")
    };
    Ok(hidden.into_iter().take(MOST).map(said).collect())
}

/// The command that clears what [`read`] said, in the root of that repository.
pub fn clearing(said: &Text) -> Option<Text> {
    [HidingFlag::AssumeUnchanged, HidingFlag::SkipWorktree].into_iter().find_map(|flag| {
        let path = said.as_bytes().strip_suffix(format!(" ({})", flag.name()).as_bytes())?;
        Some(Text::from(format!("git update-index {} -- ", flag.clearing_option())).raw(&quoted(path)))
    })
}
