//! Tracked symbolic links that lead out of the repository: a write through one is in no diff, so what is behind it is
//! remembered.

use serde::{Deserialize, Serialize};

use super::baseline::within;
use super::files;
use super::open::Repository;
use super::reader::Reader;
use crate::audit::links::{self, Escape, Mark, MarkKind};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::behind::{self, Seen};
use crate::snapshot::entry::{Class, Kind, Snapshot};

/// A tracked link that leads out, as it stood at arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutsideLink {
    /// The link, relative to the whole work tree.
    pub path: RepoPath,
    /// Its text.
    pub target: Text,
    /// What is behind it; nothing where it dangles.
    pub behind: Vec<Seen>,
}

/// The text of the link at `path` of the whole work tree; `None` where no link is.
pub fn link_text(reader: &mut Reader, prefix: &RepoPath, snapshot: &Snapshot, path: &[u8]) -> Result<Option<Vec<u8>>> {
    if snapshot.entry(path).is_none_or(|entry| entry.stat.kind != Kind::Symlink) {
        return Ok(None);
    }
    let inside = RepoPath::from(within(prefix, path));
    Ok(reader.load(&inside, Kind::Symlink, None)?.ok().flatten())
}

/// Where a link leads that should not, also by way of other links.
pub fn escape(
    reader: &mut Reader,
    prefix: &RepoPath,
    snapshot: &Snapshot,
    path: &RepoPath,
    target: &[u8],
) -> Result<Option<Escape>> {
    let mut failure = None;
    let found = links::escape(path.as_bytes(), target, &mut |at| {
        // A link in another checkout would have to be read there; its text decides nothing here.
        RepoPath::from(at).is_within(prefix.as_bytes()).then_some(())?;
        link_text(reader, prefix, snapshot, at).unwrap_or_else(|error| {
            failure = Some(error);
            None
        })
    });
    failure.map_or(Ok(found), Err)
}

/// The tracked links of the checkout at `prefix` that lead out.
pub fn freeze(
    repository: &Repository,
    reader: &mut Reader,
    prefix: &RepoPath,
    snapshot: &Snapshot,
    tracked: &[RepoPath],
) -> Result<Vec<OutsideLink>> {
    let mut found = Vec::new();
    for path in tracked {
        let Some(target) = link_text(reader, prefix, snapshot, path.as_bytes())? else { continue };
        if let Some(Escape::Absolute | Escape::Outside) = escape(reader, prefix, snapshot, path, &target)? {
            let behind = look_behind(repository, prefix, path);
            found.push(OutsideLink { path: path.clone(), target: Text::from_bytes(target), behind });
        }
    }
    Ok(found)
}

/// The tracked links of a snapshot below `prefix`.
pub fn tracked_links(snapshot: &Snapshot, prefix: &RepoPath) -> Vec<RepoPath> {
    let mut links = Vec::new();
    for listing in snapshot.listings().iter().filter(|listing| listing.path.is_within(prefix.as_bytes())) {
        let is_link = |class: &Class, kind| matches!(class, Class::Tracked(_)) && kind == Kind::Symlink;
        let entries = listing.entries().iter().filter(|entry| is_link(&entry.class, entry.stat.kind));
        links.extend(entries.map(|entry| listing.path_of(entry)));
    }
    links
}

/// The links whose text is as it was while what is behind them is not.
pub fn changed(
    repository: &Repository,
    reader: &mut Reader,
    prefix: &RepoPath,
    now: &Snapshot,
    kept: &[OutsideLink],
) -> Result<Vec<Mark>> {
    let mut marks = Vec::new();
    for link in kept {
        let text = link_text(reader, prefix, now, link.path.as_bytes())?;
        if text.as_deref() == Some(link.target.as_bytes())
            && behind::differs(&link.behind, &look_behind(repository, prefix, &link.path))
        {
            let kind = MarkKind::TargetChanged { target: link.target.clone() };
            marks.push(Mark::on_disk(link.path.clone(), kind));
        }
    }
    Ok(marks)
}

/// What a link leads to, within the bounds of [`behind`].
fn look_behind(repository: &Repository, prefix: &RepoPath, path: &RepoPath) -> Vec<Seen> {
    behind::look(&files::below(&repository.location.root, within(prefix, path.as_bytes())))
}
