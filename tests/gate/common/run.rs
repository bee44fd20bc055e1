//! Runs a child process that may neither outlive its time nor leave somebody behind who holds its output.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::outcome::Outcome;

/// How long a command may take before it counts as hanging.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `command` with `input` on standard input; a command that takes longer than `patience` fails the test.
#[track_caller]
#[must_use]
pub fn run(command: Command, input: &[u8], patience: Duration) -> Outcome {
    start(command, input).finish(patience)
}

/// A child process whose output is being collected.
pub struct Running {
    name: String,
    child: Child,
    began: Instant,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

/// Starts `command` and returns at once.
#[track_caller]
pub fn start(mut command: Command, input: &[u8]) -> Running {
    let name = format!("{command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {name}: {error}"));
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    // A child that reads nothing closes the pipe early, which is its right.
    thread::spawn(move || stdin.write_all(&input).ok());
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    Running { name, child, began, stdout, stderr }
}

impl Running {
    /// Kills the process itself at once, as a crash of the machine would.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child that was not waited for can be killed");
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end.
    #[track_caller]
    #[must_use]
    pub fn finish(mut self, patience: Duration) -> Outcome {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.began.elapsed() > patience {
                self.child.kill().ok();
                self.child.wait().ok();
                panic!("{} hangs: no end after {patience:?}", self.name);
            }
            thread::sleep(Duration::from_millis(1));
        };
        let took = self.began.elapsed();
        let [stdout, stderr] = [self.stdout, self.stderr].map(|stream| {
            stream
                .recv_timeout(Duration::from_secs(5))
                .unwrap_or_else(|_| panic!("{} ended, but a process of its own still holds its output", self.name))
        });
        Outcome { command: self.name, status, stdout, stderr, took }
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).ok();
        sender.send(all).ok();
    });
    receiver
}
