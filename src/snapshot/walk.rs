//! Takes a snapshot: one parallel walk relative to directory descriptors.
//!
//! Directories wait on a stack, so that the deepest are read first and few descriptors are open at any time. A directory
//! that cannot be read is part of the snapshot, with the reason: the judge decides what that means.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use rustix::fs::RawDir;
use rustix::io::Errno;

use super::entry::{Class, Kind, Listing, Snapshot, Stat};
use super::open;
use super::owner::Owner;
use crate::error::{Error, Result};
use crate::policy::escape;
use crate::policy::path::RepoPath;

/// Directories at the top of a work tree that are no part of it; anything else of that name is.
pub const NOT_OBSERVED: &[&[u8]] = &[b".cordon", b".stone"];

/// The name under which Git keeps a repository inside a work tree; such a directory is listed, not entered.
const GIT_DIRECTORY: &[u8] = b".git";

/// Descriptors that waiting directories may hold open together; the others are opened again from the root.
const MAX_HELD: usize = 256;

/// More threads than this wait for each other in the kernel more than they help.
const MAX_THREADS: usize = 8;

/// How many bytes of directory entries are asked for at once.
const BUFFER: usize = 64 * 1024;

/// How many entries pass between two reports.
const REPORT_EVERY: u64 = 4096;

/// As many directories as this are read before another thread is worth its start.
const WORTH_THREADS: usize = 64;

/// What a walk passes over.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// What is no part of a repository's work tree: the state of Cordon, ledgers, and the inside of Git directories.
    WorkTree,
    /// These paths, of whatever kind they are, and nothing else. No path is too long. Of each entry only the kind is known
    /// afterwards, which costs no question of its own; whoever reads the entry learns the rest.
    Without(&'a [RepoPath]),
}

impl Scope<'_> {
    /// The entries of `directory` that are passed over whatever they are.
    fn names_without(&self, directory: &RepoPath) -> Vec<&[u8]> {
        match self {
            Scope::WorkTree if directory.is_root() => vec![GIT_DIRECTORY],
            Scope::WorkTree => Vec::new(),
            Scope::Without(paths) => {
                paths.iter().filter(|path| path.parent() == *directory).map(RepoPath::name).collect()
            }
        }
    }

    /// Whether a directory at the top is passed over.
    fn is_without_directory(&self, name: &[u8]) -> bool {
        matches!(self, Scope::WorkTree) && NOT_OBSERVED.contains(&name)
    }

    fn enters(&self, name: &[u8]) -> bool {
        matches!(self, Scope::Without(_)) || name != GIT_DIRECTORY
    }

    fn wants_kinds(&self) -> bool {
        matches!(self, Scope::Without(_))
    }

    fn is_in_reach(&self, path: &RepoPath) -> bool {
        matches!(self, Scope::Without(_)) || path.as_bytes().len() <= open::MAX_PATH
    }
}

/// Everything under `root` that is part of the work tree. `report` is told now and then how many entries were seen.
pub fn walk(root: &Path, report: &(dyn Fn(u64) + Sync)) -> Result<Snapshot> {
    walk_in(root, Scope::WorkTree, report)
}

/// Everything under `root` within a scope. `report` is told now and then how many entries were seen.
pub fn walk_in(root: &Path, scope: Scope<'_>, report: &(dyn Fn(u64) + Sync)) -> Result<Snapshot> {
    let fd = open::root(root).map_err(|error| {
        Error::io(format!("cannot open the work tree {}", escape::plain(root.as_os_str().as_encoded_bytes())), error)
    })?;
    let owner = rustix::fs::fstat(&fd).map_or(Owner(0, 0), |system| Owner::of(&system));
    let walker = Walker::new(Arc::new(fd), owner, scope, report);
    let mut listings = walker.work(WORTH_THREADS);
    if walker.is_done() {
        return Ok(Snapshot::new(listings).owned_by(owner));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    std::thread::scope(|threads_of| {
        let workers: Vec<_> = (1..threads).map(|_| threads_of.spawn(|| walker.work(usize::MAX))).collect();
        listings.append(&mut walker.work(usize::MAX));
        for worker in workers {
            listings.append(&mut worker.join().expect("a walking thread does not panic"));
        }
    });
    Ok(Snapshot::new(listings).owned_by(owner))
}

/// A directory that waits to be read.
struct Job {
    path: RepoPath,
    parent: Option<Arc<OwnedFd>>,
}

struct Queue {
    jobs: Vec<Job>,
    /// Threads that may still add jobs.
    busy: usize,
}

struct Walker<'a> {
    root: Arc<OwnedFd>,
    /// Who owns the top.
    owner: Owner,
    scope: Scope<'a>,
    queue: Mutex<Queue>,
    wake: Condvar,
    held: AtomicUsize,
    seen: AtomicU64,
    report: &'a (dyn Fn(u64) + Sync),
}

