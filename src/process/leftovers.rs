//! Who is left of programs whose keeper was killed together with Cordon: looked for by the next command.
//!
//! A keeper is known by its id, its start time and the boot that both belong to. What it started is in its session, or
//! carries its mark in the environment.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::tree::{self, Process};

/// The variable that everything below a keeper carries, unless it drops it.
pub(super) const MARK: &str = "CORDON_KEEPER";

/// So long an abandoned keeper that is still at work is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to sleep between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// One process among all that ever had or will have its id while the system is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Its id.
    pub pid: i32,
    /// When it started, in ticks since the system did.
    pub start: u64,
}

impl Identity {
    /// The process that has this id now.
    pub fn of(pid: i32) -> Option<Identity> {
        tree::find(pid).map(|process| Identity { pid, start: process.start })
    }

    /// This process.
    pub fn own() -> Option<Identity> {
        Identity::of(rustix::process::getpid().as_raw_nonzero().get())
    }

    /// Whether it runs.
    pub fn is_alive(self) -> bool {
        tree::find(self.pid).is_some_and(|process| process.start == self.start && !process.zombie)
    }

    /// The mark of those whom this keeper keeps.
    pub(super) fn mark(self) -> String {
        format!("{}.{}", self.pid, self.start)
    }
}

/// What tells this run of the system from every other; empty where the system does not say.
pub fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or_else(|_| String::new(), |id| id.trim().to_owned())
}

/// Everybody who is left of a keeper, id and name of each, after one that is still at work had time to finish.
pub fn of(keeper: Identity) -> Vec<String> {
    let give_up = Instant::now() + PATIENCE;
    while keeper.is_alive() && Instant::now() < give_up {
        std::thread::sleep(LOOK_AGAIN);
    }
    // An id that has passed to another process says that nobody is left of the session that it named.
    let reused = tree::find(keeper.pid).is_some_and(|process| process.start != keeper.start);
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let all = tree::all().into_iter().filter(|process| !process.zombie && process.pid != own);
    let left = all.filter(|process| (!reused && process.session == keeper.pid) || is_marked(process, keeper));
    left.map(|process| process.to_string()).collect()
}

fn is_marked(process: &Process, keeper: Identity) -> bool {
    let wanted = format!("{MARK}={}", keeper.mark());
    std::fs::read(format!("/proc/{}/environ", process.pid))
        .is_ok_and(|variables| variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()))
}
