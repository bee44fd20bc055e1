//! One committed tree, read directory by directory as somebody asks: a small question about a large tree is cheap.

use std::collections::HashMap;
use std::sync::Arc;

use gix::ObjectId;
use gix::objs::FindExt as _;
use gix::objs::tree::{EntryKind, EntryMode};

use super::objects::Objects;
use super::reader::blob_id;
use super::standing::{self, Links, Tree};
use super::today::Recorded;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;
use crate::snapshot::open;

/// The entries of one directory by name.
type Entries = HashMap<Vec<u8>, (EntryMode, ObjectId)>;

/// How many entries are remembered when another tree is turned to.
const REMEMBERED: usize = 200_000;

/// A tree and what was read of it.
#[derive(Clone)]
pub struct Trees {
    objects: Objects,
    root: Option<ObjectId>,
    read: HashMap<ObjectId, Arc<Entries>>,
    /// How many entries that is.
    held: usize,
}

impl Trees {
    /// The tree of this id; `None` is the empty one.
    pub fn new(objects: Objects, root: Option<ObjectId>) -> Trees {
        Trees { objects, root, read: HashMap::new(), held: 0 }
    }

    /// The same store of what was read, for another tree: neighbouring commits share most of their directories.
    pub fn at(&mut self, root: Option<ObjectId>) -> &mut Trees {
        self.root = root;
        if self.held > REMEMBERED {
            self.read.clear();
            self.held = 0;
        }
        self
    }

    /// What stands at a path, a directory included.
    pub fn entry(&mut self, path: &[u8]) -> Result<Option<(EntryMode, ObjectId)>> {
        let (directory, name) = open::split(path);
        Ok(self.directory(directory)?.and_then(|entries| entries.get(name).copied()))
    }

    /// The file, link or submodule at a path.
    pub fn recorded(&mut self, path: &[u8]) -> Result<Option<Recorded>> {
        Ok(self.entry(path)?.and_then(|(mode, id)| recorded(mode, id)))
    }

    /// Every link of the tree. This reads all of it.
    pub fn links(&mut self) -> Result<Vec<RepoPath>> {
        let mut links = Vec::new();
        let mut waiting: Vec<(RepoPath, ObjectId)> =
            self.root.map(|root| (RepoPath::new(""), root)).into_iter().collect();
        while let Some((directory, tree)) = waiting.pop() {
            for (name, (mode, id)) in &*self.entries(tree)? {
                match mode.kind() {
                    EntryKind::Tree => waiting.push((directory.join(name), *id)),
                    EntryKind::Link => links.push(directory.join(name)),
                    _ => {}
                }
            }
        }
        links.sort();
        Ok(links)
    }

    /// The entries of a directory; `None` where there is no such directory.
    fn directory(&mut self, path: &[u8]) -> Result<Option<Arc<Entries>>> {
        let Some(root) = self.root else { return Ok(None) };
        let mut entries = self.entries(root)?;
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let Some((_, id)) = entries.get(name).copied().filter(|(mode, _)| mode.is_tree()) else { return Ok(None) };
            entries = self.entries(id)?;
        }
        Ok(Some(entries))
    }

    fn entries(&mut self, tree: ObjectId) -> Result<Arc<Entries>> {
        if let Some(known) = self.read.get(&tree) {
            return Ok(Arc::clone(known));
        }
        let mut buffer = Vec::new();
        let found = self.objects.find_tree_iter(&tree, &mut buffer).map_err(|error| unreadable(tree, error))?;
        let mut entries = Entries::new();
        for entry in found {
            let entry = entry.map_err(|error| unreadable(tree, gix::Error::from_error(error)))?;
            if entries.insert(entry.filename.to_vec(), (entry.mode, entry.oid.to_owned())).is_some() {
                return Err(named_twice(tree, entry.filename));
            }
        }
        self.held += entries.len();
        let entries = Arc::new(entries);
        self.read.insert(tree, Arc::clone(&entries));
        Ok(entries)
    }
}

impl Links for Trees {
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>> {
        self.recorded(inside)?.map_or(Ok(None), |recorded| standing::text(&self.objects, recorded))
    }
}

impl Tree for Trees {
    fn names(&mut self, directory: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(self.directory(directory)?.map_or_else(Vec::new, |entries| entries.keys().cloned().collect()))
    }
}

/// An entry of a tree; `None` for a directory, whose own entries are told one by one.
pub fn recorded(mode: EntryMode, id: ObjectId) -> Option<Recorded> {
    let mode = match mode.kind() {
        EntryKind::Tree => return None,
        EntryKind::Blob => Mode::File,
        EntryKind::BlobExecutable => Mode::Executable,
        EntryKind::Link => Mode::Symlink,
        EntryKind::Commit => Mode::Gitlink,
    };
    Some(Recorded { id: blob_id(id), mode })
}

/// The error about a tree that has two entries of one name: nobody can say which of them a checkout would bring.
pub fn named_twice(tree: ObjectId, name: &[u8]) -> Error {
    Error::repository(format!("the tree {tree} names {} twice", plain(name)))
        .hint("Git makes no such tree, and git fsck tells of it. Make the commit anew.")
}

/// The error about a tree that cannot be read.
pub fn unreadable(tree: ObjectId, error: gix::Error) -> Error {
    Error::repository(format!("the tree {tree} cannot be read"))
        .caused_by(error)
        .hint("Objects may be missing or damaged: run git fsck, or fetch them again.")
}
