//! Compares one path with the baseline: what kind of change it is, and its lines as Git counts them.

use gix::ObjectId;

use super::attributes::Value;
use super::blob;
use super::lines::{self, BIG_FILE, Drivers, Side};
use super::objects::Objects;
use super::oversize;
use super::reader::{Content, Reader, Seen, object_id};
use super::today::Recorded;
use super::touched::{self, Known, Trace};
use super::triage::{Job, Standing};
use crate::audit::evidence::{Change, ChangeKind, Layer, Mode, Obstacle, RemarkKind};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::digest;
use crate::snapshot::entry::{BlobId, Entry, Kind};

/// What a comparison showed.
#[derive(Debug, Default)]
pub struct Compared {
    /// The change, if there is one.
    pub change: Option<Change>,
    /// Why the path cannot be vouched for, if it cannot.
    pub obstacle: Option<Obstacle>,
    /// What is only noted.
    pub remark: Option<RemarkKind>,
    /// What lies on disk otherwise than at arm; `None` where nobody asked.
    pub trace: Option<Trace>,
}

/// One side of a change with its content in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bytes {
    /// Nothing is there.
    Absent,
    /// A regular file; `None` when it is too big to be text.
    File(Option<Vec<u8>>),
    /// A symbolic link's target.
    Link(Vec<u8>),
    /// A submodule's commit.
    Gitlink(ObjectId),
}

/// How the files of a checkout are compared.
pub struct Way {
    /// The diff drivers of arm.
    pub drivers: Drivers,
    /// Whether what lies on disk is told as well.
    pub traced: bool,
    /// The bytes that changed paths may come to: see [`oversize`].
    pub budget: u64,
}

/// Compares, and counts lines where something differs.
pub fn compare(reader: &mut Reader, way: &Way, job: &Job) -> Result<Compared> {
    let unread = oversize::is_unread(reader, job, way.budget)?;
    let traced = way.traced && !unread;
    let now = match &job.after {
        Some(after) if after.stat.kind != Kind::Special && !unread => match identify(reader, job, after)? {
            Ok(content) => Some(content),
            Err(obstacle) => return Ok(unreadable(job, after, obstacle)),
        },
        _ => None,
    };
    let mut compared = Compared::default();
    let worktree =
        if unread { Some(oversize::kind(job)) } else { worktree_kind(reader, job, now.as_ref(), &mut compared)? };
    let layers = layers(job, worktree.is_some());
    let kind = worktree.or_else(|| left_or_entered_index(job));
    if worktree.is_none() && traced {
        compared.trace = Some(touched::trace(reader, job, now.as_ref(), &Known::default())?);
    }
    let Some(kind) = kind else { return Ok(compared) };
    let mut change = describe(job, kind, layers);
    if worktree.is_some() {
        // Of a file that is too large to be text nothing is read here.
        let (before, after, digest) = match sides_with(reader, job, traced)? {
            Ok(sides) => sides,
            Err(obstacle) => {
                compared.obstacle = Some(obstacle);
                compared.change = Some(change);
                return Ok(compared);
            }
        };
        if traced {
            let known = Known { before: Some(&before), after: digest };
            compared.trace = Some(touched::trace(reader, job, now.as_ref(), &known)?);
        }
        let attributes = reader.attributes(&job.inside)?;
        let counted = lines::count(before.side(), after.side(), &attributes.diff, &way.drivers);
        (change.added, change.deleted, change.binary) = (counted.added, counted.deleted, counted.binary);
        change.size_before = before.len(reader.objects(), job.baseline)?;
    }
    if unread {
        compared.trace = way.traced.then_some(Trace::TooLarge);
        change.size_after = job.after.as_ref().map(|after| after.stat.size);
    } else {
        change.size_after = now.as_ref().map(|content| content.stat.size);
    }
    change.content = now.map(|content| content.id);
    compared.change = Some(change);
    Ok(compared)
}

