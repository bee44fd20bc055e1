//! Which of HEAD and the branches reach each new commit: a change of history is undone on all of them, or not at all.

use std::collections::HashMap;
use std::rc::Rc;

use gix::ObjectId;

use super::graph::Commit;
use super::open::{Head, Repository};
use crate::audit::undo::Holders;
use crate::error::Result;
use crate::policy::text::Text;

/// More tips than there are bits in a [`Reach`] are not told apart.
const MOST: usize = 63;

/// HEAD's bit.
const HEAD: u64 = 1;

/// The tips that reach something: bit 0 for HEAD, the others for branches.
pub type Reach = u64;

/// What reaches the new commits of one repository.
#[derive(Default)]
pub struct Tips {
    /// The branches other than HEAD's own, in the order of their bits.
    branches: Vec<Text>,
    reach: HashMap<ObjectId, Reach>,
    /// Whether there were too many to be told apart.
    blurred: bool,
}

impl Tips {
    /// Walks from each tip through the new commits. HEAD counts even where it stands on known history.
    pub fn of(repository: &Repository, head: &Head, news: &[Rc<Commit>]) -> Result<Tips> {
        let new: HashMap<ObjectId, &Commit> = news.iter().map(|commit| (commit.id, &**commit)).collect();
        let refs = repository.refs()?;
        let is_other = |name: &[u8]| head.branch.as_ref().is_none_or(|branch| branch.as_bytes() != name);
        let branches = refs.all.keys().filter(|name| name.starts_with(b"refs/heads/") && is_other(name));
        let mut starts: Vec<(Text, ObjectId)> = branches
            .filter_map(|name| Some((Text::from_bytes(name.clone()), refs.object(name)?)))
            .filter(|(_, id)| new.contains_key(id))
            .collect();
        let blurred = starts.len() > MOST;
        starts.truncate(MOST);
        let mut tips = Tips { blurred, ..Tips::default() };
        tips.walk(&new, head.commit, HEAD);
        for (at, (name, id)) in starts.into_iter().enumerate() {
            tips.walk(&new, Some(id), HEAD << (at + 1));
            tips.branches.push(name);
        }
        if let Some(id) = head.commit {
            *tips.reach.entry(id).or_default() |= HEAD;
        }
        Ok(tips)
    }

    fn walk(&mut self, new: &HashMap<ObjectId, &Commit>, start: Option<ObjectId>, bit: Reach) {
        let mut waiting: Vec<ObjectId> = start.into_iter().collect();
        while let Some(commit) = waiting.pop().and_then(|id| new.get(&id)) {
            let reach = self.reach.entry(commit.id).or_default();
            if *reach & bit == 0 {
                *reach |= bit;
                waiting.extend(commit.parents.iter().filter(|parent| new.contains_key(*parent)));
            }
        }
    }

    /// What reaches a commit.
    pub fn reach(&self, commit: ObjectId) -> Reach {
        self.reach.get(&commit).copied().unwrap_or_default()
    }

    /// In words; `None` where the tips could not be told apart.
    pub fn holders(&self, reach: Reach) -> Option<Holders> {
        let named = |(at, name): (usize, &Text)| (reach & (HEAD << (at + 1)) != 0).then(|| name.clone());
        let branches = self.branches.iter().enumerate().filter_map(named).collect();
        (!self.blurred).then_some(Holders { head: reach & HEAD != 0, branches })
    }
}
