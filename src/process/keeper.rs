//! The keeper: a process of its own that starts programs for Cordon and lets nothing of them remain.
//!
//! It is this very executable, started anew. It leads a session of its own, and it is a child subreaper: whoever below it
//! loses his parent, by daemonising for example, becomes its child. So once it has no child left, nobody is left, and that
//! is the only proof it gives. When Cordon ends, however that happens, the line to it closes, and the keeper kills
//! everybody and ends as well. It cannot be attached to by what it keeps.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process_group, set_child_subreaper,
    set_dumpable_behavior, setsid, wait,
};
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe;

use super::child::Status;
use super::link::{Link, Message};
use super::{mask, starter, tree};

/// This executable, whatever has become of its path on disk.
pub(super) const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// The argument that makes this executable a keeper.
pub(super) const KEEPER: &str = "__keeper";

/// The argument that makes this executable a starter.
const STARTER: &str = "__starter";

/// The argument that makes this executable the starter of a program that is only observed.
pub(super) const OBSERVED: &str = "__observed";

/// The argument that makes this executable a probe of what a confined program can do.
pub(super) const PROBE: &str = "__probe";

/// How long the keeper waits between two rounds of killing, when nobody ends.
const BREATH: Duration = Duration::from_millis(5);

/// How often the children are killed before the whole table is read again: whoever forks and ends at once is caught as
/// soon as he becomes a child of the keeper, and not by a reading of the table that takes longer than he lives.
const BLOWS: usize = 16;

/// Serves as a keeper or a starter if that is what the arguments ask for; only Cordon itself writes such arguments.
pub fn serve(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<ExitCode> {
    let word = arguments.nth(1)?;
    if word == STARTER {
        return Some(starter::serve());
    }
    if word == OBSERVED {
        return Some(starter::serve_observed(arguments.next().as_deref().map(Path::new)));
    }
    if word == PROBE {
        return Some(mask::probe(arguments.next().map(Into::into)));
    }
    (word == KEEPER).then(|| match prepare().and_then(|keeper| keeper.serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => crate::exit::Exit::Refused.into(),
    })
}

/// Who is left below the keeper.
enum Rest {
    Nobody,
    Somebody,
}

struct Keeper {
    /// The line to Cordon, which is standard input.
    link: Link,
    /// Readable when a child may have ended.
    bell: UnixStream,
}

fn prepare() -> io::Result<Keeper> {
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    // No directory is kept busy.
    std::env::set_current_dir("/")?;
    let (bell, ring) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    pipe::register(SIGCHLD, ring)?;
    Ok(Keeper { link: Link::from(io::stdin().as_fd().try_clone_to_owned()?), bell })
}

impl Keeper {
    /// Keeps one program after the other, until Cordon is gone.
    fn serve(&self) -> io::Result<()> {
        while let Some((message, descriptors)) = self.link.receive()? {
            // What else comes while nobody is kept is about the program before.
            if matches!(message, Message::Start(_)) {
                match start(&descriptors) {
                    Ok(leader) => {
                        self.link.send(Message::Started)?;
                        Kept { keeper: self, leader: Some(leader), killing: false, abandoned: false }.keep()?;
                        self.link.send(Message::Gone)?;
                    }
                    Err(errno) => self.link.send(Message::CannotStart(errno.raw_os_error()))?,
                }
            }
        }
        Ok(())
    }
}

/// Starts a program as the leader of a process group of its own.
fn start(descriptors: &[OwnedFd]) -> Result<Pid, Errno> {
    let (link, other) = Link::pair()?;
    let mut starter = Command::new(OWN_EXECUTABLE)
        .arg0("cordon-starter")
        .arg(STARTER)
        .env_clear()
        .stdin(Stdio::from(other))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| errno(&error))?;
    let borrowed: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
    link.send_with(Message::Start(getpid().as_raw_nonzero().get()), &borrowed)?;
    match link.receive()? {
        None => Ok(Pid::from_child(&starter)),
        Some((answer, _)) => {
            reap(&mut starter);
            Err(if let Message::CannotStart(number) = answer {
                Errno::from_raw_os_error(number)
            } else {
                Errno::BADMSG
            })
        }
    }
}

