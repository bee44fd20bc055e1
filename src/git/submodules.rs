//! Submodules that came, moved or went since arm. Git itself looks away from several of these.

use std::collections::BTreeMap;

use super::baseline::{is_checked_out, open_submodule, within};
use super::compare::{self, Compared};
use super::control;
use super::observe::Scene;
use super::open::Repository;
use super::reader::{Reader, in_parallel, object_id};
use super::today::Recorded;
use super::tree::{self, TreeEntry};
use super::triage::{Job, Standing};
use crate::audit::evidence::{Layer, Mode};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{BlobId, Class, Kind, Snapshot};

/// What the baseline records for the submodule at `path`.
pub fn recorded(baseline: &Snapshot, path: &RepoPath) -> Option<BlobId> {
    match baseline.entry(path.as_bytes())?.class {
        Class::Gitlink(id) => Some(id),
        _ => None,
    }
}

/// What is left in the place of a submodule whose repository is gone: each file that is new or changed counts by itself.
pub fn left_behind(inside: Vec<Difference>) -> impl Iterator<Item = Difference> {
    let untracked = |difference: Difference| {
        let before = difference.before.filter(|before| before.class == Class::Ignored);
        Difference { before, ..difference }
    };
    inside.into_iter().filter(|difference| difference.after.is_some()).map(untracked)
}

/// Submodules that were checked out since arm, `git submodule update --init` for one: takes what is as the recorded
/// commit has it out of the delta, and gives back what is not. What the commit does not have at all stays in the delta.
pub fn initialised(
    repository: &Repository,
    scene: &Scene<'_>,
    delta: &mut Vec<Difference>,
) -> Result<Vec<(RepoPath, Compared)>> {
    let mut found = Vec::new();
    let new: Vec<(RepoPath, BlobId)> = delta
        .iter()
        .filter(|difference| difference.path.name() == b".git" && difference.before.is_none())
        .map(|difference| difference.path.parent())
        .filter(|path| !scene.control.checkouts.iter().any(|known| known.prefix == *path))
        .filter_map(|path| recorded(scene.baseline, &path).map(|id| (path, id)))
        .collect();
    for (path, id) in new {
        check_out(repository, scene, delta, &path, id, &mut found)?;
    }
    Ok(found)
}

fn check_out(
    repository: &Repository,
    scene: &Scene<'_>,
    delta: &mut Vec<Difference>,
    prefix: &RepoPath,
    id: BlobId,
    found: &mut Vec<(RepoPath, Compared)>,
) -> Result<()> {
    let submodule = open_submodule(repository, prefix.as_bytes())?;
    let head = submodule.head()?.commit;
    let Some(commit) = head.filter(|commit| *commit == object_id(&id)) else {
        let head = head.map(super::reader::blob_id);
        let change = compare::gitlink_change(prefix, Some(id), head, Layer::Worktree);
        found.push((prefix.clone(), Compared { change: Some(change), ..Compared::default() }));
        return Ok(());
    };
    let entries = tree::entries(&submodule, submodule.tree_of(commit)?)?;
    // This repository is accounted for: it is no nested one that nobody knows.
    let dot_git = prefix.join(b".git");
    delta.retain(|difference| difference.path != dot_git);
    let (jobs, inner) = jobs(scene, delta, prefix, &entries);
    let frozen = control::freeze(&submodule, prefix, None)?;
    let attributes: Vec<_> = entries
        .iter()
        .filter(|entry| entry.path.name() == b".gitattributes" && matches!(entry.mode, Mode::File | Mode::Executable))
        .map(|entry| (entry.path.clone(), object_id(&entry.id)))
        .collect();
    let (reader, way) = (Reader::new(&submodule, &frozen, &attributes)?, scene.way(&frozen));
    let compared = in_parallel(&reader, &jobs, |reader, job| compare::compare(reader, &way, job))?;
    for (job, compared) in jobs.into_iter().zip(compared) {
        // A fresh checkout has no permissions of arm to be compared with.
        found.push((job.path, Compared { remark: None, ..compared? }));
    }
    for (path, id) in inner {
        check_out(repository, scene, delta, &path, id, found)?;
    }
    Ok(())
}

/// Takes the paths of a fresh checkout out of the delta, each with what its commit has; and its own submodules.
fn jobs(
    scene: &Scene<'_>,
    delta: &mut Vec<Difference>,
    prefix: &RepoPath,
    entries: &[TreeEntry],
) -> (Vec<Job>, Vec<(RepoPath, BlobId)>) {
    let expected: BTreeMap<RepoPath, &TreeEntry> =
        entries.iter().map(|entry| (prefix.join(entry.path.as_bytes()), entry)).collect();
    let inner = expected
        .iter()
        .filter(|(path, entry)| entry.mode == Mode::Gitlink && is_checked_out(scene.now, path))
        .map(|(path, entry)| (path.clone(), entry.id))
        .collect();
    delta.retain(|difference| !expected.contains_key(&difference.path));
    let jobs = expected
        .into_iter()
        .map(|(path, entry)| {
            let baseline = Some(Recorded { id: entry.id, mode: entry.mode });
            let after = scene.now.entry(path.as_bytes()).cloned();
            let at_arm = scene.baseline.entry(path.as_bytes()).cloned();
            Job {
                inside: RepoPath::from(within(prefix, path.as_bytes())),
                path,
                baseline,
                digest: None,
                before: None,
                at_arm,
                after,
                index: baseline,
                index_before: baseline,
                work: false,
                standing: Standing::Ordinary,
                ignores_modes: false,
            }
        })
        .filter(|job| {
            let directory = job.after.as_ref().is_some_and(|after| after.stat.kind == Kind::Directory);
            let gitlink = job.baseline.is_some_and(|recorded| recorded.mode == Mode::Gitlink);
            !(gitlink && directory)
        })
        .map(|job| Job { after: job.after.filter(|after| after.stat.kind != Kind::Directory), ..job })
        .collect();
    (jobs, inner)
}
