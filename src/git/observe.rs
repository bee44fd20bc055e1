//! From the delta of two snapshots to the audit's evidence.

use std::collections::HashSet;
use std::path::PathBuf;

use super::baseline::{is_checked_out, open_submodule, within};
use super::caches::Caches;
use super::compare::{self, Bytes, Compared, Way};
use super::control::{Control, Frozen};
use super::kept::{self, Contents as KeptContents};
use super::marks::Marker;
use super::odd::Odd;
use super::open::Repository;
use super::plane::refs;
use super::reader::{in_parallel, object_id};
use super::today::Today;
use super::triage::{Sorter, Triage};
use super::{ask, audited, history, ignored, layers, mounted, outside, rights, staged, store, submodules, touched};
use crate::audit::evidence::{Change, Evidence, HeadMovement, Layer, Mode, Place, Remark, RemarkKind, Stage};
use crate::audit::ignored::{Ignored, IgnoredKind};
use crate::audit::links;
use crate::error::{Error, Result};
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{BlobId, Entry, Kind, Snapshot, Time};
use crate::snapshot::open;
use crate::snapshot::walk::NOT_OBSERVED;

/// What is compared: the fingerprint's part, and the present.
pub struct Scene<'a> {
    /// The control part of the fingerprint.
    pub control: &'a Control,
    /// The snapshot of arm.
    pub baseline: &'a Snapshot,
    /// The snapshot of now.
    pub now: &'a Snapshot,
    /// The clock tick of arm.
    pub tick: Time,
    /// Where the content of uncommitted work is kept.
    pub kept: PathBuf,
    /// What decides which ignored entries are judged, for whoever wants to have what lies on disk told.
    pub rules: Option<&'a AuditRules>,
    /// The bytes that changed paths may come to.
    pub budget: u64,
}

impl Scene<'_> {
    /// How the files of one checkout are compared.
    pub fn way(&self, frozen: &Frozen) -> Way {
        Way { drivers: frozen.drivers(), traced: self.rules.is_some(), budget: self.budget }
    }
}

/// One changed path with both contents, for a diff.
pub struct Contents {
    /// The change.
    pub change: Change,
    /// The object that the baseline has there.
    pub id_before: Option<BlobId>,
    /// What the baseline has.
    pub before: Bytes,
    /// What is there now.
    pub after: Bytes,
}

