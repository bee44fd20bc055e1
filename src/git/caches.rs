//! Directories that their tools mark as caches: a file `CACHEDIR.TAG` that begins with a certain signature.

use std::collections::{HashMap, HashSet};

use super::baseline::within;
use super::reader::Reader;
use super::today::Today;
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::scratch::CACHEDIR_TAG_SIGNATURE;
use crate::snapshot::entry::{Kind, Snapshot};

/// The name of the mark.
pub const TAG: &[u8] = b"CACHEDIR.TAG";

/// Tells which directory above a path is a cache.
pub struct Caches<'a> {
    today: &'a Today<'a>,
    now: &'a Snapshot,
    at_arm: HashSet<&'a RepoPath>,
    /// Directories that are new since arm.
    new: HashMap<RepoPath, bool>,
}

impl<'a> Caches<'a> {
    /// For one checkout.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot) -> Self {
        Caches { today, now, at_arm: today.frozen.caches.iter().collect(), new: HashMap::new() }
    }

    /// The outermost cache above the ignored path `path`: one that was marked at arm, or that is new since then. A mark
    /// that was put into a directory of arm is no mark.
    pub fn above(&mut self, reader: &mut Reader, path: &RepoPath) -> Result<Option<RepoPath>> {
        let mut found = None;
        let mut directory = path.parent();
        while directory.as_bytes().len() > self.today.frozen.prefix.as_bytes().len() {
            if self.at_arm.contains(&directory) || self.is_new_cache(reader, &directory)? {
                found = Some(directory.clone());
            }
            directory = directory.parent();
        }
        Ok(found)
    }

    fn is_new_cache(&mut self, reader: &mut Reader, directory: &RepoPath) -> Result<bool> {
        if self.today.entry_at_arm(directory.as_bytes()).is_some() {
            return Ok(false);
        }
        if let Some(known) = self.new.get(directory) {
            return Ok(*known);
        }
        let tagged = Self::is_tagged(reader, &self.today.frozen.prefix, self.now, directory)?;
        self.new.insert(directory.clone(), tagged);
        Ok(tagged)
    }

    /// Whether a directory holds a valid mark. A mark that cannot be read is none.
    pub fn is_tagged(reader: &mut Reader, prefix: &RepoPath, now: &Snapshot, directory: &RepoPath) -> Result<bool> {
        let tag = directory.join(TAG);
        if now.entry(tag.as_bytes()).is_none_or(|entry| entry.stat.kind != Kind::File) {
            return Ok(false);
        }
        let inside = RepoPath::from(within(prefix, tag.as_bytes()));
        Ok(reader.begins_with(&inside, CACHEDIR_TAG_SIGNATURE)?.unwrap_or(false))
    }
}
