//! Holds the stores of one checkout, its own and those that it borrows from, against arm.

use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::super::files::plain;
use super::super::open::Repository;
use super::super::today::Today;
use super::baseline::Baseline;
use super::loose::{self, Loose};
use super::packs::{self, Sealed};
use crate::audit::evidence::{Drift, DriftKind};
use crate::error::Result;
use crate::policy::shell;
use crate::policy::text::Text;
use crate::snapshot::entry::Time;

/// An object, or a file of several, that cannot be believed.
pub struct Forged {
    /// The file.
    pub file: PathBuf,
    /// The object, where it is one.
    pub id: Option<ObjectId>,
    /// What is wrong.
    pub what: String,
}

/// The directories of objects: the repository's own, then those that it borrows from.
pub fn directories(repository: &Repository) -> Vec<PathBuf> {
    let own = repository.gix.objects.store_ref().path().to_path_buf();
    let mut all = vec![own.clone()];
    if own.join("info/alternates").is_file() {
        // Alternates that cannot be read are told by the control plane, which compares them with arm's.
        all.extend(gix::odb::alternate::resolve(own, &repository.location.root).unwrap_or_default());
    }
    all
}

/// How the stores of `today`'s checkout drifted since the clock tick of arm.
pub fn drifts(today: &Today<'_>, tick: Time) -> Result<Vec<Drift>> {
    let repository = &today.repository;
    let hash = repository.gix.object_hash();
    let mut baseline = Baseline::new(today);
    let mut drifts = Vec::new();
    let mut lost_something = false;
    for directory in directories(repository) {
        let Loose { forged, changed } = loose::check(&directory, hash, tick);
        let packed = packs::check(&directory, hash, tick, &today.frozen.packs, &mut baseline)?;
        lost_something |= changed || packed.changed;
        for forged in forged.into_iter().chain(packed.forged) {
            drifts.push(drift(repository, &forged, &mut baseline));
        }
    }
    if lost_something && drifts.is_empty() && !is_partial(repository) {
        for (id, path) in baseline.missing()? {
            let undo = shell::about("git hash-object -w", path);
            drifts.push(Drift {
                kind: DriftKind::ObjectMissing,
                subject: Text::from(id.to_string()).word(" of ").path(path),
                what: Text::from("no pack and no file of the store has it"),
                undo: Some(undo),
            });
        }
    }
    Ok(drifts)
}

/// Whether objects may be missing until somebody asks for them.
fn is_partial(repository: &Repository) -> bool {
    let config = repository.gix.config_snapshot();
    let config = config.plumbing();
    config.string("extensions.partialClone").is_some()
        || config.sections_by_name("remote").into_iter().flatten().any(|section| section.value("promisor").is_some())
}

fn drift(repository: &Repository, forged: &Forged, baseline: &mut Baseline<'_>) -> Drift {
    let file = shown(repository, &forged.file);
    let path = match forged.id {
        // Where a tree is forged, what lies below it cannot be told.
        Some(id) => baseline.path_of(id).unwrap_or_default(),
        None => None,
    };
    let (mut what, mut undo) = (Text::from(forged.what.clone()), None);
    if let Some(path) = path {
        what = what.word("; it stands for ").path(path);
        let remove = Text::from(format!("rm -f -- {}", shell::word(file.as_os_str().as_encoded_bytes())));
        undo = Some(remove.word(" && ").raw(&shell::about("git hash-object -w", path)));
    }
    Drift { kind: DriftKind::ObjectForged, subject: Text::from(plain(&file)), what, undo }
}

/// A file relative to the work tree, where it lies below.
fn shown(repository: &Repository, file: &Path) -> PathBuf {
    file.strip_prefix(&repository.location.root).unwrap_or(file).to_path_buf()
}

/// What is kept at arm of the packs of all stores.
pub fn seal(repository: &Repository) -> Result<Vec<Sealed>> {
    let hash = repository.gix.object_hash();
    let mut sealed = Vec::new();
    for directory in directories(repository) {
        sealed.extend(packs::seal(&directory, hash)?);
    }
    Ok(sealed)
}
