//! The tree that a stored tree becomes by edits of single paths, worked out in memory.
//!
//! Only the trees on the way to the edits are read, level by level from the top, and hashed anew, level by level from the
//! bottom; those of one level do not depend on each other and are spread over the cores.

use std::collections::{BTreeMap, HashMap};

use gix::ObjectId;
use gix::bstr::BStr;
use gix::hash::Kind as Hash;
use gix::objs::tree::{EntryKind, EntryRef};
use gix::objs::{self, TreeRef, WriteTo as _};
use sha1::{Digest as _, Sha1};

use super::objects::Objects;
use super::reader::object_id;
use super::today::Recorded;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::parallel;

/// What becomes of one path of a tree; `None` takes a file away, and leaves a directory.
pub type Edits = BTreeMap<RepoPath, Option<Recorded>>;

/// A directory with edits in it or below.
#[derive(Default)]
struct Directory<'a> {
    /// Edits of its own entries, in the order of their names.
    leaves: Vec<(&'a [u8], Option<ObjectId>, EntryKind)>,
    /// Its directories with edits, in the order of their names.
    children: Vec<&'a [u8]>,
    /// Whether something is stored in it or below.
    fills: bool,
}

/// What became of a directory, and whether something is stored in it.
type Became = (Option<ObjectId>, bool);

/// Directories of one level: each path with what it holds.
type Level<'a> = Vec<(&'a [u8], Directory<'a>)>;

/// The id of the tree `base` after `edits`.
///
/// # Errors
/// A tree on the way that cannot be read, or is damaged.
pub fn edited(objects: &Objects, hash: Hash, base: ObjectId, edits: &Edits) -> Result<ObjectId> {
    let levels = levels(edits);
    let mut stored: Vec<Vec<Vec<u8>>> = Vec::with_capacity(levels.len());
    let mut known: HashMap<Vec<u8>, ObjectId> = HashMap::from([(Vec::new(), base)]);
    for level in &levels {
        let ids: Vec<Option<ObjectId>> = level.iter().map(|(path, _)| known.get(*path).copied()).collect();
        let trees =
            parallel::map(&ids, &mut objects.clone(), || objects.clone(), |objects, id| read(objects, hash, *id));
        let trees = trees.into_iter().collect::<Result<Vec<_>>>()?;
        known = HashMap::new();
        for ((path, directory), bytes) in level.iter().zip(&trees) {
            note_children(path, directory, &parse(bytes, hash)?, &mut known);
        }
        stored.push(trees);
    }
    let mut below: HashMap<&[u8], ObjectId> = HashMap::new();
    let mut filled: HashMap<&[u8], bool> = HashMap::new();
    for (level, trees) in levels.iter().zip(&stored).rev() {
        let items: Vec<_> = level.iter().zip(trees).collect();
        let ids = parallel::map(
            &items,
            &mut (),
            || (),
            |(), ((path, directory), bytes)| {
                let child = |name: &[u8]| {
                    let path = join(path, name);
                    (below.get(path.as_slice()).copied(), filled.get(path.as_slice()).is_some_and(|fills| *fills))
                };
                rebuilt(directory, parse(bytes, hash)?, hash, path.is_empty(), &child)
            },
        );
        let ids = ids.into_iter().collect::<Result<Vec<_>>>()?;
        below = level.iter().zip(ids).filter_map(|((path, _), id)| Some((*path, id?))).collect();
        filled = level.iter().map(|(path, directory)| (*path, directory.fills)).collect();
    }
    Ok(below.get([].as_slice()).copied().unwrap_or(base))
}

/// The directories that the edits touch, the top first.
fn levels(edits: &Edits) -> Vec<Level<'_>> {
    let mut directories: BTreeMap<&[u8], Directory<'_>> = BTreeMap::new();
    for (path, edit) in edits {
        let (mut above, mut name) = split(path.as_bytes());
        let leaf = edit.map_or((name, None, EntryKind::Blob), |now| (name, Some(object_id(&now.id)), kind(now.mode)));
        let directory = directories.entry(above).or_default();
        directory.leaves.push(leaf);
        directory.fills |= edit.is_some();
        while !above.is_empty() {
            (above, name) = split(above);
            let parent = directories.entry(above).or_default();
            parent.fills |= edit.is_some();
            if parent.children.last() != Some(&name) {
                parent.children.push(name);
            }
        }
    }
    let depth = |path: &[u8]| if path.is_empty() { 0 } else { path.split(|byte| *byte == b'/').count() };
    let mut levels: Vec<Level<'_>> = Vec::new();
    for (path, mut directory) in directories {
        directory.leaves.sort_unstable_by_key(|leaf| leaf.0);
        directory.children.sort_unstable();
        directory.children.dedup();
        let depth = depth(path);
        levels.resize_with(levels.len().max(depth + 1), Vec::new);
        levels[depth].push((path, directory));
    }
    levels
}

