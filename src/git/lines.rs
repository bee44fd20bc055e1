//! Added and deleted lines, equal to what `git diff --no-ext-diff --no-renames --numstat` prints in its defaults.
//!
//! Counts come from gitoxide's Myers, a port of Git's own with its heuristics, over lines that keep their terminators
//! ("x" and "x\n" are different lines). Diff drivers, text conversions and `diff.algorithm` have no say.

use std::collections::BTreeMap;

use gix::diff::blob::sources::byte_lines;
use gix::diff::blob::{Algorithm, Diff, InternedInput};
use gix::oid;

use super::attributes::Value;

/// How far Git looks for a NUL byte.
const BINARY_PROBE: usize = 8_000;

/// Git's default of `core.bigFileThreshold`, pinned: a larger file is binary unless an attribute says otherwise.
pub const BIG_FILE: u64 = 512 * 1024 * 1024;

/// Git refuses to compare text beyond this size; so do we, by calling it binary.
const TEXT_LIMIT: usize = 1023 * 1024 * 1024;

/// One side of a change.
#[derive(Debug, Clone, Copy)]
pub enum Side<'a> {
    /// There is nothing at this path.
    Absent,
    /// A regular file, executable or not, with the content as Git stores it.
    File(&'a [u8]),
    /// A regular file larger than [`BIG_FILE`], whose content nobody needs to read: it counts as binary.
    Huge,
    /// A symbolic link with its text.
    Link(&'a [u8]),
    /// A submodule at this commit. Changes inside of its own work tree do not count: Git prints 0 lines for them.
    Gitlink(&'a oid),
}

/// The lines that a change adds and deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines {
    /// Lines on the new side only; 0 if binary.
    pub added: u64,
    /// Lines on the old side only; 0 if binary.
    pub deleted: u64,
    /// Whether Git would print `-` for both.
    pub binary: bool,
}

/// The frozen `diff.<name>.binary`: an entry for every `diff.<name>.*` that is configured, with `None` where the driver
/// does not say, or says `auto`.
pub type Drivers = BTreeMap<Vec<u8>, Option<bool>>;

/// Counts the lines between two sides of one path, whose `diff` attribute is `attribute`.
///
/// The attribute is about regular files only, so a link that took the place of a `-diff` file is text on its side; one
/// binary side makes the change binary. A change of mode alone has 0 lines but may be binary.
pub fn count(old: Side<'_>, new: Side<'_>, attribute: &Value, drivers: &Drivers) -> Lines {
    let (before, after) = (old.text(), new.text());
    if [(old, &before), (new, &after)].iter().any(|(side, text)| side.is_binary(text, attribute, drivers)) {
        return Lines { binary: true, ..Lines::default() };
    }
    let (added, deleted) = compare(&before, &after);
    Lines { added, deleted, binary: false }
}

impl<'a> Side<'a> {
    /// The text that Git compares.
    fn text(self) -> Text<'a> {
        match self {
            Side::Absent | Side::Huge => Text::Borrowed(b""),
            Side::File(bytes) | Side::Link(bytes) => Text::Borrowed(bytes),
            Side::Gitlink(id) => Text::Owned(format!("Subproject commit {id}\n").into_bytes()),
        }
    }

    fn is_binary(self, text: &[u8], attribute: &Value, drivers: &Drivers) -> bool {
        let ruled = match self {
            Side::Huge => Some(true),
            Side::File(_) => ruling(attribute, drivers),
            Side::Absent | Side::Link(_) | Side::Gitlink(_) => fallback(drivers),
        };
        let guess = || text.len() as u64 > BIG_FILE || text[..text.len().min(BINARY_PROBE)].contains(&0);
        ruled.unwrap_or_else(guess) || text.len() > TEXT_LIMIT
    }
}

type Text<'a> = std::borrow::Cow<'a, [u8]>;

/// Whether the attribute makes a regular file binary, or text, or leaves that to its content.
fn ruling(attribute: &Value, drivers: &Drivers) -> Option<bool> {
    match attribute {
        Value::Set => Some(false),
        Value::Unset => Some(true),
        Value::Unspecified => fallback(drivers),
        Value::Is(name) => drivers.get(name).copied().unwrap_or_else(|| fallback(drivers)),
    }
}

/// What `diff.default.binary` says: the driver of everything that has no other.
fn fallback(drivers: &Drivers) -> Option<bool> {
    drivers.get(b"default".as_slice()).copied().flatten()
}

/// Lines added and deleted between two texts.
fn compare(before: &[u8], after: &[u8]) -> (u64, u64) {
    if before == after {
        (0, 0)
    } else if before.is_empty() || after.is_empty() {
        (line_count(after), line_count(before))
    } else {
        myers(before, after)
    }
}

fn line_count(text: &[u8]) -> u64 {
    byte_lines(text).count() as u64
}

fn myers(before: &[u8], after: &[u8]) -> (u64, u64) {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let diff = Diff::compute(Algorithm::Myers, &input);
    (diff.count_additions().into(), diff.count_removals().into())
}