/// The change of a path that is a submodule, or a repository that Git would take for one, on either side.
pub fn gitlink_change(path: &RepoPath, before: Option<BlobId>, after: Option<BlobId>, layer: Layer) -> Change {
    let (old, new) = (before.map(|id| object_id(&id)), after.map(|id| object_id(&id)));
    let side = |id: &Option<ObjectId>| if id.is_some() { Some(Mode::Gitlink) } else { None };
    let counted = lines::count(
        old.as_deref().map_or(Side::Absent, Side::Gitlink),
        new.as_deref().map_or(Side::Absent, Side::Gitlink),
        &Value::Unspecified,
        &Drivers::new(),
    );
    let kind = match (before, after) {
        (None, _) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Deleted,
        (Some(_), Some(_)) => ChangeKind::Modified,
    };
    Change {
        path: path.clone(),
        kind,
        layers: vec![layer],
        added: counted.added,
        deleted: counted.deleted,
        binary: false,
        size_before: None,
        size_after: None,
        mode_before: side(&old),
        mode_after: side(&new),
        commit: None,
        content: after,
    }
}

/// Two contents as Git stores them, and SHA-256 of the second as it lies on disk.
type Sides = (Bytes, Bytes, Option<[u8; 32]>);

/// The two contents, as Git stores them.
pub fn sides(reader: &mut Reader, job: &Job) -> Result<Seen<(Bytes, Bytes)>> {
    Ok(sides_with(reader, job, false)?.map(|(before, after, _)| (before, after)))
}

/// The same, `digested` with SHA-256 of the bytes on disk, where they were read as a whole.
fn sides_with(reader: &mut Reader, job: &Job, digested: bool) -> Result<Seen<Sides>> {
    let before = stored(reader.objects(), job.baseline)?;
    let Some(after) =
        job.after.as_ref().filter(|after| after.stat.kind != Kind::Special && job.standing != Standing::Gone)
    else {
        return Ok(Ok((before, Bytes::Absent, None)));
    };
    let in_index = job.index.map(|recorded| recorded.id);
    let look = |raw: &[u8]| digested.then(|| digest::sha256(raw));
    let loaded = reader.load_with(&job.inside, after.stat.kind, in_index, look)?;
    Ok(loaded.map(|loaded| {
        let (bytes, digest) = loaded.map_or((None, None), |(bytes, digest)| (Some(bytes), digest));
        match after.stat.kind {
            Kind::Symlink => (before, Bytes::Link(bytes.unwrap_or_default()), digest),
            _ => (before, Bytes::File(bytes), digest),
        }
    }))
}

/// What the object database has of a recorded path.
pub fn stored(objects: &Objects, recorded: Option<Recorded>) -> Result<Bytes> {
    Ok(match recorded {
        None => Bytes::Absent,
        Some(Recorded { id, mode: Mode::Gitlink }) => Bytes::Gitlink(object_id(&id)),
        // Git knows this one by heart; an intent to add names it without storing it.
        Some(Recorded { id, .. }) if object_id(&id).is_empty_blob() => Bytes::File(Some(Vec::new())),
        Some(Recorded { id, mode }) => {
            let id = object_id(&id);
            let bytes = match blob::stated_size(objects, &id)? {
                size if size > BIG_FILE => None,
                _ => Some(blob::read(objects, &id)?),
            };
            if mode == Mode::Symlink { Bytes::Link(bytes.unwrap_or_default()) } else { Bytes::File(bytes) }
        }
    })
}

impl Bytes {
    /// The side of a comparison.
    pub fn side(&self) -> Side<'_> {
        match self {
            Bytes::Absent => Side::Absent,
            Bytes::File(None) => Side::Huge,
            Bytes::File(Some(bytes)) => Side::File(bytes),
            Bytes::Link(target) => Side::Link(target),
            Bytes::Gitlink(id) => Side::Gitlink(id),
        }
    }

    /// The size of the blob.
    pub fn len(&self, objects: &Objects, recorded: Option<Recorded>) -> Result<Option<u64>> {
        Ok(match (self, recorded) {
            (Bytes::Absent | Bytes::Gitlink(_), _) | (_, None) => None,
            (Bytes::File(None), Some(recorded)) => Some(blob::stated_size(objects, &object_id(&recorded.id))?),
            (Bytes::File(Some(bytes)) | Bytes::Link(bytes), _) => Some(bytes.len() as u64),
        })
    }
}

fn identify(reader: &mut Reader, job: &Job, after: &Entry) -> Result<Seen<Content>> {
    reader.identify(&job.inside, after.stat.kind, job.index.map(|recorded| recorded.id))
}

