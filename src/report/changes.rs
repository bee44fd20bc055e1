//! The changed paths for people, a line each: a letter, the path, how much of it, and whether it left the envelope.

use std::collections::BTreeMap;

use super::style::{BAD, FAINT, GOOD, HEADING, WARNING, paint};
use super::words::{count, counted, len};
use crate::audit::evidence::{Change, ChangeKind, Layer, Mode};
use crate::audit::finding::Code;
use crate::audit::verdict::Verdict;

/// How many changed paths are listed before the rest is only counted.
const LISTED: usize = 40;

/// The section about the changed paths.
pub fn human(verdict: &Verdict) -> String {
    if verdict.changes.is_empty() {
        let since = if verdict.gate.is_some() { "between base and head" } else { "since arming" };
        return format!("Nothing changed {since}.\n");
    }
    let marks = marks(verdict);
    let shown = &verdict.changes[..verdict.changes.len().min(LISTED)];
    let head = paint(HEADING, format!("changed: {}", counted(len(&verdict.changes), "path")));
    let mut out = vec![format!("{head}\n")];
    for change in shown {
        let mark = marks.get(change.path.as_bytes()).map_or(String::new(), |mark| paint(BAD, format!("  {mark}")));
        out.push(format!("{}{mark}\n", line(change)));
    }
    let rest = verdict.changes.len() - shown.len();
    if rest > 0 {
        out.push(format!("  ... and {} more; `--format json` lists all\n", counted(rest as u64, "path")));
    }
    out.concat()
}

/// The paths that the envelope does not allow.
pub fn marks(verdict: &Verdict) -> BTreeMap<&[u8], &'static str> {
    let mark = |code| match code {
        Code::PathOutside => Some("outside"),
        Code::PathDenied => Some("denied"),
        _ => None,
    };
    verdict
        .findings
        .iter()
        .filter_map(|finding| Some((finding.path.as_ref()?.as_bytes(), mark(finding.code)?)))
        .collect()
}

fn line(change: &Change) -> String {
    let letter = match change.kind {
        ChangeKind::Added => paint(GOOD, 'A'),
        ChangeKind::Deleted => paint(BAD, 'D'),
        ChangeKind::Modified => "M".to_owned(),
        ChangeKind::ModeChanged => "m".to_owned(),
        ChangeKind::TypeChanged => paint(WARNING, 'T'),
    };
    let parts: Vec<String> = [modes(change), size(change), elsewhere(change)].into_iter().flatten().collect();
    format!("  {letter} {}  {}", change.path.plain(), parts.join("  "))
}

/// The word for how a path changed.
pub fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Modified => "modified",
        ChangeKind::ModeChanged => "mode changed",
        ChangeKind::TypeChanged => "type changed",
    }
}

/// How the mode or the type changed, where it did.
fn modes(change: &Change) -> Option<String> {
    let (before, after) = (change.mode_before?, change.mode_after?);
    if change.kind == ChangeKind::TypeChanged {
        return Some(format!("{} -> {}", kind(before), kind(after)));
    }
    let differ = matches!(change.kind, ChangeKind::Modified | ChangeKind::ModeChanged) && before != after;
    differ.then(|| format!("mode {} -> {}", digits(before), digits(after)))
}

fn kind(mode: Mode) -> &'static str {
    match mode {
        Mode::File | Mode::Executable => "file",
        Mode::Symlink => "symlink",
        Mode::Gitlink => "submodule",
        Mode::Other => "directory or special file",
    }
}

fn digits(mode: Mode) -> &'static str {
    match mode {
        Mode::File => "100644",
        Mode::Executable => "100755",
        Mode::Symlink => "120000",
        Mode::Gitlink => "160000",
        Mode::Other => "other",
    }
}

fn size(change: &Change) -> Option<String> {
    if change.kind == ChangeKind::ModeChanged {
        return None;
    }
    if change.binary {
        return Some("binary".to_owned());
    }
    let (added, deleted) = (format!("+{}", count(change.added)), format!("-{}", count(change.deleted)));
    Some(format!("{} {}", paint(GOOD, added), paint(BAD, deleted)))
}

/// Says where a change stands when looking at the file on disk would not show it.
fn elsewhere(change: &Change) -> Option<String> {
    if change.layers.contains(&Layer::Worktree) || change.layers.contains(&Layer::Head) {
        return None;
    }
    let place = |layer: &Layer| match layer {
        Layer::Commit => "commits",
        Layer::Index => "the index",
        Layer::Worktree => "the work tree",
        Layer::Head => "the head",
    };
    let places: Vec<&str> = change.layers.iter().map(place).collect();
    Some(paint(FAINT, format!("(only in {})", places.join(" and "))))
}
