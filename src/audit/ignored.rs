//! Ignored files: what no diff shows is still the user's, so what existed at arm stays unless somebody said otherwise.
//!
//! One path is judged by the first row that speaks of it:
//! 1. protected, and not lifted by name: a violation, also in a scratch zone;
//! 2. named by `--allow-ignored`: nothing;
//! 3. new or changed, and odd: a violation, also where an allow pattern covers it, because no diff shows it and yet the
//!    verifiers run otherwise; see [`super::odd`];
//! 4. an installed dependency that existed at arm: a violation, also where a scratch zone or an allow pattern covers it,
//!    because verifiers run this code and no diff shows it; a new one is noted;
//! 5. in a scratch zone: noted with a count; an explicit deny pattern does not reach into one, because tests write their
//!    caches also where nothing may change;
//! 6. denied: a violation, also when it is new;
//! 7. allowed: nothing;
//! 8. outside: a violation when it existed at arm, noted when it is new.

use std::collections::BTreeMap;

use super::finding::{Code, Finding, Severity};
use super::links::{self, Escape};
use super::odd::{self, Oddity};
use crate::policy::envelope::{Decision, Rules};
use crate::policy::options::{self, AuditRules, IgnoredRule};
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::steering::Steering;
use crate::policy::text::Text;

/// How many paths a finding or a note names.
const NAMED: usize = 5;

/// How many files of one directory are each a finding of their own.
const APART: usize = 3;

/// How an ignored entry differs from arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgnoredKind {
    /// It is new.
    Added,
    /// It is not as it was.
    Changed,
    /// It is gone.
    Deleted,
}

/// An ignored file, link or other thing that is not as it was at arm.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignored {
    /// The path.
    pub path: RepoPath,
    /// What happened to it.
    pub kind: IgnoredKind,
    /// The directory above it that is marked as a cache by a valid `CACHEDIR.TAG`.
    pub cache: Option<RepoPath>,
    /// What is odd about it although it is new.
    pub odd: Vec<Oddity>,
}

/// What a group of paths comes to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Protected(&'static str),
    Steers(&'static Steering),
    Leads(Escape),
    Shared,
    Dependency(&'static str),
    Denied(String),
    Outside(IgnoredKind),
}

/// Violations and notes about ignored entries.
pub fn judge(rules: &Rules, entries: &[Ignored]) -> (Vec<Finding>, Vec<Text>) {
    let mut violations: BTreeMap<(Row, RepoPath), Vec<&Ignored>> = BTreeMap::new();
    let mut zones: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut noted: BTreeMap<(IgnoredKind, bool), Vec<&RepoPath>> = BTreeMap::new();
    for entry in entries {
        let path = entry.path.as_bytes();
        let new = entry.kind == IgnoredKind::Added;
        let mut violation = |row: Row| violations.entry((row, top(&entry.path))).or_default().push(entry);
        if let Some(reason) = rules.audit.protected_ignored(path) {
            violation(Row::Protected(reason));
            continue;
        }
        if rules.audit.allows_ignored(path) {
            continue;
        }
        let reports = rules.audit.ignored() == IgnoredRule::Report;
        if let Some(odd) = odd::oddity(&rules.audit, entry)
            && !reports
        {
            violation(match odd {
                Oddity::Steers(steering) => Row::Steers(steering),
                Oddity::Leads { to, .. } => Row::Leads(*to),
                Oddity::Shared => Row::Shared,
            });
            continue;
        }
        if let Some(reason) = rules.audit.dependency(path) {
            if new || reports {
                noted.entry((entry.kind, true)).or_default().push(&entry.path);
            } else {
                violation(Row::Dependency(reason));
            }
            continue;
        }
        if let Some(zone) = zone(&rules.audit, entry) {
            *zones.entry(zone).or_default() += 1;
            continue;
        }
        match rules.decide(path) {
            Decision::Denied(pattern) => violation(Row::Denied(pattern.as_str().to_owned())),
            Decision::Allowed(_) => {}
            Decision::Outside if new || reports => {
                noted.entry((entry.kind, false)).or_default().push(&entry.path);
            }
            Decision::Outside => violation(Row::Outside(entry.kind)),
        }
    }
    let findings = violations.into_iter().flat_map(|((row, top), group)| findings(&row, &top, &group)).collect();
    (findings, notes(&zones, &noted))
}

/// The scratch zone that an entry lies in, and what writes there.
pub fn zone<'a>(rules: &'a AuditRules, entry: &Ignored) -> Option<(String, &'a str)> {
    if let Some((glob, reason)) = rules.scratch(entry.path.as_bytes()) {
        return Some((glob.to_owned(), reason));
    }
    if rules.is_bookkeeping(entry.path.as_bytes()) {
        return Some(("node_modules".to_owned(), "lists that package managers keep"));
    }
    entry.cache.as_ref().map(|cache| (format!("{}/**", cache.plain()), "directory with a CACHEDIR.TAG"))
}

/// The first directory of a path; the root for a file at the top.
pub fn top(path: &RepoPath) -> RepoPath {
    match path.as_bytes().iter().position(|byte| *byte == b'/') {
        Some(slash) => RepoPath::from(&path.as_bytes()[..slash]),
        None => RepoPath::new(""),
    }
}

/// One finding a path where there are few, else one for the whole directory.
fn findings(row: &Row, top: &RepoPath, group: &[&Ignored]) -> Vec<Finding> {
    if group.len() <= APART {
        let one = |entry: &&Ignored| {
            let finding = finding(row, Some(entry.path.clone()), named(row, &[*entry]));
            Finding { undo: undo(row, entry), ..finding }
        };
        return group.iter().map(one).collect();
    }
    let place = if top.is_root() { "at the top".to_owned() } else { format!("below {}", top.plain()) };
    let message = named(row, group).word(format!(" ({} in all, {place})", group.len()));
    vec![finding(row, (!top.is_root()).then(|| top.clone()), message)]
}

