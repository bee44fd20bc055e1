//! The last step before a program: it ties the program's life to that of the keeper, or makes it the leader of a session
//! of its own, and becomes it.
//!
//! The death signal and the session of a process cannot be set from outside, so a process of our own must stand between
//! Cordon and the program.

use std::convert::Infallible;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::unistd::execve;
use rustix::io::Errno;
use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::SIGPIPE;

use super::keeper::errno;
use super::link::{Link, Message};
use super::mask;
use super::program::Call;

/// The exit code of a starter that did not become its program; the other side is told the reason, and not this number.
const FAILED: u8 = 127;

/// Receives a program on standard input, which is a link to the keeper, and becomes it.
pub(super) fn serve() -> ExitCode {
    become_what_comes(kept)
}

/// Receives a program on standard input, which is a link to whoever observes it, and becomes it as the leader of a session
/// of its own, which can only read the directory `masked`.
pub(super) fn serve_observed(masked: Option<&Path>) -> ExitCode {
    become_what_comes(|link| observed(link, masked))
}

fn become_what_comes(way: impl FnOnce(&Link) -> Result<Infallible, Message>) -> ExitCode {
    // The copy closes when the program starts, which is how the other side hears of it.
    if let Ok(link) = std::io::stdin().as_fd().try_clone_to_owned().map(Link::from) {
        let Err(message) = way(&link);
        // A side that is gone needs no answer.
        let _ = link.send(message);
    }
    ExitCode::from(FAILED)
}

/// Comes back only with the reason why it could not.
fn kept(link: &Link) -> Result<Infallible, Message> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(cannot_start)?;
    let Some((Message::Start(keeper), descriptors)) = link.receive().map_err(cannot_start)? else {
        return Err(cannot_start(Errno::PIPE));
    };
    // A keeper that ended before the death signal was set is not heard any more.
    if getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(keeper) {
        return Err(cannot_start(Errno::SRCH));
    }
    start(descriptors).map_err(cannot_start)
}

/// Comes back only with the reason why it could not.
fn observed(link: &Link, masked: Option<&Path>) -> Result<Infallible, Message> {
    setsid().map_err(cannot_start)?;
    // From here on the group can be signalled.
    link.send(Message::Started).map_err(cannot_start)?;
    let Some((Message::Start(_), mut descriptors)) = link.receive().map_err(cannot_start)? else {
        return Err(cannot_start(Errno::PIPE));
    };
    if let Some(place) = masked {
        let held = descriptors.pop().ok_or_else(|| cannot_start(Errno::BADMSG))?;
        mask::put_on(place, &held).map_err(|errno| Message::CannotMask(errno.raw_os_error()))?;
    }
    start(descriptors).map_err(cannot_start)
}

fn cannot_start(errno: Errno) -> Message {
    Message::CannotStart(errno.raw_os_error())
}

fn start(descriptors: Vec<OwnedFd>) -> Result<Infallible, Errno> {
    let [program, stdin, stdout, stderr] = <[_; 4]>::try_from(descriptors).map_err(|_| Errno::BADMSG)?;
    let call = Call::unpack(program.into()).ok_or(Errno::BADMSG)?;
    std::env::set_current_dir(&call.directory).map_err(|error| errno(&error))?;
    // This runtime ignores SIGPIPE, which the program would inherit; a handler is not inherited.
    signal_hook::flag::register(SIGPIPE, Arc::new(AtomicBool::new(false))).map_err(|error| errno(&error))?;
    dup2_stdin(stdin)?;
    dup2_stdout(stdout)?;
    dup2_stderr(stderr)?;
    // Not the standard library's: it asks a shell to run what the system does not take for a program.
    let Err(error) = execve(&call.file, &call.arguments, &call.environment);
    Err(Errno::from_raw_os_error(error as i32))
}
