//! Names of commits: the few forms that a gate needs, looked up as Git does, without a chance to mean something else.
//!
//! Where Git takes the first of several meanings and warns, this refuses: a tag called like a branch, or a branch called
//! like an abbreviated id, would decide what a change is compared with.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gix::ObjectId;
use gix::hash::Prefix;

use super::files;
use super::graph::Graph;
use super::open::Repository;
use super::span;
use crate::error::{Error, Result};
use crate::policy::escape::plain;

/// Where Git looks a name up, in its order: what stands before the name, and behind it.
const PLACES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// The fewest digits of an abbreviated id.
const FEWEST_DIGITS: usize = 4;

/// A commit that was named, and the branch that the name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The commit.
    pub commit: ObjectId,
    /// The branch without `refs/heads/` or the remote in front of it, where the name is one.
    pub branch: Option<Vec<u8>>,
}

/// Looks up names in one repository.
pub struct Revisions<'a> {
    repository: &'a Repository,
    graph: Graph,
}

impl<'a> Revisions<'a> {
    /// The names of a repository.
    pub fn of(repository: &'a Repository) -> Result<Revisions<'a>> {
        Ok(Revisions { repository, graph: Graph::of(repository)? })
    }

    /// The commit that `text` names: an id, also abbreviated, or a ref, with any number of `^`, `^N`, `~N` and `^{commit}`
    /// behind it.
    pub fn resolve(&mut self, text: &[u8]) -> Result<Named> {
        let at = text.iter().position(|byte| matches!(byte, b'^' | b'~')).unwrap_or(text.len());
        let (name, steps) = text.split_at(at);
        let steps = steps_of(steps).ok_or_else(|| unknown(text))?;
        let (id, branch) = self.look_up(name)?;
        let mut commit = self.commit(id)?;
        for step in &steps {
            commit = self.walk(commit, *step)?;
        }
        Ok(Named { commit, branch: branch.filter(|_| steps.is_empty()) })
    }

    /// The commit of a whole id; `None` where `text` is none, or all zeros, or names nothing that is here.
    pub fn id(&mut self, text: &[u8]) -> Option<ObjectId> {
        let id = self.whole_id(text).filter(|id| !id.is_null())?;
        self.graph.require(id).ok().map(|commit| commit.id)
    }

    /// The commit of a branch of `origin`, or of the only remote that there is, or of a local branch where no remote has
    /// it. The name is taken as it is. A further remote has no say: it may be that of whoever made the change.
    pub fn branch(&mut self, name: &[u8]) -> Option<ObjectId> {
        let refs = self.repository.refs().ok()?;
        let tracking = refs.all.keys().filter_map(|full| full.strip_prefix(b"refs/remotes/".as_slice()));
        let remotes: BTreeSet<&[u8]> = tracking.filter_map(|rest| rest.split(|byte| *byte == b'/').next()).collect();
        let remote = if remotes.len() == 1 { remotes.first().copied() } else { None }.unwrap_or(b"origin");
        let tracked = [b"refs/remotes/".as_slice(), remote, b"/", name].concat();
        let local = [b"refs/heads/".as_slice(), name].concat();
        let id = [tracked, local].iter().find_map(|full| refs.object(full))?;
        self.graph.require(id).ok().map(|commit| commit.id)
    }

    /// The parent of a commit with this number, from 1; `None` where it has none, or not here.
    pub fn parent(&mut self, commit: ObjectId, number: usize) -> Option<ObjectId> {
        let commit = self.graph.require(commit).ok().filter(|commit| !commit.cut)?;
        commit.parents.get(number - 1).copied()
    }

    /// HEAD's commit and branch.
    pub fn head(&self) -> Result<Named> {
        let head = self.repository.head()?;
        let commit = head.commit.ok_or_else(|| {
            Error::repository("HEAD has no commit yet").hint("Name the commit to be judged with --head.")
        })?;
        let branch = head.branch.and_then(|name| name.as_bytes().strip_prefix(b"refs/heads/").map(<[u8]>::to_vec));
        Ok(Named { commit, branch })
    }

    fn look_up(&mut self, name: &[u8]) -> Result<(ObjectId, Option<Vec<u8>>)> {
        if name == b"HEAD" || name == b"@" {
            let head = self.head()?;
            return Ok((head.commit, head.branch));
        }
        if let Some(id) = self.whole_id(name) {
            return Ok((id, None));
        }
        let mut meant = self.refs_called(name)?;
        if let Some(id) = self.abbreviated(name)? {
            meant.insert("the abbreviated id".to_owned(), id);
        }
        let mut objects: Vec<ObjectId> = meant.values().copied().collect();
        objects.sort();
        objects.dedup();
        match objects.as_slice() {
            [] => Err(self.unknown(name)),
            [id] => Ok((*id, meant.keys().find_map(|full| branch_of(full.as_bytes())))),
            _ => {
                let all: Vec<String> = meant.keys().map(|full| plain(full.as_bytes())).collect();
                Err(Error::refused(format!("`{}` could be {}", plain(name), all.join(", or ")))
                    .hint("Name the one that is meant by its whole name, such as refs/heads/main, or by its id."))
            }
        }
    }

    /// Every ref that Git might mean by a name.
    fn refs_called(&self, name: &[u8]) -> Result<BTreeMap<String, ObjectId>> {
        let refs = self.repository.refs()?;
        let mut found = BTreeMap::new();
        for (before, after) in PLACES {
            let full = [before.as_bytes(), name, after.as_bytes()].concat();
            let id = if before.is_empty() && is_pseudo(name) { self.pseudo(name)? } else { refs.object(&full) };
            if let Some(id) = id {
                found.insert(String::from_utf8_lossy(&full).into_owned(), id);
            }
        }
        Ok(found)
    }

    /// What a file such as `ORIG_HEAD` or `FETCH_HEAD` names first.
    fn pseudo(&self, name: &[u8]) -> Result<Option<ObjectId>> {
        let bytes = files::read(&files::below(&self.repository.location.git_dir, name))?.unwrap_or_default();
        let word = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        Ok(self.whole_id(word))
    }

    fn whole_id(&self, text: &[u8]) -> Option<ObjectId> {
        let id = ObjectId::from_hex(text).ok()?;
        (id.kind() == self.repository.gix.object_hash()).then_some(id)
    }

    fn abbreviated(&mut self, name: &[u8]) -> Result<Option<ObjectId>> {
        let longest = self.repository.gix.object_hash().len_in_hex();
        let is_hex = name.iter().all(u8::is_ascii_hexdigit) && (FEWEST_DIGITS..longest).contains(&name.len());
        let Some(prefix) =
            std::str::from_utf8(name).ok().filter(|_| is_hex).and_then(|name| Prefix::from_hex(name).ok())
        else {
            return Ok(None);
        };
        let mut candidates = HashSet::new();
        for database in self.repository.objects().databases() {
            database
                .lookup_prefix(prefix, Some(&mut candidates))
                .map_err(|error| Error::repository("the object database cannot be searched").caused_by(error))?;
        }
        let commits: HashSet<ObjectId> =
            candidates.into_iter().filter_map(|id| self.graph.require(id).ok().map(|commit| commit.id)).collect();
        if commits.len() > 1 {
            return Err(Error::refused(format!("`{}` is the beginning of several commits", plain(name)))
                .hint("Write more digits of the id."));
        }
        Ok(commits.into_iter().next())
    }

    fn commit(&mut self, id: ObjectId) -> Result<ObjectId> {
        let commit = self
            .graph
            .require(id)
            .map_err(|error| error.hint("Fetch it: git fetch origin, and in a shallow clone git fetch --unshallow"))?;
        Ok(commit.id)
    }

    fn walk(&mut self, from: ObjectId, step: Step) -> Result<ObjectId> {
        let mut at = from;
        let (number, times) = match step {
            Step::Parent(0) => return Ok(at),
            Step::Parent(number) => (number, 1),
            Step::Ancestor(times) => (1, times),
        };
        for _ in 0..times {
            let commit = self.graph.require(at)?;
            if commit.cut {
                return Err(span::shallow(&format!("the clone is shallow: it has not all parents of the commit {at}")));
            }
            at = *commit.parents.get(number - 1).ok_or_else(|| {
                Error::usage(format!("the commit {at} has no parent number {number}"))
                    .hint("git log --graph shows its parents.")
            })?;
        }
        Ok(at)
    }

    fn unknown(&mut self, name: &[u8]) -> Error {
        let error = unknown(name);
        let remote = [b"origin/".as_slice(), name].concat();
        match self.refs_called(&remote) {
            Ok(found) if !found.is_empty() => error.hint(format!("Did you mean {}?", plain(&remote))),
            _ => {
                error.hint("Give an id, or the name of a branch or tag that was fetched; git branch -a lists branches.")
            }
        }
    }
}

/// One step from a commit to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The parent of this number; the commit itself for 0.
    Parent(usize),
    /// So many first parents on.
    Ancestor(usize),
}

