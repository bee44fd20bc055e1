//! History as a layer of its own: every commit that is new since arming publishes its paths with the next push, also
//! those that a later commit took back.
//!
//! Known is what a ref of arm reached. What was fetched since then is new like anything else: whatever could tell it from
//! commits that were made here (remote-tracking refs, `FETCH_HEAD`, reflogs, packs) can be written by who made them.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;

use super::commits::{Bases, Commits};
use super::graph::{Graph, News};
use super::holders::Tips;
use super::layers;
use super::tips;
use super::today::Today;
use crate::audit::evidence::{Drift, DriftKind, Evidence};
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// More new commits than this are not looked at one by one.
const MAX_COMMITS: usize = 10_000;

/// Nor are more changed paths, counted for each commit against its parents and against the baseline.
const MAX_PATHS: usize = 4_000_000;

/// Adds what new history of one checkout shows. `fetched` are the prefixes of refs that its remotes write.
///
/// # Errors
/// When an object of the baseline or of new history is missing: there can be no verdict without it.
pub fn add(today: &Today<'_>, fetched: &[Vec<u8>], evidence: &mut Evidence) -> Result<()> {
    let own = today.frozen.prefix.is_root();
    let baseline = ObjectId::from_hex(today.frozen.commit.as_bytes()).expect("gitoxide wrote this id");
    let head = today.repository.head()?;
    let known = today.frozen.tips.iter().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok());
    let mut fresh = tips::live(&today.repository, head.commit, fetched)?;
    for tip in known.clone().chain([baseline]) {
        fresh.remove(&tip);
    }
    let moved = head.commit != Some(baseline);
    if fresh.is_empty() && !moved {
        return Ok(());
    }
    let mut graph = Graph::of(&today.repository)?;
    require_baseline(&mut graph, baseline)?;
    if own && moved && !head.commit.map_or(Ok(false), |tip| graph.descends(tip, baseline))? {
        evidence.drifts.push(lost(baseline));
    }
    let news = graph.news(fresh, known.chain([baseline]), MAX_COMMITS)?;
    let reaching = Tips::of(&today.repository, &head, &news.commits)?;
    let mut commits = Commits::new(today, &reaching)?;
    let whole = !news.too_many && {
        let bases = bases(&mut graph, &news, baseline)?;
        collect(&mut commits, &mut graph, &news, &bases)?
    };
    if !whole {
        evidence.drifts.push(too_long(&today.frozen.prefix, MAX_COMMITS));
    }
    // HEAD may have gone to history that was known, which is then part of its branch all the same.
    if let Some(tip) = head.commit.filter(|tip| !news.commits.iter().any(|commit| commit.id == *tip)) {
        commits.add_whole(&*graph.require(tip)?, graph.require(baseline)?.tree)?;
    }
    let found = commits.finish();
    layers::merge(&mut evidence.changes, found.changes);
    if own {
        evidence.holders.extend(found.holders);
    }
    evidence.stages.extend(found.stages);
    evidence.marks.extend(found.marks);
    Ok(())
}

/// Collects new commits one by one; `false` where they have too many paths.
pub fn collect(commits: &mut Commits<'_>, graph: &mut Graph, news: &News, bases: &Bases) -> Result<bool> {
    let ordered = news.parents_first();
    commits.expect(&ordered);
    for commit in &ordered {
        commits.add(graph, commit, bases)?;
        if commits.paths() > MAX_PATHS {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The tree that each new commit is compared with as a whole: the baseline's where the commit descends from it, else that
/// of the known commit at which its first parents leave known history.
///
/// Against the baseline shows what a merge brought from known history, which is in no diff between a merge and all of its
/// parents, even if a further commit took it back.
fn bases(graph: &mut Graph, news: &News, baseline: ObjectId) -> Result<Bases> {
    let tree = graph.require(baseline)?.tree;
    let mut bases = Bases::new();
    let mut descending: HashSet<ObjectId> = HashSet::new();
    let mut known: HashMap<ObjectId, bool> = HashMap::new();
    for commit in news.parents_first() {
        let (id, parents) = (commit.id, &commit.parents);
        let mut descends = false;
        for parent in parents {
            descends |= match known.get(parent) {
                _ if bases.contains_key(parent) => descending.contains(parent),
                Some(known) => *known,
                None => {
                    let found = graph.descends(*parent, baseline)?;
                    known.insert(*parent, found);
                    found
                }
            };
        }
        let base = match parents.first() {
            _ if descends => vec![tree],
            None => Vec::new(),
            Some(first) => match bases.get(first) {
                Some(base) => base.clone(),
                None => vec![graph.require(*first)?.tree],
            },
        };
        if descends {
            descending.insert(id);
        }
        bases.insert(id, base);
    }
    Ok(bases)
}

/// A baseline that was pruned cannot be compared with.
fn require_baseline(graph: &mut Graph, baseline: ObjectId) -> Result<()> {
    graph.require(baseline).map(drop).map_err(|error| {
        Error::repository(format!("the baseline {baseline} is gone from the repository")).caused_by(error).hint(
            "Without it nothing can be compared: fetch it again, or cordon reset and look at the changes yourself.",
        )
    })
}

fn lost(baseline: ObjectId) -> Drift {
    Drift {
        kind: DriftKind::BaselineLost,
        subject: Text::from(baseline.to_string()),
        what: Text::from("amended, rebased or left behind"),
        undo: Some(Text::from(format!("git reset --soft {baseline}"))),
    }
}

/// There is more new history than is looked at.
pub fn too_long(prefix: &RepoPath, most: usize) -> Drift {
    let subject = if prefix.is_root() { Text::from("the repository") } else { Text::default().path(prefix) };
    let what = format!("more than {most} new commits, or {MAX_PATHS} paths in them: not looked at one by one");
    Drift { kind: DriftKind::HistoryTooLong, subject, what: Text::from(what), undo: None }
}
