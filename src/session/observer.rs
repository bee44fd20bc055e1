//! One look at the work tree of an armed repository, from the walk to the evidence.

use std::path::{Path, PathBuf};

use super::api::Progress;
use super::look;
use super::store::{Record, Store};
use crate::audit::evidence::{Evidence, Obstacle};
use crate::audit::judge::{self, Judgement};
use crate::error::{Error, Result};
use crate::git::control::Control;
use crate::git::observe::{self, Scene};
use crate::git::open::Repository;
use crate::policy::envelope::Rules;
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::snapshot::delta::{self, Difference, Trust};
use crate::snapshot::entry::Snapshot;
use crate::snapshot::fingerprint::Fingerprint;

/// The fingerprint, the present, and what differs.
pub struct Look {
    /// What was kept at arm.
    pub fingerprint: Fingerprint,
    /// The control part of it.
    pub control: Control,
    /// The work tree now.
    pub now: Snapshot,
    /// What differs.
    pub delta: Vec<Difference>,
    kept: PathBuf,
    budget: u64,
}

/// A fingerprint of this size takes longer to read than a thread takes to start.
const WORTH_A_THREAD: u64 = 256 * 1024;

impl Look {
    /// Reads the fingerprint and walks the work tree.
    pub fn take(root: &Path, store: &Store, record: &Record, rehash: bool, progress: Progress<'_>) -> Result<Look> {
        let (fingerprint, now) = look::beside(
            store.fingerprint_size() >= WORTH_A_THREAD,
            || store.fingerprint(&record.state),
            || look::walk(root, progress),
        );
        let (fingerprint, now) = (fingerprint?, now?);
        let control = Control::decode(&fingerprint.control)?;
        let trust = if rehash { Trust::Nothing } else { Trust::Stat(fingerprint.tick) };
        let delta = delta::delta(&fingerprint.snapshot, &now, trust);
        let budget = record.config.policy.limits.max_working_bytes;
        Ok(Look { fingerprint, control, now, delta, kept: store.kept(), budget })
    }

    /// The evidence of what was seen; with the rules for ignored entries also what lies on disk.
    pub fn evidence(&mut self, repository: Repository, rules: Option<&AuditRules>) -> Result<Evidence> {
        let delta = std::mem::take(&mut self.delta);
        observe::observe(repository, &Scene { rules, ..self.scene() }, delta)
    }

    /// What the Git room compares.
    pub fn scene(&self) -> Scene<'_> {
        Scene {
            control: &self.control,
            baseline: &self.fingerprint.snapshot,
            now: &self.now,
            tick: self.fingerprint.tick,
            kept: self.kept.clone(),
            rules: None,
            budget: self.budget,
        }
    }
}

/// How often a tree that changes while it is read is read.
const TRIES: usize = 3;

/// Looks at one work tree, as often as it is asked to.
pub struct Observer {
    /// The state files.
    pub store: Store,
    /// What was armed.
    pub record: Record,
    /// The top of the work tree.
    pub start: PathBuf,
    /// Whether every file is read.
    pub rehash: bool,
    /// The patterns of the envelope, compiled.
    pub rules: Rules,
    /// Whether what lies on disk is told as well.
    pub traced: bool,
}

impl Observer {
    /// What a check would find before it runs the verifiers. It takes no lock and writes nothing, so that it can be asked
    /// while another operation holds the lock.
    pub fn preview(root: &Path, store: &Store, record: &Record) -> Result<Observer> {
        Ok(Observer {
            store: store.clone(),
            rules: record.config.rules()?,
            record: record.clone(),
            start: root.to_path_buf(),
            rehash: false,
            traced: false,
        })
    }

    /// Judges by the envelope what was seen.
    pub fn judge(&self, evidence: &Evidence) -> Judgement {
        judge::judge(&self.record.config.policy, &self.rules, evidence)
    }

    /// Looks until the tree has held still, or shows the same twice; what never does so is reported, not accepted.
    pub fn look(&self, repository: Repository, progress: Progress<'_>) -> Result<Evidence> {
        let (mut seen, mut moving) = self.look_once(repository, progress)?;
        for _ in 1..TRIES {
            if !moving {
                return Ok(seen);
            }
            let (again, still) = self.look_once(Repository::discover(&self.start)?, progress)?;
            if again.shows_the_same_work(&seen) {
                return Ok(again);
            }
            let before = std::mem::replace(&mut seen, again);
            moving = still;
            if moving {
                seen.obstacles
                    .push((seen.first_difference(&before).unwrap_or_else(|| RepoPath::from(".")), Obstacle::Unsteady));
            }
        }
        Ok(seen)
    }

    /// One look, and whether something was written to the tree since it began.
    fn look_once(&self, repository: Repository, progress: Progress<'_>) -> Result<(Evidence, bool)> {
        // Where no file can be made, none tells the time either; the reader still notices files that do not rest.
        let tick = look::tick(&self.start).ok();
        let mut look = Look::take(&self.start, &self.store, &self.record, self.rehash, progress)?;
        require_baseline(&self.record, &look.control)?;
        progress("comparing what changed", 0);
        let evidence = look.evidence(repository, self.traced.then_some(&self.rules.audit))?;
        Ok((evidence, tick.is_some_and(|tick| look.now.changed_since(tick))))
    }
}

/// The envelope and the fingerprint must speak of the same commit.
pub fn require_baseline(record: &Record, control: &Control) -> Result<()> {
    let fingerprinted = control.checkouts.first().map(|own| own.commit.as_str());
    if fingerprinted == Some(record.config.baseline.as_str()) {
        return Ok(());
    }
    Err(Error::state("the envelope and the fingerprint are about different commits")
        .hint("cordon reset clears the state; arm again."))
}
