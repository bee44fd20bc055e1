//! One program, run under limits as the leader of its own process group.
//!
//! Whatever happens, nothing of the group is left when [`run`] returns, and it returns: a group that does not end when
//! asked is killed, a pipe that a daemon still holds open is not waited for, and only a group that even a kill does not
//! end is given up, as [`Failure::Unended`].

use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::capture::{Caps, Captured, Stream};
use super::exit_watch::{has_exited, watch_exit};
use super::group::{Group, Rest, Watch};
use super::interrupt::Interrupts;

/// A killed process is gone at once, unless the kernel itself is stuck on its behalf.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// How often the group is looked at when there is no descriptor that would tell of its end.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// The file to start; absolute, because a relative one would depend on the working directory.
    pub file: PathBuf,
    /// The name that the program sees itself called by.
    pub name: OsString,
    /// Its arguments, passed as they are.
    pub arguments: Vec<OsString>,
    /// The directory that it runs in.
    pub directory: PathBuf,
    /// All variables that it sees.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a program may use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may run.
    pub timeout: Duration,
    /// How long its group may take to end once it was asked to.
    pub grace: Duration,
    /// How much it may write to each of standard output and standard error.
    pub caps: Caps,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
}

impl Status {
    /// The exit code, or minus the number of the signal.
    pub fn returncode(self) -> i32 {
        match self {
            Status::Exited(code) => code,
            Status::Signaled(signal) => -signal,
        }
    }
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        // A status is one or the other, because only ended children are waited for.
        status.code().map_or_else(|| Status::Signaled(status.signal().unwrap_or(0)), Status::Exited)
    }
}

/// What a program did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Whether its time ran out.
    pub timed_out: bool,
    /// Whether it wrote more than its limit to either stream.
    pub output_limited: bool,
    /// How long it took until nothing was left of its group.
    pub duration: Duration,
}

impl Outcome {
    /// Whether it exited with 0 within its limits.
    pub fn passed(&self) -> bool {
        self.status == Status::Exited(0) && !self.timed_out && !self.output_limited
    }
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Failure {
    /// The program could not be started.
    Start(io::Error),
    /// Cordon received this signal, and has ended the group.
    Interrupted(i32),
    /// The group of this leader could not be ended.
    Unended(u32),
    /// The system refused what is needed to watch the program, which was ended therefore.
    System(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::System(error)
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Failure::System(errno.into())
    }
}

/// Runs `program` with an empty standard input until nothing is left of its group.
pub fn run(program: &Program, limits: &Limits, interrupts: &Interrupts) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let (stdout, stdout_of_child) = io::pipe()?;
    let (stderr, stderr_of_child) = io::pipe()?;
    let leader = Leader::start(program, stdout_of_child, stderr_of_child)?;
    let mut supervision = Supervision {
        exit: watch_exit(leader.pid)?,
        streams: [Stream::new(stdout.into(), limits.caps)?, Stream::new(stderr.into(), limits.caps)?],
        leader,
        limits,
        interrupts,
        phase: Phase::Running,
        deadline: started.checked_add(limits.timeout),
        exited: false,
        survivors: Watch::default(),
        timed_out: false,
        interrupted: None,
    };
    supervision.until_nothing_is_left()?;
    let Supervision { mut leader, streams: [stdout, stderr], timed_out, interrupted, .. } = supervision;
    let status = leader.reap()?;
    if let Some(signal) = interrupted {
        return Err(Failure::Interrupted(signal));
    }
    let (stdout, stderr) = (stdout.finish()?, stderr.finish()?);
    let output_limited = stdout.overflowed || stderr.overflowed;
    Ok(Outcome { status, stdout, stderr, timed_out, output_limited, duration: started.elapsed() })
}

/// The child that leads the group. It is reaped last of all, because until then its group's id is nobody else's.
struct Leader {
    child: Child,
    pid: Pid,
    reaped: bool,
}

impl Leader {
    fn start(program: &Program, stdout: PipeWriter, stderr: PipeWriter) -> Result<Self, Failure> {
        let child = Command::new(&program.file)
            .arg0(&program.name)
            .args(&program.arguments)
            .current_dir(&program.directory)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .process_group(0)
            .spawn()
            .map_err(Failure::Start)?;
        Ok(Leader { pid: Pid::from_child(&child), child, reaped: false })
    }

    fn group(&self) -> Group {
        Group::led_by(self.pid)
    }

