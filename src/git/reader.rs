//! Reads files of one checkout as Git would store them, without following a link or waiting for anybody.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use gix::ObjectId;
use gix::hash::Kind as HashKind;
use rustix::io::Errno;

use super::attributes::{FrozenAttributes, PathAttributes};
use super::blob;
use super::content::{Conversion, LineEndings};
use super::control::Frozen;
use super::files::plain;
use super::lfs;
use super::lines::BIG_FILE;
use super::objects::Objects;
use super::open::Repository;
use crate::audit::evidence::Obstacle;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{BlobId, Kind, Stat};
use crate::snapshot::{digest, open, parallel};

/// How often a file that changes while it is read is read again.
const TRIES: usize = 3;

/// Reads the files of one checkout; each thread has its own.
pub struct Reader {
    root: OwnedFd,
    objects: Objects,
    hash: HashKind,
    endings: LineEndings,
    attributes: FrozenAttributes,
    /// Whether the filter of Git LFS is configured.
    lfs: bool,
    /// The directory that was opened last: paths come in order, so the next one is often in it as well.
    directory: Option<(Box<[u8]>, Arc<OwnedFd>)>,
}

/// What stands on disk, as Git would store it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The blob that Git would store.
    pub id: BlobId,
    /// The stat fields that belonged to these bytes.
    pub stat: Stat,
    /// Whether the bytes on disk are not those of the blob.
    pub converted: bool,
    /// Whether a filter driver would have a say, which is never run.
    pub driver: bool,
}

/// What a reader gives: a value, or why the one path cannot be vouched for.
pub type Seen<T> = std::result::Result<T, Obstacle>;

/// The bytes that Git would store, and what somebody made of those on disk; `None` for a file too big to be text.
pub type Loaded<T> = Option<(Vec<u8>, T)>;

impl Reader {
    /// A reader of `repository`'s work tree under the frozen rules; `tree` are the baseline's `.gitattributes` files.
    pub fn new(repository: &Repository, frozen: &Frozen, tree: &[(RepoPath, ObjectId)]) -> Result<Reader> {
        let root = &repository.location.root;
        let fd = open::root(root).map_err(|error| Error::io(format!("cannot open {}", plain(root)), error))?;
        let objects = repository.objects();
        let attributes = frozen.attributes_of(objects.clone(), tree)?;
        let hash = repository.gix.object_hash();
        Ok(Reader {
            root: fd,
            objects,
            hash,
            endings: frozen.line_endings(),
            attributes,
            lfs: lfs::is_configured(repository),
            directory: None,
        })
    }

    /// Another reader of the same checkout, for another thread.
    pub fn another(&self) -> Result<Reader> {
        let root = self.root.try_clone().map_err(|error| Error::io("cannot open the work tree once more", error))?;
        let (objects, attributes) = (self.objects.clone(), self.attributes.clone());
        Ok(Reader { root, objects, hash: self.hash, endings: self.endings, attributes, lfs: self.lfs, directory: None })
    }

    /// What the frozen rules say about a path.
    pub fn attributes(&mut self, path: &RepoPath) -> Result<PathAttributes> {
        self.attributes.at(path)
    }

    /// Whether a checkout may write other bytes than the blob of this path has.
    pub fn rewrites(&mut self, path: &RepoPath) -> Result<bool> {
        let attributes = self.attributes.at(path)?;
        Ok(Conversion::new(&attributes, self.endings).rewrites())
    }

    /// The object database.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The blob that Git would store for the file or link at `path`. `in_index` is the path's blob in the index, which
    /// has a say in the conversion of line ends.
    pub fn identify(&mut self, path: &RepoPath, kind: Kind, in_index: Option<BlobId>) -> Result<Seen<Content>> {
        self.steady(path, |reader, parent, name| match kind {
            Kind::Symlink => reader.identify_link(parent, name),
            _ => reader.identify_file(parent, name, path, in_index),
        })
    }

    /// The bytes that Git would store for the file or link at `path`; `None` when it is too big to be text.
    pub fn load(&mut self, path: &RepoPath, kind: Kind, in_index: Option<BlobId>) -> Result<Seen<Option<Vec<u8>>>> {
        Ok(self.load_with(path, kind, in_index, |_| ())?.map(|loaded| loaded.map(|(stored, ())| stored)))
    }

