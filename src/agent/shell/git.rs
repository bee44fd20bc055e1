//! What `git` does that an envelope has a say in: commits, lost work, and paths that it removes, moves or brings back.

use super::act::{Act, Effect};
use super::commands::{Scene, absolute, into};
use super::options::{self, Form, Parsed};
use super::word::Word;

/// Git's own options, before the command.
const GLOBAL: Form = Form {
    valued: "Cc",
    attached: "",
    long: &["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env"],
    leading: true,
};

/// Commands that make or publish commits, with the options that keep them from it.
const COMMITS: &[(&str, &[&str])] = &[
    ("commit", &["dry-run", "help", "h"]),
    ("merge", &["abort", "quit", "help", "h"]),
    ("rebase", &["abort", "quit", "help", "h", "show-current-patch", "edit-todo"]),
    ("cherry-pick", &["abort", "quit", "n", "no-commit", "help", "h"]),
    ("revert", &["abort", "quit", "n", "no-commit", "help", "h"]),
    ("am", &["abort", "quit", "help", "h", "show-current-patch"]),
    ("pull", &["dry-run", "help", "h"]),
    ("push", &["dry-run", "n", "help", "h"]),
];

const COMMAND: Form =
    Form { valued: "mFCcXsuS", attached: "", long: &["message", "file", "author", "date", "strategy"], leading: false };
const PATHS: Form = Form { valued: "s", attached: "", long: &["source", "pathspec-from-file"], leading: false };

/// What `git` with these words does.
pub fn run(words: &[Word], scene: &mut Scene<'_>) {
    let global = options::parse(words, &GLOBAL);
    if global.has(&["git-dir", "work-tree", "help", "version"]) {
        return;
    }
    let elsewhere = global.value(&["C"]);
    let cwd = match elsewhere {
        Some(directory) => directory.known().and_then(|directory| absolute(scene.cwd, directory)),
        None => scene.cwd.map(str::to_owned),
    };
    let [command, rest @ ..] = global.operands.as_slice() else { return };
    let rest: Vec<Word> = rest.iter().copied().cloned().collect();
    let (Some(command), Some(cwd)) = (command.known(), cwd) else { return };
    let mut scene = Scene { cwd: Some(&cwd), acts: scene.acts };
    if let Some((_, but)) = COMMITS.iter().find(|(name, _)| *name == command) {
        let valued = if matches!(command, "commit") { COMMAND } else { Form { valued: "", ..COMMAND } };
        if !options::parse(&rest, &valued).has(but) {
            scene.acts.push(Act::Commit(format!("git {command}"), cwd.clone()));
        }
        return;
    }
    on_paths(command, &rest, &cwd, &mut scene);
}

fn on_paths(command: &str, rest: &[Word], cwd: &str, scene: &mut Scene<'_>) {
    let name = format!("git {command}");
    let parsed = options::parse(rest, &PATHS);
    if parsed.has(&["help", "h"]) {
        return;
    }
    let discard = |scene: &mut Scene<'_>| scene.acts.push(Act::Discard(name.clone(), cwd.to_owned()));
    match command {
        "rm" if !parsed.has(&["n", "dry-run"]) => each(&name, &parsed.operands, Effect::Remove, scene),
        "mv" if !parsed.has(&["n", "dry-run"]) => into(&name, &parsed, Effect::Put { tree: true }, true, scene),
        "checkout" => checkout(&name, rest, &parsed, scene),
        "restore" => restore(&name, &parsed, scene),
        "reset" if parsed.has(&["hard"]) => discard(scene),
        "clean" if parsed.has(&["f", "force"]) && !parsed.has(&["n", "dry-run"]) => discard(scene),
        "stash" if matches!(parsed.operands.first().and_then(|word| word.known()), None | Some("push" | "save")) => {
            discard(scene);
        }
        "switch" if parsed.has(&["f", "force", "discard-changes"]) => discard(scene),
        _ => {}
    }
}

fn each(name: &str, words: &[&Word], effect: Effect, scene: &mut Scene<'_>) {
    for word in words.iter().filter(|word| !is_magic(word)) {
        scene.place(name, word, effect, Vec::new());
    }
}

/// Only what stands behind `--` is surely a path; before it, anything but HEAD is other content than Git has of it.
fn checkout(name: &str, rest: &[Word], parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let Some(dashes) = rest.iter().position(|word| word.known() == Some("--")) else {
        if parsed.has(&["f", "force"]) || parsed.operands.iter().any(|word| word.known() == Some(".")) {
            let cwd = scene.cwd.unwrap_or_default().to_owned();
            scene.acts.push(Act::Discard(name.to_owned(), cwd));
        }
        return;
    };
    let behind = rest.len() - dashes - 1;
    let (before, paths) = parsed.operands.split_at(parsed.operands.len() - behind);
    let effect = if before.iter().all(|word| word.known() == Some("HEAD")) { Effect::Restore } else { Effect::Write };
    each(name, paths, effect, scene);
}

fn restore(name: &str, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    if parsed.has(&["S", "staged"]) && !parsed.has(&["W", "worktree"]) {
        return;
    }
    let from = parsed.value(&["s", "source"]);
    let same = from.is_none_or(|word| word.known() == Some("HEAD"));
    each(name, &parsed.operands, if same { Effect::Restore } else { Effect::Write }, scene);
}

/// Whether a word is a pathspec with magic or a pattern of Git's own.
fn is_magic(word: &Word) -> bool {
    word.text.starts_with(':') || word.text.contains(['*', '?', '['])
}
