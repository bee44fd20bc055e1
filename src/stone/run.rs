//! A session from its beginning to its end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::attest::{Attested, attest_sealed};
use super::config::Config;
use super::confine::{self, CONFINED, Mask};
use super::observe::Workspace;
use crate::error::{Error, Kind, Result};
use crate::exit::StoneExit;
use crate::ledger::lock::Lock;
use crate::ledger::record::{Confinement, Effect, Event, Finished, Ledger, Outcome, Started, seconds};
use crate::ledger::store::{Beside, Store, timestamp};
use crate::ledger::witness::statement;
use crate::policy::escape::plain;
use crate::policy::text::Text;
use crate::process::child::Status;
use crate::process::interrupt::Interrupts;
use crate::process::observed::{self, Around, Ended, Unrun};

/// What a session is asked to be.
#[derive(Debug, Clone)]
pub struct Request {
    /// Who says to run it.
    pub actor: Text,
    /// The command and its arguments.
    pub command: Vec<OsString>,
    /// Whether the end of its output is kept.
    pub capture_output: bool,
    /// Whether the command is kept from writing below `.stone/`.
    pub confine: bool,
    /// Where the ledger is attested.
    pub attest: Option<Attest>,
}

/// How a ledger is to be attested.
#[derive(Debug, Clone)]
pub struct Attest {
    /// The authority.
    pub url: String,
    /// Whether a failure is a failure of the session.
    pub strict: bool,
}

/// What a session was.
#[derive(Debug)]
pub struct Session {
    /// Its ledger.
    pub ledger: Ledger,
    /// What became of the attestation, if one was asked for.
    pub attested: Option<Attested>,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// How the process is to end.
    pub exit: StoneExit,
}

/// Runs a command in the workspace `root` and records what it has changed there.
pub fn run(root: &Path, request: &Request) -> Result<Session> {
    let store = Store::create(root)?;
    let config = Config::load(&store)?;
    let interrupts = Interrupts::watch().map_err(|error| Error::io("cannot watch for signals", error))?;
    let mask = if request.confine { Some(Mask::prove(root, &store, &interrupts)?) } else { None };
    let id = store.next_id()?;
    let lock = Lock::take(&store, &id)?;
    store.sweep()?;
    let program = observed::program(&request.command, root).map_err(|(why, code)| cannot_start(request, &why, code))?;

    let stop = || interrupts.is_pending();
    let workspace = Workspace { root, ignored: &config.ignored, stop: &stop };
    let before = workspace.before(lock.tick()?).map_err(|error| or_interrupted(error, &interrupts))?;
    let started = Started {
        id,
        actor: request.actor.clone(),
        command: request.command.iter().map(|word| Text::from_bytes(word.as_bytes())).collect(),
        confinement: Some(mask.as_ref().map_or(Confinement::NONE, |_| CONFINED)),
        ts: timestamp(),
    };
    let keep = usize::try_from(config.capture_max_bytes).unwrap_or(usize::MAX);
    let keep = request.capture_output.then_some(keep);
    let around = Around { keep, masked: mask.as_ref().map(|mask| mask.masked(&store)) };
    let ended = observed::run(&program, around, &interrupts).map_err(|why| not_run(request, why))?;
    // Whoever wants the end of it all gets it after the record is written.
    let effects = Workspace { stop: &|| false, ..workspace }.after(&before);
    let mut notes: Vec<String> = lock.note.iter().cloned().collect();
    let effects = effects.map_err(|error| notes.push(told(&error))).ok();
    let ledger = ledger(started, &ended, effects);
    let bytes = store.seal(&ledger, &logs(request, &ended))?;
    let attested = request.attest.as_ref().map(|attest| {
        let statement = statement(&ledger, &bytes);
        attest_sealed(&store, &ledger.started.id, statement, attest.url.clone(), &stop)
    });
    let strict = request.attest.as_ref().is_some_and(|attest| attest.strict);
    let exit = match (ledger.finished.outcome, &attested) {
        (Outcome::Incomplete, _) => StoneExit::Incomplete,
        (_, Some(Err(_))) if strict => StoneExit::Unattested,
        _ => StoneExit::Command(ended.code()),
    };
    Ok(Session { ledger, attested, notes, exit })
}

fn not_run(request: &Request, why: Unrun) -> Error {
    match why {
        Unrun::Start(error) => cannot_start(request, &error.to_string(), observed::start_code(&error)),
        Unrun::Mask(error) => confine::failed("the command").caused_by(error),
        Unrun::System(error) => Error::io("cannot run the command", error),
    }
}

/// The ledger of a session; without effects it is one whose end could not be observed.
fn ledger(started: Started, ended: &Ended, effects: Option<Vec<Effect>>) -> Ledger {
    let by_signal = matches!(ended.status, Status::Signaled(_));
    let outcome = match &effects {
        None => Outcome::Incomplete,
        Some(_) if ended.passed_on.is_some() || by_signal => Outcome::Interrupted,
        Some(_) if ended.status == Status::Exited(0) => Outcome::Success,
        Some(_) => Outcome::Failed,
    };
    let ts = timestamp();
    let events = effects.into_iter().flatten().map(|effect| Event { effect, ts: ts.clone() }).collect();
    let duration_s = seconds(ended.duration);
    let finished = Finished { outcome, exit_code: ended.code().into(), duration_s, ts };
    Ledger { started, events, finished }
}

/// The captured output, which may hold secrets.
fn logs<'a>(request: &Request, ended: &'a Ended) -> Vec<Beside<'a>> {
    if !request.capture_output {
        return Vec::new();
    }
    let log = |name, bytes| Beside { name, bytes, mode: 0o600 };
    vec![log("stdout.log", &ended.stdout), log("stderr.log", &ended.stderr)]
}

fn cannot_start(request: &Request, why: &str, code: u8) -> Error {
    let name = request.command.first().map(|name| plain(name.as_bytes())).unwrap_or_default();
    Error::new(Kind::Command(code), format!("cannot start `{name}`: {why}")).hint("Nothing ran, so there is no record.")
}

fn or_interrupted(error: Error, interrupts: &Interrupts) -> Error {
    let signal = interrupts.take().and_then(|signal| u8::try_from(signal).ok());
    match signal {
        Some(signal) => Error::new(Kind::Interrupted(signal), "interrupted before the command was started"),
        None => error,
    }
}

/// An error as one sentence.
fn told(error: &Error) -> String {
    [vec![error.message.clone()], error.causes()].concat().join(": ")
}
