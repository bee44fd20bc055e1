//! `check`: one look at the present, judged by the armed envelope, then the verifiers.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::anchor::Anchor;
use super::api::{CheckOptions, Progress};
use super::opened::Opened;
use super::recording::{Ending, Recording};
use super::state::{Phase, State};
use super::store::{Record, Store};
use super::verify;
use super::{look, running};
use crate::audit::evidence::{Evidence, Obstacle};
use crate::audit::finding::Severity;
use crate::audit::judge::{self, Judgement};
use crate::audit::verdict::{self, Summary, Verdict, Verification};
use crate::error::{Error, Kind, Result};
use crate::git::control::Control;
use crate::git::observe::{self, Scene};
use crate::git::open::Repository;
use crate::policy::options::AuditRules;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::process::supervisor::Supervisor;
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
}

/// A fingerprint of this size takes longer to read than a thread takes to start.
const WORTH_A_THREAD: u64 = 256 * 1024;

impl Look {
    /// Reads the fingerprint and walks the work tree.
    pub fn take(root: &Path, store: &Store, state: &State, rehash: bool, progress: Progress<'_>) -> Result<Look> {
        let (fingerprint, now) = look::beside(
            store.fingerprint_size() >= WORTH_A_THREAD,
            || store.fingerprint(state),
            || look::walk(root, progress),
        );
        let (fingerprint, now) = (fingerprint?, now?);
        let control = Control::decode(&fingerprint.control)?;
        let trust = if rehash { Trust::Nothing } else { Trust::Stat(fingerprint.tick) };
        let delta = delta::delta(&fingerprint.snapshot, &now, trust);
        Ok(Look { fingerprint, control, now, delta, kept: store.kept() })
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
        }
    }
}

/// Checks the repository that holds `start` against its armed envelope.
pub fn check(start: &Path, options: &CheckOptions, progress: Progress<'_>) -> Result<Verdict> {
    let began = Instant::now();
    let Opened { repository, root, store, anchor, record, lock: _lock } = Opened::at(start)?;
    if let Some(expected) = &options.anchor {
        expected.require(&record)?;
    }
    let recording = Recording::begin(&root, options.actor.clone(), options.command.clone())?;
    let mut supervisor = supervisor_for(&record)?;
    let scene = Check { store: &store, record: &record, start: &root, rehash: options.rehash, progress };
    let (mut verdict, evidence) = scene.audit(repository, &anchor, supervisor.as_mut(), began)?;
    let state = |verdict: &Verdict| audited_state(&record.state, verdict);
    recording.seal(&store, &record, &evidence, &mut verdict, Ending::of_check, state)?;
    Ok(verdict)
}

/// What a check would find before it runs the verifiers. It takes no lock and writes nothing, so that it can be asked while
/// another operation holds the lock.
pub fn preview(root: &Path, store: &Store, record: &Record) -> Result<Judgement> {
    let scene = Check { store, record, start: root, rehash: false, progress: &|_, _| () };
    let evidence = scene.look(Repository::discover(root)?, None)?;
    Ok(judge::judge(&record.config.policy, &record.config.rules()?, &evidence))
}

/// Somebody to run the verifiers, if there are any.
fn supervisor_for(record: &Record) -> Result<Option<Supervisor>> {
    if record.config.verify.is_empty() {
        return Ok(None);
    }
    Supervisor::new().map(Some).map_err(|error| Error::io("cannot watch over programs", error))
}

/// How often the verifiers may run before a tree that never rests is given up.
const ROUNDS: usize = 2;

/// How often a tree that changes while it is read is read.
const TRIES: usize = 3;

/// One check under way.
pub struct Check<'a> {
    /// The state files.
    pub store: &'a Store,
    /// What was armed, as it stood when the check began.
    pub record: &'a Record,
    /// The top of the work tree.
    pub start: &'a Path,
    /// Whether every file is read.
    pub rehash: bool,
    /// Who is told how far it is.
    pub progress: Progress<'a>,
}

