//! One look at the work tree: directory listings with the stat fields that betray a change.

use std::fmt;
use std::ops::Range;

use rustix::fs::{FileType, Stat as SystemStat};

use super::owner::Owner;
use crate::policy::path::RepoPath;

/// What kind of thing a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link; never followed.
    Symlink,
    /// A directory.
    Directory,
    /// A FIFO, socket or device; never opened.
    Special,
}

impl Kind {
    /// The kind that a directory listing tells, if it does.
    pub fn of(told: FileType) -> Option<Kind> {
        match told {
            FileType::RegularFile => Some(Kind::File),
            FileType::Symlink => Some(Kind::Symlink),
            FileType::Directory => Some(Kind::Directory),
            FileType::Unknown => None,
            _ => Some(Kind::Special),
        }
    }
}

/// A point in time as the file system keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Time {
    /// Whole seconds since the epoch.
    pub secs: i64,
    /// Nanoseconds of the second.
    pub nanos: u32,
}

/// The stat fields of an entry. Equal fields of an entry that is not racy mean equal content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// The twelve permission bits, set-user-id and the like included.
    pub permissions: u16,
    /// Hard links to the inode; kept as 1 for directories, where the number follows from the entries.
    pub links: u32,
    /// Size in bytes; kept as 0 for directories.
    pub size: u64,
    /// Last change of the content; kept as 0 for directories, whose entries are compared one by one.
    pub mtime: Time,
    /// Last change of the inode; kept as 0 for directories.
    pub ctime: Time,
    /// Inode number.
    pub inode: u64,
    /// Device number.
    pub device: u64,
}

impl Stat {
    /// The fields that count, from what the system says.
    pub fn of(system: &SystemStat) -> Stat {
        let kind = Kind::of(FileType::from_raw_mode(system.st_mode)).unwrap_or(Kind::Special);
        let directory = kind == Kind::Directory;
        let time = |secs: i64, nanos: u64| {
            let nanos = u32::try_from(nanos).unwrap_or(u32::MAX);
            if directory { Time::default() } else { Time { secs, nanos } }
        };
        Stat {
            kind,
            permissions: u16::try_from(system.st_mode & 0o7777).expect("twelve bits fit into sixteen"),
            links: if directory { 1 } else { u32::try_from(system.st_nlink).unwrap_or(u32::MAX) },
            size: if directory { 0 } else { u64::try_from(system.st_size).unwrap_or(0) },
            mtime: time(system.st_mtime, system.st_mtime_nsec),
            ctime: time(system.st_ctime, system.st_ctime_nsec),
            inode: system.st_ino,
            device: system.st_dev,
        }
    }

    /// The fields of an entry of which only the kind is known.
    pub fn unknown(kind: Kind) -> Stat {
        let time = Time::default();
        Stat { kind, permissions: 0, links: 0, size: 0, mtime: time, ctime: time, inode: 0, device: 0 }
    }

    /// Whether a later change could have left every field as it is: the entry was touched in the clock tick `tick` or
    /// after it, so that only its content can tell.
    pub fn is_racy(&self, tick: Time) -> bool {
        self.kind != Kind::Directory && (self.mtime >= tick || self.ctime >= tick)
    }

    /// Whether the owner may execute it, which is all that Git records of the permissions.
    pub fn is_executable(&self) -> bool {
        self.permissions & 0o100 != 0
    }
}

/// The id of a Git blob: 20 or 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlobId {
    len: u8,
    bytes: [u8; 32],
}

impl BlobId {
    /// The id with these bytes; `None` unless there are 20 or 32 of them.
    pub fn from_bytes(id: &[u8]) -> Option<BlobId> {
        let mut bytes = [0; 32];
        match id.len() {
            len @ (20 | 32) => {
                bytes[..len].copy_from_slice(id);
                Some(BlobId { len: u8::try_from(len).expect("at most 32"), bytes })
            }
            _ => None,
        }
    }

    /// The bytes of the id.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// How Git saw an entry when the fingerprint was taken. A snapshot that nobody classified has only `Unclassified`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Class {
    /// Nobody asked, or it is a directory that is part of the tree.
    #[default]
    Unclassified,
    /// In the baseline: the blob, and whether Git records it as executable (files) or as what it is (links).
    Tracked(BlobId),
    /// The directory of a submodule: the commit that the baseline records.
    Gitlink(BlobId),
    /// Hidden by the exclude rules.
    Ignored,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    name: Range<u32>,
    /// The stat fields.
    pub stat: Stat,
    /// How Git saw it.
    pub class: Class,
    /// SHA-256 of the content (of a link: of its target), where it was read.
    pub digest: Option<[u8; 32]>,
}

impl Entry {
    /// An entry that belongs to no listing, for a path that is known otherwise.
    pub fn lone(stat: Stat) -> Self {
        Entry { name: 0..0, stat, class: Class::Unclassified, digest: None }
    }
}

