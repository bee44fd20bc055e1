//! The difference of two control planes.

use std::collections::BTreeMap;

use super::files::{Rule, Seen, Watched, quoted};
use super::past::Past;
use super::read::{Part, Plane};
use super::refs::{Ref, Refs};
use super::{config, hooks};
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::text::Text;

/// What drifted between arm and now. `head` is HEAD's commit at arm.
pub fn compare(armed: &Plane, now: &Plane, head: Option<&[u8]>, past: &dyn Past) -> Vec<Drift> {
    let mut drifts = Vec::new();
    for old in &armed.parts {
        let Some(new) = now.parts.iter().find(|new| new.prefix == old.prefix) else { continue };
        let found = part(old, new);
        if old.prefix.is_root() {
            drifts.extend(found);
        } else {
            drifts.extend(found.into_iter().filter_map(|drift| inside(old, drift)));
        }
    }
    drifts.extend(heads(&armed.refs, &now.refs));
    drifts.extend(own_refs(&armed.refs, &now.refs, head, past));
    drifts.extend(stash(&armed.refs, &now.refs));
    drifts.extend(shallow(&armed.refs, &now.refs, past));
    drifts
}

fn part(old: &Part, new: &Part) -> Vec<Drift> {
    // A repository inside that is gone altogether is a matter of files.
    if new.dot_git.is_none() {
        return Vec::new();
    }
    if old.dot_git != new.dot_git || old.broken.is_some() != new.broken.is_some() {
        let what = match &new.broken {
            Some(why) => Text::from("cannot be opened any more: ").raw(why),
            None => Text::from("is not what it was"),
        };
        return vec![Drift { kind: DriftKind::GitDirectory, subject: Text::from(".git"), what, undo: None }];
    }
    let mut drifts = config::compare(&old.config, &new.config, &old.declared);
    drifts.extend(hooks::compare(&old.hooks, &new.hooks));
    drifts.extend(watched(&old.files, &new.files));
    drifts
}

/// A drift of a repository inside: what would only be noted of the own repository is not worth a word there.
fn inside(part: &Part, drift: Drift) -> Option<Drift> {
    if matches!(drift.kind, DriftKind::ConfigUnknown | DriftKind::LinkedWorktree) {
        return None;
    }
    let subject = Text::default().path(&part.prefix).word(": ").raw(&drift.subject);
    let place = super::files::quoted(part.prefix.as_bytes());
    let undo = drift.undo.map(|undo| match undo.as_bytes().strip_prefix(b"git config ") {
        Some(rest) => Text::from("cd ").raw(&place).word(" && git config ").raw(&Text::from_bytes(rest)),
        None => undo,
    });
    Some(Drift { kind: DriftKind::SubmoduleControl, subject, what: drift.what, undo })
}

fn watched(armed: &[Watched], now: &[Watched]) -> Vec<Drift> {
    let old: BTreeMap<&[u8], &Watched> = armed.iter().map(|file| (file.path.as_bytes(), file)).collect();
    let new: BTreeMap<&[u8], &Watched> = now.iter().map(|file| (file.path.as_bytes(), file)).collect();
    let mut drifts = Vec::new();
    let drift = |file: &Watched, what: &str, undo: Option<Text>| Drift {
        kind: file.rule.kind(),
        subject: file.path.clone(),
        what: Text::from(what),
        undo,
    };
    let worktree_of = |path: &[u8], among: &BTreeMap<&[u8], &Watched>| {
        let parent = path.iter().rposition(|byte| *byte == b'/').map_or(path, |at| &path[..at]);
        among.get(parent).is_some_and(|parent| parent.rule == Rule::Worktree)
    };
    for (path, before) in &old {
        match new.get(path) {
            Some(after) if same(before, after) => {}
            Some(_) => drifts.push(drift(before, "has other content", None)),
            // A linked work tree that is gone was pruned, and what belonged to it went along.
            None if before.rule == Rule::Worktree || (worktree_of(path, &old) && !worktree_of(path, &new)) => {}
            None => drifts.push(drift(before, "deleted", None)),
        }
    }
    for (path, after) in &new {
        // What a new linked work tree brings along is told by the work tree itself.
        if old.contains_key(path) || (worktree_of(path, &new) && !worktree_of(path, &old)) {
            continue;
        }
        let undo = match after.rule {
            Rule::Worktree => None,
            _ => Some(Text::from("rm ").raw(&quoted(path))),
        };
        drifts.push(drift(after, "created", undo));
    }
    drifts
}

/// Of these files only the content counts, not whether they may be executed.
fn same(a: &Watched, b: &Watched) -> bool {
    match (&a.seen, &b.seen) {
        (Seen::File(before, _), Seen::File(after, _)) => before == after,
        (before, after) => before == after,
    }
}

