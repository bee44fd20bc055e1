//! The difference of two control planes.

use std::collections::BTreeMap;

use super::files::{Rule, Seen, Watched, quoted};
use super::past::{Past, Vouched};
use super::read::{Part, Plane};
use super::refs::{Ref, Refs};
use super::{config, dormant, hooks, inside, named, operations};
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::shell;
use crate::policy::text::Text;

/// What drifted between arm and now.
pub fn compare(armed: &Plane, now: &Plane, past: &dyn Past) -> Vec<Drift> {
    let mut drifts = Vec::new();
    if let (Some(old), Some(new)) = (armed.parts.first(), now.parts.first()) {
        drifts.extend(part(old, new));
        drifts.extend(named::compare(old, new, past));
        drifts.extend(refs_of(&old.refs, &new.refs, past));
    }
    drifts.extend(inside::compare(armed, now, past));
    drifts
}

/// What drifted of the refs of one repository.
pub fn refs_of(armed: &Refs, now: &Refs, past: &dyn Past) -> Vec<Drift> {
    let mut drifts = Vec::new();
    drifts.extend(heads(armed, now));
    drifts.extend(own_refs(armed, now, past));
    drifts.extend(stash(armed, now));
    drifts.extend(shallow(armed, now, past));
    drifts
}

/// What drifted of the settings and files of one repository.
pub fn part(old: &Part, new: &Part) -> Vec<Drift> {
    if old.broken.is_some() && new.broken.is_some() {
        return watched(&old.files, &new.files, new);
    }
    let moved = old.prefix == new.prefix && (old.dot_git != new.dot_git || old.git_dir != new.git_dir);
    if moved || old.broken.is_some() != new.broken.is_some() {
        let what = match &new.broken {
            Some(why) => Text::from("cannot be opened any more: ").raw(why),
            None => Text::from("is not what it was"),
        };
        return vec![Drift { kind: DriftKind::GitDirectory, subject: Text::from(".git"), what, undo: None }];
    }
    // A submodule that was checked out since, or taken away, has its Git directory where it was and its files elsewhere.
    let same_place = old.prefix == new.prefix;
    let declared = if same_place { &old.declared } else { &new.declared };
    let mut drifts = config::compare(&old.config, &new.config, declared);
    drifts.extend(dormant::compare(&old.dormant, &new.dormant));
    drifts.extend(hooks::compare(&old.hooks, &new.hooks));
    let here = |file: &&Watched| same_place || !file.path.as_bytes().ends_with(b"/.git");
    let files = |part: &Part| part.files.iter().filter(here).cloned().collect::<Vec<_>>();
    drifts.extend(watched(&files(old), &files(new), new));
    drifts
}

/// What drifted of the watched files of a repository.
pub fn watched(armed: &[Watched], now: &[Watched], part: &Part) -> Vec<Drift> {
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
            Some(Watched { seen: Seen::Link(target), .. }) => {
                drifts.push(Drift { what: Text::from("is a link to ").raw(target), ..drift(before, "", None) });
            }
            Some(Watched { seen: Seen::Shared, .. }) => drifts.push(drift(before, "got another name", None)),
            Some(_) => drifts.push(drift(before, "has other content", None)),
            // The other name is gone, or Git has written a file of its own.
            None if before.seen == Seen::Shared => {}
            // A linked work tree that is gone was pruned, and what belonged to it went along.
            None if before.rule == Rule::Worktree || (worktree_of(path, &old) && !worktree_of(path, &new)) => {}
            None => drifts.push(drift(before, "deleted", None)),
        }
    }
    for (path, after) in &new {
        // What a new linked work tree brings along is told by the work tree itself, as long as Git wrote it.
        let is_gits_own = matches!(after.rule, Rule::Leads | Rule::WorktreeHead);
        if old.contains_key(path) || (is_gits_own && worktree_of(path, &new) && !worktree_of(path, &old)) {
            continue;
        }
        let piece = piece(after, part);
        let is_new = |name: &str| is_new_piece(name, part, &old, &new);
        if piece.is_some_and(|piece| operations::is_covered(piece, is_new)) {
            continue;
        }
        let abort = piece.and_then(|piece| operations::abort(piece, is_new));
        let undo = match (after.rule, &after.seen) {
            _ if abort.is_some() => abort.map(|abort| Text::from(format!("git {}{abort}", within(part)))),
            (Rule::Worktree | Rule::WorktreeHead | Rule::Link, _) => None,
            (_, Seen::Directory) => Some(Text::from("rm -r ").raw(&quoted(path))),
            _ => Some(Text::from("rm ").raw(&quoted(path))),
        };
        let what = match &after.seen {
            Seen::Link(target) => Text::from("became a link to ").raw(target),
            Seen::Shared => Text::from("has another name, and what Git writes into it is written there too"),
            _ => Text::from("created"),
        };
        drifts.push(Drift { what, ..drift(after, "", undo) });
    }
    drifts
}