/// The command that undoes what one new entry is odd about.
fn undo(row: &Row, entry: &Ignored) -> Option<Text> {
    match row {
        Row::Steers(_) | Row::Leads(_) if entry.kind == IgnoredKind::Added => Some(shell::about("rm", &entry.path)),
        Row::Shared => Some(links::of_its_own(&entry.path)),
        _ => None,
    }
}

fn named(row: &Row, group: &[&Ignored]) -> Text {
    let words = match row {
        Row::Leads(to) => return leading(*to, group),
        Row::Shared => "hard link to something outside of the change: ",
        Row::Protected(_) => "protected path changed: ",
        Row::Steers(_) => "ignored file steers what verifiers run: ",
        Row::Dependency(_) => "installed dependency changed or deleted: ",
        Row::Denied(_) => "path outside policy: ",
        Row::Outside(IgnoredKind::Deleted) => "ignored file deleted: ",
        Row::Outside(_) => "ignored file changed: ",
    };
    list(Text::from(words), &group.iter().map(|entry| &entry.path).collect::<Vec<_>>())
}

/// Links with their own text.
fn leading(to: Escape, group: &[&Ignored]) -> Text {
    let mut text = Text::from(format!("ignored symbolic link leads {}: ", to.words()));
    for (at, entry) in group.iter().take(NAMED).enumerate() {
        text = text.word(if at == 0 { "" } else { ", " }).path(&entry.path);
        let target =
            entry.odd.iter().find_map(|odd| if let Oddity::Leads { target, .. } = odd { Some(target) } else { None });
        if let Some(target) = target {
            text = text.word(" -> ").raw(target);
        }
    }
    if group.len() > NAMED { text.word(format!(", and {} more", group.len() - NAMED)) } else { text }
}

fn list(mut text: Text, paths: &[&RepoPath]) -> Text {
    for (at, path) in paths.iter().take(NAMED).enumerate() {
        text = text.word(if at == 0 { "" } else { ", " }).path(path);
    }
    if paths.len() > NAMED { text.word(format!(", and {} more", paths.len() - NAMED)) } else { text }
}

fn finding(row: &Row, path: Option<RepoPath>, message: Text) -> Finding {
    let (code, help) = match row {
        Row::Protected(reason) => (Code::ProtectedPath, protected_help(reason, path.as_ref())),
        Row::Leads(_) => (
            Code::SymlinkEscapes,
            "What is written or deleted through it is no file of the repository. Remove it, or let it lead to a path of the \
             repository; if it is to stay, arm with --allow-ignored for it."
                .to_owned(),
        ),
        Row::Shared => (
            Code::HardLinked,
            "It has a name outside of the repository as well, so that a write to it changes a file there. Make it a file of its \
             own; if it is to stay, arm with --allow-ignored for it."
                .to_owned(),
        ),
        Row::Steers(steering) => (
            Code::IgnoredSteers,
            format!(
                "{}: no diff shows it, and without it the verifiers may answer otherwise. Remove it, or let Git list it; if it \
                 is to stay, arm with --allow-ignored for it.",
                capital(steering.reason)
            ),
        ),
        Row::Dependency(reason) => (
            Code::DependencyChanged,
            format!(
                "{reason}: verifiers run this code, and no diff shows it. Install it anew, or arm with --allow-ignored \
                 for this place."
            ),
        ),
        Row::Denied(pattern) => (Code::PathDenied, format!("The pattern {pattern} denies it. Undo this change.")),
        Row::Outside(kind) => {
            let code = if *kind == IgnoredKind::Deleted { Code::IgnoredDeleted } else { Code::IgnoredChanged };
            (
                code,
                "Git keeps no copy of an ignored file: bring it back from a backup. If it may change, arm with \
                 --allow-ignored, or with --scratch for a place that tools fill by themselves."
                    .to_owned(),
            )
        }
    };
    Finding { code, severity: Severity::Violation, path, message, help: help.into(), undo: None, owners: None }
}

/// A reason as the beginning of a sentence.
fn capital(reason: &str) -> String {
    let mut letters = reason.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What to do about a changed protected path: the options that would open it.
pub fn protected_help(reason: &str, path: Option<&RepoPath>) -> String {
    let glob = path.map_or_else(|| "GLOB".to_owned(), |path| shell::word(&options::protected_glob(path.as_bytes())));
    format!(
        "It holds {reason}. Undo this change; if it is wanted, arm with --allow {glob} --allow-protected {glob}: both \
         are needed."
    )
}

fn notes(zones: &BTreeMap<(String, &str), usize>, noted: &BTreeMap<(IgnoredKind, bool), Vec<&RepoPath>>) -> Vec<Text> {
    let mut told = Vec::new();
    for ((kind, dependency), paths) in noted {
        let what = match kind {
            IgnoredKind::Added => "new ignored",
            IgnoredKind::Changed => "changed ignored",
            IgnoredKind::Deleted => "deleted ignored",
        };
        let where_ = if *dependency { " among installed dependencies" } else { "" };
        told.push(list(Text::from(format!("{} {what}{where_}: ", paths.len())), paths));
    }
    for ((zone, reason), count) in zones {
        told.push(Text::from(format!("{count} in the scratch zone {zone} ({reason})")));
    }
    told
}

#[cfg(test)]
#[path = "ignored_tests.rs"]
mod tests;
