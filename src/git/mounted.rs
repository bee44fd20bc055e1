//! Mounts over parts of the work tree and of its Git directory that were not there at arm.

use std::os::unix::ffi::OsStrExt as _;

use super::open::Repository;
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::shell;
use crate::policy::text::Text;
use crate::snapshot::mounts::{self, Mount};

/// The mounts as they stand. The directories themselves are vouched for by their inodes.
pub fn now(repository: &Repository) -> Vec<Mount> {
    let location = &repository.location;
    let places = [&location.root, &location.git_dir, &location.common_dir];
    mounts::below(&places.map(|place| place.as_os_str().as_bytes()))
}

/// What was mounted since arm.
pub fn drifts(repository: &Repository, at_arm: &[Mount]) -> Vec<Drift> {
    let now = now(repository);
    let drift = |mount: &Mount| Drift {
        kind: DriftKind::Mount,
        subject: Text::default().path(&mount.point),
        what: Text::from("mounted since arm: ").path(&mount.what),
        undo: Some(shell::about("umount", &mount.point)),
    };
    mounts::new(at_arm, &now).into_iter().map(drift).collect()
}
