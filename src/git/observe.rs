//! From the delta of two snapshots to the audit's evidence.

use std::path::PathBuf;

use super::baseline::{is_checked_out, open_submodule, within};
use super::compare::{self, Bytes, Compared};
use super::control::{Control, Frozen};
use super::kept::{self, Contents as KeptContents};
use super::lines::{self, Side};
use super::open::Repository;
use super::parallel;
use super::reader::{Reader, object_id};
use super::today::Today;
use super::triage::{Sorter, Triage};
use crate::audit::evidence::{Change, ChangeKind, Evidence, HeadMovement, Layer, Mode, Remark, RemarkKind};
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{BlobId, Class, Snapshot};

/// What is compared: the fingerprint's part, and the present.
pub struct Scene<'a> {
    /// The control part of the fingerprint.
    pub control: &'a Control,
    /// The snapshot of arm.
    pub baseline: &'a Snapshot,
    /// The snapshot of now.
    pub now: &'a Snapshot,
    /// Where the content of uncommitted work is kept.
    pub kept: PathBuf,
}

/// One changed path with both contents, for a diff.
pub struct Contents {
    /// The change.
    pub change: Change,
    /// What the baseline has.
    pub before: Bytes,
    /// What is there now.
    pub after: Bytes,
}

/// The evidence of all checkouts.
pub fn observe(repository: Repository, scene: &Scene<'_>, delta: Vec<Difference>) -> Result<Evidence> {
    let head = head(&repository, scene)?;
    let mut evidence = Evidence {
        head,
        changes: Vec::new(),
        hidden: Vec::new(),
        obstacles: Vec::new(),
        remarks: Vec::new(),
        drifts: Vec::new(),
        lost: Vec::new(),
    };
    let kept = &scene.control.kept;
    for part in parts(repository, scene, delta)? {
        evidence.changes.extend(part.moved);
        let Some(checkout) = part.checkout else { continue };
        evidence.hidden.extend(checkout.hidden());
        let triage = sort(&checkout, scene, part.delta)?;
        gather(&checkout, triage, &mut evidence)?;
    }
    evidence.changes.sort_by(|a, b| a.path.cmp(&b.path));
    let is_work = |change: &&Change| kept::find(kept, change.path.as_bytes()).is_some_and(|kept| kept.work.is_some());
    evidence.lost = evidence.changes.iter().filter(is_work).map(|change| change.path.clone()).collect();
    evidence.obstacles.sort_by(|a, b| a.0.cmp(&b.0));
    evidence.remarks.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    Ok(evidence)
}

/// The changed paths with their contents, one after the other in the order of [`observe`] within a checkout.
pub fn contents(
    repository: Repository,
    scene: &Scene<'_>,
    delta: Vec<Difference>,
    each: &mut dyn FnMut(Contents) -> Result<()>,
) -> Result<()> {
    for part in parts(repository, scene, delta)? {
        if let Some(change) = part.moved {
            let (before, after) =
                (gitlink(change.mode_before, part.before.as_ref()), gitlink(change.mode_after, part.after.as_ref()));
            each(Contents { change, before, after })?;
        }
        let Some(checkout) = part.checkout else { continue };
        let drivers = checkout.frozen.drivers();
        let mut reader = checkout.reader()?;
        for job in sort(&checkout, scene, part.delta)?.jobs {
            let Some(change) = compare::compare(&mut reader, &drivers, &job)?.change else { continue };
            let (before, after) = compare::sides(&mut reader, &job)?.map_err(|obstacle| {
                Error::repository(format!("{} cannot be read: {}", job.path.plain(), obstacle.describe()))
            })?;
            each(Contents { change, before, after })?;
        }
    }
    Ok(())
}

fn gitlink(mode: Option<Mode>, id: Option<&BlobId>) -> Bytes {
    match (mode, id) {
        (Some(Mode::Gitlink), Some(id)) => Bytes::Gitlink(object_id(id)),
        _ => Bytes::Absent,
    }
}

/// One checkout with its share of the delta.
struct Part<'a> {
    checkout: Option<Today<'a>>,
    delta: Vec<Difference>,
    /// The submodule's own path, when its HEAD is not the recorded one.
    moved: Option<Change>,
    before: Option<BlobId>,
    after: Option<BlobId>,
}