/// The evidence of all checkouts.
pub fn observe(repository: Repository, scene: &Scene<'_>, mut delta: Vec<Difference>) -> Result<Evidence> {
    let head = head(&repository, scene)?;
    distrust(scene, &mut delta);
    let location = repository.location.clone();
    // What cannot be answered is taken for not hidden, which is the stricter answer.
    let hides = |directory: &[u8]| {
        Repository::open(location.clone())
            .and_then(|own| ask::hidden_at_arm(own, scene, &RepoPath::from(directory), true))
            .unwrap_or(false)
    };
    let (mut drifts, same_refs) = super::plane::drifts::drifts(&repository, scene.control, scene.now, &hides)?;
    drifts.extend(mounted::drifts(&repository, &scene.control.mounts));
    let no_history = same_refs && !head.moved();
    let mut evidence = Evidence {
        head,
        checkouts: scene.control.checkouts.iter().map(Frozen::checkout).collect(),
        drifts,
        marks: rights::marks(&repository.location.root, &scene.control.capable, &delta),
        ..Evidence::default()
    };
    for (path, compared) in submodules::initialised(&repository, scene, &mut delta)? {
        record(&mut evidence, path, compared);
    }
    let owners = scene.control.owners.iter().flat_map(|owners| owners.changed(scene.baseline, scene.now));
    evidence.remarks.extend(owners.map(|path| Remark { kind: RemarkKind::Owner, path }));
    let kept = &scene.control.kept;
    for part in parts(repository, scene, delta)? {
        evidence.changes.extend(part.moved);
        for _ in 0..part.lost.1 {
            evidence.omissions.note(part.lost.0.prefix.as_bytes(), "files of a submodule whose repository is gone");
        }
        let Some(checkout) = part.checkout else { continue };
        evidence.hidden.extend(checkout.hidden());
        let mut triage = sort(&checkout, scene, part.delta)?;
        let nested = std::mem::take(&mut triage.nested);
        let before = evidence.changes.len();
        gather(&checkout, scene, triage, &mut evidence)?;
        if checkout.frozen.prefix.is_root() {
            evidence.tree = audited::id(&checkout, scene, &nested, &evidence.changes);
        }
        let index = staged::layer(&checkout, &evidence.changes[before..])?;
        layers::merge(&mut evidence.changes, index.changes);
        evidence.marks.extend(index.marks);
        evidence.drifts.extend(store::check::drifts(&checkout, scene.tick)?);
        evidence.stages.push(Stage { place: Place::Index, metrics: index.metrics });
        // The refs of submodules are not compared, so their history is always looked at.
        if !(no_history && checkout.frozen.prefix.is_root()) {
            history::add(&checkout, &fetched(scene, &checkout.frozen.prefix), &mut evidence)?;
        }
    }
    evidence.changes.sort_by(|a, b| a.path.cmp(&b.path));
    let is_work = |change: &&Change| kept::find(kept, change.path.as_bytes()).is_some_and(|kept| kept.work.is_some());
    evidence.lost = evidence.changes.iter().filter(is_work).map(|change| change.path.clone()).collect();
    evidence.obstacles.sort_by(|a, b| a.0.cmp(&b.0));
    evidence.ignored.sort();
    evidence.touched.sort_by(|a, b| a.path.cmp(&b.path));
    evidence.marks = links::once(std::mem::take(&mut evidence.marks));
    evidence.remarks.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    Ok(evidence)
}

/// Adds the files that a process could write to at arm without a sign of it, so that they are read whatever their stat says.
fn distrust(scene: &Scene<'_>, delta: &mut Vec<Difference>) {
    for path in &scene.control.mapped {
        let (before, after) = (scene.baseline.entry(path.as_bytes()), scene.now.entry(path.as_bytes()));
        if let (Some(before), Some(after)) = (before, after)
            && let Err(at) = delta.binary_search_by(|difference| difference.path.cmp(path))
        {
            let difference =
                Difference { path: path.clone(), before: Some(before.clone()), after: Some(after.clone()) };
            delta.insert(at, difference);
        }
    }
}

/// The changed paths with their contents, one after the other in the order of [`observe`] within a checkout.
pub fn contents(
    repository: Repository,
    scene: &Scene<'_>,
    mut delta: Vec<Difference>,
    each: &mut dyn FnMut(Contents) -> Result<()>,
) -> Result<()> {
    distrust(scene, &mut delta);
    submodules::initialised(&repository, scene, &mut delta)?;
    for part in parts(repository, scene, delta)? {
        if let Some(change) = part.moved {
            let (before, after) =
                (gitlink(change.mode_before, part.before.as_ref()), gitlink(change.mode_after, part.after.as_ref()));
            each(Contents { change, id_before: part.before, before, after })?;
        }
        let Some(checkout) = part.checkout else { continue };
        let way = scene.way(checkout.frozen);
        let mut reader = checkout.reader()?;
        for job in sort(&checkout, scene, part.delta)?.jobs {
            let Some(change) = compare::compare(&mut reader, &way, &job)?.change else { continue };
            let (before, after) = compare::sides(&mut reader, &job)?.map_err(|obstacle| {
                Error::repository(format!("{} cannot be read: {}", job.path.plain(), obstacle.describe()))
            })?;
            each(Contents { change, id_before: job.baseline.map(|recorded| recorded.id), before, after })?;
        }
    }
    Ok(())
}

