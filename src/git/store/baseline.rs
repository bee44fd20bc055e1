//! The objects of the baseline: its trees and blobs, found out only when something in a store asks for them.

use gix::ObjectId;
use gix::objs::FindExt as _;
use gix::odb::pack::Find as _;

use super::super::objects::Objects;
use super::super::today::Today;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;

/// The objects of one checkout's baseline.
pub struct Baseline<'a> {
    today: &'a Today<'a>,
    listed: Option<Listed>,
}

struct Listed {
    /// The trees and blobs, sorted.
    ids: Vec<ObjectId>,
    /// The blobs with one of their paths, sorted by id; relative to the whole work tree.
    blobs: Vec<(ObjectId, RepoPath)>,
}

impl<'a> Baseline<'a> {
    /// Nothing is read yet.
    pub fn new(today: &'a Today<'a>) -> Baseline<'a> {
        Baseline { today, listed: None }
    }

    /// The trees and blobs, sorted.
    pub fn ids(&mut self) -> Result<&[ObjectId]> {
        Ok(&self.listed()?.ids)
    }

    /// A path that a blob stands for.
    pub fn path_of(&mut self, id: ObjectId) -> Result<Option<&RepoPath>> {
        let blobs = &self.listed()?.blobs;
        Ok(blobs.binary_search_by(|(blob, _)| blob.cmp(&id)).ok().map(|at| &blobs[at].1))
    }

    /// The blobs that no store has.
    pub fn missing(&mut self) -> Result<Vec<(ObjectId, &RepoPath)>> {
        let odb = self.today.repository.gix.objects.clone();
        let blobs = &self.listed()?.blobs;
        Ok(blobs.iter().filter(|(id, _)| !odb.contains(id)).map(|(id, path)| (*id, path)).collect())
    }

    fn listed(&mut self) -> Result<&Listed> {
        if self.listed.is_none() {
            self.listed = Some(list(self.today)?);
        }
        Ok(self.listed.as_ref().expect("it was listed just now"))
    }
}

/// Reads all trees, each of which is hashed again by the reader.
fn list(today: &Today<'_>) -> Result<Listed> {
    let objects = Objects::of(&today.repository.gix);
    let unreadable = |tree: ObjectId| {
        move |error: gix::Error| {
            Error::repository(format!("the tree {tree} of the baseline cannot be read"))
                .caused_by(error)
                .hint("Its objects may be missing or damaged: run git fsck, or fetch them again.")
        }
    };
    let top = ObjectId::from_hex(today.frozen.tree.as_bytes()).expect("gitoxide wrote this id");
    let mut trees = vec![(top, today.frozen.prefix.clone())];
    let (mut ids, mut blobs, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((tree, directory)) = trees.pop() {
        ids.push(tree);
        for entry in objects.find_tree_iter(&tree, &mut buffer).map_err(unreadable(tree))? {
            let entry = entry.map_err(|error| unreadable(tree)(gix::Error::from_error(error)))?;
            let path = directory.join(entry.filename);
            if entry.mode.is_tree() {
                trees.push((entry.oid.to_owned(), path));
            } else if !entry.mode.is_commit() {
                ids.push(entry.oid.to_owned());
                blobs.push((entry.oid.to_owned(), path));
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    blobs.sort_unstable();
    blobs.dedup_by(|later, first| later.0 == first.0);
    Ok(Listed { ids, blobs })
}
