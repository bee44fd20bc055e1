//! What only the objects can tell, asked when a tag or a boundary appeared: is it history that was there already?

use std::collections::HashSet;

use gix::ObjectId;
use gix::objs::{FindExt as _, FindHeader as _, Kind};

use super::super::files;
use super::super::objects::Objects;
use super::super::open::Repository;
use crate::policy::text::Text;

/// What there is to say for a commit of today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vouched {
    /// It was history at arm.
    Known,
    /// This remote-tracking ref reaches it, whose log tells of a fetch, or does not tell anything.
    Fetched(Text),
    /// Nothing but this remote-tracking ref reaches it, and no fetch has moved that.
    Claimed(Text),
    /// Nothing.
    New,
}

/// Answers questions about history.
pub trait Past {
    /// Who vouches for the commit that the object leads to, if neither a ref of arm nor one of `tips` reaches it.
    fn vouched(&self, id: &[u8], tips: &[&[u8]]) -> Vouched;
    /// Whether the object leads to a commit that a ref of arm reached.
    fn was_known(&self, id: &[u8]) -> bool;
    /// Whether history ends at this commit because what comes before is not there.
    fn is_bottom(&self, commit: &[u8]) -> bool;
    /// Whether HEAD or a local branch reaches the commit today.
    fn is_live(&self, commit: &[u8]) -> bool;
    /// Whether there is a ref of this name today.
    fn has_ref(&self, name: &[u8]) -> bool;
    /// Whether the exclude rules of arm hide this directory.
    fn hides(&self, directory: &[u8]) -> bool;
}

/// How the messages begin that a fetch leaves in the log of a remote-tracking ref.
const FETCHES: &[&[u8]] = &[b"fetch", b"pull", b"clone", b"remote", b"storing ", b"fast-forward", b"forced-update"];

/// The objects of a repository.
pub struct History<'a> {
    repository: &'a Repository,
    objects: Objects,
    /// What the refs of arm named, in hex.
    tips: &'a [String],
    hides: &'a dyn Fn(&[u8]) -> bool,
}

impl<'a> History<'a> {
    /// The history of this repository; `tips` are what its refs named at arm, `hides` answers for the exclude rules of arm.
    pub fn of(repository: &'a Repository, tips: &'a [String], hides: &'a dyn Fn(&[u8]) -> bool) -> Self {
        History { repository, objects: Objects::of(&repository.gix), tips, hides }
    }

    /// Whether the log of a remote-tracking ref says that a fetch brought it where it stands. A log can be written by who
    /// wrote the ref, so that this finds what a push or a careless hand has left, and no forger. One that is not there, or
    /// has expired, says nothing.
    fn may_be_fetched(&self, name: &[u8], id: &[u8]) -> bool {
        let log = files::below(&self.repository.location.common_dir.join("logs"), name);
        let log = files::read(&log).ok().flatten().unwrap_or_default();
        let Some(last) = log.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()) else { return true };
        let message = last.iter().position(|byte| *byte == b'\t').map_or(&[][..], |tab| &last[tab + 1..]);
        let stands_there = last.split(|byte| *byte == b' ').nth(1) == Some(id);
        stands_there && FETCHES.iter().any(|word| message.starts_with(word))
    }

    fn reaches(&self, mut waiting: Vec<ObjectId>, wanted: ObjectId) -> bool {
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

    /// The commit that an object is or that a tag names.
    fn commit(&self, id: &[u8]) -> Option<ObjectId> {
        let id = self.peel(ObjectId::from_hex(id).ok()?)?;
        let found = self.objects.try_header(&id).ok()??;
        (found.kind == Kind::Commit).then_some(id)
    }

    /// What an object is when all tags around it are taken off.
    pub fn peel(&self, mut id: ObjectId) -> Option<ObjectId> {
        let mut buffer = Vec::new();
        // A chain of tags is finite, because a tag cannot name what is made from it.
        loop {
            let found = self.objects.find(&id, &mut buffer).ok()?;
            match found.kind {
                Kind::Tag => id = gix::objs::TagRefIter::from_bytes(found.data, id.kind()).target_id().ok()?,
                Kind::Commit | Kind::Tree | Kind::Blob => return Some(id),
            }
        }
    }

    fn parents(&self, commit: ObjectId) -> Option<Vec<ObjectId>> {
        let mut buffer = Vec::new();
        Some(self.objects.find_commit_iter(&commit, &mut buffer).ok()?.parent_ids().collect())
    }
}

impl Past for History<'_> {
    fn vouched(&self, id: &[u8], tips: &[&[u8]]) -> Vouched {
        let Some(wanted) = self.commit(id) else { return Vouched::New };
        let known = self.tips.iter().map(String::as_bytes).chain(tips.iter().copied());
        if self.reaches(known.filter_map(|id| self.commit(id)).collect(), wanted) {
            return Vouched::Known;
        }
        let refs = self.repository.refs().map(|refs| &refs.all).ok().into_iter().flatten();
        let remote = refs.filter(|(name, _)| name.starts_with(b"refs/remotes/"));
        let reaching = remote.filter(|(_, id)| self.commit(id).is_some_and(|tip| self.reaches(vec![tip], wanted)));
        let mut claimed = Vouched::New;
        for (name, id) in reaching {
            if self.may_be_fetched(name, id) {
                return Vouched::Fetched(Text::from_bytes(name.clone()));
            }
            claimed = Vouched::Claimed(Text::from_bytes(name.clone()));
        }
        claimed
    }

    fn was_known(&self, id: &[u8]) -> bool {
        let Some(wanted) = self.commit(id) else { return false };
        self.reaches(self.tips.iter().filter_map(|id| self.commit(id.as_bytes())).collect(), wanted)
    }

    fn is_live(&self, commit: &[u8]) -> bool {
        let Some(wanted) = self.commit(commit) else { return false };
        let head = self.repository.head().ok().and_then(|head| head.commit);
        // Where the refs cannot be read nothing is taken for harmless, nor is any ref that is not of a remote.
        super::super::tips::live(self.repository, head, &[])
            .map_or(true, |tips| self.reaches(tips.into_iter().collect(), wanted))
    }

    fn has_ref(&self, name: &[u8]) -> bool {
        self.repository.refs().is_ok_and(|refs| refs.all.contains_key(name))
    }

    fn hides(&self, directory: &[u8]) -> bool {
        (self.hides)(directory)
    }

    fn is_bottom(&self, commit: &[u8]) -> bool {
        let parents = ObjectId::from_hex(commit).ok().and_then(|commit| self.parents(commit));
        parents
            .is_some_and(|parents| !parents.is_empty() && parents.iter().all(|parent| self.parents(*parent).is_none()))
    }
}
