//! Why a work tree cannot be armed: what is not as HEAD has it, or is hidden.

use std::collections::HashSet;

use super::index::Index;
use crate::audit::evidence::HidingFlag;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::snapshot::walk::NOT_OBSERVED;

/// How many paths a refusal names.
const NAMED: usize = 10;

/// What was found not to be clean: every path once, by the first way in which it was found.
#[derive(Default)]
pub struct Dirt {
    first: Vec<String>,
    noted: HashSet<RepoPath>,
}

impl Dirt {
    /// Notes that `path` is not as HEAD has it.
    pub fn note(&mut self, how: &str, path: &RepoPath) {
        if self.noted.insert(path.clone()) && self.first.len() < NAMED {
            self.first.push(format!("{how} {}", path.plain()));
        }
    }

    /// Refuses if anything was noted.
    pub fn refuse(&self) -> Result<()> {
        if self.noted.is_empty() {
            return Ok(());
        }
        let more = match self.noted.len() - self.first.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Err(Error::refused(format!("the work tree is dirty: {}{more}", self.first.join(", ")))
            .hint("Commit, stash or remove these changes first, so that what the agent does can be told from them."))
    }
}

/// Refuses an index whose flags or sparse entries hide tracked files, naming them and the command that clears them.
/// What a sparse checkout leaves out of the work tree is not hidden: `is_left_out` tells that of a path.
pub fn refuse_hidden(index: &Index, prefix: &RepoPath, is_left_out: impl Fn(&[u8]) -> bool) -> Result<()> {
    if index.state().is_sparse() {
        return Err(Error::refused("a sparse index names directories instead of tracked files")
            .hint("Keep the sparse checkout and write the index out: git sparse-checkout reapply --no-sparse-index"));
    }
    let mut hidden = index.hidden();
    hidden.retain(|(path, flag)| *flag != HidingFlag::SkipWorktree || !is_left_out(path.as_bytes()));
    if hidden.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = hidden
        .iter()
        .take(NAMED)
        .map(|(path, flag)| format!("{} ({})", prefix.join(path.as_bytes()).plain(), flag.name()))
        .collect();
    let more = match hidden.len() - named.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let mut error = Error::refused(format!("tracked files are hidden from Git: {}{more}", named.join(", ")));
    for flag in [HidingFlag::AssumeUnchanged, HidingFlag::SkipWorktree] {
        if hidden.iter().any(|(_, found)| *found == flag) {
            error = error.hint(clearing_command(flag, &hidden, prefix));
        }
    }
    Err(error)
}

/// Refuses a repository that tracks what Cordon keeps for itself: it could not be told from Cordon's own files.
pub fn refuse_own_directories(index: &Index, prefix: &RepoPath) -> Result<()> {
    if !prefix.is_root() {
        return Ok(());
    }
    let own = |path: &[u8]| NOT_OBSERVED.iter().any(|name| RepoPath::from(path).is_within(name));
    match index.entries().find(|entry| own(entry.path)) {
        None => Ok(()),
        Some(entry) => {
            let path = RepoPath::from(entry.path);
            Err(Error::refused(format!("{} is tracked, and that place is Cordon's own", path.plain()))
                .hint("Remove it from the repository: git rm -r --cached .cordon .stone, and commit that."))
        }
    }
}

fn clearing_command(flag: HidingFlag, hidden: &[(RepoPath, HidingFlag)], prefix: &RepoPath) -> String {
    let within = if prefix.is_root() { String::new() } else { format!(" -C {}", shell::word(prefix.as_bytes())) };
    let paths: Vec<String> = hidden
        .iter()
        .filter(|(_, found)| *found == flag)
        .take(NAMED)
        .map(|(path, _)| shell::word(path.as_bytes()))
        .collect();
    let sparse = match flag {
        HidingFlag::SkipWorktree => " (in a sparse checkout: git sparse-checkout disable)",
        HidingFlag::AssumeUnchanged => "",
    };
    format!("Clear the flag: git{within} update-index {} -- {}{sparse}", flag.clearing_option(), paths.join(" "))
}
