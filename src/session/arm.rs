//! `arm`: records the envelope and the fingerprint, or refuses and leaves nothing behind.

use std::path::Path;
use std::time::Instant;

use super::anchor::Anchor;
use super::api::{ArmRequest, Progress};
use super::config::{self, Config, Mode, check_timeout};
use super::lock::Lock;
use super::look;
use super::register::{self, Registration};
use super::state::{self, Phase, State};
use super::store::{Record, Store};
use crate::audit::answer::{Armed, Fingerprinted};
use crate::error::{Error, Result};
use crate::git::baseline::{self, Taken};
use crate::git::control::Control;
use crate::git::kept::Keeper;
use crate::git::open::Repository;
use crate::policy::text::Text;
use crate::policy::{command, envelope, scratch};
use crate::snapshot::fingerprint::{self, Fingerprint};

/// The most attempts that an envelope may grant.
const MAX_ATTEMPTS: u32 = 100;

/// Arms an envelope over the repository that holds `start`.
pub fn arm(start: &Path, request: &ArmRequest, progress: Progress<'_>) -> Result<Armed> {
    let began = Instant::now();
    validate(request)?;
    let repository = Repository::discover(start)?;
    let store = Store::at(&repository.location.root);
    refuse_early(&repository, &store)?;
    let lock = Lock::take(&repository.location.git_dir)?;
    let armed = match refuse_early(&repository, &store) {
        Ok(()) => record(&repository, &store, request, progress),
        Err(error) => Err(error),
    };
    match armed {
        Ok((record, fingerprinted, branch)) => {
            Ok(answer(record, fingerprinted, branch, request, began.elapsed().as_secs_f64()))
        }
        Err(error) => {
            lock.forget();
            Err(error)
        }
    }
}

fn validate(request: &ArmRequest) -> Result<()> {
    envelope::check_label(&request.label)?;
    request.envelope.validate()?;
    command::check_count(request.verify.len())?;
    for source in &request.verify {
        command::Command::parse(source)?;
    }
    check_timeout(request.verify_timeout)?;
    if (1..=MAX_ATTEMPTS).contains(&request.max_attempts) {
        return Ok(());
    }
    Err(Error::usage(format!("an agent cannot have {} attempts", request.max_attempts))
        .hint(format!("Give --max-attempts a number from 1 to {MAX_ATTEMPTS}.")))
}

/// What can be refused without looking at the files.
fn refuse_early(repository: &Repository, store: &Store) -> Result<()> {
    if store.is_armed() {
        return Err(Error::refused("an envelope is armed already")
            .hint("See it with cordon status. To arm another one, end this one first: cordon reset"));
    }
    Anchor::at(&repository.location.git_dir).refuse_armed()?;
    if repository.is_declared_bare() {
        return Err(Error::repository("the configuration says that this repository is bare")
            .hint("If it has a work tree: git config core.bare false"));
    }
    if let Some(other) = repository.other_worktree() {
        return Err(Error::repository(format!("core.worktree says that the work tree is {}", other.plain()))
            .hint("Cordon audits the directory that holds .git: git config --unset core.worktree"));
    }
    Ok(())
}

fn record(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    progress: Progress<'_>,
) -> Result<(Record, Fingerprinted, Option<Text>)> {
    let keeper = request.allow_dirty.then(|| store.create().and_then(|()| Keeper::new(store.kept()))).transpose();
    let recorded = keeper.and_then(|keeper| record_with(repository, store, request, keeper, progress));
    if recorded.is_err() && request.allow_dirty {
        // As in `undo_on_error`: nothing is left behind, and the first error is the one to be told.
        let _ = store.remove();
    }
    recorded
}

fn record_with(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    mut keeper: Option<Keeper>,
    progress: Progress<'_>,
) -> Result<(Record, Fingerprinted, Option<Text>)> {
    let root = &repository.location.root;
    let tick = look::tick(root)?;
    let mut snapshot = look::walk(root, progress)?;
    progress("comparing with HEAD", 0);
    let entries = snapshot.len() as u64;
    let mut taken = baseline::take(repository, &mut snapshot, tick, keeper.as_mut())?;
    progress("writing the fingerprint", 0);
    let registration = register::register(&repository.location.common_dir)?;
    let written = write(repository, store, request, &mut taken, Fingerprint { control: Vec::new(), tick, snapshot });
    undo_on_error(written, registration, store, |(record, bytes)| {
        let kept = taken.control.kept.iter().filter(|kept| kept.work.is_some()).count() as u64;
        let fingerprinted = Fingerprinted {
            entries,
            tracked: taken.tracked,
            ignored: taken.ignored,
            hashed: taken.hashed,
            kept,
            bytes,
        };
        let branch = taken.control.checkouts.first().and_then(|own| own.branch.clone());
        (record, fingerprinted, branch)
    })
}

fn write(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    taken: &mut Taken,
    mut fingerprint: Fingerprint,
) -> Result<(Record, u64)> {
    // The lines that were registered just now are part of the rules as they stand.
    freeze_registered(repository, &mut taken.control)?;
    fingerprint.control = taken.control.encode();
    let (bytes, sum) = fingerprint::encode(&fingerprint);
    let baseline = taken.control.checkouts.first().map(|own| own.commit.clone()).unwrap_or_default();
    let now = look::now();
    let config = Config {
        schema_version: config::SCHEMA_VERSION,
        mode: Mode::Manual,
        label: Text::from(request.label.clone()),
        baseline,
        policy: request.envelope.clone(),
        verify: request.verify.clone(),
        verify_timeout: request.verify_timeout,
        created_at: now.clone(),
    };
    let state = State {
        schema_version: state::SCHEMA_VERSION,
        phase: Phase::Armed,
        attempt: 0,
        max_attempts: request.max_attempts,
        config_sha256: String::new(),
        fingerprint_sha256: String::new(),
        last_error: None,
        last_audit: None,
        updated_at: now,
    };
    let anchor = Anchor::at(&repository.location.git_dir);
    Ok((store.arm(&config, state, (&bytes, sum), &anchor)?, bytes.len() as u64))
}

fn freeze_registered(repository: &Repository, control: &mut Control) -> Result<()> {
    if let Some(own) = control.checkouts.first_mut() {
        own.excludes.info = crate::git::excludes::sources(repository)?.info;
    }
    Ok(())
}

/// Takes back what a failed write leaves behind.
fn undo_on_error<T, R>(
    written: Result<T>,
    registration: Registration,
    store: &Store,
    then: impl FnOnce(T) -> R,
) -> Result<R> {
    match written {
        Ok(value) => Ok(then(value)),
        Err(error) => {
            // The first error is the one that the user must see; a directory that cannot be removed is told by the next arm.
            let _ = store.remove();
            registration.undo();
            Err(error)
        }
    }
}

fn answer(
    record: Record,
    fingerprint: Fingerprinted,
    branch: Option<Text>,
    request: &ArmRequest,
    duration_s: f64,
) -> Armed {
    Armed {
        phase: Phase::Armed.name(),
        mode: record.config.mode.name(),
        label: record.config.label,
        baseline: record.config.baseline,
        branch,
        anchor: record.anchor,
        policy: record.config.policy,
        verify: record.config.verify,
        verify_timeout: record.config.verify_timeout,
        max_attempts: request.max_attempts,
        scratch_zones: scratch::DEFAULT_ZONES.iter().map(|zone| zone.glob.to_owned()).collect(),
        fingerprint,
        duration_s,
    }
}