/// A path that cannot be read is a change of unknown size.
fn unreadable(job: &Job, after: &Entry, obstacle: Obstacle) -> Compared {
    let kind = if job.baseline.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
    let mut change = describe(job, kind, vec![Layer::Worktree]);
    change.size_after = Some(after.stat.size);
    Compared { change: Some(change), obstacle: Some(obstacle), ..Compared::default() }
}

/// How the file on disk differs from the baseline, if it does.
fn worktree_kind(
    reader: &mut Reader,
    job: &Job,
    now: Option<&Content>,
    compared: &mut Compared,
) -> Result<Option<ChangeKind>> {
    let Some(baseline) = job.baseline else { return Ok(now.map(|_| ChangeKind::Added)) };
    let Some(content) = now else {
        if job.standing == Standing::LeftOut && job.after.is_none() {
            return Ok(None);
        }
        let special = job.after.is_some();
        return Ok(Some(if special { ChangeKind::TypeChanged } else { ChangeKind::Deleted }));
    };
    if job.standing == Standing::Gone {
        return Ok(Some(ChangeKind::Deleted));
    }
    let mode = mode_of(content);
    if (baseline.mode == Mode::Symlink) != (mode == Mode::Symlink) || baseline.mode == Mode::Gitlink {
        return Ok(Some(ChangeKind::TypeChanged));
    }
    let same_bytes = match job.digest {
        // The blob does not give the bytes on disk, so the bytes themselves are compared.
        Some(digest) => match reader.digest(&job.inside, content.stat.kind)? {
            Ok(now) => now == digest,
            Err(obstacle) => {
                compared.obstacle = Some(obstacle);
                false
            }
        },
        None => content.id == baseline.id && !content.converted,
    };
    let same_for_lfs = !same_bytes
        && content.driver
        && reader.is_stored_by_lfs(&job.inside, content, baseline.id)?.unwrap_or_else(|obstacle| {
            compared.obstacle = Some(obstacle);
            false
        });
    if !same_bytes && !same_for_lfs && (content.id != baseline.id || content.driver) {
        return Ok(Some(ChangeKind::Modified));
    }
    if mode != baseline.mode && !job.ignores_modes {
        return Ok(Some(ChangeKind::ModeChanged));
    }
    let permissions = job.before.as_ref().map(|before| before.stat.permissions);
    compared.remark = if !same_bytes {
        Some(RemarkKind::SameForGit)
    } else if job.standing != Standing::LeftOut && permissions != Some(content.stat.permissions) {
        Some(RemarkKind::Permissions)
    } else {
        None
    };
    Ok(None)
}

/// A path whose file is as it was, but which Git tracks no longer, or only now.
fn left_or_entered_index(job: &Job) -> Option<ChangeKind> {
    match (job.index_before, job.index) {
        (Some(_), None) => Some(ChangeKind::Deleted),
        (None, Some(_)) if job.work => Some(ChangeKind::Added),
        (Some(before), Some(now)) if job.work && before != now => Some(ChangeKind::Modified),
        _ => None,
    }
}

fn layers(job: &Job, worktree: bool) -> Vec<Layer> {
    let index = job.index_before != job.index;
    [(index, Layer::Index), (worktree, Layer::Worktree)].into_iter().filter(|(on, _)| *on).map(|(_, l)| l).collect()
}

fn describe(job: &Job, kind: ChangeKind, layers: Vec<Layer>) -> Change {
    let mode_after = job.after.as_ref().map(|after| match after.stat.kind {
        Kind::Symlink => Mode::Symlink,
        Kind::File if after.stat.is_executable() => Mode::Executable,
        Kind::File => Mode::File,
        Kind::Directory | Kind::Special => Mode::Other,
    });
    Change {
        path: job.path.clone(),
        kind,
        layers,
        added: 0,
        deleted: 0,
        binary: false,
        size_before: None,
        size_after: None,
        mode_before: job.baseline.map(|recorded| recorded.mode),
        mode_after,
        commit: None,
        content: None,
    }
}

fn mode_of(content: &Content) -> Mode {
    match content.stat.kind {
        Kind::Symlink => Mode::Symlink,
        _ if content.stat.is_executable() => Mode::Executable,
        _ => Mode::File,
    }
}
