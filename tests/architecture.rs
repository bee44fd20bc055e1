//! The plan of the house, held against the sources: who uses whom, what pure rooms touch, what module files hold.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 400;
/// What a pure room may not touch: files, clocks, processes, the environment, the network.
const IMPURE: [&str; 9] = [
    "std::fs",
    "std::process",
    "std::env",
    "std::net",
    "std::os::unix::fs",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::io::stdin",
    "std::thread",
];

/// Crates that only one room may use, so that the others do not depend on what they are like.
const CRATES: [(&str, &str); 7] = [
    ("gix::", "git"),
    ("clap::", "cli"),
    ("anstream::", "cli"),
    ("indicatif::", "cli"),
    ("ureq::", "stone"),
    ("clap_complete::", "cli"),
    ("clap_mangen::", "cli"),
];

struct Room {
    pure: bool,
    may_use: BTreeSet<String>,
}

/// The table in the head of `src/lib.rs`: room, PURE or nothing, what it is for, what it may use.
fn table(lib: &str) -> BTreeMap<String, Room> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! |")).filter(|row| row.trim().starts_with('`'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
        let room = names(cells[0]).into_iter().next().expect("each row names its room");
        (room, Room { pure: cells[1] == "PURE", may_use: names(cells[3]) })
    })
    .collect()
}

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut waiting = vec![root.clone()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    assert!(found.len() > 20, "the sources are in `src`");
    found.sort();
    found
}

/// The room that a file belongs to: its directory, or its own name at the top.
fn room(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

/// The code without comments, with every run of white space as one space, so that a `use` group is one line.
fn code(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Every path that `code` names below `prefix`, with the groups in braces written out: `a::{b, c::d}` is `a::b`, `a::c::d`.
fn paths_below(code: &str, prefix: &str) -> Vec<String> {
    let start = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let hits = code.match_indices(prefix).filter(|(at, _)| start(*at));
    hits.flat_map(|(at, _)| expand(&code[at + prefix.len()..])).map(|path| format!("{prefix}{path}")).collect()
}

fn expand(rest: &str) -> Vec<String> {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    let Some(group) = tail.strip_prefix('{').filter(|_| head.is_empty() || head.ends_with("::")) else {
        return vec![head.to_owned()];
    };
    let (mut depth, mut items, mut from) = (0, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                items.push(group[from..at].trim());
                from = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    items
        .iter()
        .filter(|item| !item.is_empty())
        .flat_map(|item| expand(item))
        .map(|item| format!("{head}{item}"))
        .collect()
}

/// The arrows that start in a file, to whatever room they lead.
fn arrows(file: &Path, code: &str, rooms: &BTreeMap<String, Room>) -> BTreeSet<String> {
    let mut paths = paths_below(code, "crate::");
    // Two steps up from a file of a room is the root of the crate.
    let up = "super::".repeat(file.iter().count());
    paths.extend(paths_below(code, &up).iter().map(|path| path.replacen(&up, "crate::", 1)));
    let names = paths.iter().filter_map(|path| path.split("::").nth(1));
    names.filter(|name| rooms.contains_key(*name)).map(str::to_owned).collect()
}

fn rooms() -> BTreeMap<String, Room> {
    let sources = sources();
    let (_, lib) = sources.iter().find(|(file, _)| file == Path::new("lib.rs")).unwrap();
    table(lib)
}

#[test]
fn the_table_names_every_room_and_no_other() {
    let (rooms, sources) = (rooms(), sources());
    let (_, lib) = sources.iter().find(|(file, _)| file == Path::new("lib.rs")).unwrap();
    let modules: BTreeSet<&str> = lib.lines().filter_map(|line| line.split("mod ").nth(1)?.strip_suffix(';')).collect();
    assert_eq!(rooms.keys().map(String::as_str).collect::<BTreeSet<_>>(), modules);
    for (name, room) in &rooms {
        for used in &room.may_use {
            assert!(rooms.contains_key(used), "`{name}` may use `{used}`, which is no room");
        }
    }
}

#[test]
fn the_arrows_of_the_table_run_one_way() {
    let mut rest = rooms();
    while !rest.is_empty() {
        let names: BTreeSet<String> = rest.keys().cloned().collect();
        let before = rest.len();
        rest.retain(|_, room| room.may_use.intersection(&names).next().is_some());
        assert!(rest.len() < before, "these rooms use each other in a circle: {:?}", rest.keys());
    }
}

#[test]
fn no_file_uses_a_room_that_its_row_does_not_name() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (file, text) in sources() {
        let own = room(&file);
        let Some(row) = rooms.get(&own) else { continue };
        for used in arrows(&file, &code(&text), &rooms) {
            seen += 1;
            if used != own && !row.may_use.contains(&used) {
                wrong.push(format!("{} uses `{used}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 20, "the scan finds arrows");
}

#[test]
fn pure_rooms_touch_nothing() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        if !rooms.get(&room(&file)).is_some_and(|row| row.pure) || file.to_str().unwrap().ends_with("tests.rs") {
            continue;
        }
        // The tests of a pure room may read fixtures.
        let code = code(text.split("#[cfg(test)]").next().unwrap());
        for path in paths_below(&code, "std::").into_iter().chain(paths_below(&code, "rustix::")) {
            if path.starts_with("rustix::") || IMPURE.iter().any(|impure| path.starts_with(impure)) {
                wrong.push(format!("{} uses `{path}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_of_the_large_crates_has_one_room() {
    for (file, text) in sources().iter().filter(|(file, _)| !file.to_str().unwrap().ends_with("tests.rs")) {
        let code = code(text.split("#[cfg(test)]").next().unwrap());
        for (name, owner) in CRATES {
            let uses = paths_below(&code, name);
            assert!(uses.is_empty() || room(file) == owner, "{} uses {uses:?}", file.display());
        }
    }
}

#[test]
fn module_files_hold_no_logic_and_no_file_is_too_long() {
    for (file, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines, more than {MAX_LINES}", file.display());
        assert!(text.starts_with("//! "), "{} does not say what it is for", file.display());
        if file.ends_with("mod.rs") {
            let code = code(&text);
            assert!(!code.split(' ').any(|word| word == "fn" || word == "impl"), "{} holds logic", file.display());
        }
    }
}

#[test]
fn the_scan_understands_how_uses_are_written() {
    let rooms = table(
        "//! | room | PURE | for | may use |\n//! |--|--|--|--|\n//! | `a` | PURE | x | `b` `c` |\n//! | `b` | | x | |\n//! | `c` | | x | |",
    );
    assert!(rooms["a"].pure && !rooms["b"].pure);
    assert_eq!(rooms["a"].may_use, ["b", "c"].map(str::to_owned).into());
    let text = "// crate::a::x\nuse crate::{\n    b::{self, x},\n    d,\n};\nfn f() { super::super::c::g(); mycrate::a::h(); }";
    let found = arrows(Path::new("a/file.rs"), &code(text), &rooms);
    assert_eq!(found, ["b", "c"].map(str::to_owned).into());
    let used = paths_below("use std::{fs, time::{Duration, Instant}};", "std::");
    assert_eq!(used, ["std::fs", "std::time::Duration", "std::time::Instant"]);
}
