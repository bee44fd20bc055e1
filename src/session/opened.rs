//! An armed envelope, opened for an operation of its own: under the lock, vouched for by the anchor.

use std::path::{Path, PathBuf};

use super::anchor::Anchor;
use super::lock::Lock;
use super::running;
use super::store::{Record, Store};
use crate::error::Result;
use crate::git::open::Repository;

/// Everything that such an operation starts from.
pub struct Opened {
    /// The repository.
    pub repository: Repository,
    /// The top of its work tree.
    pub root: PathBuf,
    /// The state files.
    pub store: Store,
    /// The anchor in the Git directory.
    pub anchor: Anchor,
    /// What was armed, as it stands now.
    pub record: Record,
    /// Held until the operation has ended.
    pub lock: Lock,
}

impl Opened {
    /// Opens what is armed over the repository that holds `start`.
    pub fn at(start: &Path) -> Result<Opened> {
        let repository = Repository::discover(start)?;
        let root = repository.location.root.clone();
        let store = Store::at(&root);
        let anchor = Anchor::at(&repository.location.git_dir);
        // Where nothing is armed, no lock file is made.
        if !store.is_armed() {
            anchor.vouch(store.record())?;
        }
        let lock = Lock::take(&repository.location.git_dir)?;
        let record = anchor.vouch(store.record())?;
        running::refuse_leftovers(&store)?;
        Ok(Opened { repository, root, store, anchor, record, lock })
    }
}