/// The prefixes of refs that the remotes of one checkout were configured to write at arm.
fn fetched(scene: &Scene<'_>, prefix: &RepoPath) -> Vec<Vec<u8>> {
    let part = scene.control.plane.parts.iter().find(|part| part.prefix == *prefix);
    part.map(|part| refs::destinations(&part.config)).unwrap_or_default()
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
    /// The checkout, and how many files went with it.
    lost: (&'a Frozen, usize),
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
        let before = submodules::recorded(scene.baseline, &frozen.prefix);
        let Some(submodule) = submodule else {
            // The repository inside is gone, and with it what could be said about single files; the work tree's own
            // entry tells whether the directory is.
            let lost = inside.iter().filter(|inner| is_lost(inner)).count();
            let emptied = !inside.is_empty()
                && scene.now.listing(frozen.prefix.as_bytes()).is_some_and(|now| !now.entries().is_empty());
            let moved = emptied.then(|| compare::gitlink_change(&frozen.prefix, before, None, Layer::Worktree));
            delta.extend(submodules::left_behind(inside));
            delta.sort_by(|a, b| a.path.cmp(&b.path));
            parts.push(Part { checkout: None, delta: Vec::new(), moved, before, after: None, lost: (frozen, lost) });
            continue;
        };
        let after = submodule.head()?.commit.map(super::reader::blob_id);
        let moved = (after != before).then(|| compare::gitlink_change(&frozen.prefix, before, after, Layer::Worktree));
        let checkout = Today::new(submodule, frozen, scene)?;
        parts.push(Part {
            delta: with_index(&checkout, scene, inside),
            checkout: Some(checkout),
            moved,
            before,
            after,
            lost: (frozen, 0),
        });
    }
    let checkout = Today::new(repository, first, scene)?;
    let delta = with_index(&checkout, scene, delta);
    parts.push(Part { checkout: Some(checkout), delta, moved: None, before: None, after: None, lost: (first, 0) });
    Ok(parts)
}

/// Whether a file is gone together with the repository that could tell its bytes.
fn is_lost(difference: &Difference) -> bool {
    let before = difference.before.as_ref().is_some_and(|before| touched::has_content(before.stat.kind));
    before && difference.after.is_none() && difference.path.name() != b".git"
}

/// Adds the paths that only the index moved, so that they are looked at although their files are as they were.
fn with_index(checkout: &Today<'_>, scene: &Scene<'_>, mut delta: Vec<Difference>) -> Vec<Difference> {
    for path in checkout.moved_in_index() {
        if delta.binary_search_by(|difference| difference.path.cmp(&path)).is_ok() {
            continue;
        }
        let before = scene.baseline.entry(path.as_bytes()).cloned();
        let after = scene.now.entry(path.as_bytes()).cloned().or_else(|| unobserved(checkout, &path));
        let is_known = checkout.kept(path.as_bytes()).is_some() || checkout.left_out(&path).is_some();
        if before.is_some() || after.is_some() || is_known {
            let at = delta.partition_point(|difference| difference.path < path);
            delta.insert(at, Difference { path, before, after });
        }
    }
    delta
}

/// What lies on disk where the walk does not look, for a path that the index has all the same.
fn unobserved(checkout: &Today<'_>, path: &RepoPath) -> Option<Entry> {
    if !NOT_OBSERVED.iter().any(|name| path.is_within(name)) {
        return None;
    }
    let root = open::root(&checkout.repository.location.root).ok()?;
    let (directory, name) = open::split(path.as_bytes());
    let stat = open::stat(open::directory_at(&root, directory).ok()?, name).ok()?;
    Some(Entry::lone(stat))
}

fn sort(checkout: &Today<'_>, scene: &Scene<'_>, delta: Vec<Difference>) -> Result<Triage> {
    let mut sorter = Sorter::new(checkout, scene.now, &delta)?;
    if checkout.frozen.prefix.is_root() {
        sorter.unreadable_directories(scene.baseline)?;
    }
    for difference in delta {
        sorter.sort(difference)?;
    }
    Ok(sorter.finish())
}