    /// The same, and what `look` makes of the bytes as they lie on disk.
    pub fn load_with<T>(
        &mut self,
        path: &RepoPath,
        kind: Kind,
        in_index: Option<BlobId>,
        look: impl Fn(&[u8]) -> T,
    ) -> Result<Seen<Loaded<T>>> {
        self.steady(path, |reader, parent, name| {
            if kind == Kind::Symlink {
                let target = open::link(parent, name)?;
                let seen = look(&target);
                return Ok(Ok(Some((target, seen))));
            }
            let (mut file, before) = open::file(parent, name)?;
            if before.size > BIG_FILE {
                return Ok(Ok(None));
            }
            let raw = match blob::read_sized(&mut file, before.size) {
                Ok(raw) if stat(&file)? == before => raw,
                _ => return Err(Errno::AGAIN),
            };
            let seen = look(&raw);
            Ok(reader.converted(path, &raw, in_index).map(|stored| Some((stored, seen))))
        })
    }

    /// The bytes on disk, of a link its target, with the stat fields that belonged to them.
    pub fn raw(&mut self, path: &RepoPath, kind: Kind) -> Result<Seen<(Vec<u8>, Stat)>> {
        self.steady(path, |_, parent, name| {
            if kind == Kind::Symlink {
                return Ok(Ok((open::link(parent, name)?, open::stat(parent, name)?)));
            }
            let (mut file, before) = open::file(parent, name)?;
            match blob::read_sized(&mut file, before.size) {
                Ok(raw) if stat(&file)? == before => Ok(Ok((raw, before))),
                _ => Err(Errno::AGAIN),
            }
        })
    }

    /// SHA-256 of the bytes on disk.
    pub fn digest(&mut self, path: &RepoPath, kind: Kind) -> Result<Seen<[u8; 32]>> {
        self.steady(path, |_, parent, name| Ok(Ok(digest::content(parent, name, kind)?.0)))
    }

    /// Whether the filter of Git LFS would store the blob `stored` for the file at `path` with this content.
    pub fn is_stored_by_lfs(&mut self, path: &RepoPath, content: &Content, stored: BlobId) -> Result<Seen<bool>> {
        let named = self.lfs && self.attributes.at(path)?.filter.value() == Some(lfs::DRIVER);
        if !named || content.stat.kind != Kind::File {
            return Ok(Ok(false));
        }
        if content.id == stored
            && let Some(beginning) = lfs::beginning(content.stat.size)
        {
            return self.begins_with(path, beginning);
        }
        let hash = self.hash;
        self.digest(path, Kind::File)?.map_or_else(
            |obstacle| Ok(Err(obstacle)),
            |sum| Ok(Ok(blob_id(blob::id_of(hash, &lfs::pointer(&sum, content.stat.size))?) == stored)),
        )
    }

