//! The verifiers of an envelope: all of them run, one after the other, and nothing runs unless all of them can start.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::child::{Failure, Limits, Outcome, Streams};
use super::environment;
use super::program::Program;
use super::resolve::{Unstartable, resolve};
use super::supervisor::Supervisor;
use crate::error::{Error, Kind};
use crate::policy::caches::CacheRule;
use crate::policy::escape::typed;

/// One command of an envelope.
#[derive(Debug, Clone, Copy)]
pub struct Verifier<'a> {
    /// The command as it was armed.
    pub source: &'a str,
    /// Its words.
    pub argv: &'a [String],
}

/// One verifier that ran.
#[derive(Debug, Clone)]
pub struct Verified {
    /// The command as it was armed.
    pub source: String,
    /// What it did.
    pub outcome: Outcome,
}

/// Why not all verifiers ran to their end.
#[derive(Debug)]
pub enum Stopped {
    /// Cordon received this signal.
    Interrupted(i32),
    /// One could not be started or watched.
    Failed(Error),
}

/// What happens while the verifiers run, for a person who waits.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// The verifier with this index starts.
    Starts(usize, Verifier<'a>),
    /// The verifier with this index has ended.
    Ended(usize, &'a Outcome),
}

/// Runs all of `verifiers` in `root`, each under `limits`, whether or not the ones before it passed. Where `caches` says so,
/// each has a private directory for what tools cache, which is gone when it has ended: neither who worked in the
/// repository nor another verifier has written there.
pub fn run_all(
    verifiers: &[Verifier<'_>],
    root: &Path,
    limits: &Limits,
    caches: CacheRule,
    supervisor: &mut Supervisor,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<Vec<Verified>, Stopped> {
    let programs: Vec<Program> =
        verifiers.iter().map(|verifier| prepare(*verifier, root)).collect::<Result<_, _>>().map_err(Stopped::Failed)?;
    let mut verified = Vec::with_capacity(programs.len());
    for (index, (verifier, program)) in verifiers.iter().zip(&programs).enumerate() {
        stop_if_interrupted(supervisor)?;
        progress(Step::Starts(index, *verifier));
        let (directory, program) = with_caches(program, caches).map_err(Stopped::Failed)?;
        let outcome = supervisor
            .run(&program, limits, Streams::default(), &mut || {})
            .map_err(|failure| stopped(*verifier, failure))?;
        drop(directory);
        progress(Step::Ended(index, &outcome));
        verified.push(Verified { source: verifier.source.to_owned(), outcome });
    }
    stop_if_interrupted(supervisor)?;
    Ok(verified)
}

/// A program that is to start, with the directory of its caches if it has one.
fn with_caches(program: &Program, caches: CacheRule) -> Result<(Option<TempDir>, Program), Error> {
    let mut program = program.clone();
    if caches == CacheRule::Keep {
        return Ok((None, program));
    }
    let own = Permissions::from_mode(0o700);
    let made = tempfile::Builder::new().prefix("cordon-caches-").permissions(own).tempdir();
    let directory = made.map_err(|error| {
        Error::io("a directory for the caches of a verifier cannot be made", error)
            .hint("Let TMPDIR name a directory that can be written, or arm with --verifier-caches keep.")
    })?;
    program.environment = environment::with_caches_in(directory.path(), program.environment);
    Ok((Some(directory), program))
}

/// Says why the program of a verifier cannot start in `root` as things stand; `None` when it can.
pub fn unstartable(verifier: Verifier<'_>, root: &Path) -> Option<String> {
    locate(verifier, root, &environment::for_verifiers(std::env::vars_os())).err().map(|why| why.to_string())
}

fn stop_if_interrupted(supervisor: &Supervisor) -> Result<(), Stopped> {
    supervisor.interrupted().map_or(Ok(()), |signal| Err(Stopped::Interrupted(signal)))
}

fn prepare(verifier: Verifier<'_>, root: &Path) -> Result<Program, Error> {
    let environment = environment::for_verifiers(std::env::vars_os());
    let file = locate(verifier, root, &environment).map_err(|why| cannot_start(verifier, &why.to_string()))?;
    let (name, arguments) = verifier.argv.split_first().map_or_else(Default::default, |(name, arguments)| {
        (OsString::from(name), arguments.iter().map(OsString::from).collect())
    });
    Ok(Program { file, name, arguments, directory: root.to_owned(), environment })
}

fn locate(verifier: Verifier<'_>, root: &Path, environment: &[(OsString, OsString)]) -> Result<PathBuf, Unstartable> {
    let search_path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    resolve(OsStr::new(verifier.argv.first().map_or("", String::as_str)), root, search_path)
}

fn stopped(verifier: Verifier<'_>, failure: Failure) -> Stopped {
    let command = typed(verifier.source.as_bytes());
    Stopped::Failed(match failure {
        Failure::Interrupted(signal) => return Stopped::Interrupted(signal),
        Failure::Start(error) => cannot_start(verifier, &error.to_string()).caused_by(error),
        Failure::Unended(processes) => {
            Error::new(Kind::Verifier, format!("verifier cannot be ended: {command}: {processes}"))
                .hint("See what of it still runs, end that with the rights that it takes, and check again.")
        }
        Failure::System(error) => Error::io(format!("verifier cannot be watched: {command}"), error),
    })
}

fn cannot_start(verifier: Verifier<'_>, why: &str) -> Error {
    Error::new(Kind::Verifier, format!("verifier cannot start: {}: {why}", typed(verifier.source.as_bytes())))
        .hint("Verifiers run without a shell, in the root of the repository; `sh -c '...'` gives them one.")
        .hint("Put the program in place, or `cordon reset` and arm again with another `--verify`.")
}
