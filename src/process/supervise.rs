//! The loop that watches one program: its output, its time, the signals that Cordon receives, and its keeper.
//!
//! Whatever happens, nothing of the program is left when it ends, and it ends: who does not listen is killed, a keeper
//! that does not answer is killed and Cordon does its work, and only what even that does not end is given up.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;

use super::capture::Stream;
use super::child::{Failure, Limits, Outcome, Status, Streams};
use super::interrupt::Interrupts;
use super::link::Message;
use super::program::Program;
use super::supervisor::{KILL_PATIENCE, Ward};

/// How often the keeper is woken and the caller's own business is done.
const BEAT: Duration = Duration::from_millis(500);

/// Runs `program` until nothing of it is left.
pub(super) fn supervise(
    ward: &mut Ward<'_>,
    interrupts: &Interrupts,
    program: &Program,
    limits: &Limits,
    streams: Streams,
    beat: &mut dyn FnMut(),
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let readers = start(ward, program, limits, streams)?;
    let mut watch = Watched {
        ward,
        streams: readers,
        limits,
        interrupts,
        phase: Phase::Running,
        deadline: started.checked_add(limits.timeout),
        status: None,
        gone: false,
        timed_out: false,
        interrupted: None,
    };
    let end = watch.until_nothing_is_left(beat);
    if end.is_err() && !watch.gone {
        // The failure that is told is the first one.
        let _ = watch.ward.end();
    }
    end?;
    let Watched { streams: [stdout, stderr], timed_out, interrupted, status, .. } = watch;
    if let Some(signal) = interrupted {
        return Err(Failure::Interrupted(signal));
    }
    let (stdout, stderr) = (stdout.finish()?, stderr.finish()?);
    let output_limited = stdout.overflowed || stderr.overflowed;
    // A leader that nobody saw end was killed together with the keeper.
    let status = status.unwrap_or(Status::KILLED);
    Ok(Outcome { status, stdout, stderr, timed_out, output_limited, duration: started.elapsed() })
}

/// Hands the program over to the keeper.
fn start(ward: &Ward<'_>, program: &Program, limits: &Limits, streams: Streams) -> Result<[Stream; 2], Failure> {
    let packed = program.pack().map_err(Failure::Start)?;
    let stdin = streams.stdin.map_or_else(|| File::open("/dev/null"), Ok)?;
    let (stdout, stdout_of_program) = io::pipe()?;
    let (stderr, stderr_of_program) = io::pipe()?;
    let descriptors = [packed.as_fd(), stdin.as_fd(), stdout_of_program.as_fd(), stderr_of_program.as_fd()];
    if let Some(link) = ward.link() {
        link.send_with(Message::Start(0), &descriptors)?;
    }
    Ok([
        Stream::new(stdout.into(), limits.caps, streams.stdout)?,
        Stream::new(stderr.into(), limits.caps, streams.stderr)?,
    ])
}

/// How far the end of a program has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nobody wants it to end.
    Running,
    /// It was told to by SIGINT, as a person would.
    Hinted,
    /// It was asked to with all its descendants.
    Asked,
    /// They were killed.
    Killed,
}

/// The state of the loop.
struct Watched<'a, 'w> {
    ward: &'a mut Ward<'w>,
    streams: [Stream; 2],
    limits: &'a Limits,
    interrupts: &'a Interrupts,
    phase: Phase,
    /// When the present phase ends; `None` is never.
    deadline: Option<Instant>,
    /// How the leader has ended.
    status: Option<Status>,
    /// Whether nothing is left.
    gone: bool,
    timed_out: bool,
    interrupted: Option<i32>,
}

impl Watched<'_, '_> {
    fn until_nothing_is_left(&mut self, beat: &mut dyn FnMut()) -> Result<(), Failure> {
        let mut next_beat = Instant::now() + BEAT;
        while !self.gone {
            if self.wait(next_beat)? {
                self.hear()?;
            }
            for stream in &mut self.streams {
                stream.read_chunk()?;
            }
            if let Some(signal) = self.interrupts.take() {
                self.interrupt(signal)?;
            }
            if self.phase == Phase::Running && self.streams.iter().any(Stream::overflowed) {
                self.ask()?;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.run_out()?;
            }
            if Instant::now() >= next_beat {
                self.ward.wake();
                beat();
                next_beat = Instant::now() + BEAT;
            }
        }
        Ok(())
    }

    /// Sleeps until there is something to read, a signal came, the keeper has something to say, the phase is over, or the
    /// next beat is due. Whether the keeper has something to say.
    fn wait(&self, next_beat: Instant) -> Result<bool, Failure> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.interrupts.source(), PollFlags::IN)];
        fds.extend(self.ward.link().map(|link| PollFd::new(link, PollFlags::IN)));
        let sources = self.streams.iter().filter_map(Stream::source);
        fds.extend(sources.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN)));
        let until = self.deadline.map_or(next_beat, |deadline| deadline.min(next_beat));
        let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(fds.get(1).is_some_and(|link| !link.revents().is_empty()))
    }

    /// Takes note of what the keeper says. A keeper that is gone is somebody's doing: everybody goes.
    fn hear(&mut self) -> Result<(), Failure> {
        let heard = self.ward.link().map_or(Ok(None), super::link::Link::receive)?;
        match heard.map(|(message, _)| message) {
            Some(Message::CannotStart(errno)) => {
                self.gone = true;
                return Err(Failure::Start(io::Error::from_raw_os_error(errno)));
            }
            Some(Message::Ended(status)) => {
                self.status = Some(status);
                // Whoever else is there, even of a program that succeeded, is made to end.
                if matches!(self.phase, Phase::Running | Phase::Hinted) {
                    self.ask_all()?;
                }
            }
            Some(Message::Gone) => self.gone = true,
            Some(_) => {}
            None => {
                self.ward.end()?;
                self.gone = true;
            }
        }
        Ok(())
    }

    /// The first signal asks the program to end; whoever sends another is in a hurry.
    fn interrupt(&mut self, signal: i32) -> Result<(), Failure> {
        if self.interrupted.is_some() {
            return self.kill();
        }
        self.interrupted = Some(signal);
        if self.phase == Phase::Running { self.ask() } else { Ok(()) }
    }

    /// The time of the present phase is over.
    fn run_out(&mut self) -> Result<(), Failure> {
        match self.phase {
            Phase::Running => {
                self.timed_out = true;
                self.ask()
            }
            Phase::Hinted => self.ask_all(),
            Phase::Asked => self.kill(),
            Phase::Killed => {
                self.ward.end()?;
                self.gone = true;
                Ok(())
            }
        }
    }

    fn ask(&mut self) -> Result<(), Failure> {
        if !self.limits.hint {
            return self.ask_all();
        }
        self.ward.tell(Message::Hint(Signal::INT.as_raw()))?;
        self.enter(Phase::Hinted, self.limits.grace);
        Ok(())
    }

    fn ask_all(&mut self) -> Result<(), Failure> {
        self.ward.tell(Message::Ask(Signal::TERM.as_raw()))?;
        self.enter(Phase::Asked, self.limits.grace);
        Ok(())
    }

    fn kill(&mut self) -> Result<(), Failure> {
        self.ward.wake();
        self.ward.tell(Message::Kill)?;
        if self.phase != Phase::Killed {
            self.enter(Phase::Killed, KILL_PATIENCE);
        }
        Ok(())
    }

    fn enter(&mut self, phase: Phase, length: Duration) {
        self.phase = phase;
        self.deadline = Instant::now().checked_add(length);
    }
}