impl<'a> Walker<'a> {
    fn new(root: Arc<OwnedFd>, owner: Owner, scope: Scope<'a>, report: &'a (dyn Fn(u64) + Sync)) -> Self {
        let jobs = vec![Job { path: RepoPath::new(Vec::new()), parent: None }];
        let queue = Mutex::new(Queue { jobs, busy: 0 });
        Walker {
            root,
            owner,
            scope,
            queue,
            wake: Condvar::new(),
            held: AtomicUsize::new(0),
            seen: AtomicU64::new(0),
            report,
        }
    }

    /// Whether no directory waits; asked only while no thread works.
    fn is_done(&self) -> bool {
        self.queue.lock().expect("no thread panics while it holds the queue").jobs.is_empty()
    }

    /// Reads directories until none is left or `most` are read, and gives back what this thread has read.
    fn work(&self, most: usize) -> Vec<Listing> {
        let mut listings = Vec::new();
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
        while listings.len() < most
            && let Some(job) = self.take()
        {
            let (listing, children) = self.read(job, &mut buffer);
            let entries = listing.entries().len() as u64;
            let seen = self.seen.fetch_add(entries, Ordering::Relaxed);
            if seen / REPORT_EVERY != (seen + entries) / REPORT_EVERY {
                (self.report)(seen + entries);
            }
            listings.push(listing);
            self.give(children);
        }
        listings
    }

