//! Where output goes: the result to standard output, the talk to standard error, colours only where they are wanted.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::os::fd::AsFd;

use anstream::{AutoStream, ColorChoice, adapter::strip_str};

use super::advice::advice;
use super::colour;
use crate::error::{Error, Kind, Result};
use crate::report;
use crate::report::formats::github;
use crate::report::formats::table::Format;
use crate::report::json::for_a_log;

/// Standard output with what was decided about it.
pub struct Terminal {
    format: Format,
    colour: bool,
    screen: bool,
    out: BufWriter<Stdout>,
    /// Whether the reader went away; then the rest of the output has nowhere to go, which is no error.
    closed: bool,
}

impl Terminal {
    /// Standard output in the format that was asked for, or in the one that suits its reader.
    pub fn new(asked: Option<Format>) -> Self {
        let stdout = io::stdout();
        let screen = stdout.is_terminal();
        let suited = if screen { Format::Human } else { Format::Json };
        Terminal {
            format: asked.unwrap_or(suited),
            colour: colour::choice(screen) != ColorChoice::Never,
            screen,
            out: BufWriter::new(stdout),
            closed: false,
        }
    }

    /// The format that was decided on.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether a person will see the output on a screen: then nothing raw may reach it. What goes into a pipe is for a
    /// program, whatever is said about colours.
    pub fn is_seen(&self) -> bool {
        self.screen
    }

    /// How many columns the screen has; `None` where there is none, and lines stay whole for whoever reads them.
    pub fn width(&self) -> Option<usize> {
        self.screen.then(|| columns(io::stdout()))
    }

    /// Whether the reader went away.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes the answer in the format that was decided on.
    pub fn answer(&mut self, human: impl FnOnce() -> String, json: impl FnOnce() -> Vec<u8>) -> Result<()> {
        match self.format {
            Format::Human => self.human(&human()),
            _ => self.raw(&for_a_log(&json())),
        }
    }

    /// Writes text for people, with its advice wrapped on a screen.
    pub fn human(&mut self, text: &str) -> Result<()> {
        self.whole_lines(&advice(text, self.width()))
    }

    /// Writes text for people as it is, without its colours where they are not wanted.
    pub fn whole_lines(&mut self, text: &str) -> Result<()> {
        if self.colour { self.raw(text.as_bytes()) } else { self.raw(strip_str(text).to_string().as_bytes()) }
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        let written = if self.closed { Ok(()) } else { self.out.write_all(bytes) };
        self.settle(written)
    }

    /// Hands everything that was written to the reader.
    pub fn flush(&mut self) -> Result<()> {
        let flushed = if self.closed { Ok(()) } else { self.out.flush() };
        self.settle(flushed)
    }

    /// Reports an error: to people on standard error, and on standard output to programs that read JSON and to the runner of
    /// GitHub Actions.
    pub fn fail(&mut self, error: &Error) {
        talk(&report::error::human(error));
        let told = match self.format {
            Format::Json | Format::Intoto => for_a_log(&report::json::error(error)),
            Format::Github => github::error(error),
            _ => return,
        };
        // An error in writing about an error has nobody left to be told to; the exit code stands.
        let _ = self.raw(&told).and_then(|()| self.flush());
    }

    fn settle(&mut self, result: io::Result<()>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Error::new(Kind::Io, "cannot write to standard output").caused_by(error)),
        }
    }
}

/// Says something to the person at the terminal, on standard error.
pub fn talk(text: &str) {
    // A closed standard error is no reason to fail: the result and the exit code do not depend on it.
    let stderr = io::stderr();
    let screen = stderr.is_terminal();
    let text = advice(text, screen.then(|| columns(&stderr)));
    let _ = AutoStream::new(stderr, colour::choice(screen)).write_all(text.as_bytes());
}

/// How wide a terminal is that says so; 80 columns where it does not.
fn columns(terminal: impl AsFd) -> usize {
    let told = rustix::termios::tcgetwinsize(terminal).map_or(0, |size| usize::from(size.ws_col));
    if told == 0 { 80 } else { told.max(40) }
}
