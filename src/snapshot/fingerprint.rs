//! The fingerprint file: a snapshot with its classes, and whatever else must be the same at check, in one checked file.
//!
//! Layout: magic, version, the control part (opaque here), the clock tick, the listings, SHA-256 of all that stands
//! before. An entry takes about 60 bytes, because numbers are kept as differences in base 128.

use super::digest;
use super::entry::{BlobId, Class, Entry, Kind, Listing, Snapshot, Stat, Time};
use super::varint::{Reader, Writer};
use crate::policy::path::RepoPath;

/// The first bytes of every fingerprint file.
const MAGIC: &[u8; 8] = b"CORDONFP";

/// The version that this program writes, and the only one that it reads.
pub const VERSION: u64 = 1;

/// What was kept at arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The control part: what the other rooms keep, in a form of their own.
    pub control: Vec<u8>,
    /// The clock tick before the walk: entries touched since then are racy.
    pub tick: Time,
    /// The work tree.
    pub snapshot: Snapshot,
}

/// Why a fingerprint file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It is no fingerprint file.
    Foreign,
    /// It was written by another version of Cordon.
    Version(u64),
    /// Its bytes are not those that were written.
    Checksum,
    /// The checksum holds, but the content cannot be: it was made by something else.
    Malformed,
}

impl Damage {
    /// A phrase for a message.
    pub fn describe(self) -> String {
        match self {
            Damage::Foreign => "is not a fingerprint file".into(),
            Damage::Version(found) => format!("has version {found}, and this program reads version {VERSION} only"),
            Damage::Checksum => "is damaged: its checksum does not match".into(),
            Damage::Malformed => "is malformed although its checksum matches".into(),
        }
    }
}

/// The bytes of the file, and their SHA-256 (which the last 32 of them repeat).
pub fn encode(fingerprint: &Fingerprint) -> (Vec<u8>, [u8; 32]) {
    let mut writer = Writer::default();
    writer.out.extend_from_slice(MAGIC);
    writer.number(VERSION);
    writer.bytes(&fingerprint.control);
    writer.signed(fingerprint.tick.secs);
    writer.number(u64::from(fingerprint.tick.nanos));
    let listings = fingerprint.snapshot.listings();
    writer.number(listings.len() as u64);
    let mut last = Last { tick: fingerprint.tick.secs, inode: 0, device: 0 };
    for listing in listings {
        encode_listing(&mut writer, listing, &mut last);
    }
    let sum = digest::sha256(&writer.out);
    writer.out.extend_from_slice(&sum);
    (writer.out, sum)
}

/// Reads the bytes of a file back, with their SHA-256.
pub fn decode(bytes: &[u8]) -> Result<(Fingerprint, [u8; 32]), Damage> {
    let version = bytes.strip_prefix(MAGIC).and_then(|rest| Reader::new(rest).number()).ok_or(Damage::Foreign)?;
    if version != VERSION {
        return Err(Damage::Version(version));
    }
    let (body, sum) = bytes.split_last_chunk::<32>().ok_or(Damage::Checksum)?;
    if digest::sha256(body) != *sum {
        return Err(Damage::Checksum);
    }
    let fingerprint = decode_body(body).ok_or(Damage::Malformed)?;
    Ok((fingerprint, *sum))
}

fn decode_body(body: &[u8]) -> Option<Fingerprint> {
    let mut reader = Reader::new(body.strip_prefix(MAGIC)?);
    reader.number()?;
    let control = reader.bytes()?.to_vec();
    let tick = Time { secs: reader.signed()?, nanos: u32::try_from(reader.number()?).ok()? };
    let count = reader.count()?;
    let mut listings = Vec::with_capacity(count);
    let mut last = Last { tick: tick.secs, inode: 0, device: 0 };
    for _ in 0..count {
        listings.push(decode_listing(&mut reader, &mut last)?);
    }
    let sorted = listings.is_sorted_by(|a, b| a.path < b.path);
    (sorted && reader.is_at_end()).then(|| Fingerprint { control, tick, snapshot: Snapshot::new(listings) })
}

/// What the next entry is written as a difference to.
struct Last {
    tick: i64,
    inode: u64,
    device: u64,
}

/// The bits of an entry's first byte, above two for the kind and two for the class.
const HAS_DIGEST: u8 = 0x10;
const LONG_ID: u8 = 0x20;
const MANY_LINKS: u8 = 0x40;
const OTHER_DEVICE: u8 = 0x80;

