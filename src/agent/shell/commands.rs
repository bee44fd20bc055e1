//! From a program and its words to what it does to files, by the table.

use super::act::{Act, Effect, Place};
use super::options::{self, Parsed};
use super::rows::{Operands, ROWS, Row};
use super::word::Word;

/// Where a command runs, and who takes note of what it does.
pub struct Scene<'a> {
    /// The directory, absolute; `None` when it cannot be known.
    pub cwd: Option<&'a str>,
    /// What was found.
    pub acts: &'a mut Vec<Act>,
}

impl Scene<'_> {
    /// Takes note of something that happens to a path, if the path can be known.
    pub fn place(&mut self, by: &str, word: &Word, effect: Effect, names: Vec<String>) {
        let Some(path) = word.known().filter(|text| !text.is_empty()) else { return };
        let Some(path) = absolute(self.cwd, path) else { return };
        self.acts.push(Act::Place(Place { by: by.to_owned(), path, names, effect }));
    }
}

/// A path from where a command runs; `None` when that would have to be known.
pub fn absolute(cwd: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    Some(format!("{}/{path}", cwd?.trim_end_matches('/')))
}

/// What a program does to files; nothing when the table does not have it.
pub fn run(name: &str, words: &[Word], scene: &mut Scene<'_>) {
    for row in ROWS.iter().filter(|row| row.names.contains(&name)) {
        let parsed = options::parse(words, &row.form);
        if parsed.has(row.not_with) || !(row.only_with.is_empty() || parsed.has(row.only_with)) {
            continue;
        }
        operands(name, row, &parsed, scene);
    }
}

fn operands(name: &str, row: &Row, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    match row.operands {
        Operands::Each(effect) => {
            for word in &parsed.operands {
                scene.place(name, word, effect, Vec::new());
            }
        }
        Operands::BehindScript(brings) => {
            for word in parsed.operands.iter().skip(usize::from(!parsed.has(brings))) {
                scene.place(name, word, Effect::Change, Vec::new());
            }
        }
        Operands::Into { trees, moves } => {
            let tree = trees.is_empty() || parsed.has(trees);
            into(name, parsed, Effect::Put { tree }, moves, scene);
        }
        Operands::Fill => {
            if let Some((last, [_, ..])) = parsed.operands.split_last()
                && last.known().is_some_and(|path| !is_remote(path))
            {
                scene.place(name, last, Effect::Put { tree: true }, Vec::new());
            }
        }
        Operands::Assigned => {
            for file in parsed.operands.iter().filter_map(|word| word.known()?.strip_prefix("of=")) {
                let word = Word { text: file.to_owned(), known: true, ..Word::default() };
                scene.place(name, &word, Effect::Write, Vec::new());
            }
        }
        Operands::Named(names) => {
            if let Some(word) = parsed.value(names).filter(|word| word.text != "-") {
                scene.place(name, word, Effect::Write, Vec::new());
            }
        }
    }
}

/// What comes to stand at the last operand, or in the directory that an option names.
pub fn into(name: &str, parsed: &Parsed<'_>, effect: Effect, moves: bool, scene: &mut Scene<'_>) {
    let directory = parsed.value(&["t", "target-directory"]);
    let (sources, target) = match (directory, parsed.operands.as_slice()) {
        (Some(target), sources) => (sources, target.clone()),
        // `ln TARGET` makes a link of that name where it runs.
        (None, [only]) if name == "ln" => (std::slice::from_ref(only), dot()),
        (None, [sources @ .., target]) if !sources.is_empty() => (sources, (*target).clone()),
        _ => return,
    };
    let names: Vec<String> =
        sources.iter().filter_map(|source| source.known()).filter_map(base_name).map(str::to_owned).collect();
    // Of several things, or behind `-t`, the target is a directory; its own name is not what is written.
    let only_in_it = directory.is_some() || sources.len() > 1 || target.text == ".";
    let mut target = target;
    if only_in_it && target.known && !target.text.ends_with('/') {
        target.text.push('/');
    }
    let plain = !parsed.has(&["T", "no-target-directory"]);
    scene.place(name, &target, effect, if plain { names } else { Vec::new() });
    for source in sources.iter().filter(|_| moves) {
        scene.place(name, source, Effect::Remove, Vec::new());
    }
}

fn dot() -> Word {
    Word { text: ".".to_owned(), known: true, ..Word::default() }
}

/// The last component of a path; `None` for one that has no name of its own.
pub fn base_name(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// Whether rsync takes a path for one of another machine.
fn is_remote(path: &str) -> bool {
    path.find(':').is_some_and(|colon| !path[..colon].contains('/'))
}