fn heads(armed: &Refs, now: &Refs) -> Option<Drift> {
    if armed.head == now.head {
        return None;
    }
    let short = |name: &Text| Text::from_bytes(name.as_bytes().strip_prefix(b"refs/heads/").unwrap_or(name.as_bytes()));
    let said = |head: &Option<Text>| head.as_ref().map_or(Text::from("no branch"), short);
    let undo = armed.head.as_ref().map(|name| Text::from("git switch ").raw(&quoted(short(name).as_bytes())));
    let what = Text::from("was on ").raw(&said(&armed.head)).word(", is on ").raw(&said(&now.head));
    Some(Drift { kind: DriftKind::HeadSwitched, subject: Text::from("HEAD"), what, undo })
}

fn own_refs(armed: &Refs, now: &Refs, head: Option<&[u8]>, past: &dyn Past) -> Vec<Drift> {
    let old: BTreeMap<&[u8], &Text> = armed.own.iter().map(|Ref(name, value)| (name.as_bytes(), value)).collect();
    let new: BTreeMap<&[u8], &Text> = now.own.iter().map(|Ref(name, value)| (name.as_bytes(), value)).collect();
    let tips: Vec<&[u8]> = armed
        .own
        .iter()
        .map(|Ref(_, value)| value.as_bytes())
        .filter(|value| !value.starts_with(b"ref:"))
        .chain(head)
        .collect();
    let mut drifts = Vec::new();
    let mut push = |kind: DriftKind, name: &[u8], what: Text, undo: Option<Text>| {
        drifts.push(Drift { kind, subject: Text::from_bytes(name), what, undo });
    };
    for (name, before) in &old {
        let back = Some(undo(name, before));
        match new.get(name) {
            Some(after) if after == before => {}
            Some(after) => push(
                kind(name, DriftKind::BranchMoved),
                name,
                Text::from("was ").raw(before).word(", is ").raw(after),
                back,
            ),
            None => push(kind(name, DriftKind::BranchDeleted), name, Text::from("deleted, was ").raw(before), back),
        }
    }
    for (name, after) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let kind = match kind(name, DriftKind::BranchCreated) {
            DriftKind::Tag if past.is_known(after.as_bytes(), &tips) => DriftKind::TagOnKnownHistory,
            kind => kind,
        };
        let undo = match name.strip_prefix(b"refs/replace/") {
            Some(id) => Text::from("git replace -d ").raw(&quoted(id)),
            None => Text::from("git update-ref -d ").raw(&quoted(name)),
        };
        push(kind, name, Text::from("created at ").raw(after), Some(undo));
    }
    drifts
}

/// What a ref is, by its name; `branch` for branches and for refs of no known kind.
fn kind(name: &[u8], branch: DriftKind) -> DriftKind {
    const KINDS: &[(&[u8], DriftKind)] = &[
        (b"refs/tags/", DriftKind::Tag),
        (b"refs/replace/", DriftKind::ReplaceRef),
        (b"refs/stash", DriftKind::Stash),
    ];
    KINDS.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(branch, |(_, kind)| *kind)
}

fn undo(name: &[u8], before: &Text) -> Text {
    if name == b"refs/stash" {
        return Text::from("git stash store ").raw(before);
    }
    match before.as_bytes().strip_prefix(b"ref: ") {
        Some(target) => Text::from("git symbolic-ref ").raw(&quoted(name)).word(" ").raw(&quoted(target.trim_ascii())),
        None => Text::from("git update-ref ").raw(&quoted(name)).word(" ").raw(before),
    }
}

/// Entries of the stash below the newest one, which the ref itself does not tell.
fn stash(armed: &Refs, now: &Refs) -> Option<Drift> {
    let tip = |refs: &Refs| refs.own.iter().find(|Ref(name, _)| name.as_bytes() == b"refs/stash").cloned();
    if armed.stash_log == now.stash_log || tip(armed) != tip(now) {
        return None;
    }
    let what = format!("had {} entries, has {}, and they are not the same", armed.stashed, now.stashed);
    Some(Drift { kind: DriftKind::Stash, subject: Text::from("refs/stash"), what: what.into(), undo: None })
}

/// A boundary that vanished is history that was fetched; one that appeared must be where history really ends.
fn shallow(armed: &Refs, now: &Refs, past: &dyn Past) -> Vec<Drift> {
    let deepened = armed.shallow.iter().any(|commit| !now.shallow.contains(commit));
    let news = now.shallow.iter().filter(|commit| !armed.shallow.contains(commit));
    news.filter(|commit| !(deepened && past.is_bottom(commit.as_bytes())))
        .map(|commit| Drift {
            kind: DriftKind::Graft,
            subject: Text::from("shallow"),
            what: Text::from("history now ends at ").raw(commit),
            undo: Some(Text::from("git fetch --unshallow")),
        })
        .collect()
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
