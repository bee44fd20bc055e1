//! What stands in a workspace before and after a command, and how that differs.
//!
//! The first look reads every content. The second reads only what its stat does not vouch for: what changed since, and what
//! was touched so shortly before that a later change could have left its times as they were.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::Errno;

use crate::error::{Error, Kind, Result};
use crate::ledger::effects::{Observation, Seen, effects};
use crate::ledger::record::{Digest, Effect, EntryType, Side};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::delta::{Difference, Trust, delta};
use crate::snapshot::entry::{Entry, Kind as EntryKind, Listing, Snapshot, Stat, Time};
use crate::snapshot::walk::{Scope, walk_in};
use crate::snapshot::{digest, mapped, open, parallel};

/// How many bytes of a file are read at once.
const CHUNK: usize = 64 * 1024;

/// What is looked at.
#[derive(Clone, Copy)]
pub(super) struct Workspace<'a> {
    /// Its root.
    pub(super) root: &'a Path,
    /// What is left out.
    pub(super) ignored: &'a [RepoPath],
    /// Whether the look is to be given up.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

/// What stood there at first: each observed entry has its digest.
pub(super) struct Before {
    snapshot: Snapshot,
    /// The clock tick before the look.
    tick: Time,
    /// The files that some process could write to without a trace in their stat.
    mapped: BTreeSet<RepoPath>,
}

/// One entry that was read.
struct Look {
    stat: Stat,
    digest: Digest,
    target: Option<Text>,
}

/// Where an entry is, and what it was when it was listed.
struct Place<'a> {
    directory: Cow<'a, RepoPath>,
    name: &'a [u8],
    kind: EntryKind,
}

impl Workspace<'_> {
    /// The first look. `tick` is the time that the file system gives to a file that is written now.
    pub(super) fn before(self, tick: Time) -> Result<Before> {
        // The processes are looked through while the directories are listed, and before any content is read.
        let (mapped, snapshot) = std::thread::scope(|scope| {
            let mapped = scope.spawn(|| mapped::writable(self.root));
            let snapshot = self.walk();
            (mapped.join().expect("a look at other processes does not panic"), snapshot)
        });
        let mut snapshot = snapshot?;
        let looks = self.ask(&places(&snapshot), look)?;
        // An entry without a digest went away before it could be read: it was not there.
        for (entry, look) in entries(&mut snapshot).zip(looks) {
            if let Some(look) = look {
                (entry.stat, entry.digest) = (look.stat, Some(look.digest));
            }
        }
        Ok(Before { snapshot, tick, mapped })
    }

    /// The second look: the net effects since the first.
    pub(super) fn after(self, before: &Before) -> Result<Vec<Effect>> {
        let mut now = self.walk()?;
        let stats = self.ask(&places(&now), stat)?;
        for (entry, stat) in entries(&mut now).zip(stats) {
            // What went away meanwhile is not there, and what is not observed is as good.
            entry.stat = stat.unwrap_or(Stat::unknown(EntryKind::Special));
        }
        let mut differences = delta(&before.snapshot, &now, Trust::Stat(before.tick));
        distrust(&before.mapped, &before.snapshot, &now, &mut differences);
        let dirty = differences.iter().filter_map(|difference| {
            let entry = difference.after.as_ref().filter(|entry| has_content(entry))?;
            let directory = Cow::Owned(difference.path.parent());
            Some((&difference.path, Place { directory, name: difference.path.name(), kind: entry.stat.kind }))
        });
        let (paths, places): (Vec<&RepoPath>, Vec<Place<'_>>) = dirty.unzip();
        let looks = self.ask(&places, look)?;
        let after: Observation =
            paths.into_iter().zip(looks).filter_map(|(path, look)| Some((path.clone(), look?.seen()))).collect();
        let known = differences.iter().filter_map(|difference| {
            let entry = difference.before.as_ref()?;
            let look = Look { stat: entry.stat, digest: entry.digest?, target: None };
            Some((difference.path.clone(), look.seen()))
        });
        Ok(effects(&known.collect(), &after))
    }

    fn walk(self) -> Result<Snapshot> {
        let mut snapshot = walk_in(self.root, Scope::Without(self.ignored), &|_| ())
            .map_err(|error| Error::new(Kind::Snapshot, "cannot open the workspace").caused_by(error))?;
        self.excuse(&mut snapshot)?;
        if (self.stop)() { Err(given_up()) } else { Ok(snapshot) }
    }

    /// Directories that could not be read are no matter if they are no directories any more.
    fn excuse(self, snapshot: &mut Snapshot) -> Result<()> {
        let failed =
            snapshot.listings().iter().filter_map(|listing| Some((listing.path.clone(), listing.error.clone()?)));
        for (path, why) in failed.collect::<Vec<_>>() {
            let now = open::root(self.root)
                .and_then(|root| open::directory_at(&root, path.parent().as_bytes()))
                .and_then(|parent| open::stat(parent, path.name()));
            match now {
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if !path.is_root() => {}
                Ok(stat) if stat.kind != EntryKind::Directory => {
                    if let Some(entry) = snapshot.entry_mut(path.as_bytes()) {
                        entry.stat = stat;
                    }
                }
                _ => return Err(unreadable(&path, anyhow::Error::msg(why))),
            }
        }
        Ok(())
    }

    /// Asks something about each place, in parallel; `None` for what is not there any more.
    fn ask<R: Send>(self, places: &[Place<'_>], question: Question<R>) -> Result<Vec<Option<R>>> {
        let reader = || Reader { workspace: self, held: None, chunk: vec![0; CHUNK] };
        let answers = parallel::map(places, &mut reader(), reader, |reader, place| match reader.ask(place, question) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(Errno::INTR) => Err(given_up()),
            Err(error) => Err(unreadable(&place.directory.join(place.name), error.into())),
            Ok(answer) => Ok(answer),
        });
        answers.into_iter().collect()
    }
}