    fn reap(&mut self) -> io::Result<Status> {
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status.into())
    }
}

impl Drop for Leader {
    /// Only a failure gets here with the leader unreaped: then its group is killed without ceremony.
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.group().signal(Signal::KILL);
        let give_up = Instant::now() + KILL_PATIENCE;
        // There may be no descriptor to wait with, because the lack of one may be the failure.
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < give_up {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

/// How far the end of a group has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nobody wants it to end.
    Running,
    /// It was asked to.
    Asked,
    /// It was killed.
    Killed,
}

/// The state of the loop that watches one group.
struct Supervision<'a> {
    leader: Leader,
    exit: OwnedFd,
    streams: [Stream; 2],
    limits: &'a Limits,
    interrupts: &'a Interrupts,
    phase: Phase,
    /// When the present phase ends; `None` is never.
    deadline: Option<Instant>,
    /// Whether the leader has ended.
    exited: bool,
    /// Who is left of the group after the leader has ended.
    survivors: Watch,
    timed_out: bool,
    interrupted: Option<i32>,
}

impl Supervision<'_> {
    fn until_nothing_is_left(&mut self) -> Result<(), Failure> {
        loop {
            if self.exited && self.nobody_survives() {
                return Ok(());
            }
            self.wait()?;
            for stream in &mut self.streams {
                stream.read_chunk()?;
            }
            self.exited = self.exited || has_exited(self.leader.pid)?;
            if let Some(signal) = self.interrupts.take() {
                self.interrupt(signal);
            }
            if self.phase == Phase::Running && self.streams.iter().any(Stream::overflowed) {
                self.ask();
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.run_out()?;
            }
        }
    }

    /// Whether the group is empty now; what is left of it, even of one that succeeded, is made to end.
    fn nobody_survives(&mut self) -> bool {
        self.survivors.forget_ended();
        if !self.survivors.is_empty() {
            return false;
        }
        let Rest::Alive(pids) = self.leader.group().rest() else {
            // Whoever was born while the table was read, or cannot be seen, goes with this.
            self.leader.group().signal(Signal::KILL);
            return true;
        };
        self.survivors = Watch::on(&pids);
        match self.phase {
            Phase::Running => self.ask(),
            Phase::Asked => {}
            Phase::Killed => self.leader.group().signal(Signal::KILL),
        }
        false
    }

    /// Sleeps until there is something to read, somebody has ended, a signal came, or the phase is over.
    fn wait(&self) -> Result<(), Failure> {
        let mut sources = vec![self.interrupts.source()];
        sources.extend(self.streams.iter().filter_map(Stream::source));
        if self.exited {
            sources.extend(self.survivors.sources());
        } else {
            sources.push(self.exit.as_fd());
        }
        let mut fds: Vec<PollFd<'_>> = sources.iter().map(|source| PollFd::new(source, PollFlags::IN)).collect();

        let mut patience = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if self.exited && self.survivors.is_empty() {
            patience = Some(patience.map_or(LOOK_AGAIN, |patience| patience.min(LOOK_AGAIN)));
        }
        // A time too long for the system's own type is as good as none.
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The first signal asks the group to end; whoever sends another is in a hurry.
    fn interrupt(&mut self, signal: i32) {
        if self.interrupted.is_some() {
            self.kill();
        } else {
            self.interrupted = Some(signal);
            if self.phase == Phase::Running {
                self.ask();
            }
        }
    }

    /// The time of the present phase is over.
    fn run_out(&mut self) -> Result<(), Failure> {
        match self.phase {
            // The leader has ended in this very turn, and was in time.
            Phase::Running if self.exited => {}
            Phase::Running => {
                self.timed_out = true;
                self.ask();
            }
            Phase::Asked => self.kill(),
            Phase::Killed => return Err(Failure::Unended(self.leader.child.id())),
        }
        Ok(())
    }

    fn ask(&mut self) {
        self.leader.group().terminate();
        self.enter(Phase::Asked, self.limits.grace);
    }

    fn kill(&mut self) {
        self.leader.group().signal(Signal::KILL);
        if self.phase != Phase::Killed {
            self.enter(Phase::Killed, KILL_PATIENCE);
        }
    }

    fn enter(&mut self, phase: Phase, length: Duration) {
        self.phase = phase;
        self.deadline = Instant::now().checked_add(length);
    }
}
