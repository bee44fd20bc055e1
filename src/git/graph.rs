//! The graph of commits: which of them are new, and who descends from whom.
//!
//! Commits are read with their own parents: grafts, replace refs, the shallow file and the commit graph have no say.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::objs::{CommitRef, Find as _, Kind, TagRef};

use super::files;
use super::objects::Objects;
use super::open::Repository;
use crate::error::{Error, Result};

/// The id of a commit, for rooms that know no gitoxide.
pub type Id = ObjectId;

/// How much further known history is followed than the clocks of its commits ask for, because clocks run wrong.
const FURTHER: usize = 10_000;

/// How many tags may stand between a ref and its commit.
const MAX_TAGS: usize = 16;

/// One commit.
#[derive(Debug)]
pub struct Commit {
    /// Its own id, which differs from the id that was asked for when that was a tag.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// Its parents that exist here: beyond a shallow boundary there are none.
    pub parents: Vec<ObjectId>,
    /// Whether it has parents that do not exist here, because the clone is shallow.
    pub cut: bool,
    /// The committer's time, in seconds: a hint for the order of the walk, and for whoever asks for recent history.
    pub time: i64,
}

/// Commits that are new, newest first by their own clock.
pub struct News {
    /// The commits; not all of them when there are too many.
    pub commits: Vec<Rc<Commit>>,
    /// Whether there are more of them than were asked for.
    pub too_many: bool,
}

impl News {
    /// The commits, each behind those of its parents that are new; without recursion, because history may be deep.
    pub fn parents_first(&self) -> Vec<Rc<Commit>> {
        let new: HashMap<ObjectId, &Rc<Commit>> = self.commits.iter().map(|commit| (commit.id, commit)).collect();
        let (mut done, mut ordered) = (HashSet::with_capacity(new.len()), Vec::with_capacity(new.len()));
        let mut waiting: Vec<&Rc<Commit>> = self.commits.iter().collect();
        while let Some(commit) = waiting.last().copied() {
            let before = waiting.len();
            if !done.contains(&commit.id) {
                let parents = commit.parents.iter().filter_map(|parent| new.get(parent).copied());
                waiting.extend(parents.filter(|parent| !done.contains(&parent.id)));
            }
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            if done.insert(commit.id) {
                ordered.push(Rc::clone(commit));
            }
        }
        ordered
    }
}

/// Reads commits, each once.
pub struct Graph {
    objects: Objects,
    shallow: HashSet<ObjectId>,
    read: HashMap<ObjectId, Option<Rc<Commit>>>,
    /// How much further known history is followed than clocks ask for.
    further: usize,
}

impl Graph {
    /// The graph of a repository.
    pub fn of(repository: &Repository) -> Result<Graph> {
        let shallow = files::read(&repository.location.common_dir.join("shallow"))?.unwrap_or_default();
        let shallow = shallow.split(|byte| *byte == b'\n').filter_map(|line| ObjectId::from_hex(line).ok()).collect();
        Ok(Graph { objects: repository.objects(), shallow, read: HashMap::new(), further: FURTHER })
    }

    /// The same, with another trust in clocks: known history is followed so many commits further than they ask for.
    #[must_use]
    pub fn following(mut self, further: usize) -> Graph {
        self.further = further;
        self
    }

    /// The commits that `tips` reach and `known` does not, at most `most` of them.
    ///
    /// What `known` reaches is found out only as far back as the new commits go, so that old history costs nothing. A
    /// clock that ran very wrong can make an old commit look new; it cannot make a new one look old.
    pub fn news(
        &mut self,
        tips: impl IntoIterator<Item = ObjectId>,
        known: impl IntoIterator<Item = ObjectId>,
        most: usize,
    ) -> Result<News> {
        let mut known = Front::new(self, known)?;
        let (mut queue, mut seen) = (BinaryHeap::new(), HashSet::new());
        let mut commits: Vec<Rc<Commit>> = Vec::new();
        for tip in tips {
            let commit = self.require(tip)?;
            if seen.insert(commit.id) {
                queue.push((commit.time, commit.id));
            }
        }
        while let Some((time, id)) = queue.pop() {
            if known.reaches(self, id, time)? {
                continue;
            }
            if commits.len() == most {
                return Ok(News { commits, too_many: true });
            }
            let commit = self.require(id)?;
            for parent in &commit.parents {
                let parent = self.require(*parent)?;
                if seen.insert(parent.id) {
                    queue.push((parent.time, parent.id));
                }
            }
            commits.push(commit);
        }
        if let Some(oldest) = commits.iter().map(|commit| commit.time).min() {
            known.advance(self, oldest)?;
            for _ in 0..self.further {
                if !known.step(self)? {
                    break;
                }
            }
        }
        commits.retain(|commit| !known.reached.contains(&commit.id));
        Ok(News { commits, too_many: false })
    }