/// The name of a piece of an operation in the Git directory of its repository.
fn piece<'a>(file: &'a Watched, part: &Part) -> Option<&'a str> {
    let inside = file.path.as_bytes().strip_prefix(part.git_dir.as_bytes())?.strip_prefix(b"/")?;
    (file.rule == Rule::Operation).then(|| std::str::from_utf8(inside).ok()).flatten()
}

fn is_new_piece(name: &str, part: &Part, old: &BTreeMap<&[u8], &Watched>, new: &BTreeMap<&[u8], &Watched>) -> bool {
    let path = [part.git_dir.as_bytes(), b"/", name.as_bytes()].concat();
    new.contains_key(path.as_slice()) && !old.contains_key(path.as_slice())
}

/// The option that makes Git work in the repository of a part, as seen from the root.
fn within(part: &Part) -> String {
    if part.prefix.is_root() { String::new() } else { format!("-C {} ", shell::word(part.prefix.as_bytes())) }
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

fn own_refs(armed: &Refs, now: &Refs, past: &dyn Past) -> Vec<Drift> {
    let old: BTreeMap<&[u8], &Text> = armed.own.iter().map(|Ref(name, value)| (name.as_bytes(), value)).collect();
    let new: BTreeMap<&[u8], &Text> = now.own.iter().map(|Ref(name, value)| (name.as_bytes(), value)).collect();
    let tips: Vec<&[u8]> =
        armed.own.iter().map(|Ref(_, value)| value.as_bytes()).filter(|value| !value.starts_with(b"ref:")).collect();
    let mut drifts = Vec::new();
    let mut push = |kind: DriftKind, name: &[u8], what: Text, undo: Option<Text>| {
        drifts.push(Drift { kind, subject: Text::from_bytes(name), what, undo });
    };
    for (name, before) in &old {
        let back = match (*name, new.get(name)) {
            (b"refs/stash", None) => Some(Text::from("git stash store ").raw(before)),
            (b"refs/stash", Some(_)) => stashed_back(armed, now),
            (_, now) => Some(undo(name, before, now.copied())),
        };
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
        let what = Text::from("created at ").raw(after);
        let (kind, what) = match kind(name, DriftKind::BranchCreated) {
            DriftKind::Tag | DriftKind::BranchCreated if shadows(name, &old, past) => (DriftKind::RefShadow, what),
            DriftKind::Tag => tagged(what, past.vouched(after.as_bytes(), &tips)),
            kind => (kind, what),
        };
        let undo = match name.strip_prefix(b"refs/replace/") {
            Some(id) => Some(Text::from("git replace -d ").raw(&quoted(id))),
            // A ref without a log is no stash that anybody made.
            None if *name == b"refs/stash" && now.stashed > 0 => stashed_back(armed, now),
            None if after.as_bytes().contains(&b' ') => {
                Some(Text::from("git symbolic-ref --delete ").raw(&quoted(name)))
            }
            None => Some(Text::from("git update-ref -d ").raw(&quoted(name)).word(" ").raw(after)),
        };
        push(kind, name, what, undo);
    }
    drifts
}

/// What a new tag is, by who vouches for its commit.
fn tagged(what: Text, vouched: Vouched) -> (DriftKind, Text) {
    match vouched {
        Vouched::Known => (DriftKind::TagOnKnownHistory, what),
        Vouched::Fetched(by) => (DriftKind::TagOnKnownHistory, what.word(", which came since arm with ").raw(&by)),
        Vouched::Claimed(by) => {
            let why = ", which is new, and no fetch has brought it with ";
            (DriftKind::Tag, what.word(why).raw(&by))
        }
        Vouched::New => (DriftKind::Tag, what),
    }
}

/// Refs that mirror what a forge keeps for itself: nothing is checked out from them or pushed.
const FORGES: &[&[u8]] = &[
    b"refs/pull/",
    b"refs/merge-requests/",
    b"refs/changes/",
    b"refs/pipelines/",
    b"refs/environments/",
    b"refs/keep-around/",
];

/// What a ref is, by its name; `branch` for branches.
fn kind(name: &[u8], branch: DriftKind) -> DriftKind {
    const KINDS: &[(&[u8], DriftKind)] = &[
        (b"refs/tags/", DriftKind::Tag),
        (b"refs/replace/", DriftKind::ReplaceRef),
        (b"refs/stash", DriftKind::Stash),
    ];
    if name.starts_with(b"refs/heads/") {
        return branch;
    }
    let named = KINDS.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, kind)| *kind);
    named.unwrap_or(if is_of_a_forge(name) { DriftKind::ForgeRef } else { DriftKind::OtherRef })
}

