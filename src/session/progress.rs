//! How a running attempt grows: a look at the work tree every few seconds, as long as somebody watches.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use super::api::{Glance, Watch};
use super::background::Background;
use super::observer::Observer;
use super::store::{Record, Store};
use crate::audit::verdict::Metrics;
use crate::error::Result;
use crate::git::open::Repository;

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
    /// The look that is under way, and when it began.
    look: Option<(Instant, Background<Metrics>)>,
}

impl<'a> Looks<'a> {
    /// No look yet.
    pub fn new(root: &'a Path, store: &'a Store, record: &'a Record, attempt: u32, watch: &'a dyn Watch) -> Self {
        let seen = RefCell::new(Seen { metrics: None, next: Instant::now() + PAUSE, look: None });
        Looks { root, store, record, attempt, watch, seen }
    }

    /// Tells how far the attempt is, and looks again when it is time to.
    pub fn beat(&self) {
        if !self.watch.is_watched() {
            return;
        }
        let mut seen = self.seen.borrow_mut();
        // A tree that cannot be looked at now may be so only in passing; the audit says what is wrong with it.
        if let Some((began, look)) = &mut seen.look
            && let Some(metrics) = look.poll(Duration::ZERO)
        {
            seen.next = Instant::now() + PAUSE.max(began.elapsed() * SHARE);
            seen.metrics = metrics.ok().or(seen.metrics);
            seen.look = None;
        } else if seen.look.is_none() && Instant::now() >= seen.next {
            seen.look = self.look().ok().map(|look| (Instant::now(), look));
            seen.next = Instant::now() + PAUSE;
        }
        self.watch.glance(&Glance {
            attempt: self.attempt,
            max_attempts: self.record.state.max_attempts,
            metrics: seen.metrics,
            limits: self.record.config.policy.limits,
        });
    }

    /// A look in the background: the agent is watched over meanwhile, however large the files are that it makes.
    fn look(&self) -> Result<Background<Metrics>> {
        let observer = Observer::preview(self.root, self.store, self.record)?;
        Background::start(move |progress| {
            let evidence = observer.look(Repository::discover(&observer.start)?, progress)?;
            Ok(observer.judge(&evidence).metrics)
        })
    }

    /// The attempt has ended.
    pub fn end(self) {
        self.watch.report("the agent has ended", 0);
    }
}
