//! Takes the baseline: classifies a fresh snapshot by what Git tracks and hides, and refuses a tree that is not clean.
//!
//! A tracked file is taken for its blob only when the index vouches for it to the nanosecond; all others are read.
//! Submodules that are checked out are baselines of their own, below their prefix.

use std::collections::{BTreeSet, HashSet};

use gix::ObjectId;

use super::control::{self, Control, Frozen};
use super::dirt::Dirt;
use super::excludes::{self, Excludes, FrozenFile};
use super::finder::{Finder, Place};
use super::index::{Index, IndexEntry};
use super::kept::Keeper;
use super::locate;
use super::open::Repository;
use super::outside::{self, OutsideLink};
use super::reader::{Reader, Seen, blob_id, object_id};
use super::work::Progress;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::entry::{BlobId, Class, Kind, Snapshot, Stat, Time};

/// The name of the attribute files in the tree.
pub const ATTRIBUTES: &[u8] = b".gitattributes";

/// The word for what the index has and HEAD does not, or the other way round.
const STAGED: &str = "staged";

/// What was taken.
pub struct Taken {
    /// The control part of the fingerprint.
    pub control: Control,
    /// Files and links that Git tracks, those of submodules included.
    pub tracked: u64,
    /// Entries that the exclude rules hide.
    pub ignored: u64,
    /// Files whose content was read because no stat vouched for it.
    pub hashed: u64,
}

/// One tracked file or link to be looked at.
struct Job {
    place: Place,
    path: RepoPath,
    mode: Mode,
    id: BlobId,
    stat: Stat,
    vouched: bool,
}

/// What looking at it showed.
struct Looked {
    clean: bool,
    read: bool,
    digest: Option<[u8; 32]>,
}

/// Classifies every entry of `snapshot`. `tick` is the clock tick before the walk, and `mapped` are the files that a
/// process could write to without a sign of it. With a `keeper`, uncommitted work is
/// part of the baseline and its content goes there.
///
/// # Errors
/// Of kind `Refused` when the work tree is not the commit that HEAD names, or when flags hide a part of it.
pub fn take(
    repository: &Repository,
    snapshot: &mut Snapshot,
    tick: Time,
    rules: &AuditRules,
    mapped: BTreeSet<RepoPath>,
    keeper: Option<&mut Keeper>,
) -> Result<Taken> {
    let mut taker = Taker {
        snapshot,
        tick,
        rules,
        dirt: Dirt::default(),
        work: keeper.map(Progress::new),
        taken: Taken { control: Control { mapped, ..Control::default() }, tracked: 0, ignored: 0, hashed: 0 },
    };
    taker.checkout(repository, &RepoPath::new(""))?;
    taker.dirt.refuse()?;
    if let Some(work) = taker.work {
        taker.taken.control.kept = work.finish()?;
    }
    let mut all = taker.taken;
    all.control.mapped.retain(|path| snapshot.entry(path.as_bytes()).is_some());
    all.control.mounts = super::mounted::now(repository);
    all.control.capable = super::rights::at_arm(&repository.location.root, snapshot);
    Ok(all)
}

struct Taker<'a> {
    snapshot: &'a mut Snapshot,
    tick: Time,
    rules: &'a AuditRules,
    dirt: Dirt,
    work: Option<Progress<'a>>,
    taken: Taken,
}

