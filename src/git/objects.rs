//! The object database, read without trust: every object is hashed again, and nothing that could wait is opened.

use std::path::PathBuf;
use std::sync::Arc;

use gix::objs::{self, Find, FindHeader};
use gix::{OdbHandle, oid};

use super::files;
use super::kept::Contents;

/// Reads objects of one repository; each thread has its own.
#[derive(Clone)]
pub struct Objects {
    odb: OdbHandle,
    directory: PathBuf,
    kept: Option<Arc<Contents>>,
}

impl Objects {
    /// The objects of a repository.
    pub fn of(repository: &gix::Repository) -> Objects {
        Objects {
            odb: repository.objects.clone(),
            directory: repository.objects.store_ref().path().to_path_buf(),
            kept: None,
        }
    }

    /// The same with kept contents in front of them.
    #[must_use]
    pub fn with_kept(mut self, kept: Option<Arc<Contents>>) -> Objects {
        self.kept = kept;
        self
    }

    fn kept(&self, id: &oid) -> gix::Result<Option<Vec<u8>>> {
        match self.kept.as_ref().and_then(|kept| kept.blob(id)) {
            None => Ok(None),
            Some(loaded) => loaded.map(Some).map_err(gix::Error::from_error),
        }
    }

    /// Fails where a FIFO or a device stands in the place of a loose object: opening it could wait for ever.
    fn require_regular(&self, id: &oid) -> gix::Result<()> {
        let hex = id.to_string();
        let (fan, rest) = hex.split_at(2);
        files::require_regular(&self.directory.join(fan).join(rest)).map_err(gix::Error::from_error)
    }
}

impl Find for Objects {
    fn try_find<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<objs::Data<'a>>> {
        if let Some(bytes) = self.kept(id)? {
            *buffer = bytes;
            let found = objs::Data::new(buffer, objs::Kind::Blob, id.kind());
            found.verify_checksum(id)?;
            return Ok(Some(found));
        }
        self.require_regular(id)?;
        let Some(found) = self.odb.try_find(id, buffer)? else { return Ok(None) };
        found.verify_checksum(id)?;
        Ok(Some(found))
    }
}

impl FindHeader for Objects {
    fn try_header(&self, id: &oid) -> gix::Result<Option<objs::Header>> {
        if let Some(bytes) = self.kept(id)? {
            return Ok(Some(objs::Header { kind: objs::Kind::Blob, size: bytes.len() as u64 }));
        }
        self.require_regular(id)?;
        self.odb.try_header(id)
    }
}
