//! `check`: one look at the present, judged by the armed envelope, then the verifiers.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::anchor::Anchor;
use super::api::{CheckOptions, Progress};
use super::background::Background;
use super::closing::Closing;
use super::observer::Observer;
use super::opened::Opened;
use super::recording::{Ending, Recording};
use super::state::{Phase, State};
use super::store::{Record, Store};
use super::verify::{self, Verifiers};
use super::{look, running};
use crate::audit::evidence::Evidence;
use crate::audit::judge::{self, Judgement};
use crate::audit::owners;
use crate::audit::verdict::{Summary, Verdict, Verification};
use crate::error::{Error, Kind, Result};
use crate::git::open::Repository;
use crate::policy::text::Text;
use crate::process::interrupt::Alarm;
use crate::process::supervisor::Supervisor;

/// Checks the repository that holds `start` against its armed envelope.
pub fn check(start: &Path, options: &CheckOptions, progress: Progress<'_>) -> Result<Verdict> {
    let began = Instant::now();
    let Opened { repository, root, store, anchor, record, lock: _lock } = Opened::at(start)?;
    if let Some(expected) = &options.anchor {
        expected.require(&record)?;
    }
    let recording = Recording::begin(&root, options.actor.clone(), options.command.clone())?;
    let mut supervisor = supervisor_for(&record)?;
    let observer = Observer { rehash: options.rehash, traced: true, ..Observer::preview(&root, &store, &record)? };
    let check = Check { observer: Arc::new(observer), progress };
    let (mut verdict, evidence) = check.audit(repository, &anchor, supervisor.as_mut(), began)?;
    let state = |verdict: &Verdict| audited_state(&record.state, verdict);
    recording.seal(&store, &record, &evidence, &mut verdict, Ending::of_check, state)?;
    Ok(verdict)
}

/// What a check would find before it runs the verifiers. It takes no lock and writes nothing, so that it can be asked while
/// another operation holds the lock.
pub fn preview(root: &Path, store: &Store, record: &Record) -> Result<Judgement> {
    let observer = Observer::preview(root, store, record)?;
    let evidence = observer.look(Repository::discover(root)?, &|_, _| ())?;
    let mut judgement = observer.judge(&evidence);
    name_owners(record, &mut judgement)?;
    Ok(judgement)
}

/// Names whose the paths are that something was found about, where the armed commit says it.
fn name_owners(record: &Record, judgement: &mut Judgement) -> Result<()> {
    if !judgement.findings.is_empty()
        && let Some(territory) = record.config.owners()?
    {
        owners::name(&mut judgement.findings, &territory);
    }
    Ok(())
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

/// One check under way.
pub struct Check<'a> {
    /// Who looks at the work tree; its record is what was armed, as it stood when the check began.
    pub observer: Arc<Observer>,
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
        let rounds = self.rounds(repository, supervisor);
        let Observer { store, record, .. } = &*self.observer;
        if let Err(error) = &rounds
            && matches!(error.kind, Kind::Interrupted(_))
        {
            store.update(&interrupted_state(&record.state, error))?;
            store.clear_running();
        }
        let (evidence, mut judgement, verification) = rounds?;
        name_owners(record, &mut judgement)?;
        judgement.notes.extend(anchor.rearmed()?.note().map(Text::from));
        let verdict = closing(record).verdict(&evidence, judgement, verification, began.elapsed().as_secs_f64());
        Ok((verdict, evidence))
    }

    /// Looks, judges, verifies, and looks again: what is accepted is a tree that a whole round of verifiers left alone.
    fn rounds(
        &self,
        repository: Repository,
        mut supervisor: Option<&mut Supervisor>,
    ) -> Result<(Evidence, Judgement, Vec<Verification>)> {
        let Observer { store, record, start, .. } = &*self.observer;
        let config = &record.config;
        let alarm = supervisor.as_deref().map(Supervisor::alarm);
        let mut evidence = self.look(repository, alarm.as_ref())?;
        let mut judgement = self.observer.judge(&evidence);
        let mut verification = Vec::new();
        for round in 1..=ROUNDS {
            let Some(supervisor) = supervisor.as_deref_mut().filter(|_| !config.verify.is_empty()) else { break };
            if judgement.rejects() {
                break;
            }
            running::begin(store, supervisor)?;
            let mut culprits = Vec::new();
            // A look after each of them, so that one that changes something and one that changes it back are both seen.
            let verifiers = Verifiers {
                commands: &config.verifiers()?,
                timeout: config.verify_timeout,
                caches: config.audit.verifier_caches,
            };
            verification = verify::run(&verifiers, start, supervisor, self.progress, &mut |command| {
                self.require_untouched_state()?;
                let after = self.look(Repository::discover(start)?, alarm.as_ref())?;
                let now = self.observer.judge(&after);
                culprits.extend(judge::changed_by(command, (&evidence, &judgement), (&after, &now)));
                (evidence, judgement) = (after, now);
                Ok(())
            })?;
            store.clear_running();
            if culprits.is_empty() {
                break;
            }
            if round == ROUNDS || judgement.rejects() {
                judgement.findings.extend(culprits);
            }
        }
        Ok((evidence, judgement, verification))
    }

    /// A look that a signal ends, where signals do not end the process.
    fn look(&self, repository: Repository, alarm: Option<&Alarm>) -> Result<Evidence> {
        let Some(alarm) = alarm else { return self.observer.look(repository, self.progress) };
        let observer = Arc::clone(&self.observer);
        Background::start(move |progress| observer.look(repository, progress))?.wait(alarm, self.progress)
    }

    /// A verifier that wrote into the state leaves nothing that could be believed.
    fn require_untouched_state(&self) -> Result<()> {
        let changed = Error::state("the state changed while the verifiers ran");
        let Observer { store, record, .. } = &*self.observer;
        let changed = match store.record() {
            Ok(now) if now.anchor == record.anchor && now.state == record.state => return Ok(()),
            Ok(_) => changed,
            Err(error) => changed.caused_by(error),
        };
        Err(changed
            .hint("A verifier must not run cordon or write into .cordon/. cordon reset clears the state; arm again."))
    }
}

/// What the verdict says of the envelope.
fn closing(record: &Record) -> Closing {
    let config = &record.config;
    Closing {
        label: config.label.clone(),
        role: config.role.clone(),
        baseline: config.baseline.clone(),
        limits: config.policy.limits,
        verifiers: config.verify.len(),
        verify_timeout: config.verify_timeout,
        anchor: record.anchor.clone(),
        gate: None,
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
