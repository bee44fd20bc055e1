//! Many patterns as one matcher that names the first pattern, in the order given, that covers a path.
//!
//! globset answers for what its language can say: exact names, directories and extensions cost it one look-up however
//! many there are. The others, with `?` or with many wildcards, run as a [`Program`] each, see `translate`. The verdict must
//! not depend on who answers, so a path that ends in `..` goes to the programs alone: globset's strategies see no name in
//! it.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use super::program::Program;
use super::token::tokens;
use super::translate::translate;
use super::{Error, Pattern};

/// Compiled patterns.
#[derive(Debug, Clone)]
pub struct PatternSet {
    globs: GlobSet,
    /// Which pattern each glob of `globs` is.
    glob_indices: Vec<usize>,
    /// One program for each pattern, in order.
    programs: Vec<Program>,
    /// The patterns that only their program can answer for, in order.
    program_indices: Vec<usize>,
}

impl PatternSet {
    /// Compiles the patterns; they keep their positions as indices.
    pub fn compile(patterns: &[Pattern]) -> Result<Self, Error> {
        let mut globs = GlobSetBuilder::new();
        let mut set = PatternSet {
            globs: GlobSet::empty(),
            glob_indices: Vec::new(),
            programs: Vec::with_capacity(patterns.len()),
            program_indices: Vec::new(),
        };
        let failed = |error| Error::usage("the patterns cannot be compiled").caused_by(anyhow::Error::new(error));
        for (index, pattern) in patterns.iter().enumerate() {
            let tokens = tokens(pattern.as_str());
            set.programs.push(Program::new(&tokens));
            if let Some(glob) = translate(&tokens) {
                let glob = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
                globs.add(glob.map_err(failed)?);
                set.glob_indices.push(index);
            } else {
                set.program_indices.push(index);
            }
        }
        set.globs = globs.build().map_err(failed)?;
        Ok(set)
    }

    /// The index of the first pattern that covers the whole of `path`.
    pub fn first_match(&self, path: &[u8]) -> Option<usize> {
        if path.ends_with(b"..") {
            return self.programs.iter().position(|program| program.is_match(path));
        }
        let glob = self.globs.matches_candidate(&Candidate::from_bytes(path)).first().map(|at| self.glob_indices[*at]);
        let end = glob.unwrap_or(usize::MAX);
        let mut earlier = self.program_indices.iter().copied().take_while(|index| *index < end);
        earlier.find(|index| self.programs[*index].is_match(path)).or(glob)
    }

    /// Notes for each pattern whether it covers the whole of `path`, in the order given; what was noted stays so.
    pub fn mark(&self, path: &[u8], covered: &mut [bool]) {
        if !path.ends_with(b"..") {
            for at in self.globs.matches_candidate(&Candidate::from_bytes(path)) {
                covered[self.glob_indices[at]] = true;
            }
        }
        let all = path.ends_with(b"..");
        for (index, program) in self.programs.iter().enumerate() {
            if !covered[index] && (all || self.program_indices.binary_search(&index).is_ok()) {
                covered[index] = program.is_match(path);
            }
        }
    }

    /// Whether any pattern covers the whole of `path`.
    pub fn is_match(&self, path: &[u8]) -> bool {
        self.first_match(path).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(sources: &[&str]) -> PatternSet {
        let patterns: Vec<_> = sources.iter().map(|source| Pattern::parse(source).unwrap()).collect();
        PatternSet::compile(&patterns).unwrap()
    }

    #[test]
    fn the_first_in_the_list_is_named_whoever_answers_for_it() {
        let set = set(&["src/?.rs", "src/**", "src/a?.rs", "**/*.rs", "**"]);
        assert_eq!(set.first_match(b"src/a.rs"), Some(0));
        assert_eq!(set.first_match(b"src/ab.rs"), Some(1));
        assert_eq!(set.first_match(b"lib/ab.rs"), Some(3));
        assert_eq!(set.first_match(b"\xff"), Some(4));
    }

    #[test]
    fn every_pattern_that_covers_a_path_is_marked() {
        let set = set(&["src/?.rs", "src/**", "docs/**", "**/*.rs", "b/*."]);
        let mut covered = [false; 5];
        set.mark(b"src/a.rs", &mut covered);
        assert_eq!(covered, [true, true, false, true, false]);
        set.mark(b"b/..", &mut covered);
        assert_eq!(covered, [true, true, false, true, true]);
    }

    #[test]
    fn an_empty_set_matches_nothing() {
        assert!(!set(&[]).is_match(b"a"));
        assert!(!set(&[]).is_match(b""));
        assert!(!set(&[]).is_match(b".."));
    }

    #[test]
    fn a_pattern_covers_the_path_to_its_last_byte() {
        assert!(set(&["src/app.py"]).is_match(b"src/app.py"));
        assert!(!set(&["src/app.py"]).is_match(b"src/app.py\n"));
        assert!(!set(&["src/*.py"]).is_match(b"src/app.py\n"));
        assert!(set(&["src/*"]).is_match(b"src/app.py\n"));
        assert!(!set(&["src/**"]).is_match(b"src"));
    }

    #[test]
    fn names_that_globset_sees_no_extension_in_are_matched_all_the_same() {
        for pattern in ["**/*.", "a/*.", "**."] {
            assert!(set(&[pattern]).is_match(b"a/.."), "{pattern}");
        }
        assert!(set(&["**/"]).is_match(b"a/"));
        assert!(!set(&["**/"]).is_match(b"a"));
    }
}
