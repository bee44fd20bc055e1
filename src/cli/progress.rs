//! A line on standard error that shows that something long is still running.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report;
use crate::report::words::{count, guarded};
use crate::session::api::{Glance, Watch};

/// What ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// The line: nothing unless standard error is a terminal, and nothing in the first second.
pub struct Progress {
    bar: ProgressBar,
    waiting: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Progress {
    /// Begins to wait.
    pub fn start() -> Self {
        // The phrase comes last because it may be a whole command: it is cut to the width of the terminal.
        let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}").expect("the template is a constant");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style);
        let waiting = std::io::stderr().is_terminal().then(|| wait(bar.clone())).flatten();
        Progress { bar, waiting: Mutex::new(waiting) }
    }

    /// Takes note of what is being done and how many entries are done.
    pub fn report(&self, phrase: &str, done: u64) {
        let phrase = guarded(phrase.as_bytes());
        self.bar.set_message(if done == 0 { phrase } else { format!("{phrase}: {}", count(done)) });
    }

    /// Removes the line for good, so that other output has the screen for itself.
    pub fn stop(&self) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((sender, thread)) = waiting {
            drop(sender);
            // The thread only draws; if it failed there is nothing to clean up.
            let _ = thread.join();
            self.bar.finish_and_clear();
        }
    }
}

/// The line while an agent works: the phase, the time, the attempt, and how much of the budgets is used.
pub struct AgentProgress(Progress);

impl AgentProgress {
    /// Begins to wait.
    pub fn start() -> Self {
        AgentProgress(Progress::start())
    }

    /// Removes the line for good.
    pub fn stop(&self) {
        self.0.stop();
    }
}

impl Watch for AgentProgress {
    fn is_watched(&self) -> bool {
        std::io::stderr().is_terminal()
    }

    fn report(&self, phrase: &str, done: u64) {
        self.0.report(phrase, done);
    }

    fn armed(&self, warnings: &[String]) {
        self.0.bar.suspend(|| super::arm::warn(warnings));
    }

    fn glance(&self, glance: &Glance) {
        self.0.bar.set_message(report::agent::glance(
            (glance.attempt, glance.max_attempts),
            glance.metrics.as_ref(),
            &glance.limits,
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Shows the bar after a while from a thread of its own, because nothing may report in the meantime.
fn wait(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel();
    let show = move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    };
    Builder::new().spawn(show).ok().map(|thread| (sender, thread))
}
