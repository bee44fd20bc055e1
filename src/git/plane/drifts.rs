//! How the control plane drifted since arm.

use super::super::control::Control;
use super::super::open::Repository;
use super::compare::compare;
use super::past::History;
use super::read::Plane;
use crate::audit::evidence::Drift;
use crate::error::Result;

/// Reads the control plane anew and compares it with that of arm.
pub fn drifts(repository: &Repository, control: &Control) -> Result<Vec<Drift>> {
    let now = Plane::now(repository, &control.plane)?;
    let head = control.checkouts.first().map(|own| own.commit.as_bytes());
    Ok(compare(&control.plane, &now, head, &History::of(repository)))
}
