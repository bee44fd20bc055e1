//! Blob ids and blob contents: what hashes to what, and nothing believed that was not hashed here.
//!
//! Git does not rehash what it reads, so an object whose bytes were exchanged goes unnoticed by it. Everything that
//! Cordon compares with comes through [`read`], which does.

use std::io::{ErrorKind, Read};

use gix::hash::{Hasher, Kind as HashKind};
use gix::objs::{self, Find, FindHeader};
use gix::{ObjectId, oid};

use crate::error::{Error, Kind, Result};

/// How much of a stream is held at a time.
const CHUNK: usize = 64 * 1024;

/// The id that Git gives to a blob with these bytes.
pub fn id_of(hash: HashKind, bytes: &[u8]) -> Result<ObjectId> {
    objs::compute_hash(hash, objs::Kind::Blob, bytes).map_err(|error| hashing(&error))
}

/// The id that Git gives to a blob with the `size` bytes of `reader`, in constant memory.
///
/// The size goes into the hash before the content does, so a stream that turns out shorter or longer is an error of
/// kind [`Kind::Io`]: somebody is writing to the file.
pub fn id_of_reader(hash: HashKind, reader: &mut dyn Read, size: u64) -> Result<ObjectId> {
    let mut hasher = blob_hasher(hash, size);
    each_chunk(reader, size, |chunk| hasher.update(chunk))?;
    hasher.try_finalize().map_err(|error| hashing(&error))
}

/// The `size` bytes of `reader`; shorter or longer streams are an error as for [`id_of_reader`].
pub fn read_sized(reader: &mut dyn Read, size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wanted = usize::try_from(size).map_err(|source| Error::io("a file does not fit into memory", source))?;
    bytes.try_reserve_exact(wanted).map_err(|source| Error::io("a file does not fit into memory", source))?;
    each_chunk(reader, size, |chunk| bytes.extend_from_slice(chunk))?;
    Ok(bytes)
}

/// The bytes of the blob `id`, hashed again and found to be what the id says.
pub fn read(objects: &dyn Find, id: &oid) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (kind, length) = match objects.try_find(id, &mut bytes) {
        Ok(Some(object)) => (object.kind, object.data.len()),
        Ok(None) => return Err(missing(id)),
        Err(source) => return Err(Error::repository(format!("object {id} cannot be read: {source}"))),
    };
    if kind != objs::Kind::Blob {
        return Err(Error::repository(format!("object {id} is a {kind}, not a blob")));
    }
    bytes.truncate(length);
    if *id_of(id.kind(), &bytes)? != *id {
        return Err(Error::repository(format!("object {id} is damaged: its content has another hash"))
            .hint("Run `git fsck`; the object may have been exchanged on purpose."));
    }
    Ok(bytes)
}

/// The size of the blob `id` as the object database states it, without reading the blob.
///
/// This number is not verified; it is for deciding whether to read at all.
pub fn stated_size(objects: &dyn FindHeader, id: &oid) -> Result<u64> {
    match objects.try_header(id) {
        Ok(Some(header)) if header.kind == objs::Kind::Blob => Ok(header.size),
        Ok(Some(header)) => Err(Error::repository(format!("object {id} is a {}, not a blob", header.kind))),
        Ok(None) => Err(missing(id)),
        Err(source) => Err(Error::repository(format!("object {id} cannot be read: {source}"))),
    }
}

/// Feeds all of `reader` to `sink` and makes sure that it was `size` bytes, to the end of the stream.
pub(super) fn each_chunk(reader: &mut dyn Read, size: u64, mut sink: impl FnMut(&[u8])) -> Result<()> {
    // One byte more than the size, so that a file that grew is noticed without asking again for a small one.
    let mut buffer = vec![0; usize::try_from(size).map_or(CHUNK, |size| size.saturating_add(1).min(CHUNK))];
    let mut left = size;
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::io("a file cannot be read", error)),
        };
        if count == 0 {
            return if left == 0 { Ok(()) } else { Err(moving("shrank")) };
        }
        left = left.checked_sub(count as u64).ok_or_else(|| moving("grew"))?;
        sink(&buffer[..count]);
        // More was asked for than was left, so this was the end of the file: no further call has to say so.
        if left == 0 && count < buffer.len() {
            return Ok(());
        }
    }
}

/// A hasher that has seen the header of a blob of this size.
fn blob_hasher(hash: HashKind, size: u64) -> Hasher {
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(&objs::encode::loose_header(objs::Kind::Blob, size));
    hasher
}

fn moving(what: &str) -> Error {
    Error::new(Kind::Io, format!("a file {what} while it was read")).hint("Stop what writes to it, then try again.")
}

fn missing(id: &oid) -> Error {
    Error::repository(format!("object {id} is missing"))
        .hint("A shallow or partial clone does not hold every object; fetch it first.")
}

/// A hash that could not be computed: for SHA-1 this is the sign of a collision attack.
fn hashing(error: &dyn std::fmt::Display) -> Error {
    Error::repository(format!("content cannot be hashed: {error}"))
}
