//! How the control plane drifted since arm.

use super::super::control::Control;
use super::super::open::Repository;
use super::compare::compare;
use super::past::History;
use super::read::Plane;
use crate::audit::evidence::Drift;
use crate::error::Result;

/// Reads the control plane anew and compares it with that of arm. Also tells whether the refs are all as they were, so
/// that there can be no new history but through HEAD.
pub fn drifts(repository: &Repository, control: &Control) -> Result<(Vec<Drift>, bool)> {
    let now = Plane::now(repository, &control.plane)?;
    let head = control.checkouts.first().map(|own| own.commit.as_bytes());
    let drifts = compare(&control.plane, &now, head, &History::of(repository));
    Ok((drifts, control.plane.refs == now.refs))
}
