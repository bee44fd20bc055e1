//! Long work in a thread of its own, so that whoever waits for it can heed a signal meanwhile.
//!
//! A look at the work tree reads files of any size and compares texts of any length. As long as somebody watches over
//! programs, a signal only rings a bell, so the thread that waits listens for that; the one that works ends with the
//! process, and writes nothing until then.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::api::Progress;
use super::verify;
use crate::error::{Error, Result};
use crate::process::interrupt::Alarm;

/// How often the bell is listened for.
const PAUSE: Duration = Duration::from_millis(25);

/// As much as the first thread of a process has.
const STACK: usize = 8 * 1024 * 1024;

/// What the work is at: a phrase, and how many entries are done.
type Told = Arc<Mutex<Option<(String, u64)>>>;

/// Work that is being done.
pub struct Background<T> {
    done: Receiver<Result<T>>,
    thread: Option<JoinHandle<()>>,
    told: Told,
}

impl<T: Send + 'static> Background<T> {
    /// Begins the work.
    pub fn start(work: impl FnOnce(Progress<'_>) -> Result<T> + Send + 'static) -> Result<Background<T>> {
        let (tell, done) = channel();
        let told = Told::default();
        let says = Arc::clone(&told);
        let work = move || {
            let result = work(&|phrase, done| *lock(&says) = Some((phrase.to_owned(), done)));
            // Nobody waits any more where the operation was interrupted.
            let _ = tell.send(result);
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(work);
        let thread = thread.map_err(|error| Error::io("cannot start a thread", error))?;
        Ok(Background { done, thread: Some(thread), told })
    }

    /// What came of it; `None` as long as it is not done after `patience`.
    pub fn poll(&mut self, patience: Duration) -> Option<Result<T>> {
        match self.done.recv_timeout(patience) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let end = self.thread.take().map(JoinHandle::join);
                if let Some(Err(panic)) = end {
                    std::panic::resume_unwind(panic);
                }
                Some(Err(Error::state("work that was under way came to no end")))
            }
        }
    }

    /// Waits for the end of it, and tells how far it is.
    ///
    /// # Errors
    /// Of kind `Interrupted` as soon as the bell rings; else those of the work.
    pub fn wait(mut self, alarm: &Alarm, progress: Progress<'_>) -> Result<T> {
        loop {
            if let Some(result) = self.poll(PAUSE) {
                return result;
            }
            if let Some((phrase, done)) = lock(&self.told).take() {
                progress(&phrase, done);
            }
            if let Some(signal) = alarm.signal() {
                return Err(verify::interrupted(signal));
            }
        }
    }
}

fn lock(told: &Mutex<Option<(String, u64)>>) -> std::sync::MutexGuard<'_, Option<(String, u64)>> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}
