//! `cordon.toml` as a commit has it, as it stands in the work tree, or any other policy file.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::store::Store;
use crate::error::{Error, Result};
use crate::git::open::Repository;
use crate::git::{committed, locate};
use crate::policy::escape;
use crate::policy::file::read::{self, MAX_BYTES, NAME};
use crate::policy::file::role::PolicyFile;
use crate::policy::file::territory::Claims;

/// A policy file and where it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// How messages call it.
    pub name: String,
    /// The commit that has it, in hex; `None` for a file on disk.
    pub commit: Option<String>,
    /// What it says.
    pub bytes: Vec<u8>,
}

impl Source {
    /// What it says, or everything that is wrong with it.
    pub fn read(&self) -> Result<PolicyFile> {
        read::read(&self.name, &self.bytes)
    }
}

/// The policy file of the commit of HEAD.
pub fn policy_at_head(start: &Path) -> Result<Source> {
    let repository = Repository::discover(start)?;
    let found = at_head(&repository)?.ok_or_else(|| {
        Error::repository("HEAD has no commit yet")
            .hint("Commit something first: the baseline of an envelope is a commit.")
    })?;
    found.map_err(|commit| {
        Error::refused(format!("the commit {commit} has no {NAME}")).hint(format!(
            "Roles are read from the commit, not from the work tree: commit {NAME} first, or arm with --allow. cordon init \
             proposes a first one."
        ))
    })
}

/// The policy file of the commit of HEAD, if there is one.
pub fn policy_of_baseline(repository: &Repository) -> Result<Option<Source>> {
    Ok(at_head(repository)?.and_then(Result::ok))
}

/// The policy file of the commit of HEAD, or that commit where it has none; `None` without a commit.
fn at_head(repository: &Repository) -> Result<Option<Result<Source, String>>> {
    let Some(commit) = repository.head()?.commit else { return Ok(None) };
    let bytes = committed::file(repository, commit, NAME.as_bytes(), MAX_BYTES)?;
    let commit = commit.to_string();
    Ok(Some(match bytes {
        // As Git calls it: the work tree may have another.
        Some(bytes) => Ok(Source { name: format!("HEAD:{NAME}"), commit: Some(commit), bytes }),
        None => Err(commit),
    }))
}

/// The policy file as it stands in the work tree.
pub fn policy_of_work_tree(start: &Path) -> Result<Source> {
    let path = locate::locate(start)?.root.join(NAME);
    match std::fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => read_file(&path, NAME.to_owned()),
        Ok(_) => Err(Error::refused(format!("{NAME} is no regular file"))
            .hint("Write it as a file, not as a link or a directory: nothing else is read from a commit.")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::refused(format!("the work tree has no {NAME}"))
                .hint("cordon init proposes a first one from the layout and the history of the repository."))
        }
        Err(error) => Err(Error::io(format!("cannot stat {NAME}"), error)),
    }
}

/// A policy file anywhere.
pub fn policy_file(path: &Path) -> Result<Source> {
    read_file(path, escape::plain(path.as_os_str().as_bytes()))
}

fn read_file(path: &Path, name: String) -> Result<Source> {
    let mut bytes = Vec::new();
    // One byte more than may be, so that the reader of the text can tell that there is too much.
    let most = MAX_BYTES as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| Error::io(format!("cannot read {name}"), error))?;
    Ok(Source { name, commit: None, bytes })
}

/// Who owns what: as it was armed, else as the commit of HEAD says.
pub fn claims(start: &Path) -> Result<Claims> {
    if Store::at(&locate::locate(start)?.root).is_armed() {
        return super::simple::armed_claims(start)?.ok_or_else(|| {
            Error::refused(format!("the armed commit has no {NAME} that can be read"))
                .hint("cordon explain tells what the armed envelope says about a path.")
        });
    }
    Ok(Claims::of(&policy_at_head(start)?.read()?))
}
