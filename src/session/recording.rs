//! The record that every check leaves in `.stone/`: the net effects since arm as a ledger, and beside it the verdict, the
//! chain to the check before, and a statement about all of it. It is on disk before the state says how the check ended.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::audit_file::{AUDIT, Audit, Previous, SCHEMA_VERSION, STATEMENT, sha256};
use super::look;
use super::state::State;
use super::store::{self as session, Record};
use crate::agent::ended::Ended;
use crate::audit::evidence::Evidence;
use crate::audit::touched::{OnDisk, Touched};
use crate::audit::verdict::Verdict;
use crate::error::{Error, Result};
use crate::git::files::plain;
use crate::json;
use crate::ledger::chain;
use crate::ledger::effects::{self, Observation, Seen};
use crate::ledger::record::{Confinement, EntryType, Event, Finished, Ledger, Outcome, Side, Started, seconds};
use crate::ledger::store::{Beside, Store, require_intact, timestamp};
use crate::policy::text::Text;
use crate::snapshot::entry::Kind;

/// Permissions of what stands beside a ledger, before the process's own mask.
const PUBLIC: u16 = 0o644;

/// So many events take longer to verify than a thread takes to start.
const WORTH_A_THREAD: usize = 64;

/// A session that has begun and is not written yet.
pub struct Recording {
    root: PathBuf,
    store: Store,
    started: Started,
}

/// The exit code that belongs to a verdict: of the agent, if there is one, else of the check itself.
pub fn exit_code(verdict: &Verdict, agent: Option<&Ended>) -> i64 {
    agent.map_or_else(|| Ending::of_check(verdict).exit_code, |agent| Ending::of_agent(agent).exit_code)
}

/// How what was recorded ended.
pub struct Ending {
    outcome: Outcome,
    exit_code: i64,
    duration: Duration,
    agent: Option<Ended>,
}

impl Ending {
    /// The end of a check by hand: the command is Cordon itself.
    pub fn of_check(verdict: &Verdict) -> Ending {
        let (outcome, exit_code) = if verdict.passed { (Outcome::Success, 0) } else { (Outcome::Failed, 3) };
        Ending { outcome, exit_code, duration: duration(verdict.duration_s), agent: None }
    }

