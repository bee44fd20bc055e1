//! How a running attempt grows: a look at the work tree every few seconds, as long as somebody watches.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use super::api::{Glance, Watch};
use super::check;
use super::store::{Record, Store};
use crate::audit::verdict::Metrics;

/// How often it is looked at the soonest.
const PAUSE: Duration = Duration::from_secs(2);

/// A look may take so small a part of the time between two of them.
const SHARE: u32 = 20;

/// The looks at one attempt.
pub struct Looks<'a> {
    root: &'a Path,
    store: &'a Store,
    record: &'a Record,
    attempt: u32,
    watch: &'a dyn Watch,
    seen: RefCell<Seen>,
}

struct Seen {
    metrics: Option<Metrics>,
    next: Instant,
}

impl<'a> Looks<'a> {
    /// No look yet.
    pub fn new(root: &'a Path, store: &'a Store, record: &'a Record, attempt: u32, watch: &'a dyn Watch) -> Self {
        let seen = RefCell::new(Seen { metrics: None, next: Instant::now() + PAUSE });
        Looks { root, store, record, attempt, watch, seen }
    }

    /// Tells how far the attempt is, and looks again when it is time to.
    pub fn beat(&self) {
        if !self.watch.is_watched() {
            return;
        }
        let mut seen = self.seen.borrow_mut();
        let began = Instant::now();
        if began >= seen.next {
            // A tree that cannot be looked at now may be so only in passing; the audit says what is wrong with it.
            let look = check::preview(self.root, self.store, self.record);
            seen.metrics = look.ok().map(|judgement| judgement.metrics).or(seen.metrics);
            seen.next = Instant::now() + PAUSE.max(began.elapsed() * SHARE);
        }
        self.watch.glance(&Glance {
            attempt: self.attempt,
            max_attempts: self.record.state.max_attempts,
            metrics: seen.metrics,
            limits: self.record.config.policy.limits,
        });
    }

    /// The attempt has ended.
    pub fn end(self) {
        self.watch.report("the agent has ended", 0);
    }
}
