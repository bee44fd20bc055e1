//! The words about one program that runs under limits: what it may use up, how it ended, and why there is no outcome.

use std::fs::File;
use std::io;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Signal;

use super::capture::{Caps, Captured};

/// What a program may use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may run.
    pub timeout: Duration,
    /// How long it may take to end after each request to do so.
    pub grace: Duration,
    /// Whether it is first hinted at with SIGINT, as by a person at a terminal, before it is asked with SIGTERM.
    pub hint: bool,
    /// How much it may write to each of standard output and standard error.
    pub caps: Caps,
}

/// Where a program reads from, and who else gets what it writes.
#[derive(Debug, Default)]
pub struct Streams {
    /// Its standard input; empty without.
    pub stdin: Option<File>,
    /// Where its standard output is kept, up to the cap.
    pub stdout: Option<File>,
    /// Where its standard error is kept, up to the cap.
    pub stderr: Option<File>,
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
    /// The status of a program that was killed.
    pub(super) const KILLED: Status = Status::Signaled(Signal::KILL.as_raw());

    /// The exit code, or minus the number of the signal.
    pub fn returncode(self) -> i32 {
        match self {
            Status::Exited(code) => code,
            Status::Signaled(signal) => -signal,
        }
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
    /// How long it took until nothing of it was left.
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
    /// Cordon received this signal, and has ended the program with all its descendants.
    Interrupted(i32),
    /// These processes could not be ended.
    Unended(String),
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
