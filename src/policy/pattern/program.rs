//! A matcher of our own for what globset cannot say or would answer slowly: sets of states, one bit for each token.
//!
//! `?` is one code point, or one byte that cannot be decoded, which a regular expression over bytes cannot tell apart.
//! State `i` means that the tokens before `i` are matched, and one machine word moves 64 states at once. So a path costs
//! its length times the words of the pattern, whatever the pattern and the path are, and nothing is built in advance but
//! a mask for each different character of the pattern.

use super::token::Token;

const BITS: usize = u64::BITS as usize;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct Program {
    /// How many words a set of states takes.
    words: usize,
    /// The state that accepts.
    last: usize,
    /// The characters of the pattern, in order; `masks` holds the tokens of each, `words` at a time.
    chars: Vec<char>,
    masks: Vec<u64>,
    any_char: Vec<u64>,
    star: Vec<u64>,
    dirs: Vec<u64>,
}

/// One step through a path: a code point, or a byte that belongs to none.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Char(char),
    Undecodable,
}

impl Program {
    /// Compiles tokens in normal form.
    pub(super) fn new(tokens: &[Token]) -> Self {
        let words = tokens.len() / BITS + 1;
        let mut chars: Vec<char> = tokens.iter().copied().filter_map(literal).collect();
        chars.sort_unstable();
        chars.dedup();
        let mut program = Program {
            words,
            last: tokens.len(),
            masks: vec![0; words * chars.len()],
            chars,
            any_char: vec![0; words],
            star: vec![0; words],
            dirs: vec![0; words],
        };
        for (state, token) in tokens.iter().enumerate() {
            let mask = match token {
                Token::Char(c) => program.mask_mut(*c),
                Token::AnyChar => &mut program.any_char,
                Token::Star => &mut program.star,
                Token::Dirs => &mut program.dirs,
            };
            mask[state / BITS] |= 1 << (state % BITS);
        }
        program
    }

    fn mask_mut(&mut self, c: char) -> &mut [u64] {
        let at = self.chars.partition_point(|known| *known < c) * self.words;
        &mut self.masks[at..at + self.words]
    }

    /// The tokens that are this very character; `None` when the pattern does not hold it.
    fn mask(&self, unit: Unit) -> Option<&[u64]> {
        let Unit::Char(c) = unit else { return None };
        let at = self.chars.binary_search(&c).ok()? * self.words;
        Some(&self.masks[at..at + self.words])
    }

    /// Whether the pattern covers the whole of `path`.
    pub(super) fn is_match(&self, path: &[u8]) -> bool {
        let mut states = self.start();
        let mut next = vec![0; self.words];
        for chunk in path.utf8_chunks() {
            let chars = chunk.valid().chars().map(Unit::Char);
            let bytes = chunk.invalid().iter().map(|_| Unit::Undecodable);
            for unit in chars.chain(bytes) {
                if !self.step(&states, &mut next, unit) {
                    return false;
                }
                std::mem::swap(&mut states, &mut next);
            }
        }
        self.accepts(&states)
    }

    /// The states before anything was read.
    pub(super) fn start(&self) -> Vec<u64> {
        let mut states = vec![0; self.words];
        states[0] = 1;
        self.skip_empty(&mut states);
        states
    }

    /// The states after one more character; all zero where nothing can match any more.
    pub(super) fn after(&self, states: &[u64], unit: Unit) -> Vec<u64> {
        let mut next = vec![0; self.words];
        self.step(states, &mut next, unit);
        next
    }

    /// Whether what was read is covered as a whole.
    pub(super) fn accepts(&self, states: &[u64]) -> bool {
        states[self.last / BITS] >> (self.last % BITS) & 1 == 1
    }

    /// The characters that the pattern holds, in order.
    pub(super) fn chars(&self) -> &[char] {
        &self.chars
    }

    /// Moves every state over `unit`; tells whether any is left.
    fn step(&self, states: &[u64], next: &mut [u64], unit: Unit) -> bool {
        let literal = self.mask(unit);
        // All ones for what a wildcard that stays within a component takes, and for a slash the opposite.
        let within = if matches!(unit, Unit::Char('/')) { 0 } else { u64::MAX };
        let mut carry = 0;
        for (at, word) in next.iter_mut().enumerate() {
            let mut taken = self.any_char[at] & within | self.dirs[at] & !within;
            if let Some(literal) = literal {
                taken |= literal[at];
            }
            let moved = states[at] & taken;
            *word = moved << 1 | carry | states[at] & self.star[at] & within;
            carry = moved >> (BITS - 1);
        }
        self.skip_empty(next);
        // Waiting inside directories is no new arrival: the token after them is reached again only past a slash.
        let mut left = 0;
        for (at, word) in next.iter_mut().enumerate() {
            *word |= states[at] & self.dirs[at];
            left |= *word;
        }
        left != 0
    }

    /// Adds the states that follow by matching nothing. Normal form has at most two such tokens side by side.
    fn skip_empty(&self, states: &mut [u64]) {
        for _ in 0..2 {
            let mut carry = 0;
            for (at, word) in states.iter_mut().enumerate() {
                let moved = *word & (self.star[at] | self.dirs[at]);
                *word |= moved << 1 | carry;
                carry = moved >> (BITS - 1);
            }
        }
    }
}

fn literal(token: Token) -> Option<char> {
    match token {
        Token::Char(c) => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn matches(pattern: &str, path: impl AsRef<[u8]>) -> bool {
        Program::new(&tokens(pattern)).is_match(path.as_ref())
    }

    #[test]
    fn one_question_mark_is_one_character_or_one_undecodable_byte() {
        assert!(matches("?", "\u{65e5}"));
        assert!(matches("?", b"\xff"));
        assert!(matches("??", b"\xe6\x97"), "a cut code point is two bytes");
        assert!(!matches("?", b"\xe6\x97"));
        assert!(matches("???", b"\xed\xa0\x80"), "a surrogate is three bytes");
        assert!(!matches("??", "\u{65e5}"));
        assert!(!matches("?", "/"));
        assert!(matches("?", "\n"));
        assert!(!matches("?", ""));
    }

    #[test]
    fn directories_are_left_only_past_a_slash() {
        assert!(matches("x**/y", "xy"));
        assert!(matches("x**/y", "xa/y"));
        assert!(matches("x**/y", "x/y"));
        assert!(!matches("x**/y", "xay"));
        assert!(matches("**/", ""));
        assert!(matches("**/", "a/"));
        assert!(!matches("**/", "a"));
    }

    #[test]
    fn states_cross_the_words() {
        for length in [62, 63, 64, 65, 127, 128, 129, 512] {
            let literal = "a".repeat(length);
            assert!(matches(&literal, &literal));
            assert!(!matches(&literal, &literal[1..]));
            let wild = format!("{}**/?", "b".repeat(length));
            assert!(matches(&wild, format!("{}x/y", "b".repeat(length))));
            assert!(matches(&wild, format!("{}y", "b".repeat(length))));
            assert!(!matches(&wild, format!("{}xy", "b".repeat(length))));
        }
    }
}