/// The bytes of a tree; those of an empty one where there is none.
fn read(objects: &Objects, hash: Hash, id: Option<ObjectId>) -> Result<Vec<u8>> {
    let Some(id) = id else { return Ok(Vec::new()) };
    let bytes = objects.tree(&id).map_err(unreadable)?;
    if id_of(hash, &bytes)? == id {
        return Ok(bytes);
    }
    Err(Error::repository(format!("the tree {id} is damaged")))
}

fn parse(bytes: &[u8], hash: Hash) -> Result<Vec<EntryRef<'_>>> {
    let tree = TreeRef::from_bytes(bytes, hash);
    tree.map(|tree| tree.entries).map_err(|error| Error::repository("a tree cannot be read").caused_by(error))
}

/// Takes note of the ids of those directories that have edits.
fn note_children(
    path: &[u8],
    directory: &Directory<'_>,
    entries: &[EntryRef<'_>],
    known: &mut HashMap<Vec<u8>, ObjectId>,
) {
    let trees = entries.iter().filter(|entry| entry.mode.is_tree());
    for entry in trees.filter(|entry| directory.children.binary_search(&entry.filename.as_ref()).is_ok()) {
        known.insert(join(path, entry.filename), entry.oid.to_owned());
    }
}

/// The id of one directory; `None` where nothing is left in it. `child` tells what became of a directory in it, and whether
/// something is stored there.
fn rebuilt<'a>(
    directory: &'a Directory<'a>,
    stored: Vec<EntryRef<'a>>,
    hash: Hash,
    is_top: bool,
    child: &dyn Fn(&[u8]) -> Became,
) -> Result<Option<ObjectId>> {
    let leaf = |name: &[u8]| directory.leaves.binary_search_by(|leaf| leaf.0.cmp(name)).ok();
    let children: Vec<(&[u8], ObjectId)> = directory
        .children
        .iter()
        .filter_map(|name| {
            let (id, fills) = child(name);
            // A file that came in the place of a directory, or a directory in that of a file.
            let replaced = !fills && leaf(name).is_some_and(|at| directory.leaves[at].1.is_some());
            Some((*name, id.filter(|_| !replaced)?))
        })
        .collect();
    let lives_on = |name: &[u8]| children.binary_search_by(|(known, _)| (*known).cmp(name)).is_ok();
    let mut entries: Vec<EntryRef<'_>> = stored;
    entries.retain(|entry| {
        let name: &[u8] = entry.filename.as_ref();
        let is_tree = entry.mode.is_tree();
        let replaced = leaf(name).is_some_and(|at| directory.leaves[at].1.is_some() || !is_tree);
        let descended = lives_on(name) || (is_tree && directory.children.binary_search(&name).is_ok());
        !replaced && !descended
    });
    for (name, id, kind) in &directory.leaves {
        if let Some(id) = id.as_ref().filter(|_| !lives_on(name)) {
            entries.push(EntryRef { mode: (*kind).into(), filename: BStr::new(*name), oid: id });
        }
    }
    for (name, id) in &children {
        entries.push(EntryRef { mode: EntryKind::Tree.into(), filename: BStr::new(*name), oid: id });
    }
    if entries.is_empty() && !is_top {
        return Ok(None);
    }
    entries.sort_unstable();
    let mut bytes = Vec::new();
    TreeRef { entries }
        .write_to(&mut bytes)
        .map_err(|error| Error::repository("a tree cannot be written out").caused_by(error))?;
    id_of(hash, &bytes).map(Some)
}

/// The id of a tree with these bytes. There is no guard against made collisions as there is where something is judged:
/// this id is only told, and without the guard the processor's own instructions give it in a fraction of the time.
fn id_of(hash: Hash, bytes: &[u8]) -> Result<ObjectId> {
    match hash {
        Hash::Sha1 => {
            let mut hasher = Sha1::new_with_prefix(objs::encode::loose_header(objs::Kind::Tree, bytes.len() as u64));
            hasher.update(bytes);
            Ok(ObjectId::from_bytes_or_panic(&hasher.finalize()))
        }
        _ => objs::compute_hash(hash, objs::Kind::Tree, bytes).map_err(unreadable),
    }
}

fn unreadable(error: gix::Error) -> Error {
    Error::repository("a tree cannot be read").caused_by(error)
}

/// The directory above and the name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

fn kind(mode: Mode) -> EntryKind {
    match mode {
        Mode::File | Mode::Other => EntryKind::Blob,
        Mode::Executable => EntryKind::BlobExecutable,
        Mode::Symlink => EntryKind::Link,
        Mode::Gitlink => EntryKind::Commit,
    }
}
