//! What is worth a second look at arm: patterns and verifiers that are valid and may not mean what they seem to.

use std::path::Path;

use super::api::ArmRequest;
use crate::policy::command::Command;
use crate::policy::pattern::Pattern;
use crate::process::verifier::{self, Verifier};
use crate::snapshot::entry::{Class, Snapshot};

/// Characters that other pattern languages act on.
const LITERAL: [char; 3] = ['{', '[', '!'];

/// One sentence each; nothing of it refuses the envelope.
pub fn warnings(request: &ArmRequest, snapshot: &Snapshot, root: &Path) -> Vec<String> {
    let (paths, rest) = (request.envelope.lists(), request.audit.lists());
    let mut all: Vec<String> =
        each(&paths).filter_map(|(option, pattern)| about_pattern(option, pattern, snapshot)).collect();
    all.extend(each(&rest).filter_map(|(option, pattern)| about_coverage(option, pattern, snapshot)));
    all.extend(request.verify.iter().flat_map(|source| about_verifier(source, root)));
    all
}

fn each<'a>(lists: &'a [(&'static str, &'a [Pattern])]) -> impl Iterator<Item = (&'static str, &'a Pattern)> {
    lists.iter().flat_map(|(option, patterns)| patterns.iter().map(move |pattern| (*option, pattern)))
}

/// A pattern of what need not be tracked: whether it covers no path, or a directory where the files in it are meant.
fn about_coverage(option: &str, pattern: &Pattern, snapshot: &Snapshot) -> Option<String> {
    let source = pattern.as_str();
    let name = source.trim_end_matches('/');
    // A submodule is a path of its own.
    if !is_tracked(snapshot, source) && snapshot.listing(name.as_bytes()).is_some() {
        return Some(directory_alone(option, source, name));
    }
    pattern.futility().map(|futility| format!("{option} {source} {futility}"))
}

fn directory_alone(option: &str, source: &str, name: &str) -> String {
    format!("{option} {source} names a directory and covers no file in it; write {name}/**")
}

/// What a pattern covers can be told from its components before the first wildcard: everything that it covers lies there.
fn about_pattern(option: &str, pattern: &Pattern, snapshot: &Snapshot) -> Option<String> {
    let source = pattern.as_str();
    let fixed = fixed(source);
    let whole = fixed.len() == source.len();
    if whole && is_tracked(snapshot, fixed) {
        return None;
    }
    let name = source.trim_end_matches('/');
    if whole && has_tracked(snapshot, name) {
        return Some(directory_alone(option, source, name));
    }
    if let Some(futility) = pattern.futility() {
        return Some(format!("{option} {source} {futility}"));
    }
    let directory = if whole { fixed.rsplit_once('/').map_or("", |(directory, _)| directory) } else { fixed };
    let there = has_tracked(snapshot, directory);
    // A directory that has such a name shows that it is meant.
    let rest = if there { &source[directory.len()..] } else { source };
    let literal: Vec<String> = LITERAL.iter().filter(|c| rest.contains(**c)).map(|c| format!("`{c}`")).collect();
    if !literal.is_empty() {
        let stands = if literal.len() == 1 { "stands for itself" } else { "stand for themselves" };
        return Some(format!("{option} {source} holds {}, which {stands} here", literal.join(" and ")));
    }
    (!there).then(|| format!("{option} {source} matches no tracked file, and none is below {directory}/"))
}

/// The components before the first one with a wildcard.
fn fixed(source: &str) -> &str {
    match source.find(['*', '?']) {
        None => source,
        Some(wildcard) => source[..wildcard].rfind('/').map_or("", |slash| &source[..slash]),
    }
}

fn is_tracked(snapshot: &Snapshot, path: &str) -> bool {
    snapshot.entry(path.as_bytes()).is_some_and(|entry| matches!(entry.class, Class::Tracked(_) | Class::Gitlink(_)))
}

/// Whether any tracked file is below a directory; the root always counts as one that may hold files.
fn has_tracked(snapshot: &Snapshot, directory: &str) -> bool {
    let tracked = |class: &Class| matches!(class, Class::Tracked(_) | Class::Gitlink(_));
    directory.is_empty()
        || snapshot
            .listings()
            .iter()
            .filter(|listing| listing.path.is_within(directory.as_bytes()))
            .any(|listing| listing.entries().iter().any(|entry| tracked(&entry.class)))
}

fn about_verifier(source: &str, root: &Path) -> Vec<String> {
    let Ok(command) = Command::parse(source) else { return Vec::new() };
    let shell = command.word_for_a_shell().map(|word| {
        format!("--verify {source}: no shell reads `{word}`, the program gets it as an argument; use sh -c '...'")
    });
    let verifier = Verifier { source, argv: command.argv() };
    let missing = verifier::unstartable(verifier, root)
        .map(|why| format!("--verify {source} cannot start as things stand: {why}"));
    shell.into_iter().chain(missing).collect()
}
