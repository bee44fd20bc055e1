//! The object database, read without trust: every object is hashed again, and nothing that could wait is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::objs::{self, Find, FindHeader};
use gix::{OdbHandle, oid};

use super::files::{self, plain};
use super::kept::Contents;
use crate::error::{Error, Result};

/// Reads objects of one repository; each thread has its own.
#[derive(Clone)]
pub struct Objects {
    /// The stores in the order in which they are asked; the repository's own is the last.
    stores: Vec<Store>,
    kept: Option<Arc<Contents>>,
}

/// One directory of objects.
#[derive(Clone)]
pub struct Store {
    odb: OdbHandle,
    directory: PathBuf,
}

impl Store {
    /// The store in a directory that belongs to no repository, such as the quarantine of a push. What it holds is read
    /// once: nobody adds to it while it is asked.
    pub fn at(directory: &Path, hash: gix::hash::Kind) -> Result<Store> {
        let mut odb: OdbHandle = gix::odb::at(directory, hash)
            .map_err(|error| Error::io(format!("the objects in {} cannot be read", plain(directory)), error))?
            .into();
        odb.refresh_never();
        Ok(Store { odb, directory: directory.to_path_buf() })
    }

    /// Fails where a FIFO or a device stands in the place of a loose object: opening it could wait for ever.
    fn require_regular(&self, id: &oid) -> gix::Result<()> {
        let hex = id.to_string();
        let (fan, rest) = hex.split_at(2);
        files::require_regular(&self.directory.join(fan).join(rest)).map_err(gix::Error::from_error)
    }
}

impl Store {
    /// What is stored, which may not be what the id says.
    fn find<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<objs::Data<'a>>> {
        self.require_regular(id)?;
        self.odb.try_find(id, buffer)
    }
}

impl Objects {
    /// The objects of a repository.
    pub fn of(repository: &gix::Repository) -> Objects {
        let odb = repository.objects.clone();
        let directory = odb.store_ref().path().to_path_buf();
        Objects { stores: vec![Store { odb, directory }], kept: None }
    }

    /// The same with kept contents in front of them.
    #[must_use]
    pub fn with_kept(mut self, kept: Option<Arc<Contents>>) -> Objects {
        self.kept = kept;
        self
    }

    /// The same with further stores in front of the repository's own.
    #[must_use]
    pub fn with_stores(mut self, stores: &[Store]) -> Objects {
        self.stores.splice(0..0, stores.iter().cloned());
        self
    }

    /// The stores, to look up what is abbreviated.
    pub fn databases(&self) -> impl Iterator<Item = &OdbHandle> {
        self.stores.iter().map(|store| &store.odb)
    }

    fn kept(&self, id: &oid) -> gix::Result<Option<Vec<u8>>> {
        match self.kept.as_ref().and_then(|kept| kept.blob(id)) {
            None => Ok(None),
            Some(loaded) => loaded.map(Some).map_err(gix::Error::from_error),
        }
    }

    /// The bytes of a tree, for whoever hashes them.
    pub fn tree(&self, id: &oid) -> gix::Result<Vec<u8>> {
        let mut buffer = Vec::new();
        match self.unverified(id, &mut buffer)? {
            Some(found) if found.kind == objs::Kind::Tree => Ok(found.data.to_vec()),
            _ => Err(gix::Error::from_error(std::io::Error::other(format!("there is no tree {id}")))),
        }
    }

    /// An object as it is stored, which may not be what its id says.
    fn unverified<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<objs::Data<'a>>> {
        if let Some(bytes) = self.kept(id)? {
            *buffer = bytes;
            return Ok(Some(objs::Data::new(buffer, objs::Kind::Blob, id.kind())));
        }
        // Git knows this one by heart, and stores it only where something was made of it.
        if id.is_empty_tree() {
            buffer.clear();
            return Ok(Some(objs::Data::new(buffer, objs::Kind::Tree, id.kind())));
        }
        let (own, others) = self.stores.split_last().expect("a repository has a store of its own");
        for store in others {
            store.require_regular(id)?;
            if store.odb.try_header(id)?.is_some() {
                return store.find(id, buffer);
            }
        }
        own.find(id, buffer)
    }
}

impl Find for Objects {
    fn try_find<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<objs::Data<'a>>> {
        let found = self.unverified(id, buffer)?;
        if let Some(found) = &found {
            found.verify_checksum(id)?;
        }
        Ok(found)
    }
}

impl FindHeader for Objects {
    fn try_header(&self, id: &oid) -> gix::Result<Option<objs::Header>> {
        if let Some(bytes) = self.kept(id)? {
            return Ok(Some(objs::Header { kind: objs::Kind::Blob, size: bytes.len() as u64 }));
        }
        for store in &self.stores {
            store.require_regular(id)?;
            if let Some(header) = store.odb.try_header(id)? {
                return Ok(Some(header));
            }
        }
        Ok(None)
    }
}
