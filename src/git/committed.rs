//! One file as a commit has it.

use gix::ObjectId;
use gix::objs::FindExt as _;
use gix::objs::tree::EntryKind;

use super::blob;
use super::open::Repository;
use crate::error::{Error, Result};
use crate::policy::escape;

/// The bytes of the regular file called `name` at the top of a commit's tree; `None` where nothing has that name.
///
/// # Errors
/// Where it has more than `most` bytes, which is known before it is read, and where something else than a file has the
/// name: what a link or a directory would say is not what was committed here.
pub fn file(repository: &Repository, commit: ObjectId, name: &[u8], most: usize) -> Result<Option<Vec<u8>>> {
    let objects = repository.objects();
    let tree = repository.tree_of(commit)?;
    let unreadable = |error: gix::Error| {
        Error::repository(format!("the tree {tree} cannot be read"))
            .caused_by(error)
            .hint("Objects may be missing or damaged: run git fsck, or fetch them again.")
    };
    let mut buffer = Vec::new();
    let entries = objects.find_tree_iter(&tree, &mut buffer).map_err(unreadable)?;
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(gix::Error::from_error(error)))?;
        if entry.filename != name {
            continue;
        }
        return match entry.mode.kind() {
            EntryKind::Blob | EntryKind::BlobExecutable => {
                let size = blob::stated_size(&objects, entry.oid)?;
                if size > most as u64 {
                    let name = escape::plain(name);
                    let what =
                        format!("{name} of the commit {commit} has {size} bytes, more than the {most} that are read");
                    return Err(Error::refused(what).hint("Commit a smaller one."));
                }
                blob::read(&objects, entry.oid).map(Some)
            }
            _ => Err(Error::refused(format!("{} of the commit {commit} is no regular file", escape::plain(name)))
                .hint("Commit it as a file, not as a link or a directory.")),
        };
    }
    Ok(None)
}
