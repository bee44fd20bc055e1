//! Whether some path is in several territories at once, and which: a territory is what some patterns cover and others do
//! not.
//!
//! Every pattern runs as its [`Program`] over the same path, one character after the other, breadth first, so the path that
//! is found is among the shortest. Of characters only those matter that a pattern holds, and one that none does.

use std::collections::{HashSet, VecDeque};

use super::Pattern;
use super::program::{Program, Unit};
use super::token::tokens;

/// How many steps of programs are made before the question is left open.
const STEPS: usize = 400_000;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Witness {
    /// This path is in all of them.
    Path(String),
    /// No path is.
    None,
    /// There was too much to look at.
    Unknown,
}

/// What patterns cover, and what others take out of it.
pub type Territory<'a> = (&'a [Pattern], &'a [Pattern]);

/// Looks for a path, as Git writes paths, that is in all of these territories.
pub fn common(territories: &[Territory<'_>]) -> Witness {
    let search = Search::new(territories);
    let mut seen: HashSet<Node> = HashSet::new();
    let mut waiting: VecDeque<(Node, String)> = VecDeque::new();
    let first = search.start();
    waiting.push_back((first.clone(), String::new()));
    seen.insert(first);
    let mut steps = 0;
    while let Some((node, path)) = waiting.pop_front() {
        if node.shape == Shape::Name && search.is_in_all(&node) {
            return Witness::Path(path);
        }
        for unit in &search.alphabet {
            let Some(shape) = node.shape.after(*unit) else { continue };
            steps += node.states.len();
            if steps > STEPS {
                return Witness::Unknown;
            }
            let next = search.step(&node, shape, *unit);
            if search.may_lead_on(&next) && seen.insert(next.clone()) {
                waiting.push_back((next, format!("{path}{unit}")));
            }
        }
    }
    Witness::None
}

/// The part of a component that stands so far: a path of Git has no empty one, and none that is `.` or `..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Shape {
    Nothing,
    Dot,
    DotDot,
    Name,
}

impl Shape {
    fn after(self, c: char) -> Option<Shape> {
        match (self, c) {
            (Shape::Name, '/') => Some(Shape::Nothing),
            (_, '/') => None,
            (Shape::Nothing, '.') => Some(Shape::Dot),
            (Shape::Dot, '.') => Some(Shape::DotDot),
            _ => Some(Shape::Name),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Node {
    shape: Shape,
    states: Vec<Vec<u64>>,
}

struct Search {
    programs: Vec<Program>,
    /// Which programs each territory has: those that cover, and those that take out.
    territories: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    alphabet: Vec<char>,
}

impl Search {
    fn new(given: &[Territory<'_>]) -> Search {
        let mut programs = Vec::new();
        let mut add = |patterns: &[Pattern]| {
            let from = programs.len();
            programs.extend(patterns.iter().map(|pattern| Program::new(&tokens(pattern.as_str()))));
            from..programs.len()
        };
        let territories = given.iter().map(|(covered, out)| (add(covered), add(out))).collect();
        let mut alphabet: Vec<char> = programs.iter().flat_map(|program: &Program| program.chars().to_vec()).collect();
        alphabet.push('/');
        alphabet.sort_unstable();
        alphabet.dedup();
        let fresh = ('a'..='z').rev().chain('\u{4e00}'..='\u{9fff}').find(|c| !alphabet.contains(c));
        alphabet.extend(fresh);
        Search { programs, territories, alphabet }
    }

    fn start(&self) -> Node {
        Node { shape: Shape::Nothing, states: self.programs.iter().map(Program::start).collect() }
    }

    fn step(&self, node: &Node, shape: Shape, c: char) -> Node {
        let states =
            self.programs.iter().zip(&node.states).map(|(program, states)| program.after(states, Unit::Char(c)));
        Node { shape, states: states.collect() }
    }

    fn is_in_all(&self, node: &Node) -> bool {
        let accepts = |at: usize| self.programs[at].accepts(&node.states[at]);
        self.territories.iter().all(|(covered, out)| covered.clone().any(accepts) && !out.clone().any(accepts))
    }

    /// Whether each territory still has a pattern that may cover.
    fn may_lead_on(&self, node: &Node) -> bool {
        let is_alive = |at: usize| node.states[at].iter().any(|word| *word != 0);
        self.territories.iter().all(|(covered, _)| covered.clone().any(is_alive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::PatternSet;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
    }

    fn alone(allow: &[&str], deny: &[&str]) -> Witness {
        let (allow, deny) = (patterns(allow), patterns(deny));
        let found = common(&[(&allow, &deny)]);
        if let Witness::Path(path) = &found {
            let covers = |patterns: &[Pattern]| PatternSet::compile(patterns).unwrap().is_match(path.as_bytes());
            assert!(covers(&allow) && !covers(&deny), "{path}");
        }
        found
    }

    #[test]
    fn a_territory_that_denies_all_it_allows_is_empty() {
        for (allow, deny) in [
            (&["src/**"][..], &["src/**"][..]),
            (&["src/**"], &["**"]),
            (&["src/*.rs", "src/a/b"], &["src/**"]),
            (&["src/?"], &["src/*"]),
            (&["src/"], &[]),
            (&["a//b"], &[]),
            (&["*/"], &[]),
            (&["src/**"], &["src/*", "src/**/*"]),
        ] {
            assert_eq!(alone(allow, deny), Witness::None, "{allow:?} {deny:?}");
        }
    }

    #[test]
    fn a_path_is_found_where_there_is_one() {
        for (allow, deny) in [
            (&["src/**"][..], &["src/*"][..]),
            (&["**"], &["**/*.rs", "docs/**", "?"]),
            (&["src/*.rs"], &["src/a*.rs", "src/z*"]),
            (&["..."], &[]),
            (&["**/x"], &["x"]),
        ] {
            assert!(matches!(alone(allow, deny), Witness::Path(_)), "{allow:?} {deny:?}");
        }
        assert_eq!(alone(&["docs/*.md"], &[]), Witness::Path("docs/.md".into()));
    }

    #[test]
    fn territories_overlap_where_one_path_is_in_both() {
        let (src, rust, docs) = (patterns(&["src/**"]), patterns(&["**/*.rs"]), patterns(&["docs/**"]));
        let generated = patterns(&["src/**"]);
        assert_eq!(common(&[(&src, &[]), (&rust, &[])]), Witness::Path("src/.rs".into()));
        assert_eq!(common(&[(&src, &[]), (&docs, &[])]), Witness::None);
        assert_eq!(common(&[(&src, &[]), (&rust, &generated)]), Witness::None);
    }
}
