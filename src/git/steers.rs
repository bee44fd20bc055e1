//! Which new ignored files steer what verifiers run.

use super::baseline::within;
use super::excludes::Excludes;
use super::today::Today;
use crate::error::Result;
use crate::policy::options;
use crate::policy::path::RepoPath;
use crate::policy::steering::{Reach, Steering, Surroundings};
use crate::snapshot::entry::{Class, Snapshot};

/// Answers for one checkout.
pub struct Steers<'a> {
    today: &'a Today<'a>,
    now: &'a Snapshot,
    excludes: Option<Excludes>,
}

impl<'a> Steers<'a> {
    /// For one checkout; the exclude rules are read when somebody asks.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot) -> Self {
        Steers { today, now, excludes: None }
    }

    /// The row of the ignored file at `path`, if it steers where it stands.
    pub fn of(&mut self, path: &RepoPath) -> Result<Option<&'static Steering>> {
        let Some(steering) = options::steering(path.as_bytes()).filter(|row| row.holds(path.as_bytes(), self)) else {
            return Ok(None);
        };
        let hidden = steering.reach == Reach::Work && self.is_hidden(steering.looked_for_in(path.as_bytes()))?;
        Ok((!hidden).then_some(steering))
    }

    /// Whether the rules of arm hide a directory as a whole, so that none of the project's own files lie there.
    fn is_hidden(&mut self, directory: &[u8]) -> Result<bool> {
        if let Some(entry) = self.today.entry_at_arm(directory) {
            return Ok(entry.class == Class::Ignored);
        }
        let inside = within(&self.today.frozen.prefix, directory);
        if inside.is_empty() {
            return Ok(false);
        }
        if self.excludes.is_none() {
            self.excludes = Some(self.today.excludes()?);
        }
        self.excludes.as_mut().map_or(Ok(false), |excludes| excludes.hide(inside, true))
    }
}

impl Surroundings for Steers<'_> {
    fn stands(&self, path: &[u8]) -> bool {
        self.now.entry(path).is_some()
    }

    fn stood(&self, path: &[u8]) -> bool {
        self.today.entry_at_arm(path).is_some()
    }
}
