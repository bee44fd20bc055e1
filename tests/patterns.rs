//! The matcher against a plain reading of its own definition, and against patterns made to be slow.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use cordon::policy::pattern::{Pattern, PatternSet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A code point, or a byte that belongs to none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Char(char),
    Byte(u8),
}

/// Decodes without help from the standard library's chunks: the shortest prefix that is UTF-8 is a character.
fn units(mut path: &[u8]) -> Vec<Unit> {
    let mut out = Vec::new();
    while !path.is_empty() {
        let decoded = (1..=path.len().min(4)).find_map(|length| std::str::from_utf8(&path[..length]).ok());
        match decoded {
            Some(text) => out.push(Unit::Char(text.chars().next().expect("the prefix is not empty"))),
            None => out.push(Unit::Byte(path[0])),
        }
        path = &path[decoded.map_or(1, str::len)..];
    }
    out
}

/// The definition, read aloud.
fn covers(pattern: &[char], path: &[Unit], known: &mut HashMap<(usize, usize), bool>) -> bool {
    let key = (pattern.len(), path.len());
    if let Some(answer) = known.get(&key) {
        return *answer;
    }
    let slash = Unit::Char('/');
    let answer = match pattern {
        [] => path.is_empty(),
        ['*', '*', '/', rest @ ..] => {
            covers(rest, path, known)
                || (0..path.len()).any(|at| path[at] == slash && covers(rest, &path[at + 1..], known))
        }
        ['*', '*', rest @ ..] => (0..=path.len()).any(|at| covers(rest, &path[at..], known)),
        ['*', rest @ ..] => (0..=path.len()).any(|at| !path[..at].contains(&slash) && covers(rest, &path[at..], known)),
        ['?', rest @ ..] => path.first().is_some_and(|unit| *unit != slash) && covers(rest, &path[1..], known),
        [c, rest @ ..] => path.first() == Some(&Unit::Char(*c)) && covers(rest, &path[1..], known),
    };
    known.insert(key, answer);
    answer
}

fn reference(pattern: &Pattern, path: &[u8]) -> bool {
    let pattern: Vec<char> = pattern.as_str().chars().collect();
    covers(&pattern, &units(path), &mut HashMap::new())
}

const PATTERN_PARTS: &[&str] = &[
    "a", "b", "a", "/", "/", "*", "*", "**", "**/", "**/", "/**", "?", ".", ".", "[", "]", "[ab]", "[!a]", "{", "}",
    "{a,b}", ",", "!", "\\", "\\*", "\n", "-", "^", "\u{e9}", "\u{65e5}",
];

const PATH_PARTS: &[&[u8]] = &[
    b"a",
    b"b",
    b"a",
    b"b",
    b"/",
    b"/",
    b".",
    b".",
    b"..",
    b"\n",
    b"*",
    b"?",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"!",
    b"\\",
    b"-",
    b"^",
    b"\xc3\xa9",
    b"\xe6\x97\xa5",
    b"\xff",
    b"\xc3",
    b"\xe6\x97",
    b"\xa5",
    b"\xed\xa0\x80",
];

fn pattern() -> impl Strategy<Value = Pattern> {
    let text = prop_oneof![
        4 => vec(select(PATTERN_PARTS), 1..9),
        1 => vec(select(&["a", "/", "*", "**", "**/", "."][..]), 1..14),
    ];
    text.prop_filter_map("not a valid pattern", |parts| Pattern::parse(&parts.concat()).ok())
}

fn filler() -> impl Strategy<Value = Vec<u8>> {
    vec(select(PATH_PARTS), 0..4).prop_map(|parts| parts.concat())
}

/// A path that the pattern nearly or really covers: wildcards are filled in, then perhaps one byte is changed.
fn near(pattern: &Pattern, fillers: &[Vec<u8>], damage: Option<(Index, u8)>) -> Vec<u8> {
    let mut fillers = fillers.iter().cycle();
    let mut path = Vec::new();
    for c in pattern.as_str().chars() {
        match c {
            '*' | '?' => path.extend_from_slice(fillers.next().expect("cycles over at least one")),
            c => path.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    if let (Some((at, byte)), false) = (damage, path.is_empty()) {
        let at = at.index(path.len());
        path[at] = byte;
    }
    path
}

type Near = (Index, Vec<Vec<u8>>, Option<(Index, u8)>);

fn near_parts() -> impl Strategy<Value = Near> {
    let damage = proptest::option::of((any::<Index>(), select(&b"/a.\n\xff\xc3*"[..])));
    (any::<Index>(), vec(filler(), 1..5), damage)
}

fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(2_000), failure_persistence: None, max_local_rejects: u32::MAX, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agrees_with_the_definition(
        patterns in vec(pattern(), 1..5),
        random in vec(vec(select(PATH_PARTS), 0..9).prop_map(|parts| parts.concat()), 2),
        nearly in vec(near_parts(), 6),
    ) {
        let set = PatternSet::compile(&patterns).expect("valid patterns compile");
        let nearly = nearly.iter().map(|(of, fillers, damage)| near(of.get(&patterns), fillers, *damage));
        for path in random.into_iter().chain(nearly) {
            let expected = patterns.iter().position(|pattern| reference(pattern, &path));
            prop_assert_eq!(set.first_match(&path), expected, "{:?} on {:?}", &patterns, path.escape_ascii().to_string());
        }
    }
}

/// Runs every pattern of `sources` as one set over hostile paths; the time is a net for hangs, not a measurement.
fn survives(sources: &[String]) -> Vec<Option<usize>> {
    let start = Instant::now();
    let patterns: Vec<Pattern> =
        sources.iter().map(|source| Pattern::parse(source).expect("the test names valid patterns")).collect();
    let set = PatternSet::compile(&patterns).expect("valid patterns compile");
    let paths = [vec![b'a'; 4_096], b"a/".repeat(2_048), b"ab/".repeat(1_365), vec![0xff; 4_096]];
    let answers = paths.iter().map(|path| set.first_match(path)).collect();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    answers
}

fn numbered(stem: &str) -> Vec<String> {
    (0..256).map(|number| format!("{stem}{number}")).collect()
}

#[test]
fn many_wildcards_neither_hang_nor_miss() {
    assert_eq!(survives(&[format!("{}b", "**a".repeat(9))]), [None; 4]);
    assert_eq!(survives(&["**".repeat(9)]), [Some(0); 4]);
    assert_eq!(survives(&[format!("{}a", "**a".repeat(50))]), [Some(0), None, None, None]);
    assert_eq!(survives(&["*a".repeat(256)]), [Some(0), None, None, None]);
    assert_eq!(survives(&["a**/".repeat(128)]), [None, Some(0), Some(0), None]);
    assert_eq!(survives(&["?".repeat(512)]), [None; 4]);
    assert_eq!(survives(&[format!("{}**", "?*".repeat(255))]), [Some(0), None, None, Some(0)]);
}

#[test]
fn sets_of_256_hostile_patterns_neither_hang_nor_miss() {
    for stem in ["*a".repeat(254), "a**/".repeat(127), "?*".repeat(100)] {
        assert_eq!(survives(&numbered(&stem)), [None; 4], "{stem}");
    }
    let ending = |stem: &str| [&numbered(stem)[1..], &["**".to_owned()]].concat();
    assert_eq!(survives(&ending("*a*b**")), [Some(255); 4]);
    assert_eq!(survives(&ending("**/a*b*")), [Some(255); 4]);
}