/// Waits for a starter that has failed and ends by itself.
fn reap(starter: &mut Child) {
    // Were it not there any more, there would be nothing to wait for.
    let _ = starter.wait();
}

/// One program and its descendants.
struct Kept<'a> {
    keeper: &'a Keeper,
    /// The program itself until it has ended.
    leader: Option<Pid>,
    /// Whether everybody is being killed.
    killing: bool,
    /// Whether Cordon is gone.
    abandoned: bool,
}

impl Kept<'_> {
    /// Obeys Cordon until nobody is left.
    fn keep(mut self) -> io::Result<()> {
        loop {
            if let Rest::Nobody = self.reap()? {
                return Ok(());
            }
            if self.killing && matches!(self.strike()?, Rest::Nobody) {
                return Ok(());
            }
            if self.listen()? {
                if let Some((message, _)) = self.keeper.link.receive()? {
                    self.obey(message);
                } else {
                    (self.killing, self.abandoned) = (true, true);
                }
            }
        }
    }

    /// Reaps whoever has ended. Nobody is left when there is nobody to wait for, because whoever is left descends from a
    /// child.
    fn reap(&mut self) -> io::Result<Rest> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(None) => return Ok(Rest::Somebody),
                Ok(Some((pid, status))) if Some(pid) == self.leader => {
                    self.leader = None;
                    self.keeper.link.send(Message::Ended(told(status)))?;
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Err(Errno::CHILD) => return Ok(Rest::Nobody),
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Kills everybody who can be seen, and the children again as long as others take their place.
    fn strike(&mut self) -> io::Result<Rest> {
        for process in tree::descendants(getpid()) {
            process.signal_below(getpid(), &[Signal::KILL]);
        }
        for _ in 0..BLOWS {
            tree::kill(&tree::children());
            if let Rest::Nobody = self.reap()? {
                return Ok(Rest::Nobody);
            }
        }
        Ok(Rest::Somebody)
    }

    fn obey(&mut self, message: Message) {
        match message {
            Message::Hint(number) => {
                if let (Some(leader), Some(signal)) = (self.leader, Signal::from_named_raw(number)) {
                    // The leader is not reaped, so its group's id is nobody else's. It may have left the group empty.
                    let _ = kill_process_group(leader, signal);
                    let _ = kill_process_group(leader, Signal::CONT);
                }
            }
            Message::Ask(number) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    for process in tree::descendants(getpid()) {
                        process.signal_below(getpid(), &[signal, Signal::CONT]);
                    }
                }
            }
            Message::Kill => self.killing = true,
            _ => {}
        }
    }

    /// Sleeps until a child may have ended, Cordon has something to say, or it is time to kill again. Whether Cordon has.
    fn listen(&self) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(&self.keeper.bell, PollFlags::IN)];
        if !self.abandoned {
            fds.push(PollFd::new(&self.keeper.link, PollFlags::IN));
        }
        let breath = Timespec::try_from(BREATH).expect("a few milliseconds are within the range");
        match poll(&mut fds, self.killing.then_some(&breath)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let spoken = fds.get(1).is_some_and(|link| !link.revents().is_empty());
        let mut rung = [0; 64];
        while matches!(io::Read::read(&mut &self.keeper.bell, &mut rung), Ok(1..)) {}
        Ok(spoken)
    }
}

fn told(status: WaitStatus) -> Status {
    // A status is one or the other, because only ended children are waited for.
    status.exit_status().map_or_else(|| Status::Signaled(status.terminating_signal().unwrap_or(0)), Status::Exited)
}

/// The number of a failed system call.
pub(super) fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::INVAL)
}
