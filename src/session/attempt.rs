//! One attempt of an agent, from its brief to the verdict.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::anchor::Anchor;
use super::api::Watch;
use super::attempt_files::{AttemptFiles, read_back};
use super::check::{Check, audited_state, interrupted_state};
use super::engine::Engine;
use super::lock::Lock;
use super::observer::Observer;
use super::recording::{Ending, Recording};
use super::state::{Phase, State};
use super::store::{Record, Store};
use super::{look, progress, running, verify};
use crate::agent::brief::{Before, Brief, brief};
use crate::agent::ended::{Ended, Ran, Seen};
use crate::audit::verdict::Verdict;
use crate::error::{Error, Kind, Result};
use crate::git::open::Repository;
use crate::json;
use crate::policy::escape::typed;
use crate::policy::text::Text;
use crate::process::agent;
use crate::process::capture::Caps;
use crate::process::child::{Failure, Limits, Outcome, Streams};
use crate::process::program::Program;
use crate::process::supervisor::Supervisor;
use crate::snapshot::entry::Stat;

/// What one stream of an agent may hold before the agent is ended, in bytes.
const STREAM_CAP: u64 = 4 * 1024 * 1024;

/// How long an agent has after each of SIGINT and SIGTERM.
const GRACE: Duration = Duration::from_secs(3);

/// An attempt that is about to begin. The lock is held, and the record is the only truth: what stands on disk is
/// compared with it.
pub struct Attempt<'a> {
    /// The top of the work tree.
    pub root: &'a Path,
    /// The state files.
    pub store: &'a Store,
    /// The anchor in the Git directory.
    pub anchor: &'a Anchor,
    /// The lock.
    pub lock: &'a Lock,
    /// What was armed, and where it stands.
    pub record: Record,
    /// Who is told how it goes.
    pub watch: &'a dyn Watch,
}

/// What an agent is started with: the program, its streams, and the command line as it is recorded.
type Prepared = (Program, Streams, Vec<Text>);

/// What stood beside the record when the agent began.
struct Standing {
    anchor: Option<Vec<u8>>,
    inventory: BTreeMap<Vec<u8>, Stat>,
}

/// Why an attempt came to no verdict.
pub enum Stop {
    /// The agent did not start: nothing has happened.
    NotStarted(Error),
    /// Something else.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl Attempt<'_> {
    /// Starts the agent, watches it to its end, and audits what it did.
    pub fn make(mut self, engine: &Engine, supervisor: &mut Supervisor) -> Result<Ran, Stop> {
        let number = self.record.state.attempt + 1;
        let files = AttemptFiles::create(self.store, number)?;
        let prompt = self.brief(number);
        let (program, mut streams, command) = self.prepare(engine, &files, &prompt)?;
        let recording = Recording::begin(self.root, Text::from(engine.name.clone()), command)?;
        let before = self.record.state.clone();
        let mut stdout = files.stdout()?;
        streams.stdout = Some(stdout.try_clone().map_err(cannot_keep)?);
        streams.stderr = Some(files.stderr()?);
        running::begin(self.store, supervisor)?;
        self.pass(State { phase: Phase::Running, attempt: number, last_error: None, ..before.clone() })?;
        let before_agent = Standing { anchor: self.anchor.bytes()?, inventory: self.store.inventory()? };

        let limits = Limits {
            timeout: Duration::from_secs(engine.timeout),
            grace: GRACE,
            hint: true,
            caps: Caps { cap: STREAM_CAP, keep: 0 },
        };
        let looks = progress::Looks::new(self.root, self.store, &self.record, number, self.watch);
        let settling = self.store.writer().settle();
        let run = supervisor.run(&program, &limits, streams, &mut || looks.beat());
        looks.end();
        let settled = settling.end().map_err(|error| self.store.cannot_write(error));
        // Before anything is believed or written: is this still what was armed?
        let untouched = self.require_untouched(&before_agent, &files);
        match run {
            Ok(outcome) => {
                untouched?;
                settled?;
                self.store.clear_running();
                let ended = ended(engine, &outcome, &mut stdout)?;
                files.ended(&json::pretty(&ended))?;
                Ok(self.audit(ended, recording, supervisor)?)
            }
            Err(Failure::Start(error)) => {
                untouched?;
                self.store.clear_running();
                self.enter(before)?;
                Err(Stop::NotStarted(cannot_start(engine, &error.to_string())))
            }
            Err(Failure::Interrupted(signal)) => {
                untouched?;
                self.store.clear_running();
                let error = verify::interrupted(signal);
                self.enter(interrupted_state(&self.record.state, &error))?;
                Err(error.into())
            }
            Err(Failure::Unended(processes)) => {
                let error = Error::new(Kind::Agent, format!("the agent cannot be ended: {processes}"))
                    .hint("End these processes with the rights that it takes, then look at what they changed.");
                Err(self.broken(error))
            }
            Err(Failure::System(error)) => Err(self.broken(Error::io("the agent cannot be watched", error))),
        }
    }