    /// Whether `ancestor` is `tip` or is reached from it.
    pub fn descends(&mut self, tip: ObjectId, ancestor: ObjectId) -> Result<bool> {
        let mut front = Front::new(self, [tip])?;
        while !front.reached.contains(&ancestor) {
            if !front.step(self)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same, walking back no further than the clock of `ancestor` asks for, and a little more.
    pub fn descends_nearby(&mut self, tip: ObjectId, ancestor: ObjectId) -> Result<bool> {
        let time = self.require(ancestor)?.time;
        let mut front = Front::new(self, [tip])?;
        front.advance(self, time)?;
        for _ in 0..self.further {
            if front.reached.contains(&ancestor) || !front.step(self)? {
                break;
            }
        }
        Ok(front.reached.contains(&ancestor))
    }

    /// Whether the clone is shallow.
    pub fn is_shallow(&self) -> bool {
        !self.shallow.is_empty()
    }

    /// A commit that has to be there.
    pub fn require(&mut self, id: ObjectId) -> Result<Rc<Commit>> {
        self.commit(id)?.ok_or_else(|| {
            Error::repository(format!("the commit {id} is missing"))
                .hint("New history must be complete to be judged: fetch it, or run git fsck.")
        })
    }

    /// A commit, or the one that a tag names; `None` when the object is missing or is neither.
    pub fn commit(&mut self, id: ObjectId) -> Result<Option<Rc<Commit>>> {
        if let Some(known) = self.read.get(&id) {
            return Ok(known.clone());
        }
        let commit = self.parse(id)?.map(Rc::new);
        self.read.insert(id, commit.clone());
        Ok(commit)
    }

    fn parse(&self, asked: ObjectId) -> Result<Option<Commit>> {
        let damaged = |id: ObjectId| {
            move |error: gix::Error| {
                Error::repository(format!("the object {id} is damaged"))
                    .caused_by(error)
                    .hint("Run git fsck to see what is damaged.")
            }
        };
        let (mut id, mut buffer) = (asked, Vec::new());
        for _ in 0..MAX_TAGS {
            let Some(object) = self.objects.try_find(&id, &mut buffer).map_err(damaged(id))? else { return Ok(None) };
            match object.kind {
                Kind::Commit => {
                    let commit = CommitRef::from_bytes(object.data, id.kind()).map_err(damaged(id))?;
                    let time = commit.time().map_or(0, |time| time.seconds);
                    let (tree, mut parents) = (commit.tree(), commit.parents().collect::<Vec<_>>());
                    let all = parents.len();
                    if self.shallow.contains(&id) {
                        parents.retain(|parent| {
                            gix::prelude::FindExt::find_commit(&self.objects, parent, &mut Vec::new()).is_ok()
                        });
                    }
                    let cut = parents.len() < all;
                    return Ok(Some(Commit { id, tree, parents, cut, time }));
                }
                Kind::Tag => {
                    id = TagRef::from_bytes(object.data, id.kind()).map_err(damaged(id))?.target();
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A walk backwards from some commits that goes as far as it is asked to. What is missing ends it there.
struct Front {
    queue: BinaryHeap<(i64, ObjectId)>,
    reached: HashSet<ObjectId>,
}

impl Front {
    fn new(graph: &mut Graph, tips: impl IntoIterator<Item = ObjectId>) -> Result<Front> {
        let mut front = Front { queue: BinaryHeap::new(), reached: HashSet::new() };
        for tip in tips {
            front.add(graph, tip)?;
        }
        Ok(front)
    }

    fn add(&mut self, graph: &mut Graph, id: ObjectId) -> Result<()> {
        if let Some(commit) = graph.commit(id)?
            && self.reached.insert(commit.id)
        {
            self.queue.push((commit.time, commit.id));
        }
        Ok(())
    }

    /// Takes one step; `false` at the end of history.
    fn step(&mut self, graph: &mut Graph) -> Result<bool> {
        let Some((_, id)) = self.queue.pop() else { return Ok(false) };
        let parents = graph.commit(id)?.map(|commit| commit.parents.clone()).unwrap_or_default();
        parents.into_iter().try_for_each(|parent| self.add(graph, parent))?;
        Ok(true)
    }

    /// Goes back to this time.
    fn advance(&mut self, graph: &mut Graph, time: i64) -> Result<()> {
        while self.queue.peek().is_some_and(|(next, _)| *next >= time) {
            self.step(graph)?;
        }
        Ok(())
    }

    /// Whether the commit of this time is reached.
    fn reaches(&mut self, graph: &mut Graph, id: ObjectId, time: i64) -> Result<bool> {
        if !self.reached.contains(&id) {
            self.advance(graph, time)?;
        }
        Ok(self.reached.contains(&id))
    }
}