/// Whether a forge keeps its own books in a ref.
pub fn is_of_a_forge(name: &[u8]) -> bool {
    FORGES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a new branch or tag answers to the short name of something else.
fn shadows(name: &[u8], old: &BTreeMap<&[u8], &Text>, past: &dyn Past) -> bool {
    const PREFIXES: [&[u8]; 3] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    let Some(short) = PREFIXES.iter().find_map(|prefix| name.strip_prefix(*prefix)) else { return false };
    let is_id = matches!(short.len(), 40 | 64) && short.iter().all(u8::is_ascii_hexdigit);
    let other = PREFIXES.iter().map(|prefix| [prefix, short].concat()).any(|other| {
        let is_remote = other.starts_with(b"refs/remotes/");
        other != name && (old.contains_key(other.as_slice()) || (is_remote && past.has_ref(&other)))
    });
    short == b"HEAD" || is_id || other
}

/// How work comes back that was stashed since; `None` unless it is one entry on top of those that were there. Whatever
/// removed the entry would lose the work.
fn stashed_back(armed: &Refs, now: &Refs) -> Option<Text> {
    (now.stashed == armed.stashed + 1).then(|| Text::from("git stash pop -q --index"))
}

fn undo(name: &[u8], before: &Text, now: Option<&Text>) -> Text {
    if let Some(target) = before.as_bytes().strip_prefix(b"ref: ") {
        return Text::from("git symbolic-ref ").raw(&quoted(name)).word(" ").raw(&quoted(target.trim_ascii()));
    }
    let command = Text::from("git update-ref --no-deref ").raw(&quoted(name)).word(" ").raw(before);
    // The old value makes Git refuse where somebody else moved it meanwhile.
    match now.filter(|now| !now.as_bytes().contains(&b' ')) {
        Some(now) => command.word(" ").raw(now),
        None => command,
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

/// A boundary that vanished is history that was fetched; one that appeared must be where history really ends, or be new
/// and nowhere but on what was fetched.
fn shallow(armed: &Refs, now: &Refs, past: &dyn Past) -> Vec<Drift> {
    let deepened = armed.shallow.iter().any(|commit| !now.shallow.contains(commit));
    let news = now.shallow.iter().filter(|commit| !armed.shallow.contains(commit));
    // A fetch of limited depth ends at what it brought; what was there at arm is cut off by nobody honest.
    let honest = |commit: &&Text| {
        let commit = commit.as_bytes();
        let is_bottom = past.is_bottom(commit);
        if past.was_known(commit) { deepened && is_bottom } else { is_bottom || !past.is_live(commit) }
    };
    news.filter(|commit| !honest(commit))
        .map(|commit| Drift {
            kind: DriftKind::Graft,
            subject: Text::from("shallow"),
            what: Text::from("history now ends at ").raw(commit),
            // In a repository that was whole nothing is there to be fetched: the boundary itself is what is wrong.
            undo: Some(Text::from(if armed.shallow.is_empty() {
                "rm -- \"$(git rev-parse --git-path shallow)\""
            } else {
                "git fetch --unshallow"
            })),
        })
        .collect()
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