    /// What the agent is told.
    fn brief(&self, number: u32) -> String {
        let Record { config, state, .. } = &self.record;
        let verdict = self.store.last_verdict();
        let ending = state.last_agent.as_ref().and_then(|ended| ended.failure.as_ref()).map(Text::plain);
        // A Cordon that was killed could not write down that its agent was ended with it.
        let interrupted = matches!(state.phase, Phase::Interrupted | Phase::Running);
        let interrupted = interrupted.then(|| "it was interrupted".to_owned());
        let ending = interrupted.or(ending);
        let before = (number > 1).then_some(Before { ending: ending.as_deref(), verdict: verdict.as_ref() });
        brief(&Brief {
            task: &config.label,
            envelope: &config.policy,
            audit: &config.audit,
            verify: &config.verify,
            attempt: number,
            max_attempts: state.max_attempts,
            before,
        })
    }

    fn prepare(&self, engine: &Engine, files: &AttemptFiles, prompt: &str) -> Result<Prepared, Stop> {
        let launch = engine.launch(prompt, &files.prompt_path(), self.root).map_err(Stop::NotStarted)?;
        let program =
            agent::program(&launch.argv, self.root).map_err(|why| Stop::NotStarted(cannot_start(engine, &why)))?;
        let prompt = files.prompt(prompt)?;
        let command = launch.argv.iter().map(|word| Text::from_bytes(word.as_bytes())).collect();
        Ok((program, Streams { stdin: launch.on_input.then_some(prompt), ..Streams::default() }, command))
    }

    /// Writes a state down and goes on from it, without waiting for the disk.
    fn pass(&mut self, state: State) -> Result<()> {
        self.record.state = self.store.update(&State { updated_at: look::now(), ..state })?;
        Ok(())
    }

    /// Writes a state down in which the attempt may stay.
    fn enter(&mut self, state: State) -> Result<()> {
        self.pass(state)?;
        self.store.settle()
    }

    /// Takes note of a failure that leaves no verdict.
    fn broken(&mut self, error: Error) -> Stop {
        let state = State {
            phase: Phase::EngineError,
            last_error: Some(Text::from(error.message.clone())),
            ..self.record.state.clone()
        };
        // The first error is the one to be told.
        let _ = self.enter(state);
        Stop::Failed(error)
    }

    /// Refuses everything that is not exactly as this process left it.
    fn require_untouched(&self, before: &Standing, files: &AttemptFiles) -> Result<()> {
        let now = self.anchor.vouch(self.store.record())?;
        let same = now.anchor == self.record.anchor
            && now.state == self.record.state
            && self.anchor.bytes()? == before.anchor
            && self.store.inventory()? == before.inventory
            && files.are_alone()
            && self.lock.is_intact();
        if same {
            return Ok(());
        }
        Err(Error::state("Cordon's state changed while the agent ran")
            .hint("An agent must leave .cordon/ and the Git directory alone. No verdict can be trusted: look at the changes with git, then cordon reset."))
    }

    /// Judges what the agent did, however it ended.
    fn audit(mut self, ended: Ended, recording: Recording, supervisor: &mut Supervisor) -> Result<Ran> {
        let began = Instant::now();
        let phase = if ended.failure.is_some() { Phase::EngineError } else { Phase::AgentFinished };
        self.record.state.last_agent = Some(ended.clone());
        self.pass(State { phase, ..self.record.state.clone() })?;
        let report = |phrase: &str, done: u64| self.watch.report(phrase, done);
        let observer = Observer { traced: true, ..Observer::preview(self.root, self.store, &self.record)? };
        let check = Check { observer: Arc::new(observer), progress: &report };
        let repository = Repository::discover(self.root)?;
        let settling = self.store.writer().settle();
        let audited = check.audit(repository, self.anchor, Some(supervisor), began);
        let settled = settling.end().map_err(|error| self.store.cannot_write(error));
        let (mut verdict, evidence) = audited?;
        settled?;
        if let Some(signal) = supervisor.interrupted() {
            let error = verify::interrupted(signal);
            self.enter(interrupted_state(&self.record.state, &error))?;
            return Err(error);
        }
        let ending = |_: &Verdict| Ending::of_agent(&ended);
        let state = |verdict: &Verdict| {
            let audited = audited_state(&self.record.state, verdict);
            match &ended.failure {
                Some(failure) => State {
                    phase: Phase::EngineError,
                    last_error: Some(Text::from("the agent failed: ").raw(failure)),
                    ..audited
                },
                None => audited,
            }
        };
        let state = recording.seal(self.store, &self.record, &evidence, &mut verdict, ending, state)?;
        self.store.settle()?;
        Ok(Ran { verdict, agent: ended, attempt: state.attempt, max_attempts: state.max_attempts })
    }
}

/// How the agent ended, by what was seen and by what it printed.
fn ended(engine: &Engine, outcome: &Outcome, stdout: &mut File) -> Result<Ended> {
    let seen = Seen {
        returncode: outcome.status.returncode(),
        timed_out: outcome.timed_out,
        output_limited: outcome.output_limited,
        duration_s: outcome.duration.as_secs_f64(),
        timeout: engine.timeout,
    };
    let output = read_back(stdout, STREAM_CAP).map_err(cannot_keep)?;
    Ok(Ended::of(&engine.name, engine.known(), seen, &output))
}

/// The error of an agent that does not start.
pub fn cannot_start(engine: &Engine, why: &str) -> Error {
    let program = engine.program();
    Error::new(Kind::Agent, format!("the agent cannot start: {}: {why}", typed(program.as_encoded_bytes()))).hint(
        "It runs without a shell, in the root of the repository. Install it, or name it: --claude PATH, or -- COMMAND.",
    )
}

fn cannot_keep(error: std::io::Error) -> Error {
    Error::io("cannot keep what the agent writes", error)
}