    fn take(&self) -> Option<Job> {
        let mut queue = self.queue.lock().expect("no thread panics while it holds the queue");
        loop {
            if let Some(job) = queue.jobs.pop() {
                queue.busy += 1;
                return Some(job);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.wake.wait(queue).expect("no thread panics while it holds the queue");
        }
    }

    fn give(&self, children: Vec<Job>) {
        let mut queue = self.queue.lock().expect("no thread panics while it holds the queue");
        queue.busy -= 1;
        let wake = !children.is_empty() || queue.busy == 0;
        queue.jobs.extend(children);
        drop(queue);
        if wake {
            self.wake.notify_all();
        }
    }

    fn read(&self, job: Job, buffer: &mut [MaybeUninit<u8>]) -> (Listing, Vec<Job>) {
        let mut listing = Listing::new(job.path.clone());
        let opened = self.open(job).and_then(|fd| {
            fill(&mut listing, &fd, self.owner, self.scope, buffer)?;
            Ok(fd)
        });
        listing.sort();
        match opened {
            Ok(fd) => {
                let children = self.children(&listing, fd);
                (listing, children)
            }
            Err(error) => {
                listing.error = Some(error.to_string());
                (listing, Vec::new())
            }
        }
    }

    fn open(&self, job: Job) -> std::result::Result<OwnedFd, Errno> {
        if !self.scope.is_in_reach(&job.path) {
            return Err(Errno::NAMETOOLONG);
        }
        let Some(parent) = job.parent else { return open::directory_at(&self.root, job.path.as_bytes()) };
        let opened = open::directory(&*parent, job.path.name());
        // The last child lets go of its parent, so the count follows the descriptors that jobs keep alive.
        if Arc::into_inner(parent).is_some() {
            self.held.fetch_sub(1, Ordering::Relaxed);
        }
        opened
    }

    fn children(&self, listing: &Listing, fd: OwnedFd) -> Vec<Job> {
        let names: Vec<&[u8]> = listing
            .entries()
            .iter()
            .filter(|entry| entry.stat.kind == Kind::Directory)
            .map(|entry| listing.name(entry))
            .filter(|name| self.scope.enters(name))
            .collect();
        let keep = !names.is_empty() && self.held.load(Ordering::Relaxed) < MAX_HELD;
        if keep {
            self.held.fetch_add(1, Ordering::Relaxed);
        }
        let parent = keep.then(|| Arc::new(fd));
        names.into_iter().map(|name| Job { path: listing.path.join(name), parent: parent.clone() }).collect()
    }
}

/// Reads the entries of an open directory with their stat fields.
fn fill(
    listing: &mut Listing,
    fd: &OwnedFd,
    owner: Owner,
    scope: Scope<'_>,
    buffer: &mut [MaybeUninit<u8>],
) -> std::result::Result<(), Errno> {
    let at_root = listing.path.is_root();
    let without = scope.names_without(&listing.path);
    let mut directory = RawDir::new(fd, buffer);
    while let Some(entry) = directory.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || without.contains(&name) {
            continue;
        }
        let told = if scope.wants_kinds() { Kind::of(entry.file_type()) } else { None };
        let ask = || {
            let system = rustix::fs::statat(fd, entry.file_name(), rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
            Ok((Stat::of(&system), Owner::of(&system)))
        };
        match told.map_or_else(ask, |kind| Ok((Stat::unknown(kind), owner))) {
            Ok((stat, own)) => {
                if !(at_root && stat.kind == Kind::Directory && scope.is_without_directory(name)) {
                    listing.push(name, stat, Class::Unclassified, None);
                    if own != owner {
                        listing.note_owner(name, own);
                    }
                }
            }
            // It went away between the listing and the question: it is not there.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::snapshot::entry::Entry;

    fn walked(root: &Path) -> Snapshot {
        walk(root, &|_| ()).unwrap()
    }

    #[test]
    fn lists_everything_but_what_is_not_observed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for directory in [".git/objects", ".cordon", ".stone", "a/b", "a/.git/refs", "empty"] {
            std::fs::create_dir_all(at(directory)).unwrap();
        }
        for file in ["top", "a/b/deep", "a/.git/refs/x", ".git/HEAD"] {
            std::fs::write(at(file), "x").unwrap();
        }
        symlink("b", at("a/link")).unwrap();
        let snapshot = walked(root.path());
        let paths: Vec<String> = snapshot
            .listings()
            .iter()
            .flat_map(|listing| listing.entries().iter().map(|entry| listing.path_of(entry).plain()))
            .collect();
        assert_eq!(paths, ["a", "empty", "top", "a/.git", "a/b", "a/link", "a/b/deep"]);
        assert_eq!(snapshot.entry(b"a/link").map(|entry| entry.stat.kind), Some(Kind::Symlink));
        assert_eq!(snapshot.entry(b"a/b/deep").map(|entry: &Entry| entry.stat.size), Some(1));
        assert_eq!(snapshot.len(), 7);
    }

    #[test]
    fn a_scope_names_what_it_is_without() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for directory in [".git/objects", ".stone/x", "a/.git/refs", "a/b"] {
            std::fs::create_dir_all(at(directory)).unwrap();
        }
        for file in ["a/.git/refs/x", "a/b/c", "a/bc", "venv"] {
            std::fs::write(at(file), "x").unwrap();
        }
        let without = [".stone", "venv", "a/b"].map(RepoPath::from);
        let snapshot = walk_in(root.path(), Scope::Without(&without), &|_| ()).unwrap();
        let listings = snapshot.listings().iter();
        let paths: Vec<String> =
            listings.flat_map(|listing| listing.entries().iter().map(|entry| listing.path_of(entry).plain())).collect();
        assert_eq!(paths, [".git", "a", ".git/objects", "a/.git", "a/bc", "a/.git/refs", "a/.git/refs/x"]);
    }

    #[test]
    fn a_broad_and_deep_tree_is_walked_whole() {
        let root = tempfile::tempdir().unwrap();
        let mut directory = root.path().to_path_buf();
        for level in 0..400 {
            for side in 0..2 {
                std::fs::create_dir(directory.join(format!("s{side}"))).unwrap();
            }
            std::fs::write(directory.join("f"), format!("{level}")).unwrap();
            directory.push("s0");
        }
        assert_eq!(walked(root.path()).len(), 400 * 3);
    }

    #[test]
    fn what_cannot_be_read_is_part_of_the_snapshot() {
        let root = tempfile::tempdir().unwrap();
        let closed = root.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).unwrap();
        let snapshot = walked(root.path());
        // The superuser reads everything; the test script runs this once more as nobody.
        let expected = !rustix::process::geteuid().is_root();
        assert_eq!(snapshot.listing(b"closed").is_some_and(|listing| listing.error.is_some()), expected);
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