/// What is asked about a place whose directory is open.
type Question<R> = fn(&mut Reader<'_>, &Place<'_>) -> std::result::Result<Option<R>, Errno>;

/// The entries with content, in the order of [`entries`].
fn places(snapshot: &Snapshot) -> Vec<Place<'_>> {
    let of = |listing| {
        let listing: &Listing = listing;
        listing.entries().iter().filter(|entry| has_content(entry)).map(|entry| Place {
            directory: Cow::Borrowed(&listing.path),
            name: listing.name(entry),
            kind: entry.stat.kind,
        })
    };
    snapshot.listings().iter().flat_map(of).collect()
}

/// The entries with content, to fill in what is known of them.
fn entries(snapshot: &mut Snapshot) -> impl Iterator<Item = &mut Entry> {
    snapshot
        .listings_mut()
        .iter_mut()
        .flat_map(|listing| listing.entries_mut().iter_mut().filter(|entry| has_content(entry)))
}

/// Adds the entries that look the same and may have been written to through memory.
fn distrust(mapped: &BTreeSet<RepoPath>, before: &Snapshot, now: &Snapshot, differences: &mut Vec<Difference>) {
    for path in mapped {
        let (old, new) = (before.entry(path.as_bytes()), now.entry(path.as_bytes()));
        let place = differences.binary_search_by(|difference| difference.path.cmp(path));
        if let (Some(old), Some(new), Err(at)) = (old, new, place) {
            let (before, after) = (Some(old.clone()), Some(new.clone()));
            differences.insert(at, Difference { path: path.clone(), before, after });
        }
    }
}

impl Look {
    fn seen(self) -> Seen {
        let entry_type = if self.stat.kind == EntryKind::Symlink { EntryType::Symlink } else { EntryType::File };
        let Stat { size, permissions, .. } = self.stat;
        Seen { side: Side { entry_type, digest: self.digest, size, mode: Some(permissions) }, target: self.target }
    }
}

