//! A command that is only observed: nothing limits it and nothing ends it. It leads a session of its own, signals are
//! passed on to its group, and its end is that of the whole group.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, test_kill_process_group};

use super::child::Status;
use super::interrupt::Interrupts;
use super::keeper::{OBSERVED, OWN_EXECUTABLE, PROBE};
use super::link::{Link, Message};
use super::program::Program;
use super::resolve::{Unstartable, resolve};
use super::tail::Pump;

/// The exit code of shells for a command that is not there.
const NOT_FOUND: u8 = 127;
/// The exit code of shells for a command that is there and cannot run.
const NOT_RUNNABLE: u8 = 126;

/// How long to sleep between two looks at a group whose leader has ended: at first, and at most.
const SOON: Duration = Duration::from_millis(1);
const LATE: Duration = Duration::from_millis(50);

/// How an observed command ended.
#[derive(Debug)]
pub struct Ended {
    /// The command itself.
    pub status: Status,
    /// The last signal that was passed on to its group.
    pub passed_on: Option<i32>,
    /// The end of what it wrote to standard output, if that was to be kept.
    pub stdout: Vec<u8>,
    /// The end of what it wrote to standard error, if that was to be kept.
    pub stderr: Vec<u8>,
    /// How long it took until its group was empty.
    pub duration: Duration,
}

/// Why a command did not run.
#[derive(Debug)]
pub enum Unrun {
    /// The system could not start it.
    Start(io::Error),
    /// It could not be kept from writing where it must not.
    Mask(io::Error),
    /// The system refused what is needed to watch it.
    System(io::Error),
}

impl From<io::Error> for Unrun {
    fn from(error: io::Error) -> Self {
        Unrun::System(error)
    }
}

impl From<Errno> for Unrun {
    fn from(errno: Errno) -> Self {
        Unrun::System(errno.into())
    }
}

impl Ended {
    /// The exit code as a shell tells it.
    pub fn code(&self) -> u8 {
        match self.status {
            Status::Exited(code) => u8::try_from(code).unwrap_or(u8::MAX),
            Status::Signaled(signal) => u8::try_from(128 + (signal & 0x7f)).unwrap_or(u8::MAX),
        }
    }
}

/// The program of a command that runs in `root` with the caller's environment.
///
/// # Errors
/// Says why it cannot start as things stand, and the exit code that shells have for that.
pub fn program(argv: &[OsString], root: &Path) -> Result<Program, (String, u8)> {
    let (name, arguments) = argv.split_first().ok_or_else(|| ("the command is empty".to_owned(), NOT_FOUND))?;
    let file = resolve(name, root, std::env::var_os("PATH").as_deref());
    Ok(Program {
        file: file.map_err(|why| (why.to_string(), code(&why)))?,
        name: name.clone(),
        arguments: arguments.to_vec(),
        directory: root.to_owned(),
        environment: std::env::vars_os().collect(),
    })
}

/// The program that tries whether a directory is masked: it tries to write `target`, or only runs.
pub fn probe(target: Option<&Path>, root: &Path) -> Program {
    let target = target.map(|target| target.as_os_str().to_owned());
    Program {
        file: OWN_EXECUTABLE.into(),
        name: "stone-probe".into(),
        arguments: [OsString::from(PROBE)].into_iter().chain(target).collect(),
        directory: root.to_owned(),
        environment: Vec::new(),
    }
}

/// The exit code that shells have for a command that the system could not start.
pub fn start_code(error: &io::Error) -> u8 {
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE }
}

fn code(why: &Unstartable) -> u8 {
    match why {
        Unstartable::Unnamed | Unstartable::NotOnPath | Unstartable::Missing(_) => NOT_FOUND,
        Unstartable::Interpreter(_, why) => code(why),
        Unstartable::NoFile(_) | Unstartable::NotExecutable(_) | Unstartable::NoInterpreter(_) => NOT_RUNNABLE,
    }
}

/// What stands between a command and the rest of the world.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around<'a> {
    /// So many bytes of the end of each output stream are kept; without, the program has the streams for itself.
    pub keep: Option<usize>,
    /// A directory that the command can only read: where it is, and itself.
    pub masked: Option<(&'a Path, BorrowedFd<'a>)>,
}