impl Taker<'_> {
    /// A path that is not as HEAD has it: work to be kept, or dirt.
    fn note(&mut self, how: &str, path: &RepoPath) {
        match &mut self.work {
            Some(work) => work.note(path, how == STAGED),
            None => self.dirt.note(how, path),
        }
    }

    fn checkout(&mut self, repository: &Repository, prefix: &RepoPath) -> Result<()> {
        let index = repository.index()?;
        let sparse = super::sparse::read(repository)?;
        super::dirt::refuse_hidden(&index, prefix, |path| sparse.has_left_out(self.snapshot, prefix, path))?;
        super::dirt::refuse_own_directories(&index, prefix)?;
        let mut frozen = control::freeze(repository, prefix, index.digest)?;
        frozen.is_sparse = index.entries().any(|entry| entry.hiding.is_some());
        self.compare_with_tree(repository, &index, &frozen)?;
        let position = self.taken.control.checkouts.len();
        self.taken.control.checkouts.push(frozen.clone());
        let gitlinks = self.tracked(repository, &index, &frozen)?;
        let initialised = self.gitlinks(repository, prefix, &gitlinks)?;
        (frozen.excludes.untracked, frozen.caches) = self.untracked(repository, &index, &frozen, &gitlinks)?;
        frozen.outside_links = self.outside_links(repository, &frozen)?;
        if let Some(work) = &mut self.work {
            work.keep(repository, &index, &frozen, self.snapshot)?;
        }
        self.taken.control.checkouts[position] = frozen;
        for (path, submodule) in initialised {
            self.checkout(&submodule, &path)?;
        }
        Ok(())
    }

    /// Notes what is staged: every way in which the index is not HEAD's tree.
    fn compare_with_tree(&mut self, repository: &Repository, index: &Index, frozen: &Frozen) -> Result<()> {
        let tree = ObjectId::from_hex(frozen.tree.as_bytes()).expect("gitoxide wrote this id");
        let committed = super::tree::entries(repository, tree)?;
        let mut staged = |path: &[u8]| self.note(STAGED, &join(&frozen.prefix, path));
        let mut committed = committed.iter().peekable();
        for entry in index.entries() {
            while let Some(gone) = committed.next_if(|kept| kept.path.as_bytes() < entry.path) {
                staged(gone.path.as_bytes());
            }
            let same = committed
                .next_if(|kept| kept.path.as_bytes() == entry.path)
                .is_some_and(|kept| Some(kept.mode) == entry.mode && kept.id == entry.id && !entry.conflicted);
            if !same || entry.intent_to_add {
                staged(entry.path);
            }
        }
        committed.for_each(|gone| staged(gone.path.as_bytes()));
        for entry in index.entries().filter(|entry| entry.conflicted && self.work.is_some()) {
            self.dirt.note("conflicted", &join(&frozen.prefix, entry.path));
        }
        Ok(())
    }

    /// Classifies what the index lists; gives back the submodules.
    fn tracked(&mut self, repository: &Repository, index: &Index, frozen: &Frozen) -> Result<Vec<(RepoPath, BlobId)>> {
        let attribute_files = files_named(index, ATTRIBUTES);
        let reader = Reader::new(repository, frozen, &attribute_files)?;
        let may_rewrite =
            !attribute_files.is_empty() || frozen.has_attribute_sources() || frozen.line_endings().rewrites();
        let mut gitlinks = Vec::new();
        let mut jobs = Vec::new();
        let mut missed: Vec<(&str, RepoPath)> = Vec::new();
        let mut finder = Finder::new(self.snapshot);
        let mut vouched = Vec::new();
        for entry in index.entries() {
            let path = join(&frozen.prefix, entry.path);
            let Some((place, stat)) = finder.find(path.as_bytes()) else {
                // Whatever hides a file otherwise was refused.
                if entry.hiding.is_some() {
                    continue;
                }
                missed.push(("missing", path));
                continue;
            };
            match entry.mode {
                Some(Mode::Gitlink) if stat.kind == Kind::Directory => gitlinks.push((path, entry.id)),
                Some(mode) if fits(mode, &stat, frozen.ignores_modes) => {
                    let is_vouched =
                        entry.vouches_for(&stat, index.written) && !self.taken.control.mapped.contains(&path);
                    if is_vouched && !may_rewrite {
                        vouched.push((place, entry.id));
                    } else {
                        jobs.push(self::job(&entry, place, stat, mode, is_vouched));
                    }
                }
                _ if stat.kind == Kind::Special => self.dirt.note("changed", &path),
                _ => missed.push(("changed", path)),
            }
        }
        for (how, path) in &missed {
            self.note(how, path);
        }
        self.taken.tracked += (vouched.len() + jobs.len()) as u64;
        for ((listing, entry), id) in vouched {
            self.snapshot.listings_mut()[listing].entries_mut()[entry].class = Class::Tracked(id);
        }
        let looked = super::reader::in_parallel(&reader, &jobs, look)?;
        for (job, looked) in jobs.iter().zip(looked) {
            let looked = looked?;
            self.taken.hashed += u64::from(looked.read);
            if !looked.clean {
                self.note("changed", &join(&frozen.prefix, job.path.as_bytes()));
                // Its class is found with that of the untracked ones: an exclude file must have its say as it lies there.
                continue;
            }
            let entry = &mut self.snapshot.listings_mut()[job.place.0].entries_mut()[job.place.1];
            entry.class = Class::Tracked(job.id);
            entry.digest = looked.digest;
        }
        Ok(gitlinks)
    }

    /// Marks the submodules, and opens those that are checked out.
    fn gitlinks(
        &mut self,
        repository: &Repository,
        prefix: &RepoPath,
        gitlinks: &[(RepoPath, BlobId)],
    ) -> Result<Vec<(RepoPath, Repository)>> {
        let mut initialised = Vec::new();
        for (path, id) in gitlinks {
            let (listing, entry) = Finder::new(self.snapshot).find(path.as_bytes()).expect("it was found before").0;
            self.snapshot.listings_mut()[listing].entries_mut()[entry].class = Class::Gitlink(*id);
            if !is_checked_out(self.snapshot, path) {
                continue;
            }
            let inside = within(prefix, path.as_bytes());
            let submodule = open_submodule(repository, inside)?;
            match submodule.head()?.commit {
                Some(commit) if commit == object_id(id) => initialised.push((path.clone(), submodule)),
                Some(commit) if self.work.is_some() => {
                    self.note("changed", path);
                    self.snapshot.listings_mut()[listing].entries_mut()[entry].class = Class::Gitlink(blob_id(commit));
                    initialised.push((path.clone(), submodule));
                }
                _ => self.dirt.note("changed", path),
            }
        }
        Ok(initialised)
    }

    /// The tracked links that lead out of the repository.
    fn outside_links(&self, repository: &Repository, frozen: &Frozen) -> Result<Vec<OutsideLink>> {
        let links = outside::tracked_links(self.snapshot, &frozen.prefix);
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let mut reader = Reader::new(repository, frozen, &[])?;
        outside::freeze(repository, &mut reader, &frozen.prefix, self.snapshot, &links)
    }

    /// Classifies what the index does not list: hidden, or not clean. Gives back the untracked exclude files that have
    /// a say, and the directories that are marked as caches.
    fn untracked(
        &mut self,
        repository: &Repository,
        index: &Index,
        frozen: &Frozen,
        gitlinks: &[(RepoPath, BlobId)],
    ) -> Result<(Vec<FrozenFile>, Vec<RepoPath>)> {
        let mut tree = files_named(index, excludes::FILE_NAME);
        if self.work.is_some() {
            // What is not on disk as the index has it has no say, or has it as it lies there.
            tree.retain(|(path, _)| {
                let entry = self.snapshot.entry(join(&frozen.prefix, path.as_bytes()).as_bytes());
                entry.is_some_and(|entry| matches!(entry.class, Class::Tracked(_)))
            });
        }
        let inner: BTreeSet<&[u8]> = gitlinks.iter().map(|(path, _)| path.as_bytes()).collect();
        let mut sources = frozen.excludes.clone();
        loop {
            let mut excludes = Excludes::new(repository, tree.iter().cloned(), &sources)?;
            let sorted = super::hidden::sort(self.snapshot, &frozen.prefix, &inner, &mut excludes)?;
            let known: HashSet<&[u8]> = sources.untracked.iter().map(|file| file.path.as_bytes()).collect();
            let news: Vec<RepoPath> =
                sorted.exclude_files.iter().filter(|path| !known.contains(path.as_bytes())).cloned().collect();
            if news.is_empty() {
                let caches = self.mark(repository, frozen, &sorted)?;
                return Ok((sources.untracked, caches));
            }
            for path in news {
                let mut file = FrozenFile::read(super::files::below(&repository.location.root, path.as_bytes()))?;
                file.path = crate::policy::text::Text::from_bytes(path.as_bytes());
                sources.untracked.push(file);
            }
        }
    }

    fn mark(
        &mut self,
        repository: &Repository,
        frozen: &Frozen,
        sorted: &super::hidden::Sorted,
    ) -> Result<Vec<RepoPath>> {
        if let Some((path, error)) = sorted.unreadable.first() {
            return Err(Error::repository(format!("the directory {} cannot be read: {error}", path.plain()))
                .hint("Make it readable for this user, or have an exclude rule hide it."));
        }
        for path in &sorted.visible {
            if path.name() == b".git" {
                self.dirt.note("untracked", path);
            } else {
                self.note("untracked", path);
            }
        }
        self.taken.ignored += sorted.hidden.len() as u64;
        let mut reader = Reader::new(repository, frozen, &[])?;
        let wanted = super::keep::Wanted {
            hidden: &sorted.hidden,
            tick: self.tick,
            mapped: &self.taken.control.mapped,
            rules: self.rules,
        };
        let (caches, read) = super::keep::ignored(&mut reader, self.snapshot, &frozen.prefix, &wanted)?;
        self.taken.hashed += read;
        Ok(caches)
    }
}