/// A reader of entries, with the directory that it has open.
struct Reader<'a> {
    workspace: Workspace<'a>,
    held: Option<(RepoPath, OwnedFd)>,
    chunk: Vec<u8>,
}

impl Reader<'_> {
    fn ask<R>(&mut self, place: &Place<'_>, question: Question<R>) -> std::result::Result<Option<R>, Errno> {
        self.open(&place.directory)?;
        question(self, place)
    }

    /// Holds a directory, reached from the one that is held already where that leads there.
    fn open(&mut self, directory: &RepoPath) -> std::result::Result<(), Errno> {
        if self.held.as_ref().is_some_and(|(path, _)| path == directory) {
            return Ok(());
        }
        let held = self.held.take().filter(|(path, _)| directory.is_within(path.as_bytes()));
        let (from, rest) = match held {
            Some((path, fd)) => (fd, directory.as_bytes()[path.as_bytes().len()..].to_vec()),
            None => (open::root(self.workspace.root)?, directory.as_bytes().to_vec()),
        };
        let fd = if rest.is_empty() { from } else { open::directory_at(&from, &rest)? };
        self.held = Some((directory.clone(), fd));
        Ok(())
    }

    fn directory(&self) -> &OwnedFd {
        &self.held.as_ref().expect("a directory was opened before anything in it").1
    }

    fn file(&mut self, name: &[u8]) -> std::result::Result<Option<Look>, Errno> {
        let (file, mut stat) = match open::file(self.directory(), name) {
            // It is a link by now.
            Err(Errno::LOOP | Errno::MLINK) => return self.link(name),
            // It is a directory, a FIFO or a socket by now, which is not observed.
            Err(Errno::ISDIR | Errno::INVAL | Errno::NXIO) => return Ok(None),
            opened => opened?,
        };
        let (digest, size) = digest::as_read(&file, stat.size, &mut self.chunk, self.workspace.stop)?;
        // A file that grew meanwhile has the size of what was read, so that size and digest tell of the same bytes.
        stat.size = size;
        Ok(Some(Look { stat, digest, target: None }))
    }

    fn link(&self, name: &[u8]) -> std::result::Result<Option<Look>, Errno> {
        let target = match open::link(self.directory(), name) {
            // It is something else by now.
            Err(Errno::INVAL) => return Ok(None),
            read => read?,
        };
        let stat = open::stat(self.directory(), name)?;
        let digest = digest::sha256(&target);
        let is_link = stat.kind == EntryKind::Symlink;
        Ok(is_link.then(|| Look { stat, digest, target: Some(Text::from_bytes(target)) }))
    }
}

/// Reads an entry; `None` when it is nothing that is observed.
fn look(reader: &mut Reader<'_>, place: &Place<'_>) -> std::result::Result<Option<Look>, Errno> {
    if place.kind == EntryKind::Symlink { reader.link(place.name) } else { reader.file(place.name) }
}

/// The stat fields of an entry.
fn stat(reader: &mut Reader<'_>, place: &Place<'_>) -> std::result::Result<Option<Stat>, Errno> {
    open::stat(reader.directory(), place.name).map(Some)
}

fn has_content(entry: &Entry) -> bool {
    matches!(entry.stat.kind, EntryKind::File | EntryKind::Symlink)
}

fn unreadable(path: &RepoPath, why: anyhow::Error) -> Error {
    let name = if path.is_root() { "the workspace".to_owned() } else { path.plain() };
    Error::new(Kind::Snapshot, format!("cannot read {name}"))
        .caused_by(why)
        .hint("Mend its permissions, or leave it out: `ignore` in .stone/config.toml takes relative paths.")
}

fn given_up() -> Error {
    Error::new(Kind::Snapshot, "the look at the workspace was given up")
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
