//! Kept work a second time, in the Git directory: `git clean -x` takes `.cordon/` away as it takes every ignored directory.
//!
//! No verdict is taken from here. It serves to name what was kept and to bring it back, each content by its own digest.

use std::fs::{self, File};
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};

use super::store::Store;
use crate::error::{Error, Result};
use crate::git::control::Control;
use crate::git::files::{self, plain};
use crate::git::kept;
use crate::snapshot::fingerprint;

/// The directory in the Git directory of the work tree.
const NAME: &str = "cordon.kept";
const FINGERPRINT: &str = "fingerprint";
const CONTENTS: &str = "kept";

/// The second place of one work tree.
pub struct Aside {
    directory: PathBuf,
}

impl Aside {
    /// The place that belongs to a Git directory.
    pub fn at(git_dir: &Path) -> Aside {
        Aside { directory: git_dir.join(NAME) }
    }

    /// Whether anything stands there.
    pub fn exists(&self) -> bool {
        fs::symlink_metadata(&self.directory).is_ok()
    }

    /// Refuses to arm over work that an envelope without an end has left here.
    pub fn require_free(&self) -> Result<()> {
        if !self.exists() {
            return Ok(());
        }
        Err(Error::refused(format!(
            "{} keeps uncommitted work of an envelope that was not ended",
            plain(&self.directory)
        ))
        .hint("cordon reset removes what is somewhere else as well; cordon rescue writes it to a new directory."))
    }

    /// Where the contents are.
    pub fn contents(&self) -> PathBuf {
        self.directory.join(CONTENTS)
    }

    /// How many contents are there.
    pub fn count(&self) -> usize {
        kept::count(&self.contents())
    }

    /// Puts everything there that `store` keeps of uncommitted work. What stood there before is of an envelope that ended.
    pub fn write(&self, store: &Store) -> Result<()> {
        self.remove()?;
        if kept::count(&store.kept()) == 0 {
            return Ok(());
        }
        self.copy(store).map_err(|error| {
            Error::io(format!("cannot keep uncommitted work in {}", plain(&self.directory)), error)
                .hint("Check that the Git directory is writable and has room, then try again.")
        })
    }

    fn copy(&self, store: &Store) -> IoResult<()> {
        let contents = self.contents();
        fs::create_dir(&self.directory)?;
        fs::set_permissions(&self.directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        fs::create_dir(&contents)?;
        for entry in fs::read_dir(store.kept())? {
            let entry = entry?;
            link_or_copy(&entry.path(), &contents.join(entry.file_name()))?;
        }
        link_or_copy(&store.fingerprint_path(), &self.directory.join(FINGERPRINT))?;
        [&contents, &self.directory].into_iter().try_for_each(|directory| File::open(directory)?.sync_all())
    }

    /// What the fingerprint of arm says; `None` when nothing is kept here.
    pub fn control(&self) -> Result<Option<Control>> {
        let Some(bytes) = files::read(&self.directory.join(FINGERPRINT))? else { return Ok(None) };
        let (fingerprint, _) = fingerprint::decode(&bytes).map_err(|damage| {
            Error::state(format!("{} {}", plain(&self.directory.join(FINGERPRINT)), damage.describe()))
                .hint("The contents themselves are beside it, in files that are named by their SHA-256.")
        })?;
        Control::decode(&fingerprint.control).map(Some)
    }

    /// Removes it.
    pub fn remove(&self) -> Result<()> {
        let Ok(metadata) = fs::symlink_metadata(&self.directory) else { return Ok(()) };
        let removed =
            if metadata.is_dir() { fs::remove_dir_all(&self.directory) } else { fs::remove_file(&self.directory) };
        removed.map_err(|error| Error::io(format!("cannot remove {}", plain(&self.directory)), error))
    }
}

/// A second name costs no room; where there can be none, a copy.
fn link_or_copy(from: &Path, to: &Path) -> IoResult<()> {
    fs::hard_link(from, to).or_else(|_| {
        fs::copy(from, to)?;
        File::open(to)?.sync_all()
    })
}
