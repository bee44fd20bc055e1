//! `arm`: records the envelope and the fingerprint, or refuses and leaves nothing behind.

use std::path::Path;
use std::time::Instant;

use super::anchor::{Anchor, Undo};
use super::api::{ArmRequest, Progress};
use super::aside::Aside;
use super::config::{self, Config, Mode, check_timeout};
use super::durable::Writer;
use super::engine::Engine;
use super::lock::Lock;
use super::look;
use super::policy::policy_of_baseline;
use super::register;
use super::role;
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
use crate::policy::file::territory::Claims;
use crate::policy::limits::MAX_ATTEMPTS;
use crate::policy::text::Text;
use crate::policy::{command, envelope};
use crate::snapshot::fingerprint::{self, Fingerprint};
use crate::snapshot::mapped;
use crate::snapshot::owner::Owners;

/// Arms an envelope over the repository that holds `start`.
pub fn arm(start: &Path, request: &ArmRequest, progress: Progress<'_>) -> Result<Armed> {
    let began = Instant::now();
    let fresh = arm_with(start, request, None, &Writer::at_once(), progress)?;
    Ok(answer(fresh, request, began.elapsed().as_secs_f64()))
}

/// An envelope that was armed just now, with the lock still held.
pub struct Fresh {
    /// The state files.
    pub store: Store,
    /// The anchor in the Git directory.
    pub anchor: Anchor,
    /// What was armed.
    pub record: Record,
    /// What is worth a second look.
    pub warnings: Vec<String>,
    /// Held until the operation has ended.
    pub lock: Lock,
    aside: Aside,
    undo: Undo,
    fingerprint: Fingerprinted,
    branch: Option<Text>,
}

impl Fresh {
    /// Takes everything back, because what the envelope was armed for cannot begin.
    pub fn undo(self) {
        // The error that made this necessary is the one to be told; what cannot be removed is told by the next arm.
        let _ = self.store.remove();
        let _ = self.aside.remove();
        self.anchor.undo(self.undo);
        self.lock.forget();
    }
}