/// The entries of one directory, sorted by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The directory; the root is empty.
    pub path: RepoPath,
    /// Why the entries are not known, if they are not: the words of the system.
    pub error: Option<String>,
    names: Vec<u8>,
    entries: Vec<Entry>,
    foreign: Vec<(Box<[u8]>, Owner)>,
}

impl Listing {
    /// A listing with nothing in it yet.
    pub fn new(path: RepoPath) -> Self {
        Listing { path, error: None, names: Vec::new(), entries: Vec::new(), foreign: Vec::new() }
    }

    /// Makes room for `entries` entries and `names` bytes of names.
    pub fn reserve(&mut self, entries: usize, names: usize) {
        self.entries.reserve_exact(entries);
        self.names.reserve_exact(names);
    }

    /// Adds an entry; [`Listing::sort`] must follow before anybody looks.
    pub fn push(&mut self, name: &[u8], stat: Stat, class: Class, digest: Option<[u8; 32]>) {
        let at = |len: usize| u32::try_from(len).expect("a directory's names stay below 4 GiB");
        let begin = at(self.names.len());
        self.names.extend_from_slice(name);
        self.entries.push(Entry { name: begin..at(self.names.len()), stat, class, digest });
    }

    /// Remembers who owns an entry, where that is not who owns the top.
    pub fn note_owner(&mut self, name: &[u8], owner: Owner) {
        self.foreign.push((name.into(), owner));
    }

    /// The names of the entries that do not belong to who owns the top, in any order.
    pub fn foreign(&self) -> &[(Box<[u8]>, Owner)] {
        &self.foreign
    }

    /// Sorts the entries by name.
    pub fn sort(&mut self) {
        let names = &self.names;
        self.entries.sort_unstable_by(|a, b| bytes_of(names, &a.name).cmp(bytes_of(names, &b.name)));
    }

    /// The entries, in the order of their names.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries, to classify them.
    pub fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    /// The name of one of this listing's own entries.
    pub fn name(&self, entry: &Entry) -> &[u8] {
        bytes_of(&self.names, &entry.name)
    }

    /// The path of one of this listing's own entries.
    pub fn path_of(&self, entry: &Entry) -> RepoPath {
        self.path.join(self.name(entry))
    }

    /// The position of the entry called `name`.
    pub fn position(&self, name: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| bytes_of(&self.names, &entry.name).cmp(name)).ok()
    }
}

fn bytes_of<'a>(names: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    &names[range.start as usize..range.end as usize]
}

/// Everything under the root at one time, sorted by directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    listings: Vec<Listing>,
    owner: Option<Owner>,
}

impl Snapshot {
    /// A snapshot of these listings, in any order.
    pub fn new(mut listings: Vec<Listing>) -> Self {
        listings.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Snapshot { listings, owner: None }
    }

    /// The same, where it is known who owns the top.
    #[must_use]
    pub fn owned_by(self, owner: Owner) -> Self {
        Snapshot { owner: Some(owner), ..self }
    }

    /// Who owns the top, where that is known.
    pub fn owner(&self) -> Option<Owner> {
        self.owner
    }

    /// The listings, in the order of their directories.
    pub fn listings(&self) -> &[Listing] {
        &self.listings
    }

    /// The listings, to classify their entries.
    pub fn listings_mut(&mut self) -> &mut [Listing] {
        &mut self.listings
    }

    /// The listing of a directory.
    pub fn listing(&self, directory: &[u8]) -> Option<&Listing> {
        self.listing_position(directory).map(|at| &self.listings[at])
    }

    /// Where the listing of a directory stands.
    pub fn listing_position(&self, directory: &[u8]) -> Option<usize> {
        self.listings.binary_search_by(|listing| listing.path.as_bytes().cmp(directory)).ok()
    }

    /// The entry at a path.
    pub fn entry(&self, path: &[u8]) -> Option<&Entry> {
        let (directory, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&path[..0], path),
        };
        let listing = self.listing(directory)?;
        listing.position(name).map(|at| &listing.entries[at])
    }

    /// The entry at a path, to classify it.
    pub fn entry_mut(&mut self, path: &[u8]) -> Option<&mut Entry> {
        let (directory, name) = super::open::split(path);
        let at = self.listing_position(directory)?;
        let position = self.listings[at].position(name)?;
        Some(&mut self.listings[at].entries[position])
    }

    /// Whether an entry changed in the clock tick `tick` or later; directories tell nothing that their entries do not.
    pub fn changed_since(&self, tick: Time) -> bool {
        let late = |entry: &Entry| entry.stat.kind != Kind::Directory && entry.stat.ctime >= tick;
        self.listings.iter().any(|listing| listing.entries().iter().any(late))
    }

    /// How many entries there are, directories included.
    pub fn len(&self) -> usize {
        self.listings.iter().map(|listing| listing.entries.len()).sum()
    }

    /// Whether there is no entry at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
