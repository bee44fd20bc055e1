//! `diff`: the delta with both contents of each path, for a patch that people read.

use std::path::Path;

use super::api::Progress;
use super::observer::Look;
use super::opened::Opened;
use crate::audit::answer::FileDiff;
use crate::error::Result;
use crate::git::compare::Bytes;
use crate::git::observe::{self, Contents};
use crate::snapshot::digest;
use crate::snapshot::entry::BlobId;

/// Which side of the envelope is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both.
    All,
    /// What the envelope allows.
    Inside,
    /// What it does not allow.
    Outside,
}

/// Shows each changed path of one side.
pub fn diff(
    start: &Path,
    side: Side,
    progress: Progress<'_>,
    each: &mut dyn FnMut(FileDiff) -> Result<()>,
) -> Result<()> {
    let Opened { repository, root, store, record, lock: _lock, .. } = Opened::at(start)?;
    let rules = record.config.rules()?;
    let mut look = Look::take(&root, &store, &record, false, progress)?;
    let delta = std::mem::take(&mut look.delta);
    observe::contents(repository, &look.scene(), delta, &mut |contents: Contents| {
        let inside = rules.decide(contents.change.path.as_bytes()).is_allowed();
        let wanted = match side {
            Side::All => true,
            Side::Inside => inside,
            Side::Outside => !inside,
        };
        if !wanted {
            return Ok(());
        }
        let Contents { change, id_before, before, after } = contents;
        let too_big = [&before, &after].into_iter().any(|side| matches!(side, Bytes::File(None)));
        let (id_before, id_after) = (id_before.as_ref().map(hex), change.content.as_ref().map(hex));
        each(FileDiff { change, inside, id_before, id_after, too_big, before: text(before), after: text(after) })
    })
}

fn hex(id: &BlobId) -> String {
    digest::hex(id.as_bytes())
}

/// The bytes of one side; what is too big to be text is shown by its header alone.
fn text(bytes: Bytes) -> Option<Vec<u8>> {
    match bytes {
        Bytes::Absent => None,
        Bytes::File(bytes) => Some(bytes.unwrap_or_default()),
        Bytes::Link(target) => Some(target),
        Bytes::Gitlink(commit) => Some(format!("Subproject commit {commit}\n").into_bytes()),
    }
}
