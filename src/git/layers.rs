//! What stands in the index or in history beside the files: counted between two recorded sides, merged by path.

use std::collections::HashMap;

use super::attributes::{FrozenAttributes, Value};
use super::compare;
use super::lines::{self, Drivers, Lines};
use super::objects::Objects;
use super::today::Recorded;
use crate::audit::evidence::{Change, ChangeKind, Mode};
use crate::audit::verdict::Metrics;
use crate::error::Result;
use crate::policy::path::RepoPath;

/// Two recorded sides of one path, counted.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// The lines.
    pub lines: Lines,
    /// The size of the old blob.
    pub size_before: Option<u64>,
    /// The size of the new blob.
    pub size_after: Option<u64>,
}

impl Counted {
    /// The one path in numbers, with its lines or without.
    pub fn metrics(&self, with_lines: bool) -> Metrics {
        let lines = |lines| if with_lines { lines } else { 0 };
        Metrics {
            files: 1,
            added_lines: lines(self.lines.added),
            deleted_lines: lines(self.lines.deleted),
            working_bytes: self.size_after.unwrap_or(0),
            binary_files: u64::from(self.lines.binary),
        }
    }
}

/// Counts between recorded sides of one checkout, under its frozen attributes.
pub struct Counter {
    objects: Objects,
    attributes: FrozenAttributes,
    drivers: Drivers,
}

impl Counter {
    /// One that reads these objects and goes by these attributes and diff drivers.
    pub fn new(objects: Objects, attributes: FrozenAttributes, drivers: Drivers) -> Counter {
        Counter { objects, attributes, drivers }
    }

    /// Counts between two recorded sides of the path `inside` the checkout. Both must be in the object database.
    pub fn count(&mut self, inside: &RepoPath, before: Option<Recorded>, after: Option<Recorded>) -> Result<Counted> {
        let attributes = self.attributes.at(inside)?;
        between(&self.objects, &attributes.diff, &self.drivers, (before, after))
    }
}

/// Counts between two recorded sides of a path whose `diff` attribute is known.
pub fn between(
    objects: &Objects,
    attribute: &Value,
    drivers: &Drivers,
    (before, after): (Option<Recorded>, Option<Recorded>),
) -> Result<Counted> {
    let (old, new) = (compare::stored(objects, before)?, compare::stored(objects, after)?);
    Ok(Counted {
        lines: lines::count(old.side(), new.side(), attribute, drivers),
        size_before: old.len(objects, before)?,
        size_after: new.len(objects, after)?,
    })
}

/// What kind of change lies between two recorded sides that differ.
pub fn kind(before: Option<Recorded>, after: Option<Recorded>) -> ChangeKind {
    let special = |mode: Mode| !matches!(mode, Mode::File | Mode::Executable);
    match (before, after) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        (Some(old), Some(new)) if old.mode != new.mode && (special(old.mode) || special(new.mode)) => {
            ChangeKind::TypeChanged
        }
        (Some(old), Some(new)) if old.id == new.id => ChangeKind::ModeChanged,
        _ => ChangeKind::Modified,
    }
}

/// Adds changes of other layers: a path that is there keeps its counts, which are those of the net change.
pub fn merge(changes: &mut Vec<Change>, more: Vec<Change>) {
    if more.is_empty() {
        return;
    }
    let places: HashMap<RepoPath, usize> =
        changes.iter().enumerate().map(|(at, change)| (change.path.clone(), at)).collect();
    for change in more {
        match places.get(&change.path) {
            Some(&at) => {
                let layers = &mut changes[at].layers;
                layers.extend(change.layers);
                layers.sort();
                layers.dedup();
                let commit = &mut changes[at].commit;
                *commit = commit.take().or(change.commit);
            }
            None => changes.push(change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::evidence::Layer;
    use crate::snapshot::entry::BlobId;

    fn recorded(byte: u8, mode: Mode) -> Recorded {
        Recorded { id: BlobId::from_bytes(&[byte; 20]).unwrap(), mode }
    }

    fn change(path: &str, layer: Layer, added: u64) -> Change {
        Change {
            path: RepoPath::from(path),
            kind: ChangeKind::Modified,
            layers: vec![layer],
            added,
            deleted: 0,
            binary: false,
            size_before: None,
            size_after: None,
            mode_before: None,
            mode_after: None,
            commit: None,
            content: None,
        }
    }

    #[test]
    fn names_the_kind() {
        let file = Some(recorded(1, Mode::File));
        assert_eq!(kind(None, file), ChangeKind::Added);
        assert_eq!(kind(file, None), ChangeKind::Deleted);
        assert_eq!(kind(file, Some(recorded(2, Mode::Executable))), ChangeKind::Modified);
        assert_eq!(kind(file, Some(recorded(1, Mode::Executable))), ChangeKind::ModeChanged);
        assert_eq!(kind(file, Some(recorded(1, Mode::Symlink))), ChangeKind::TypeChanged);
    }

    #[test]
    fn the_net_change_keeps_its_counts() {
        let mut changes = vec![change("a", Layer::Worktree, 1)];
        merge(&mut changes, vec![change("a", Layer::Commit, 7), change("b", Layer::Commit, 9)]);
        assert_eq!(changes[0].layers, [Layer::Commit, Layer::Worktree]);
        assert_eq!(changes.iter().map(|change| change.added).collect::<Vec<_>>(), [1, 9]);
    }
}
