//! Cordon's side of the keeper: it is started when the first program is due, kept for those that follow, and replaced
//! when somebody has killed it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    set_dumpable_behavior, waitpid,
};

use super::child::{Failure, Limits, Outcome, Streams};
use super::interrupt::{Alarm, Interrupts};
use super::keeper::{KEEPER, OWN_EXECUTABLE};
use super::leftovers::{Identity, MARK};
use super::link::{Link, Message};
use super::program::Program;
use super::{supervise, tree};

/// A killed process is gone at once, unless the kernel itself is stuck on its behalf.
pub(super) const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// How long to sleep between two looks at processes that are being killed.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Runs programs under a keeper, and watches for the signals that ask Cordon to end.
pub struct Supervisor {
    executable: PathBuf,
    interrupts: Interrupts,
    keeper: Option<Held>,
    /// Children that were there before; they are none of our business.
    strangers: Vec<Pid>,
}

/// A keeper that waits for work.
pub(super) struct Held {
    child: Child,
    /// `None` once it was told to end.
    link: Option<Link>,
}

impl Supervisor {
    /// A supervisor whose keeper is this very executable.
    pub fn new() -> io::Result<Self> {
        Self::with_executable(OWN_EXECUTABLE)
    }

    /// A supervisor whose keeper is the `cordon` at `executable`, for a process that is another program.
    pub fn with_executable(executable: impl Into<PathBuf>) -> io::Result<Self> {
        // What a killed keeper leaves behind becomes a child of this process.
        set_child_subreaper(Some(getpid()))?;
        // What runs below may belong to the same user, and must neither read nor write this memory.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        Ok(Supervisor {
            executable: executable.into(),
            interrupts: Interrupts::watch()?,
            keeper: None,
            strangers: tree::children(),
        })
    }

    /// The signal that came since the last call, if one did.
    pub fn interrupted(&self) -> Option<i32> {
        self.interrupts.take()
    }

    /// Somebody who hears the signals as well.
    pub fn alarm(&self) -> Alarm {
        self.interrupts.alarm()
    }

    /// The keeper, which is started if there is none.
    pub fn keeper(&mut self) -> io::Result<Identity> {
        let held = match self.keeper.take() {
            Some(held) => held,
            None => Held::start(&self.executable)?,
        };
        let identity = Identity::of(held.pid().as_raw_nonzero().get());
        self.keeper = Some(held);
        identity.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "/proc does not show the processes"))
    }

    /// Runs `program` until nothing of it is left, and calls `beat` now and then.
    pub fn run(
        &mut self,
        program: &Program,
        limits: &Limits,
        streams: Streams,
        beat: &mut dyn FnMut(),
    ) -> Result<Outcome, Failure> {
        let mut program = program.clone();
        program.environment.retain(|(name, _)| name != MARK);
        program.environment.push((MARK.into(), self.keeper()?.mark().into()));
        let mut ward = Ward { held: self.keeper.take(), strangers: &self.strangers };
        let outcome = supervise::supervise(&mut ward, &self.interrupts, &program, limits, streams, beat);
        self.keeper = ward.held.take();
        outcome
    }
}

impl Held {
    fn start(executable: &std::path::Path) -> io::Result<Held> {
        let (link, other) = Link::pair()?;
        let child = Command::new(executable)
            .arg0("cordon-keeper")
            .arg(KEEPER)
            .env_clear()
            .stdin(Stdio::from(other))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Held { child, link: Some(link) })
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Wakes the keeper, should somebody have stopped it.
    fn wake(&self) {
        // It is a child that nobody has reaped; if it has ended, the line tells so.
        let _ = kill_process(self.pid(), Signal::CONT);
    }
}

impl Drop for Held {
    /// An idle keeper ends when the line closes. One that does not is killed, and no patience is lost on it.
    fn drop(&mut self) {
        self.wake();
        self.link = None;
        if !ends_within(self.pid(), KILL_PATIENCE) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Whether a child ends in time; it stays unreaped.
fn ends_within(child: Pid, patience: Duration) -> bool {
    let Ok(descriptor) = pidfd_open(child, PidfdFlags::empty()) else { return false };
    let timeout = Timespec::try_from(patience).ok();
    matches!(poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], timeout.as_ref()), Ok(1..))
}

/// The keeper while it keeps somebody, and whoever it leaves behind.
pub(super) struct Ward<'a> {
    held: Option<Held>,
    strangers: &'a [Pid],
}

impl Ward<'_> {
    /// The line to the keeper; `None` once it is lost.
    pub(super) fn link(&self) -> Option<&Link> {
        self.held.as_ref().and_then(|held| held.link.as_ref())
    }

    /// Tells the keeper something; a lost one hears nothing.
    pub(super) fn tell(&self, message: Message) -> Result<(), Failure> {
        self.link().map_or(Ok(()), |link| link.send(message)).map_err(Failure::from)
    }

    /// Wakes the keeper, should somebody have stopped it.
    pub(super) fn wake(&self) {
        if let Some(held) = &self.held {
            held.wake();
        }
    }

    /// Ends the keeper, which somebody may have done already, and then everybody whom it leaves to this process.
    ///
    /// # Errors
    /// Names those who are still there after a while.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        if let Some(mut held) = self.held.take() {
            let _ = held.child.kill();
            let _ = held.child.wait();
        }
        let give_up = Instant::now() + KILL_PATIENCE;
        loop {
            let mut left = tree::children();
            left.retain(|child| !self.strangers.contains(child));
            if left.is_empty() {
                return Ok(());
            }
            if Instant::now() >= give_up {
                return Err(Failure::Unended(tree::names(&left)));
            }
            for child in &left {
                for process in tree::descendants(*child) {
                    process.signal_below(*child, &[Signal::KILL]);
                }
            }
            tree::kill(&left);
            for child in &left {
                // One that has not ended yet is asked again in the next round.
                let _ = waitpid(Some(*child), WaitOptions::NOHANG);
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}
