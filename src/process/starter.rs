//! The last step before a program: it ties the program's life to that of the keeper, and becomes it.
//!
//! The death signal of a process cannot be set from outside, so a process of our own must stand between the keeper and
//! the program.

use std::convert::Infallible;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::unistd::execve;
use rustix::io::Errno;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::SIGPIPE;

use super::keeper::errno;
use super::link::{Link, Message};
use super::program::Call;

/// The exit code of a starter that did not become its program; the keeper tells the reason, and not this number.
const FAILED: u8 = 127;

/// Receives a program on standard input, which is a link to the keeper, and becomes it.
pub(super) fn serve() -> ExitCode {
    // The copy closes when the program starts, which is how the keeper hears of it.
    if let Ok(link) = std::io::stdin().as_fd().try_clone_to_owned().map(Link::from) {
        let Err(errno) = start(&link);
        // A keeper that is gone needs no answer.
        let _ = link.send(Message::CannotStart(errno.raw_os_error()));
    }
    ExitCode::from(FAILED)
}

/// Comes back only with the reason why it could not.
fn start(link: &Link) -> Result<Infallible, Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let Some((Message::Start(keeper), descriptors)) = link.receive()? else { return Err(Errno::PIPE) };
    // A keeper that ended before the death signal was set is not heard any more.
    if getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(keeper) {
        return Err(Errno::SRCH);
    }
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
