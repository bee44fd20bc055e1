//! What is armed where an agent works, opened as cheaply as can be: no lock, and no Git repository.

use std::path::{Path, PathBuf};

use crate::audit::verdict::{Left, Metrics};
use crate::error::Result;
use crate::git::control::Control;
use crate::git::locate::{self, Location};
use crate::git::observe::Scene;
use crate::git::open::Repository;
use crate::policy::envelope::Rules;
use crate::policy::path::RepoPath;
use crate::session::anchor::Anchor;
use crate::session::store::{Record, Store};
use crate::snapshot::entry::{Class, Entry, Kind, Snapshot};
use crate::snapshot::fingerprint::Fingerprint;

/// An armed envelope and the repository that it is about.
pub struct Armed {
    /// Where its parts are.
    pub location: Location,
    /// The state files.
    pub store: Store,
    /// What was armed, as it stands now.
    pub record: Record,
    /// The compiled patterns.
    pub rules: Rules,
}

impl Armed {
    /// What is armed over the nearest directory upwards that has state; `None` when nothing is, or when nobody vouches
    /// for it.
    pub fn find(start: &Path) -> Option<Armed> {
        let start = std::fs::canonicalize(start).ok()?;
        let root = start.ancestors().find(|directory| Store::at(directory).is_armed())?;
        let location = locate::at_top(root).ok()?;
        let store = Store::at(root);
        let record = Anchor::at(&location.git_dir).vouch(store.record()).ok()?;
        let rules = record.config.rules().ok()?;
        Some(Armed { location, store, record, rules })
    }

    /// What was left of the budgets when it was last looked; all of it if nobody looked yet.
    pub fn left(&self) -> Left {
        let metrics = self.record.state.last_audit.as_ref().map_or_else(Metrics::default, |audit| audit.metrics);
        crate::audit::budgets::left(&metrics, &self.record.config.policy.limits)
    }

    /// Reads what was kept at arm.
    pub fn past(&self) -> Result<Past> {
        let fingerprint = self.store.fingerprint(&self.record.state)?;
        let control = Control::decode(&fingerprint.control)?;
        Ok(Past { fingerprint, control, kept: self.store.kept() })
    }
}

/// The work tree as it was at arm.
pub struct Past {
    fingerprint: Fingerprint,
    control: Control,
    kept: PathBuf,
}

impl Past {
    /// What stood at a path.
    pub fn entry(&self, path: &[u8]) -> Option<&Entry> {
        self.fingerprint.snapshot.entry(path)
    }

    /// The paths below a directory that are no directories, each with whether it was ignored.
    pub fn below<'a>(&'a self, directory: &'a [u8]) -> impl Iterator<Item = (RepoPath, bool)> + 'a {
        let listings = self.fingerprint.snapshot.listings().iter();
        listings.filter(move |listing| listing.path.is_within(directory)).flat_map(|listing| {
            let files = listing.entries().iter().filter(|entry| entry.stat.kind != Kind::Directory);
            files.map(|entry| (listing.path_of(entry), entry.class == Class::Ignored))
        })
    }

    /// Whether the rules of arm hide a path.
    pub fn hides(&self, location: &Location, path: &RepoPath, is_directory: bool) -> Result<bool> {
        let nothing = Snapshot::default();
        let scene = Scene {
            rules: None,
            budget: 0,
            control: &self.control,
            baseline: &self.fingerprint.snapshot,
            now: &nothing,
            tick: self.fingerprint.tick,
            kept: self.kept.clone(),
        };
        crate::git::ask::hidden_at_arm(Repository::open(location.clone())?, &scene, path, is_directory)
    }

    /// The paths of uncommitted work.
    pub fn work(&self) -> impl Iterator<Item = &RepoPath> {
        self.control.kept.iter().map(|kept| &kept.path)
    }
}
