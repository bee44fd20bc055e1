//! What only the objects can tell, asked when a tag or a boundary appeared: is it history that was there already?

use std::collections::HashSet;

use gix::ObjectId;
use gix::objs::{FindExt as _, Kind};

use super::super::objects::Objects;
use super::super::open::Repository;
use super::refs;

/// Answers questions about history.
pub trait Past {
    /// Whether the object leads to a commit that one of `tips` or a remote-tracking ref reaches.
    fn is_known(&self, id: &[u8], tips: &[&[u8]]) -> bool;
    /// Whether history ends at this commit because what comes before is not there.
    fn is_bottom(&self, commit: &[u8]) -> bool;
}

/// The objects of a repository.
pub struct History<'a> {
    repository: &'a Repository,
    objects: Objects,
}

impl<'a> History<'a> {
    /// The history of this repository.
    pub fn of(repository: &'a Repository) -> Self {
        History { repository, objects: Objects::of(&repository.gix) }
    }

    /// The commit that an object is or that a tag names.
    fn commit(&self, id: &[u8]) -> Option<ObjectId> {
        let mut id = ObjectId::from_hex(id).ok()?;
        let mut buffer = Vec::new();
        // A chain of tags is finite, because a tag cannot name what is made from it.
        loop {
            let found = self.objects.find(&id, &mut buffer).ok()?;
            match found.kind {
                Kind::Commit => return Some(id),
                Kind::Tag => id = gix::objs::TagRefIter::from_bytes(found.data, id.kind()).target_id().ok()?,
                Kind::Tree | Kind::Blob => return None,
            }
        }
    }

    fn parents(&self, commit: ObjectId) -> Option<Vec<ObjectId>> {
        let mut buffer = Vec::new();
        Some(self.objects.find_commit_iter(&commit, &mut buffer).ok()?.parent_ids().collect())
    }
}

impl Past for History<'_> {
    fn is_known(&self, id: &[u8], tips: &[&[u8]]) -> bool {
        let Some(wanted) = self.commit(id) else { return false };
        let all = refs::all(self.repository).unwrap_or_default();
        let remote = all.iter().filter(|(name, _)| name.starts_with(b"refs/remotes/")).map(|(_, id)| id.as_slice());
        let mut waiting: Vec<ObjectId> = tips.iter().copied().chain(remote).filter_map(|id| self.commit(id)).collect();
        let mut seen: HashSet<ObjectId> = waiting.iter().copied().collect();
        while !seen.contains(&wanted) {
            let Some(next) = waiting.pop() else { return false };
            for parent in self.parents(next).unwrap_or_default() {
                if seen.insert(parent) {
                    waiting.push(parent);
                }
            }
        }
        true
    }

    fn is_bottom(&self, commit: &[u8]) -> bool {
        let parents = ObjectId::from_hex(commit).ok().and_then(|commit| self.parents(commit));
        parents
            .is_some_and(|parents| !parents.is_empty() && parents.iter().all(|parent| self.parents(*parent).is_none()))
    }
}