/// The steps that stand behind a name.
fn steps_of(mut rest: &[u8]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while let Some((first, more)) = rest.split_first() {
        if *first == b'^'
            && let Some(after) = more.strip_prefix(b"{commit}").or_else(|| more.strip_prefix(b"{}"))
        {
            rest = after;
            continue;
        }
        let digits = more.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = match std::str::from_utf8(&more[..digits]).ok()? {
            "" => 1,
            text => text.parse().ok()?,
        };
        steps.push(match first {
            b'^' => Step::Parent(number),
            b'~' => Step::Ancestor(number),
            _ => return None,
        });
        rest = &more[digits..];
    }
    Some(steps)
}

/// Whether a name is one of the files beside HEAD.
fn is_pseudo(name: &[u8]) -> bool {
    name.ends_with(b"_HEAD") && name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
}

/// The branch that a whole ref is.
fn branch_of(full: &[u8]) -> Option<Vec<u8>> {
    if let Some(local) = full.strip_prefix(b"refs/heads/") {
        return Some(local.to_vec());
    }
    let remote = full.strip_prefix(b"refs/remotes/")?;
    let slash = remote.iter().position(|byte| *byte == b'/')?;
    Some(remote[slash + 1..].to_vec()).filter(|name| name != b"HEAD")
}

fn unknown(name: &[u8]) -> Error {
    Error::usage(format!("`{}` names no commit here", plain(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_git_does_and_nothing_else_is() {
        use Step::{Ancestor, Parent};
        assert_eq!(steps_of(b"^^2~3^{commit}^0"), Some(vec![Parent(1), Parent(2), Ancestor(3), Parent(0)]));
        assert_eq!(steps_of(b""), Some(Vec::new()));
        for other in ["^{tree}", "^x", "~-1", "^{/text}", "^@", "~99999999999999999999", "^1:path"] {
            assert_eq!(steps_of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_branch_is_known_by_its_ref() {
        assert_eq!(branch_of(b"refs/heads/a/b").as_deref(), Some(b"a/b".as_slice()));
        assert_eq!(branch_of(b"refs/remotes/origin/a/b").as_deref(), Some(b"a/b".as_slice()));
        assert_eq!(branch_of(b"refs/remotes/origin/HEAD"), None);
        assert_eq!(branch_of(b"refs/tags/a"), None);
    }
}