/// Runs `program` until nobody of its group is left.
pub fn run(program: &Program, around: Around<'_>, interrupts: &Interrupts) -> Result<Ended, Unrun> {
    let started = Instant::now();
    let packed = program.pack()?;
    let (stdout, out) = output(around.keep, io::stdout().as_fd().try_clone_to_owned()?)?;
    let (stderr, err) = output(around.keep, io::stderr().as_fd().try_clone_to_owned()?)?;
    let (link, other) = Link::pair()?;
    let leader = starter(around.masked.map(|(place, _)| place), other)?;
    let stdin = io::stdin();
    let mut descriptors = vec![packed.as_fd(), stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    descriptors.extend(around.masked.map(|(_, held)| held));
    link.send_with(Message::Start(0), &descriptors)?;
    drop((stdout, stderr));
    let mut group = Group { leader, link: Some(link), formed: false, waiting: None, passed_on: None, interrupts };
    let status = group.until_the_leader_ends()?;
    group.until_nobody_is_left()?;
    let duration = started.elapsed();
    let kept = |pump: Option<Pump>| pump.map_or_else(Vec::new, Pump::finish);
    Ok(Ended { status, passed_on: group.passed_on, stdout: kept(out), stderr: kept(err), duration })
}

/// Starts a process that becomes the program which comes over the line. Its end of the line is open nowhere else, so that
/// it closes when the program starts.
fn starter(masked: Option<&Path>, line: OwnedFd) -> io::Result<Child> {
    let mut command = Command::new(OWN_EXECUTABLE);
    command.arg0("stone-starter").arg(OBSERVED).args(masked).env_clear();
    command.stdin(Stdio::from(line)).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

/// What a program writes to: `own` itself, or a pipe whose content is passed on to it.
fn output(keep: Option<usize>, own: OwnedFd) -> io::Result<(OwnedFd, Option<Pump>)> {
    let Some(keep) = keep else { return Ok((own, None)) };
    let (reader, writer) = io::pipe()?;
    Ok((writer.into(), Some(Pump::start(reader.into(), File::from(own), keep)?)))
}

/// The group of an observed command.
struct Group<'a> {
    leader: Child,
    /// The line to the starter, as long as it has not become the program.
    link: Option<Link>,
    /// Whether the group exists.
    formed: bool,
    /// A signal that came before that.
    waiting: Option<i32>,
    passed_on: Option<i32>,
    interrupts: &'a Interrupts,
}

impl Group<'_> {
    fn id(&self) -> Pid {
        Pid::from_child(&self.leader)
    }

    fn until_the_leader_ends(&mut self) -> Result<Status, Unrun> {
        let end = pidfd_open(self.id(), PidfdFlags::empty())?;
        loop {
            let mut fds = vec![PollFd::new(&end, PollFlags::IN)];
            fds.push(PollFd::from_borrowed_fd(self.interrupts.source(), PollFlags::IN));
            fds.extend(self.link.as_ref().map(|link| PollFd::new(link, PollFlags::IN)));
            wait(&mut fds, None)?;
            let told: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            self.pass_on();
            // What the starter had to say comes before its end.
            if told.get(2).is_some_and(|told| *told) {
                self.hear()?;
            } else if told[0] {
                return Ok(status(self.leader.wait()?));
            }
        }
    }

    /// Takes note of how far the starter is.
    fn hear(&mut self) -> Result<(), Unrun> {
        let heard = self.link.as_ref().map_or(Ok(None), Link::receive)?;
        match heard.map(|(message, _)| message) {
            Some(Message::Started) => {
                self.formed = true;
                if let Some(signal) = self.waiting.take() {
                    self.signal(signal);
                }
            }
            Some(Message::CannotStart(errno)) => {
                self.leader.wait()?;
                return Err(Unrun::Start(io::Error::from_raw_os_error(errno)));
            }
            Some(Message::CannotMask(errno)) => {
                self.leader.wait()?;
                return Err(Unrun::Mask(io::Error::from_raw_os_error(errno)));
            }
            // The line closes when the starter has become the program, or has ended.
            _ => self.link = None,
        }
        Ok(())
    }

    /// The leader was reaped, so the group's id is nobody else's as long as somebody is in it.
    fn until_nobody_is_left(&mut self) -> Result<(), Unrun> {
        let mut pause = SOON;
        while test_kill_process_group(self.id()) != Err(Errno::SRCH) {
            let mut fds = [PollFd::from_borrowed_fd(self.interrupts.source(), PollFlags::IN)];
            wait(&mut fds, Some(pause))?;
            self.pass_on();
            pause = (pause * 2).min(LATE);
        }
        Ok(())
    }

    /// Passes a signal on that came meanwhile.
    fn pass_on(&mut self) {
        if let Some(signal) = self.interrupts.take() {
            self.passed_on = Some(signal);
            if self.formed {
                self.signal(signal);
            } else {
                self.waiting = Some(signal);
            }
        }
    }

    fn signal(&self, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            // Whoever has just ended, or may not be signalled, is waited for all the same.
            let _ = kill_process_group(self.id(), signal);
        }
    }
}

fn wait(fds: &mut [PollFd<'_>], timeout: Option<Duration>) -> Result<(), Unrun> {
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn status(status: ExitStatus) -> Status {
    status.code().map_or_else(|| Status::Signaled(status.signal().unwrap_or(0)), Status::Exited)
}
