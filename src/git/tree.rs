//! The paths of a committed tree, in the order of the index.

use gix::ObjectId;
use gix::index::State;
use gix::validate::path::component::Options;

use super::objects::Objects;
use super::open::Repository;
use super::reader::blob_id;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::entry::BlobId;

/// Any name that a Linux file system can hold may be audited, whatever other systems make of it.
const ANY_NAME: Options = Options { protect_windows: false, protect_hfs: false, protect_ntfs: false };

/// One path of a tree.
pub struct TreeEntry {
    /// The path.
    pub path: RepoPath,
    /// What Git records of its kind.
    pub mode: Mode,
    /// The object.
    pub id: BlobId,
}

/// All files, links and submodules of `tree`.
pub fn entries(repository: &Repository, tree: ObjectId) -> Result<Vec<TreeEntry>> {
    let objects = Objects::of(&repository.gix);
    let index = State::from_tree(&tree, &objects, ANY_NAME).map_err(|error| {
        Error::repository(format!("the tree {tree} cannot be read"))
            .caused_by(error)
            .hint("Objects may be missing or damaged: run git fsck, or fetch them again.")
    })?;
    let entries = index.entries().iter().map(|entry| TreeEntry {
        path: RepoPath::from(&**entry.path(&index)),
        mode: super::index::mode_of(entry.mode).unwrap_or(Mode::Other),
        id: blob_id(entry.id),
    });
    Ok(entries.collect())
}