fn parts<'a>(mut repository: Repository, scene: &Scene<'a>, mut delta: Vec<Difference>) -> Result<Vec<Part<'a>>> {
    repository.kept = KeptContents::new(scene.kept.clone(), &scene.control.kept);
    let (first, submodules) = scene.control.checkouts.split_first().ok_or_else(|| Error::state("no checkout"))?;
    let mut opened: Vec<(&Frozen, Option<Repository>)> = Vec::new();
    for frozen in submodules {
        let there = is_checked_out(scene.now, &frozen.prefix);
        let mut submodule = there.then(|| open_submodule(&repository, frozen.prefix.as_bytes())).transpose()?;
        if let Some(submodule) = &mut submodule {
            submodule.kept.clone_from(&repository.kept);
        }
        opened.push((frozen, submodule));
    }
    let mut parts = Vec::new();
    // Inner checkouts take their paths first; what is left is the repository's own.
    for (frozen, submodule) in opened.into_iter().rev() {
        let (inside, rest): (Vec<_>, Vec<_>) = delta.into_iter().partition(|difference| {
            difference.path.is_within(frozen.prefix.as_bytes()) && difference.path != frozen.prefix
        });
        delta = rest;
        let before = scene.baseline.entry(frozen.prefix.as_bytes()).and_then(|entry| match entry.class {
            Class::Gitlink(id) => Some(id),
            _ => None,
        });
        let Some(submodule) = submodule else {
            // The repository inside is gone, and with it what could be said about single files; the work tree's own
            // entry tells whether the directory is.
            let emptied = !inside.is_empty() && scene.now.entry(frozen.prefix.as_bytes()).is_some();
            let moved = emptied.then(|| moved_change(&frozen.prefix, before, None));
            parts.push(Part { checkout: None, delta: Vec::new(), moved, before, after: None });
            continue;
        };
        let after = submodule.head()?.commit.map(super::reader::blob_id);
        let moved = (after != before).then(|| moved_change(&frozen.prefix, before, after));
        let checkout = Today::new(submodule, frozen, scene)?;
        parts.push(Part {
            delta: with_index(&checkout, scene, inside),
            checkout: Some(checkout),
            moved,
            before,
            after,
        });
    }
    let checkout = Today::new(repository, first, scene)?;
    let delta = with_index(&checkout, scene, delta);
    parts.push(Part { checkout: Some(checkout), delta, moved: None, before: None, after: None });
    Ok(parts)
}

/// Adds the paths that only the index moved, so that they are looked at although their files are as they were.
fn with_index(checkout: &Today<'_>, scene: &Scene<'_>, mut delta: Vec<Difference>) -> Vec<Difference> {
    for path in checkout.moved_in_index() {
        if delta.binary_search_by(|difference| difference.path.cmp(&path)).is_ok() {
            continue;
        }
        let before = scene.baseline.entry(path.as_bytes()).cloned();
        let after = scene.now.entry(path.as_bytes()).cloned();
        if before.is_some() || after.is_some() || checkout.kept(path.as_bytes()).is_some() {
            let at = delta.partition_point(|difference| difference.path < path);
            delta.insert(at, Difference { path, before, after });
        }
    }
    delta
}

fn moved_change(prefix: &RepoPath, before: Option<BlobId>, after: Option<BlobId>) -> Change {
    let (old, new) = (before.map(|id| object_id(&id)), after.map(|id| object_id(&id)));
    let side = |id: &Option<gix::ObjectId>| id.is_some();
    let lines = lines::count(
        old.as_deref().map_or(Side::Absent, Side::Gitlink),
        new.as_deref().map_or(Side::Absent, Side::Gitlink),
        &super::attributes::Value::Unspecified,
        &lines::Drivers::new(),
    );
    Change {
        path: prefix.clone(),
        kind: if side(&new) { ChangeKind::Modified } else { ChangeKind::Deleted },
        layers: vec![Layer::Worktree],
        added: lines.added,
        deleted: lines.deleted,
        binary: false,
        size_before: None,
        size_after: None,
        mode_before: Some(Mode::Gitlink),
        mode_after: side(&new).then_some(Mode::Gitlink),
        content: after,
    }
}

fn sort(checkout: &Today<'_>, scene: &Scene<'_>, delta: Vec<Difference>) -> Result<Triage> {
    let mut sorter = Sorter::new(checkout, scene.now);
    if checkout.frozen.prefix.is_root() {
        sorter.unreadable_directories(scene.baseline)?;
    }
    for difference in delta {
        sorter.sort(difference)?;
    }
    Ok(sorter.finish())
}

/// Reads what must be read, in parallel, and adds it to the evidence.
fn gather(checkout: &Today<'_>, triage: Triage, evidence: &mut Evidence) -> Result<()> {
    evidence.obstacles.extend(triage.obstacles);
    evidence.remarks.extend(triage.remarks);
    if triage.jobs.is_empty() && triage.ignored.is_empty() {
        return Ok(());
    }
    let drivers = checkout.frozen.drivers();
    let reader = checkout.reader()?;
    let compared = in_parallel(&reader, &triage.jobs, |reader, job| compare::compare(reader, &drivers, job))?;
    for (job, compared) in triage.jobs.into_iter().zip(compared) {
        let Compared { change, obstacle, remark } = compared?;
        evidence.changes.extend(change);
        evidence.obstacles.extend(obstacle.map(|obstacle| (job.path.clone(), obstacle)));
        evidence.remarks.extend(remark.map(|kind| Remark { kind, path: job.path }));
    }
    let prefix = &checkout.frozen.prefix;
    let digests = in_parallel(&reader, &triage.ignored, |reader, (path, kind, _)| {
        reader.digest(&RepoPath::from(within(prefix, path.as_bytes())), *kind)
    })?;
    for ((path, _, before), now) in triage.ignored.into_iter().zip(digests) {
        if now? != Ok(before) {
            evidence.remarks.push(Remark { kind: RemarkKind::IgnoredChanged, path });
        }
    }
    Ok(())
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

fn head(repository: &Repository, scene: &Scene<'_>) -> Result<HeadMovement> {
    let frozen = scene.control.checkouts.first().ok_or_else(|| Error::state("no checkout"))?;
    let head = repository.head()?;
    Ok(HeadMovement {
        baseline: frozen.commit.clone(),
        current: head.commit.map(|commit| commit.to_string()),
        baseline_ref: frozen.branch.clone(),
        current_ref: head.branch,
    })
}
