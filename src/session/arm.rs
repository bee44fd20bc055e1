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
use super::warnings;
use crate::audit::answer::{Armed, Fingerprinted};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::error::{Error, Result};
use crate::git::baseline::{self, Taken};
use crate::git::kept::Keeper;
use crate::git::open::Repository;
use crate::git::plane::read::Plane;
use crate::policy::text::Text;
use crate::policy::{command, envelope};
use crate::snapshot::fingerprint::{self, Fingerprint};
use crate::snapshot::mapped;

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
        Ok(recorded) => Ok(answer(recorded, request, began.elapsed().as_secs_f64())),
        Err(error) => {
            lock.forget();
            Err(error)
        }
    }
}

fn validate(request: &ArmRequest) -> Result<()> {
    envelope::check_label(&request.label)?;
    request.envelope.validate()?;
    request.audit.validate()?;
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
    store.require_free()?;
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

/// What stands when everything is written.
struct Recorded {
    record: Record,
    fingerprint: Fingerprinted,
    branch: Option<Text>,
    warnings: Vec<String>,
}

fn record(repository: &Repository, store: &Store, request: &ArmRequest, progress: Progress<'_>) -> Result<Recorded> {
    let keeper = request.allow_dirty.then(|| store.create().and_then(|()| Keeper::new(store.kept()))).transpose();
    keeper.and_then(|keeper| record_with(repository, store, request, keeper, progress)).inspect_err(|_| {
        // The first error is the one that the user must see; what cannot be removed is told by the next arm. What stood
        // here before was an empty directory at the most.
        let _ = store.remove();
    })
}

fn record_with(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    mut keeper: Option<Keeper>,
    progress: Progress<'_>,
) -> Result<Recorded> {
    let root = &repository.location.root;
    let tick = look::tick(root)?;
    let (mapped, snapshot) = look::beside(true, || mapped::writable(root), || look::walk(root, progress));
    let mut snapshot = snapshot?;
    progress("comparing with HEAD", 0);
    let entries = snapshot.len() as u64;
    let mut taken =
        baseline::take(repository, &mut snapshot, tick, &request.audit.compile()?, mapped, keeper.as_mut())?;
    let warnings = warnings::warnings(request, &snapshot, root);
    progress("writing the fingerprint", 0);
    let registration = register::plan(&repository.location.common_dir)?;
    // The lines that are about to be registered are part of the rules as they stand.
    if let Some(own) = taken.control.checkouts.first_mut() {
        own.excludes.info.content = Some(Text::from_bytes(registration.content()));
    }
    taken.control.plane = Plane::at_arm(repository, &taken.control, &snapshot)?;
    let fingerprint = Fingerprint { control: taken.control.encode(), tick, snapshot };
    let anchor = Anchor::at(&repository.location.git_dir);
    let (record, bytes) = write(store, request, &taken, &fingerprint, &registration, &anchor)?;
    let kept = taken.control.kept.iter().filter(|kept| kept.work.is_some()).count() as u64;
    let fingerprint =
        Fingerprinted { entries, tracked: taken.tracked, ignored: taken.ignored, hashed: taken.hashed, kept, bytes };
    let branch = taken.control.checkouts.first().and_then(|own| own.branch.clone());
    Ok(Recorded { record, fingerprint, branch, warnings })
}

fn write(
    store: &Store,
    request: &ArmRequest,
    taken: &Taken,
    fingerprint: &Fingerprint,
    registration: &Registration,
    anchor: &Anchor,
) -> Result<(Record, u64)> {
    let (bytes, sum) = fingerprint::encode(fingerprint);
    let baseline = taken.control.checkouts.first().map(|own| own.commit.clone()).unwrap_or_default();
    let now = look::now();
    let config = Config {
        schema_version: config::SCHEMA_VERSION,
        mode: Mode::Manual,
        label: Text::from(request.label.clone()),
        baseline,
        policy: request.envelope.clone(),
        audit: request.audit.clone(),
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
        checksum: String::new(),
    };
    let record = store.arm(&config, state, (&bytes, sum), anchor, registration)?;
    Ok((record, bytes.len() as u64))
}

fn answer(recorded: Recorded, request: &ArmRequest, duration_s: f64) -> Armed {
    let Recorded { record, fingerprint, branch, warnings } = recorded;
    Armed {
        schema_version: SCHEMA_VERSION,
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
        scratch_zones: record.config.audit.zones().map(str::to_owned).collect(),
        fingerprint,
        warnings,
        duration_s,
    }
}
