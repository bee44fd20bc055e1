//! What lies between two commits: the commits that only the second has, and where each of them left the history of the
//! first.

use std::collections::HashMap;

use gix::ObjectId;

use super::graph::{Graph, News};
use crate::error::{Error, Result};

/// More commits than this are not looked at one by one: a branch that is so long is no pull request.
pub const MOST: usize = 100_000;

/// The commits between a base and a head.
pub struct Span {
    /// The commits that the head has and the base has not.
    pub news: News,
    /// The commits of the base's history that each of them starts from: the newest that it reaches. Several where none of
    /// them descends from another; none where it shares no history with the base.
    starts: HashMap<ObjectId, Vec<ObjectId>>,
}

impl Span {
    /// What lies between the history of `known` and `head`.
    ///
    /// # Errors
    /// Where a shallow clone does not have all of it.
    pub fn between(graph: &mut Graph, known: &[ObjectId], head: ObjectId) -> Result<Span> {
        let news = graph.news([head], known.iter().copied(), MOST).map_err(incomplete)?;
        if let Some(cut) = news.commits.iter().find(|commit| commit.cut) {
            return Err(shallow(&format!("the clone is shallow: it has no parent of the commit {}", cut.id)));
        }
        let starts = if news.too_many { HashMap::new() } else { starts(graph, &news)? };
        Ok(Span { news, starts })
    }

    /// The commits that `id` starts from; itself where the base has it.
    pub fn starts_of(&self, id: ObjectId) -> Vec<ObjectId> {
        self.starts.get(&id).cloned().unwrap_or_else(|| vec![id])
    }

    /// The same for each new commit, as trees.
    pub fn bases(&self, graph: &mut Graph) -> Result<HashMap<ObjectId, Vec<ObjectId>>> {
        let mut bases = HashMap::with_capacity(self.starts.len());
        for (id, starts) in &self.starts {
            let trees = starts.iter().map(|start| Ok(graph.require(*start)?.tree)).collect::<Result<Vec<_>>>()?;
            bases.insert(*id, trees);
        }
        Ok(bases)
    }
}

fn starts(graph: &mut Graph, news: &News) -> Result<HashMap<ObjectId, Vec<ObjectId>>> {
    let mut starts: HashMap<ObjectId, Vec<ObjectId>> = HashMap::with_capacity(news.commits.len());
    let mut order = Order { graph, known: HashMap::new() };
    for commit in news.parents_first() {
        let mut newest: Vec<ObjectId> = Vec::new();
        for parent in &commit.parents {
            // A parent that is not new is known.
            let of_parent = starts.get(parent).cloned().unwrap_or_else(|| vec![*parent]);
            for start in of_parent {
                order.add(&mut newest, start)?;
            }
        }
        starts.insert(commit.id, newest);
    }
    Ok(starts)
}

/// Tells which of two known commits descends from the other, each pair once.
struct Order<'a> {
    graph: &'a mut Graph,
    known: HashMap<(ObjectId, ObjectId), bool>,
}

impl Order<'_> {
    /// Adds a commit to those of which none descends from another, and takes out what it descends from.
    fn add(&mut self, newest: &mut Vec<ObjectId>, start: ObjectId) -> Result<()> {
        for other in newest.clone() {
            if other == start {
                return Ok(());
            }
            // The younger one is asked first, because the other question goes through all of history in vain.
            let is_younger = self.graph.require(start)?.time >= self.graph.require(other)?.time;
            let (first, second) = if is_younger { (start, other) } else { (other, start) };
            let newer = if self.descends(first, second)? {
                first
            } else if self.descends(second, first)? {
                second
            } else {
                continue;
            };
            if newer == other {
                return Ok(());
            }
            newest.retain(|kept| *kept != other);
        }
        newest.push(start);
        Ok(())
    }

    fn descends(&mut self, tip: ObjectId, ancestor: ObjectId) -> Result<bool> {
        if let Some(known) = self.known.get(&(tip, ancestor)) {
            return Ok(*known);
        }
        let found = self.graph.descends_nearby(tip, ancestor)?;
        self.known.insert((tip, ancestor), found);
        Ok(found)
    }
}

/// The error about history that is not here.
pub fn shallow(message: &str) -> Error {
    Error::repository(message)
        .hint("Fetch more of it: git fetch --deepen=100, or all of it: git fetch --unshallow")
        .hint("In a CI job, have the checkout fetch the whole history (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0).")
}

fn incomplete(error: Error) -> Error {
    error.hint("A shallow clone is completed by git fetch --unshallow, any other by git fetch.")
}
