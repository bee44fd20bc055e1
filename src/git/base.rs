//! A committed tree as the ground of a gate: no work tree, no index, and of the tree only what is asked about.

use std::cell::{OnceCell, RefCell};

use gix::ObjectId;

use super::attributes::FrozenAttributes;
use super::ground::Ground;
use super::layers::Counter;
use super::lines::Drivers;
use super::open::Repository;
use super::today::Recorded;
use super::trees::Trees;
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::pattern::{Pattern, PatternSet};

/// The tree that a change starts from.
pub struct Base<'a> {
    repository: &'a Repository,
    prefix: RepoPath,
    uncounted: PatternSet,
    /// The tree whose attributes count.
    rules: ObjectId,
    trees: RefCell<Trees>,
    links: OnceCell<Vec<RepoPath>>,
}

impl<'a> Base<'a> {
    /// The ground of a change that starts from `tree` and is counted under the attributes in the tree `rules`.
    ///
    /// Attributes and diff drivers of the machine have no say: the same commits get the same verdict everywhere.
    pub fn new(repository: &'a Repository, tree: ObjectId, rules: ObjectId, uncounted: &[Pattern]) -> Result<Base<'a>> {
        Ok(Base {
            repository,
            prefix: RepoPath::new(""),
            uncounted: PatternSet::compile(uncounted)?,
            rules,
            trees: RefCell::new(Trees::new(repository.objects(), Some(tree))),
            links: OnceCell::new(),
        })
    }
}

impl Ground for Base<'_> {
    fn repository(&self) -> &Repository {
        self.repository
    }

    fn prefix(&self) -> &RepoPath {
        &self.prefix
    }

    fn uncounted(&self) -> &PatternSet {
        &self.uncounted
    }

    fn counter(&self) -> Result<Counter> {
        let objects = self.repository.objects();
        let attributes = FrozenAttributes::of_tree(objects.clone(), self.rules)?;
        Ok(Counter::new(objects, attributes, Drivers::new()))
    }

    fn is_known(&self, path: &[u8]) -> Result<bool> {
        Ok(self.trees.borrow_mut().entry(path)?.is_some())
    }

    fn recorded(&self, path: &[u8]) -> Result<Option<Recorded>> {
        self.trees.borrow_mut().recorded(path)
    }

    fn links(&self) -> Result<Vec<RepoPath>> {
        if let Some(links) = self.links.get() {
            return Ok(links.clone());
        }
        let links = self.trees.borrow_mut().links()?;
        Ok(self.links.get_or_init(|| links).clone())
    }
}
