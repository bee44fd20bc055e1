//! Runs the verifiers of an envelope and puts what they did into the verdict's form.

use std::path::Path;
use std::time::Duration;

use super::api::Progress;
use crate::audit::verdict::Verification;
use crate::error::{Error, Kind, Result};
use crate::policy::caches::CacheRule;
use crate::policy::command::Command;
use crate::policy::signal;
use crate::policy::text::Text;
use crate::process::capture::Caps;
use crate::process::child::Limits;
use crate::process::supervisor::Supervisor;
use crate::process::verifier::{self, Step, Stopped, Verified, Verifier};

/// What one stream of a verifier may hold before the verifier is ended, in bytes.
const STREAM_CAP: u64 = 4 * 1024 * 1024;

/// How much of a stream is kept, in bytes.
const STREAM_KEPT: usize = 16 * 1024;

/// How long a verifier has between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);

/// What is to be run.
pub struct Verifiers<'a> {
    /// The commands, in their order.
    pub commands: &'a [Command],
    /// How long each of them may take, in seconds.
    pub timeout: u64,
    /// Where their caches are.
    pub caches: CacheRule,
}

/// Runs all verifiers in the root of the work tree. `ended` is called with each command when nothing is left of its
/// group, before the next one starts.
///
/// # Errors
/// Of kind `Verifier` when one cannot start, before any of them runs; of kind `Interrupted` after a signal; and what
/// `ended` gives back.
pub fn run(
    run: &Verifiers<'_>,
    root: &Path,
    supervisor: &mut Supervisor,
    progress: Progress<'_>,
    ended: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Vec<Verification>> {
    let verifiers: Vec<Verifier<'_>> =
        run.commands.iter().map(|command| Verifier { source: command.source(), argv: command.argv() }).collect();
    let limits = Limits {
        timeout: Duration::from_secs(run.timeout),
        grace: GRACE,
        hint: false,
        caps: Caps { cap: STREAM_CAP, keep: STREAM_KEPT },
    };
    let mut seen = Ok(());
    let mut report = |step: Step<'_>| match step {
        Step::Starts(_, verifier) => progress(&format!("running {}", verifier.source), 0),
        Step::Ended(index, _) if seen.is_ok() => seen = ended(verifiers[index].source),
        Step::Ended(..) => {}
    };
    match verifier::run_all(&verifiers, root, &limits, run.caches, supervisor, &mut report) {
        Ok(verified) => seen.map(|()| verified.into_iter().map(verification).collect()),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Interrupted(signal)) => Err(interrupted(signal)),
    }
}

/// The error of an operation that a signal has ended.
pub fn interrupted(signal: i32) -> Error {
    let number = u8::try_from(signal).unwrap_or(0);
    Error::new(Kind::Interrupted(number), format!("interrupted by {}", signal::words(signal)))
        .hint("The envelope still stands; check again when you are ready.")
}

fn verification(run: Verified) -> Verification {
    let outcome = run.outcome;
    Verification {
        command: Text::from(run.source),
        returncode: outcome.status.returncode(),
        stdout: Text::from_bytes(outcome.stdout.stored()),
        stderr: Text::from_bytes(outcome.stderr.stored()),
        passed: outcome.passed(),
        timed_out: outcome.timed_out,
        output_limited: outcome.output_limited,
    }
}
