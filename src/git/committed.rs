//! One file as a commit has it.

use gix::ObjectId;

use super::blob;
use super::open::Repository;
use super::trees::Trees;
use crate::error::{Error, Result};
use crate::policy::escape;

/// The bytes of the regular file at the path `name` of a commit's tree; `None` where nothing has that name.
///
/// # Errors
/// Where it has more than `most` bytes, which is known before it is read, and where something else than a file has the
/// name: what a link or a directory would say is not what was committed here.
pub fn file(repository: &Repository, commit: ObjectId, name: &[u8], most: usize) -> Result<Option<Vec<u8>>> {
    let objects = repository.objects();
    let mut trees = Trees::new(objects.clone(), Some(repository.tree_of(commit)?));
    let shown = || escape::plain(name);
    match trees.entry(name)? {
        None => Ok(None),
        Some((mode, id)) if mode.is_blob() => {
            let size = blob::stated_size(&objects, &id)?;
            if size > most as u64 {
                let what =
                    format!("{} of the commit {commit} has {size} bytes, more than the {most} that are read", shown());
                return Err(Error::refused(what).hint("Commit a smaller one."));
            }
            blob::read(&objects, &id).map(Some)
        }
        Some(_) => Err(Error::refused(format!("{} of the commit {commit} is no regular file", shown()))
            .hint("Commit it as a file, not as a link or a directory.")),
    }
}