fn encode_listing(writer: &mut Writer, listing: &Listing, last: &mut Last) {
    writer.bytes(listing.path.as_bytes());
    match &listing.error {
        None => writer.number(0),
        Some(error) => {
            writer.number(1);
            writer.bytes(error.as_bytes());
        }
    }
    writer.number(listing.entries().len() as u64);
    let names: usize = listing.entries().iter().map(|entry| listing.name(entry).len()).sum();
    writer.number(names as u64);
    for entry in listing.entries() {
        encode_entry(writer, listing.name(entry), entry, last);
    }
}

fn encode_entry(writer: &mut Writer, name: &[u8], entry: &Entry, last: &mut Last) {
    let stat = &entry.stat;
    let kind = match stat.kind {
        Kind::File => 0,
        Kind::Symlink => 1,
        Kind::Directory => 2,
        Kind::Special => 3,
    };
    let (class, id) = match &entry.class {
        Class::Unclassified => (0, None),
        Class::Tracked(id) => (1, Some(id)),
        Class::Gitlink(id) => (2, Some(id)),
        Class::Ignored => (3, None),
    };
    let mut flags = kind | (class << 2);
    let mut set = |bit: u8, on: bool| flags |= if on { bit } else { 0 };
    set(HAS_DIGEST, entry.digest.is_some());
    set(LONG_ID, id.is_some_and(|id| id.as_bytes().len() == 32));
    set(MANY_LINKS, stat.links != 1);
    set(OTHER_DEVICE, stat.device != last.device);
    writer.out.push(flags);
    writer.bytes(name);
    writer.number(u64::from(stat.permissions));
    if stat.links != 1 {
        writer.number(u64::from(stat.links));
    }
    if stat.device != last.device {
        writer.number(stat.device);
        last.device = stat.device;
    }
    writer.signed(stat.inode.wrapping_sub(last.inode).cast_signed());
    last.inode = stat.inode;
    if stat.kind != Kind::Directory {
        writer.number(stat.size);
        for time in [stat.mtime, stat.ctime] {
            writer.signed(time.secs.wrapping_sub(last.tick));
            writer.number(u64::from(time.nanos));
        }
    }
    if let Some(id) = id {
        writer.out.extend_from_slice(id.as_bytes());
    }
    if let Some(digest) = &entry.digest {
        writer.out.extend_from_slice(digest);
    }
}

fn decode_listing(reader: &mut Reader<'_>, last: &mut Last) -> Option<Listing> {
    let mut listing = Listing::new(RepoPath::new(reader.bytes()?));
    if reader.number()? != 0 {
        listing.error = Some(String::from_utf8(reader.bytes()?.to_vec()).ok()?);
    }
    let (count, names) = (reader.count()?, reader.count()?);
    listing.reserve(count, names);
    for _ in 0..count {
        decode_entry(reader, &mut listing, last)?;
    }
    let sorted = listing.entries().is_sorted_by(|a, b| listing.name(a) < listing.name(b));
    sorted.then_some(listing)
}

fn decode_entry(reader: &mut Reader<'_>, listing: &mut Listing, last: &mut Last) -> Option<()> {
    let flags = reader.byte()?;
    let kind = match flags & 3 {
        0 => Kind::File,
        1 => Kind::Symlink,
        2 => Kind::Directory,
        _ => Kind::Special,
    };
    let name = reader.bytes()?;
    let permissions = u16::try_from(reader.number()?).ok()?;
    let links = if flags & MANY_LINKS == 0 { 1 } else { u32::try_from(reader.number()?).ok()? };
    if flags & OTHER_DEVICE != 0 {
        last.device = reader.number()?;
    }
    last.inode = last.inode.wrapping_add(reader.signed()?.cast_unsigned());
    let mut stat = Stat {
        kind,
        permissions,
        links,
        size: 0,
        mtime: Time::default(),
        ctime: Time::default(),
        inode: last.inode,
        device: last.device,
    };
    if kind != Kind::Directory {
        stat.size = reader.number()?;
        for time in [&mut stat.mtime, &mut stat.ctime] {
            time.secs = reader.signed()?.wrapping_add(last.tick);
            time.nanos = u32::try_from(reader.number()?).ok()?;
        }
    }
    let mut id = || BlobId::from_bytes(reader.take(if flags & LONG_ID == 0 { 20 } else { 32 })?);
    let class = match (flags >> 2) & 3 {
        0 => Class::Unclassified,
        1 => Class::Tracked(id()?),
        2 => Class::Gitlink(id()?),
        _ => Class::Ignored,
    };
    let digest = match flags & HAS_DIGEST {
        0 => None,
        _ => Some(reader.take(32)?.try_into().expect("32 bytes were taken")),
    };
    listing.push(name, stat, class, digest);
    Some(())
}

#[cfg(test)]
#[path = "fingerprint_tests.rs"]
mod tests;