/// Arms an envelope for whoever drives the agent, and keeps the lock.
pub fn arm_with(
    start: &Path,
    request: &ArmRequest,
    engine: Option<&Engine>,
    writer: &Writer,
    progress: Progress<'_>,
) -> Result<Fresh> {
    validate(request)?;
    let repository = Repository::discover(start)?;
    let store = Store::with(&repository.location.root, writer.clone());
    refuse_early(&repository, &store)?;
    let lock = Lock::take(&repository.location.git_dir)?;
    let recorded = match refuse_early(&repository, &store) {
        Ok(()) => record(&repository, &store, request, engine, progress),
        Err(error) => Err(error),
    };
    match recorded {
        Ok(Recorded { record, undo, fingerprint, branch, warnings }) => {
            let anchor = Anchor::with(&repository.location.git_dir, writer.clone());
            let aside = Aside::at(&repository.location.git_dir);
            Ok(Fresh { store, anchor, record, warnings, lock, aside, undo, fingerprint, branch })
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
    Aside::at(&repository.location.git_dir).require_free()?;
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
    undo: Undo,
    fingerprint: Fingerprinted,
    branch: Option<Text>,
    warnings: Vec<String>,
}

fn record(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    engine: Option<&Engine>,
    progress: Progress<'_>,
) -> Result<Recorded> {
    let keeper = request.allow_dirty.then(|| store.create().and_then(|()| Keeper::new(store.kept()))).transpose();
    keeper.and_then(|keeper| record_with(repository, store, request, engine, keeper, progress)).inspect_err(|_| {
        // The first error is the one that the user must see; what cannot be removed is told by the next arm. What stood
        // here before was an empty directory at the most.
        let _ = store.remove();
        let _ = Aside::at(&repository.location.git_dir).remove();
    })
}

fn record_with(
    repository: &Repository,
    store: &Store,
    request: &ArmRequest,
    engine: Option<&Engine>,
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
    let baseline = taken.control.checkouts.first().map(|own| own.commit.as_str()).unwrap_or_default();
    role::require_commit(request.role.as_ref(), baseline)?;
    taken.control.owners = Owners::of(&snapshot);
    taken.control.uncounted.clone_from(&request.audit.uncounted);
    let mut warnings = warnings::warnings(request, &snapshot, root);
    let territory = territory(repository, baseline, &mut warnings)?;
    progress("writing the fingerprint", 0);
    let registration = register::plan(&repository.location.common_dir)?;
    // The lines that are about to be registered are part of the rules as they stand.
    if let Some(own) = taken.control.checkouts.first_mut() {
        own.excludes.info.content = Some(Text::from_bytes(registration.content()));
    }
    taken.control.plane = Plane::at_arm(repository, &taken.control, &snapshot)?;
    let fingerprint = Fingerprint { control: taken.control.encode(), tick, snapshot };
    let anchor = Anchor::with(&repository.location.git_dir, store.writer().clone());
    let config = config(request, engine, &taken, territory);
    let (bytes, sum) = fingerprint::encode(&fingerprint);
    let (record, undo) = store.arm(&config, first_state(request), (&bytes, sum), &anchor, &registration)?;
    if let Err(error) = Aside::at(&repository.location.git_dir).write(store) {
        anchor.undo(undo);
        return Err(error);
    }
    let bytes = bytes.len() as u64;
    let kept = taken.control.kept.iter().filter(|kept| kept.work.is_some()).count() as u64;
    let fingerprint =
        Fingerprinted { entries, tracked: taken.tracked, ignored: taken.ignored, hashed: taken.hashed, kept, bytes };
    let branch = taken.control.checkouts.first().and_then(|own| own.branch.clone());
    Ok(Recorded { record, undo, fingerprint, branch, warnings })
}

/// Who owns what by the policy file of the baseline. A file with a fault is refused by whoever arms one of its roles; to
/// others it is worth a warning.
fn territory(repository: &Repository, baseline: &str, warnings: &mut Vec<String>) -> Result<Option<Claims>> {
    let read = || {
        let Some(source) = policy_of_baseline(repository)? else { return Ok(None) };
        source.read().map(|file| Some((source.commit, Claims::of(&file))))
    };
    match read() {
        Ok(None) => Ok(None),
        Ok(Some((commit, claims))) if commit.as_deref() == Some(baseline) => Ok(Some(claims)),
        Ok(Some(_)) => Err(Error::refused("HEAD moved while the policy file was read").hint("Arm again.")),
        Err(error) => {
            warnings.push(format!("no finding can name the owner of a path: {}", error.message));
            Ok(None)
        }
    }
}

/// The envelope as it is kept.
fn config(request: &ArmRequest, engine: Option<&Engine>, taken: &Taken, territory: Option<Claims>) -> Config {
    Config {
        schema_version: config::SCHEMA_VERSION,
        mode: if engine.is_some() { Mode::Agent } else { Mode::Manual },
        label: Text::from(request.label.clone()),
        role: request.role.as_ref().map(|role| role.name.clone()),
        territory,
        baseline: taken.control.checkouts.first().map(|own| own.commit.clone()).unwrap_or_default(),
        policy: request.envelope.clone(),
        audit: request.audit.clone(),
        verify: request.verify.clone(),
        verify_timeout: request.verify_timeout,
        agent: engine.cloned(),
        created_at: look::now(),
    }
}

/// The state before anything happened; the hashes are filled in where the files are written.
fn first_state(request: &ArmRequest) -> State {
    State {
        schema_version: state::SCHEMA_VERSION,
        phase: Phase::Armed,
        attempt: 0,
        max_attempts: request.max_attempts,
        config_sha256: String::new(),
        fingerprint_sha256: String::new(),
        last_error: None,
        last_audit: None,
        last_agent: None,
        updated_at: look::now(),
        checksum: String::new(),
    }
}

fn answer(fresh: Fresh, request: &ArmRequest, duration_s: f64) -> Armed {
    let Fresh { record, fingerprint, branch, warnings, .. } = fresh;
    Armed {
        schema_version: SCHEMA_VERSION,
        phase: Phase::Armed.name(),
        mode: record.config.mode.name(),
        label: record.config.label,
        role: record.config.role,
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