fn job(entry: &IndexEntry<'_>, place: Place, stat: Stat, mode: Mode, vouched: bool) -> Job {
    Job { place, path: RepoPath::from(entry.path), mode, id: entry.id, stat, vouched }
}

fn look(reader: &mut Reader, job: &Job) -> Result<Looked> {
    let is_file = job.mode != Mode::Symlink;
    let rewrites = is_file && reader.rewrites(&job.path)?;
    let mut looked = Looked { clean: true, read: false, digest: None };
    if rewrites {
        looked.digest = readable(&job.path, reader.digest(&job.path, job.stat.kind)?)?.into();
    }
    if !job.vouched {
        let content = readable(&job.path, reader.identify(&job.path, job.stat.kind, Some(job.id))?)?;
        looked.read = true;
        // What a filter driver but that of Git LFS makes of a file cannot be known here; Git's index has to vouch for it.
        let same = content.id == job.id
            || (content.driver && readable(&job.path, reader.is_stored_by_lfs(&job.path, &content, job.id)?)?);
        looked.clean = same && content.stat == job.stat;
    }
    Ok(looked)
}

fn readable<T>(path: &RepoPath, seen: Seen<T>) -> Result<T> {
    seen.map_err(|obstacle| {
        Error::repository(format!("{} cannot be read: {}", path.plain(), obstacle.describe()))
            .hint("Make it readable for this user, or let it rest while arming.")
    })
}