    /// The end of an agent.
    pub fn of_agent(agent: &Ended) -> Ending {
        let code = i64::from(agent.returncode);
        let ended_by_force = code < 0 || agent.timed_out || agent.output_limited;
        let outcome = match (ended_by_force, code) {
            (true, _) => Outcome::Interrupted,
            (false, 0) => Outcome::Success,
            (false, _) => Outcome::Failed,
        };
        let exit_code = if code < 0 { 128 - code } else { code };
        Ending { outcome, exit_code, duration: duration(agent.duration_s), agent: Some(agent.clone()) }
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

impl Recording {
    /// Begins a session in the work tree at `root`. What cannot be written at the end is refused here.
    pub fn begin(root: &Path, actor: Text, command: Vec<Text>) -> Result<Recording> {
        let begun = Store::create(root).and_then(|store| {
            store.sweep()?;
            let id = store.next_id()?;
            let started = Started { id, actor, command, confinement: Some(Confinement::NONE), ts: timestamp() };
            Ok(Recording { root: root.to_path_buf(), store, started })
        });
        begun.map_err(unrecorded)
    }

    /// Writes the session, and then the verdict that names it and the state that refers to both.
    pub fn seal(
        self,
        store: &session::Store,
        record: &Record,
        evidence: &Evidence,
        verdict: &mut Verdict,
        ending: impl FnOnce(&Verdict) -> Ending,
        state: impl FnOnce(&Verdict) -> State,
    ) -> Result<State> {
        self.require_in_place().map_err(unrecorded)?;
        verdict.session = Some(self.started.id.clone());
        let Ending { outcome, exit_code, duration, agent } = ending(verdict);
        let outcome = if evidence.is_whole() { outcome } else { Outcome::Incomplete };
        let ledger = self.ledger(evidence, outcome, exit_code, duration);
        let events = chain::encode(&ledger);
        let verdict = &*verdict;
        let (intact, texts) = look::beside(
            ledger.events.len() >= WORTH_A_THREAD,
            || require_intact(&ledger, &events),
            || self.texts(record, &ledger, &events, agent, verdict),
        );
        let (audit, statement) = intact.and(texts).map_err(unrecorded)?;
        let beside = [(AUDIT, &audit), (STATEMENT, &statement)];
        let beside = beside.map(|(name, bytes)| Beside { name, bytes, mode: PUBLIC });
        let state = state(verdict);
        let prepared = store.prepare_audit(&state, verdict)?;
        self.store.seal_encoded(&ledger, &events, &beside, &prepared.awaited()).map_err(unrecorded)?;
        store.put(prepared, self.store.directory().as_fd())?;
        Ok(state)
    }

    /// What stands beside the ledger: the verdict, and the statement about both.
    fn texts(
        &self,
        record: &Record,
        ledger: &Ledger,
        events: &[u8],
        agent: Option<Ended>,
        verdict: &Verdict,
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let audit = Audit {
            schema_version: SCHEMA_VERSION,
            session: ledger.started.id.clone(),
            previous: previous(&self.store)?,
            ledger_sha256: sha256(events),
            envelope_sha256: record.state.config_sha256.clone(),
            agent,
            verdict: verdict.clone(),
        };
        let bytes = json::pretty(&audit);
        let statement = audit.statement(&bytes, ledger, events);
        Ok((bytes, statement))
    }

    /// What is written goes to the directory that stood there at the beginning; nobody would find it elsewhere.
    fn require_in_place(&self) -> Result<()> {
        let inode = |store: &Store| rustix::fs::fstat(store.directory()).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        let now = Store::open(&self.root)?;
        if now.as_ref().and_then(inode).is_some_and(|now| Some(now) == inode(&self.store)) {
            return Ok(());
        }
        Err(Error::state(format!("{} was moved or replaced meanwhile", plain(self.store.path())))
            .hint("An agent or a verifier must leave .stone/ alone. Look for the old one, and put it back."))
    }

    fn ledger(&self, evidence: &Evidence, outcome: Outcome, exit_code: i64, duration: Duration) -> Ledger {
        let ts = timestamp();
        let touched: &[Touched] = if outcome == Outcome::Incomplete { &[] } else { &evidence.touched };
        let side = |side: fn(&Touched) -> Option<&OnDisk>| -> Observation {
            touched.iter().filter_map(|touched| Some((touched.path.clone(), seen(side(touched)?)))).collect()
        };
        let (before, after) = (side(|touched| touched.before.as_ref()), side(|touched| touched.after.as_ref()));
        let effects = effects::effects(&before, &after);
        Ledger {
            started: self.started.clone(),
            events: effects.into_iter().map(|effect| Event { effect, ts: ts.clone() }).collect(),
            finished: Finished { outcome, exit_code, duration_s: seconds(duration), ts },
        }
    }
}

/// The last check that is in the index with an `audit.json`.
fn previous(store: &Store) -> Result<Option<Previous>> {
    for row in store.index()?.rows.iter().rev() {
        if let Some(bytes) = store.file(&row.id, AUDIT)? {
            return Ok(Some(Previous { session: row.id.clone(), sha256: sha256(&bytes) }));
        }
    }
    Ok(None)
}

fn seen(side: &OnDisk) -> Seen {
    let entry_type = if side.stat.kind == Kind::Symlink { EntryType::Symlink } else { EntryType::File };
    let mode = Some(side.stat.permissions);
    Seen { side: Side { entry_type, digest: side.sha256, size: side.stat.size, mode }, target: side.target.clone() }
}

/// A check that leaves no record is none.
fn unrecorded(error: Error) -> Error {
    let Error { kind, message, hints, source } = error;
    let error = Error { kind, message: format!("the check cannot be recorded: {message}"), hints, source };
    error.hint("Without its record a check counts for nothing; the state is the one from before.")
}
