//! Cordon's own interruption: while somebody watches, SIGINT, SIGTERM, SIGHUP and SIGQUIT wake a poll loop instead of
//! ending the process, because a child in a group of its own is not reached by them and must be ended first.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::{flag, low_level};

/// The signals that ask Cordon to end.
const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// What all watchers of the process share.
struct Shared {
    watchers: usize,
    /// Set up by the first watcher, kept for ever: the signals, and the condition under which they end the process.
    defaults: Option<Defaults>,
}

/// A handler stays installed once there is one, so what the signal does by default must be done by hand when nobody
/// watches.
struct Defaults {
    /// Whether nobody watches.
    idle: Arc<AtomicBool>,
    /// [`SIGNALS`] without those that the process was started to ignore, as `nohup` does.
    heeded: Vec<i32>,
}

static SHARED: Mutex<Shared> = Mutex::new(Shared { watchers: 0, defaults: None });

/// As long as this lives, the signals are remembered and do not end the process. Afterwards they do again.
pub struct Interrupts {
    wake: UnixStream,
    /// The number of the last signal that came and was not taken yet, or 0.
    received: Arc<AtomicUsize>,
    registered: Vec<SigId>,
}

impl Interrupts {
    /// Begins to watch.
    pub fn watch() -> io::Result<Self> {
        let (wake, ring) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let defaults = match &mut shared.defaults {
            Some(defaults) => defaults,
            none => none.insert(Defaults::install()?),
        };
        defaults.idle.store(false, Ordering::SeqCst);
        let heeded = defaults.heeded.clone();
        shared.watchers += 1;
        drop(shared);

        // From here on, dropping `watching` undoes what was done when a registration fails.
        let mut watching = Interrupts { wake, received: Arc::default(), registered: Vec::new() };
        for signal in heeded {
            let number = signal.unsigned_abs() as usize;
            // The number is stored before the bell rings, because actions run in the order of their registration.
            watching.registered.push(flag::register_usize(signal, Arc::clone(&watching.received), number)?);
            watching.registered.push(low_level::pipe::register(signal, ring.try_clone()?)?);
        }
        Ok(watching)
    }

    /// The signal that came since the last call, if one did.
    pub fn take(&self) -> Option<i32> {
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(1..)) {}
        number(self.received.swap(0, Ordering::SeqCst))
    }

    /// Whether a signal came that was not taken yet.
    pub fn is_pending(&self) -> bool {
        self.received.load(Ordering::SeqCst) != 0
    }

    /// Somebody who hears the signals too, and takes none.
    pub fn alarm(&self) -> Alarm {
        Alarm(Arc::clone(&self.received))
    }

    /// What to poll for: readable when a signal came.
    pub(super) fn source(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// Hears the signals that came and were not taken yet, from anywhere in the process.
#[derive(Clone)]
pub struct Alarm(Arc<AtomicUsize>);

impl Alarm {
    /// The signal, if one came.
    pub fn signal(&self) -> Option<i32> {
        number(self.0.load(Ordering::SeqCst))
    }
}

fn number(signal: usize) -> Option<i32> {
    i32::try_from(signal).ok().filter(|signal| *signal != 0)
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.watchers -= 1;
        if let (0, Some(defaults)) = (shared.watchers, &shared.defaults) {
            defaults.idle.store(true, Ordering::SeqCst);
        }
        drop(shared);
        for id in self.registered.drain(..) {
            low_level::unregister(id);
        }
    }
}

impl Defaults {
    fn install() -> io::Result<Self> {
        let ignored = ignored_signals();
        let heeded: Vec<i32> = SIGNALS.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect();
        let idle = Arc::new(AtomicBool::new(true));
        for signal in &heeded {
            flag::register_conditional_default(*signal, Arc::clone(&idle))?;
        }
        Ok(Defaults { idle, heeded })
    }
}

/// The mask of signals that this process ignores; signal N is bit N - 1. Empty where the system does not tell.
fn ignored_signals() -> u64 {
    std::fs::read_to_string("/proc/self/status").map_or(0, |status| ignored_in(&status))
}

fn ignored_in(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        assert_eq!(ignored_in("SigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"), 0x1001);
        assert_eq!(ignored_in("no such line"), 0);
        assert_eq!(ignored_in("SigIgn:\tnonsense"), 0);
    }
}