impl Check<'_> {
    /// The whole check, from the first look to the verdict, which is not written down yet. It needs a supervisor where
    /// there are verifiers.
    pub fn audit(
        &self,
        repository: Repository,
        anchor: &Anchor,
        supervisor: Option<&mut Supervisor>,
        began: Instant,
    ) -> Result<(Verdict, Evidence)> {
        let (evidence, mut judgement, verification) = self.rounds(repository, supervisor)?;
        judgement.notes.extend(anchor.rearmed()?.note().map(Text::from));
        let verdict = conclude(self.record, &evidence, judgement, verification, began.elapsed().as_secs_f64());
        Ok((verdict, evidence))
    }

    /// Looks, judges, verifies, and looks again: what is accepted is a tree that a whole round of verifiers left alone.
    fn rounds(
        &self,
        repository: Repository,
        mut supervisor: Option<&mut Supervisor>,
    ) -> Result<(Evidence, Judgement, Vec<Verification>)> {
        let config = &self.record.config;
        let rules = config.rules()?;
        let judge = |evidence: &Evidence| judge::judge(&config.policy, &rules, evidence);
        let traced = Some(&rules.audit);
        let mut evidence = self.look(repository, traced)?;
        let mut judgement = judge(&evidence);
        let mut verification = Vec::new();
        for round in 1..=ROUNDS {
            let Some(supervisor) = supervisor.as_deref_mut().filter(|_| !config.verify.is_empty()) else { break };
            if judgement.rejects() {
                break;
            }
            running::begin(self.store, supervisor)?;
            let mut culprits = Vec::new();
            // A look after each of them, so that one that changes something and one that changes it back are both seen.
            verification =
                run_verifiers(self.store, self.record, self.start, supervisor, self.progress, &mut |command| {
                    self.require_untouched_state()?;
                    let after = self.look(Repository::discover(self.start)?, traced)?;
                    let now = judge(&after);
                    culprits.extend(judge::changed_by(command, (&evidence, &judgement), (&after, &now)));
                    (evidence, judgement) = (after, now);
                    Ok(())
                })?;
            self.store.clear_running();
            if culprits.is_empty() {
                break;
            }
            if round == ROUNDS || judgement.rejects() {
                judgement.findings.extend(culprits);
            }
        }
        Ok((evidence, judgement, verification))
    }

    /// A verifier that wrote into the state leaves nothing that could be believed.
    fn require_untouched_state(&self) -> Result<()> {
        let changed = Error::state("the state changed while the verifiers ran");
        let changed = match self.store.record() {
            Ok(now) if now.anchor == self.record.anchor && now.state == self.record.state => return Ok(()),
            Ok(_) => changed,
            Err(error) => changed.caused_by(error),
        };
        Err(changed
            .hint("A verifier must not run cordon or write into .cordon/. cordon reset clears the state; arm again."))
    }

    /// Looks until the tree has held still, or shows the same twice; what never does so is reported, not accepted.
    fn look(&self, repository: Repository, rules: Option<&AuditRules>) -> Result<Evidence> {
        let (mut seen, mut moving) = self.look_once(repository, rules)?;
        for _ in 1..TRIES {
            if !moving {
                return Ok(seen);
            }
            let (again, still) = self.look_once(Repository::discover(self.start)?, rules)?;
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
    fn look_once(&self, repository: Repository, rules: Option<&AuditRules>) -> Result<(Evidence, bool)> {
        // Where no file can be made, none tells the time either; the reader still notices files that do not rest.
        let tick = look::tick(self.start).ok();
        let mut look = Look::take(self.start, self.store, &self.record.state, self.rehash, self.progress)?;
        require_baseline(self.record, &look.control)?;
        (self.progress)("comparing what changed", 0);
        let evidence = look.evidence(repository, rules)?;
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

/// Runs the verifiers; a signal is recorded before it ends the check.
fn run_verifiers(
    store: &Store,
    record: &Record,
    root: &Path,
    supervisor: &mut Supervisor,
    progress: Progress<'_>,
    ended: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Vec<Verification>> {
    let run = verify::run(&record.config, root, supervisor, progress, ended);
    if let Err(error) = &run
        && matches!(error.kind, Kind::Interrupted(_))
    {
        store.update(&interrupted_state(&record.state, error))?;
        store.clear_running();
    }
    run
}

fn conclude(
    record: &Record,
    evidence: &Evidence,
    judgement: Judgement,
    verification: Vec<Verification>,
    duration_s: f64,
) -> Verdict {
    let Judgement { metrics, left, mut findings, mut notes } = judgement;
    let timeout = record.config.verify_timeout;
    findings.extend(verification.iter().filter_map(|run| judge::verification(run, timeout)));
    let violations: Vec<Text> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Violation)
        .map(|finding| finding.message.clone())
        .collect();
    if !violations.is_empty() && verification.is_empty() && !record.config.verify.is_empty() {
        notes.insert(0, judge::not_verified(record.config.verify.len()));
    }
    Verdict {
        schema_version: verdict::SCHEMA_VERSION,
        passed: violations.is_empty(),
        label: record.config.label.clone(),
        baseline: record.config.baseline.clone(),
        current_head: evidence.head.current.clone(),
        head_changed: evidence.head.moved(),
        tree: evidence.tree.clone(),
        changed_files: evidence
            .changes
            .iter()
            .filter(|change| judge::is_net(change))
            .map(|change| change.path.clone())
            .collect(),
        metrics,
        limits: record.config.policy.limits,
        left,
        violations,
        findings,
        notes,
        verification,
        changes: evidence.changes.clone(),
        unobserved: evidence.omissions.rows(),
        session: None,
        anchor: record.anchor.clone(),
        duration_s,
    }
}

/// All violations in one text, for scripts that look for a phrase in it.
fn joined(violations: &[Text]) -> Option<Text> {
    let (first, rest) = violations.split_first()?;
    Some(rest.iter().fold(first.clone(), |text, violation| text.word("; ").raw(violation)))
}

/// The state after a signal ended the operation.
pub fn interrupted_state(state: &State, error: &Error) -> State {
    State {
        phase: Phase::Interrupted,
        last_error: Some(Text::from(error.message.clone())),
        updated_at: look::now(),
        ..state.clone()
    }
}

/// The state after an audit.
pub fn audited_state(state: &State, verdict: &Verdict) -> State {
    State {
        phase: if verdict.passed { Phase::Accepted } else { Phase::Rejected },
        last_error: joined(&verdict.violations),
        last_audit: Some(Summary::from(verdict)),
        updated_at: look::now(),
        ..state.clone()
    }
}
