//! How the control plane drifted since arm.

use super::super::control::Control;
use super::super::open::Repository;
use super::compare::compare;
use super::past::History;
use super::peeled;
use super::read::Plane;
use crate::audit::evidence::Drift;
use crate::error::Result;
use crate::snapshot::entry::Snapshot;

/// Reads the control plane anew and compares it with that of arm. Also tells whether the refs are all as they were, so
/// that there can be no new history but through HEAD. `hides` answers for the exclude rules of arm.
pub fn drifts(
    repository: &Repository,
    control: &Control,
    snapshot: &Snapshot,
    hides: &dyn Fn(&[u8]) -> bool,
) -> Result<(Vec<Drift>, bool)> {
    let now = Plane::now(repository, control, snapshot)?;
    let tips = control.checkouts.first().map_or(&[][..], |own| &own.tips);
    let history = History::of(repository, tips, hides);
    let mut drifts = compare(&control.plane, &now, &history);
    let refs = |plane: &Plane| plane.parts.first().map(|own| own.refs.clone());
    let (before, after) = (refs(&control.plane), refs(&now));
    let packed = |refs: &Option<super::refs::Refs>| refs.as_ref().and_then(|refs| refs.packed_sha256.clone());
    if packed(&before) != packed(&after) {
        drifts.extend(peeled::lies(repository, &history)?);
    }
    let own = |refs: Option<super::refs::Refs>| refs.map(|refs| (refs.own, refs.stash_log));
    Ok((drifts, own(before) == own(after)))
}