/// Whether what stands on disk is of the kind and mode that Git records.
fn fits(mode: Mode, stat: &Stat, ignores_modes: bool) -> bool {
    match mode {
        Mode::Symlink => stat.kind == Kind::Symlink,
        Mode::File | Mode::Executable => {
            stat.kind == Kind::File && (ignores_modes || stat.is_executable() == (mode == Mode::Executable))
        }
        Mode::Gitlink | Mode::Other => false,
    }
}

/// The regular files of the index with this name.
pub fn files_named(index: &Index, name: &[u8]) -> Vec<(RepoPath, ObjectId)> {
    index
        .entries()
        .filter(|entry| {
            matches!(entry.mode, Some(Mode::File | Mode::Executable))
                && crate::snapshot::open::split(entry.path).1 == name
        })
        .map(|entry| (RepoPath::from(entry.path), object_id(&entry.id)))
        .collect()
}

/// Whether a submodule's directory holds a repository.
pub fn is_checked_out(snapshot: &Snapshot, path: &RepoPath) -> bool {
    snapshot.listing(path.as_bytes()).is_some_and(|listing| listing.position(b".git").is_some())
}

/// Opens the submodule at `inside`, relative to its parent's work tree.
pub fn open_submodule(parent: &Repository, inside: &[u8]) -> Result<Repository> {
    Repository::open(locate::at_top(&super::files::below(&parent.location.root, inside))?)
}

/// A path of a checkout as a path of the whole work tree.
pub fn join(prefix: &RepoPath, path: &[u8]) -> RepoPath {
    prefix.join(path)
}

/// A path of the whole work tree as a path of the checkout at `prefix`.
pub fn within<'a>(prefix: &RepoPath, path: &'a [u8]) -> &'a [u8] {
    let rest = path.strip_prefix(prefix.as_bytes()).unwrap_or(path);
    rest.strip_prefix(b"/").unwrap_or(rest)
}