fn record(evidence: &mut Evidence, path: RepoPath, compared: Compared) {
    let Compared { change, obstacle, remark, trace } = compared;
    if let Some(trace) = trace {
        ignored::note(&path, trace, evidence);
    }
    evidence.changes.extend(change);
    evidence.obstacles.extend(obstacle.map(|obstacle| (path.clone(), obstacle)));
    evidence.remarks.extend(remark.map(|kind| Remark { kind, path }));
}

/// Reads what must be read, in parallel, and adds it to the evidence.
fn gather(checkout: &Today<'_>, scene: &Scene<'_>, triage: Triage, evidence: &mut Evidence) -> Result<()> {
    let Triage { jobs, changes, obstacles, remarks, unsure, mut ignored, marks, drifts, nested: _ } = triage;
    evidence.changes.extend(changes);
    evidence.obstacles.extend(obstacles);
    evidence.remarks.extend(remarks);
    evidence.marks.extend(marks);
    evidence.drifts.extend(drifts);
    let (prefix, kept) = (&checkout.frozen.prefix, &checkout.frozen.outside_links);
    if jobs.is_empty() && unsure.is_empty() && ignored.is_empty() && kept.is_empty() {
        return Ok(());
    }
    let way = scene.way(checkout.frozen);
    let mut reader = checkout.reader()?;
    let compared = in_parallel(&reader, &jobs, |reader, job| compare::compare(reader, &way, job))?;
    let mut changed = HashSet::new();
    for (job, compared) in jobs.iter().zip(compared) {
        let compared = compared?;
        changed.extend(compared.change.iter().map(|change| change.path.clone()));
        record(evidence, job.path.clone(), compared);
    }
    let digests = in_parallel(&reader, &unsure, |reader, (path, kind, _)| {
        reader.digest(&RepoPath::from(within(prefix, path.as_bytes())), *kind)
    })?;
    let mut reread = Vec::with_capacity(unsure.len());
    for ((path, _, before), now) in unsure.into_iter().zip(digests) {
        let now = now?;
        if now != Ok(before) {
            ignored.push((path.clone(), IgnoredKind::Changed));
        }
        reread.push(ignored::Reread { path, before, now });
    }
    let new_ignored = ignored.iter().filter(|(_, kind)| *kind == IgnoredKind::Added).map(|(path, _)| path).collect();
    let is_link = |path: &&RepoPath| scene.now.entry(path.as_bytes()).is_some_and(|it| it.stat.kind == Kind::Symlink);
    let ignored_links = ignored.iter().map(|(path, _)| path).filter(is_link).collect();
    let marker = Marker { today: checkout, baseline: scene.baseline, now: scene.now, new_ignored, ignored_links };
    evidence.marks.extend(marker.marks(&mut reader, &jobs, &changed)?);
    evidence.marks.extend(outside::changed(&checkout.repository, &mut reader, prefix, scene.now, kept)?);
    let mut caches = Caches::new(checkout, scene.now);
    let mut odd = Odd::new(checkout, scene.now, &ignored);
    let known = evidence.ignored.len();
    for (path, kind) in ignored {
        let cache = caches.above(&mut reader, &path)?;
        let odd = odd.of(&mut reader, &path, kind)?;
        evidence.ignored.push(Ignored { path, kind, cache, odd });
    }
    if let Some(rules) = scene.rules {
        ignored::reread(scene, &reread, evidence);
        let entries = evidence.ignored[known..].to_vec();
        ignored::trace(prefix, scene, rules, &reader, &entries, evidence)?;
    }
    Ok(())
}

fn head(repository: &Repository, scene: &Scene<'_>) -> Result<HeadMovement> {
    let frozen = scene.control.checkouts.first().ok_or_else(|| Error::state("no checkout"))?;
    frozen.require_place(repository)?;
    repository.require_tree(&frozen.commit)?;
    let head = repository.head()?;
    Ok(HeadMovement {
        baseline: frozen.commit.clone(),
        current: head.commit.map(|commit| commit.to_string()),
        baseline_ref: frozen.branch.clone(),
        current_ref: head.branch,
    })
}
