//! What each new commit differs by from its base, kept as long as a child may build on it: a long history costs what its
//! commits change, not that times its length.

use std::collections::HashMap;
use std::rc::Rc;

use gix::ObjectId;

use super::commits::{Bases, Paths};
use super::graph::Commit;
use crate::audit::verdict::Metrics;

/// The difference of one commit from its base.
#[derive(Debug, Clone, Default)]
pub struct Whole {
    /// The paths.
    pub paths: Paths,
    /// The same in numbers.
    pub metrics: Metrics,
}

/// The wholes that are still needed.
#[derive(Default)]
pub struct Wholes {
    kept: HashMap<ObjectId, Whole>,
    /// How many commits to come have this one as their only parent.
    children: HashMap<ObjectId, usize>,
}

impl Wholes {
    /// Counts who will build on whom.
    pub fn expect(&mut self, commits: &[Rc<Commit>]) {
        for commit in commits {
            if let [parent] = commit.parents.as_slice() {
                *self.children.entry(*parent).or_default() += 1;
            }
        }
    }

    /// Keeps the whole of a commit on which others build.
    pub fn keep(&mut self, commit: ObjectId, whole: Whole) {
        if self.children.contains_key(&commit) {
            self.kept.insert(commit, whole);
        }
    }

    /// The whole of the only parent of a commit, where both have the same base, and how many paths had to be copied for it.
    pub fn of_parent(&mut self, commit: &Commit, bases: &Bases) -> Option<(Whole, usize)> {
        let [parent] = commit.parents.as_slice() else { return None };
        let left = self.children.get_mut(parent)?;
        *left = left.saturating_sub(1);
        let is_last = *left == 0;
        let from = bases.get(parent)?;
        // Of several bases nobody could say which one a path was compared with.
        let is_same = from.len() < 2 && bases.get(&commit.id) == Some(from);
        let kept = if is_last { self.kept.remove(parent) } else { self.kept.get(parent).filter(|_| is_same).cloned() };
        let whole = kept.filter(|_| is_same)?;
        let copied = if is_last { 0 } else { whole.paths.len() };
        Some((whole, copied))
    }
}
