//! The smallest parts that a role is made of: a kind of work, a directory, the files at the top.

use std::collections::BTreeMap;

use super::tables::{self, CONTAINERS, Kind, TESTS};
use crate::policy::path::RepoPath;
use crate::policy::pattern::Pattern;

/// More files at the top than these are covered by one pattern.
const NAMED: usize = 64;

/// One such part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// A directory with all that is below it.
    Directory(Vec<u8>),
    /// The files at the top that are no kind of their own.
    Top,
    /// A kind of work.
    Kind(Kind),
}

impl Unit {
    /// The part that a path belongs to.
    pub fn of(path: &[u8]) -> Unit {
        if let Some((_, kind)) = tables::place(path) {
            return Unit::Kind(*kind);
        }
        let mut components = path.split(|byte| *byte == b'/');
        match (components.next(), components.next(), components.next()) {
            (Some(first), Some(second), Some(_)) if CONTAINERS.iter().any(|name| name.as_bytes() == first) => {
                Unit::Directory([first, b"/", second].concat())
            }
            (Some(first), Some(_), _) => Unit::Directory(first.to_vec()),
            _ => Unit::Top,
        }
    }

    /// Whether it holds what belongs to the code beside it.
    pub fn is_of_tests(&self) -> bool {
        matches!(self, Unit::Directory(name) if TESTS.iter().any(|known| known.as_bytes() == name))
    }
}

/// The parts that are there, each with the patterns that cover what it has.
pub(super) fn units<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> BTreeMap<Unit, Vec<Pattern>> {
    let mut found: BTreeMap<Unit, Vec<Pattern>> = BTreeMap::new();
    for path in paths {
        let unit = Unit::of(path.as_bytes());
        let covering = match &unit {
            Unit::Directory(name) => covering(name).map(|name| format!("{name}/**")),
            Unit::Top => covering(path.as_bytes()),
            Unit::Kind(_) => tables::place(path.as_bytes()).map(|(glob, _)| (*glob).to_owned()),
        };
        // A name too long for a pattern is owned by nobody, as the replay then shows.
        let Some(pattern) = covering.and_then(|text| Pattern::parse(&text).ok()) else { continue };
        let patterns = found.entry(unit).or_default();
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if let Some(top) = found.get_mut(&Unit::Top).filter(|top| top.len() > NAMED) {
        *top = Pattern::parse("*").into_iter().collect();
    }
    found
}

/// The pattern of one name: what would be a wildcard, and what is no character, stands for any one of them.
fn covering(name: &[u8]) -> Option<String> {
    let mut out = String::new();
    for chunk in name.utf8_chunks() {
        out.extend(chunk.valid().chars().map(|c| if c == '*' { '?' } else { c }));
        out.extend(chunk.invalid().iter().map(|_| '?'));
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::PatternSet;

    #[test]
    fn every_path_is_covered_by_the_patterns_of_its_part() {
        let paths: Vec<RepoPath> = [
            &b"src/a.rs"[..],
            b"crates/a/src/x",
            b"crates/a/Cargo.toml",
            b"crates/README",
            b"Cargo.toml",
            b"a*b?",
            b"x\xff/y",
            b"README.md",
            b"docs/x/y",
            b".github/workflows/ci.yml",
            b"[a]{b}/!c",
        ]
        .iter()
        .map(|path| RepoPath::new(*path))
        .collect();
        let units = units(paths.iter());
        for path in &paths {
            let patterns = &units[&Unit::of(path.as_bytes())];
            assert!(PatternSet::compile(patterns).unwrap().is_match(path.as_bytes()), "{path:?} {patterns:?}");
        }
        assert!(units.contains_key(&Unit::Directory(b"crates/a".to_vec())));
        assert_eq!(units[&Unit::Top].iter().map(Pattern::as_str).collect::<Vec<_>>(), ["Cargo.toml", "a?b?"]);
    }

    #[test]
    fn many_files_at_the_top_have_one_pattern() {
        let paths: Vec<RepoPath> = (0..=NAMED).map(|n| RepoPath::from(format!("f{n}").as_str())).collect();
        assert_eq!(units(paths.iter())[&Unit::Top], [Pattern::parse("*").unwrap()]);
    }
}