    /// The blob that the filter of Git LFS would store for the regular file at `path`, whose own is `raw`: a pointer, or
    /// the file itself where that is one.
    pub fn stored_by_lfs(&mut self, path: &RepoPath, raw: BlobId) -> Result<Seen<BlobId>> {
        let read = self.steady(path, |_, parent, name| Ok(Ok(digest::content(parent, name, Kind::File)?)))?;
        let (sum, stat) = match read {
            Ok(read) => read,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        if let Some(beginning) = lfs::beginning(stat.size) {
            match self.begins_with(path, beginning)? {
                Ok(true) => return Ok(Ok(raw)),
                Ok(false) => {}
                Err(obstacle) => return Ok(Err(obstacle)),
            }
        }
        Ok(Ok(blob_id(blob::id_of(self.hash, &lfs::pointer(&sum, stat.size))?)))
    }

    /// Whether the regular file at `path` begins with these bytes.
    pub fn begins_with(&mut self, path: &RepoPath, bytes: &[u8]) -> Result<Seen<bool>> {
        self.steady(path, |_, parent, name| {
            let (file, stat) = open::file(parent, name)?;
            if stat.size < bytes.len() as u64 {
                return Ok(Ok(false));
            }
            let mut found = Vec::with_capacity(bytes.len());
            match file.take(bytes.len() as u64).read_to_end(&mut found) {
                Ok(_) => Ok(Ok(found == bytes)),
                Err(error) => Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        })
    }

    /// Runs `read` on the opened parent directory, again when the file changed meanwhile.
    fn steady<T>(
        &mut self,
        path: &RepoPath,
        mut read: impl FnMut(&mut Self, &OwnedFd, &[u8]) -> std::result::Result<Result<T>, Errno>,
    ) -> Result<Seen<T>> {
        let (directory, name) = open::split(path.as_bytes());
        for _ in 0..TRIES {
            let answer = self.directory(directory).and_then(|parent| read(self, &parent, name));
            if answer.is_err() {
                self.directory = None;
            }
            match answer {
                Ok(answer) => return answer.map(Ok),
                // Gone or replaced since the walk, or written to while it was read.
                Err(Errno::AGAIN | Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::INVAL | Errno::ISDIR) => {}
                Err(error) => return Ok(Err(Obstacle::Unreadable(error.to_string()))),
            }
        }
        Ok(Err(Obstacle::Unsteady))
    }

    fn directory(&mut self, path: &[u8]) -> std::result::Result<Arc<OwnedFd>, Errno> {
        match &self.directory {
            Some((opened, fd)) if **opened == *path => Ok(Arc::clone(fd)),
            _ => {
                let fd = Arc::new(open::directory_at(&self.root, path)?);
                self.directory = Some((path.into(), Arc::clone(&fd)));
                Ok(fd)
            }
        }
    }

    fn identify_link(&mut self, parent: &OwnedFd, name: &[u8]) -> std::result::Result<Result<Content>, Errno> {
        let target = open::link(parent, name)?;
        let stat = open::stat(parent, name)?;
        if stat.kind != Kind::Symlink {
            return Err(Errno::AGAIN);
        }
        let id = blob::id_of(self.hash, &target);
        Ok(id.map(|id| Content { id: blob_id(id), stat, converted: false, driver: false }))
    }

    fn identify_file(
        &mut self,
        parent: &OwnedFd,
        name: &[u8],
        path: &RepoPath,
        in_index: Option<BlobId>,
    ) -> std::result::Result<Result<Content>, Errno> {
        let (mut file, before) = open::file(parent, name)?;
        let attributes = match self.attributes.at(path) {
            Ok(attributes) => attributes,
            Err(error) => return Ok(Err(error)),
        };
        let conversion = Conversion::new(&attributes, self.endings);
        let objects = &self.objects;
        let identity = conversion.identify(self.hash, &mut file, before.size, &mut || indexed(objects, in_index));
        if stat(&file)? != before {
            return Err(Errno::AGAIN);
        }
        Ok(identity.map(|identity| Content {
            id: blob_id(identity.id),
            stat: before,
            converted: identity.converted,
            driver: conversion.driver().is_some(),
        }))
    }

    fn converted(&mut self, path: &RepoPath, raw: &[u8], in_index: Option<BlobId>) -> Result<Vec<u8>> {
        let attributes = self.attributes.at(path)?;
        let objects = &self.objects;
        let converted = Conversion::new(&attributes, self.endings).to_git(raw, &mut || indexed(objects, in_index))?;
        Ok(converted.bytes.into_owned())
    }
}

/// Answers for all items with one reader a thread.
pub fn in_parallel<T: Sync, R: Send>(
    reader: &Reader,
    items: &[T],
    answer: impl Fn(&mut Reader, &T) -> Result<R> + Sync,
) -> Result<Vec<Result<R>>> {
    let mut first = Some(reader.another()?);
    let another = || reader.another().ok();
    Ok(parallel::map(items, &mut first, another, |reader, item| match reader {
        Some(reader) => answer(reader, item),
        None => Err(Error::refused("too many open files").hint("Raise the limit with ulimit -n.")),
    }))
}

fn stat(file: &File) -> std::result::Result<Stat, Errno> {
    rustix::fs::fstat(file.as_fd()).map(|system| Stat::of(&system))
}

fn indexed(objects: &Objects, id: Option<BlobId>) -> Result<Option<Vec<u8>>> {
    id.map(|id| blob::read(objects, &object_id(&id))).transpose()
}

/// The snapshot's form of an object id.
pub fn blob_id(id: ObjectId) -> BlobId {
    BlobId::from_bytes(id.as_bytes()).expect("object ids have 20 or 32 bytes")
}

/// gitoxide's form of a blob id.
pub fn object_id(id: &BlobId) -> ObjectId {
    ObjectId::try_from(id.as_bytes()).expect("blob ids have 20 or 32 bytes")
}
