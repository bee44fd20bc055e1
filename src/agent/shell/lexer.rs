//! From the text of a command line to tokens, by the rules of POSIX and bash.

use super::spelling::{Document, Source, Unreadable};
use super::word::{Direction, Token, Word};

/// Operators, longer ones first.
const OPERATORS: [&str; 13] = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "((", "(", ")", "\n"];

/// Redirections, longer ones first.
const REDIRECTIONS: [(&str, Direction); 11] = [
    ("&>>", Direction::Out),
    ("<<<", Direction::Text),
    ("&>", Direction::Out),
    (">>", Direction::Out),
    (">|", Direction::Out),
    (">&", Direction::Duplicate),
    ("<>", Direction::Out),
    ("<&", Direction::In),
    ("<<", Direction::Text),
    (">", Direction::Out),
    ("<", Direction::In),
];

/// The tokens of a command line.
pub fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    let mut lexer = Lexer { source: Source::new(text), tokens: Vec::new(), waiting: Vec::new(), test: false };
    while lexer.step()? {}
    if lexer.test { Err(Unreadable) } else { Ok(lexer.tokens) }
}

struct Lexer<'a> {
    source: Source<'a>,
    tokens: Vec<Token>,
    /// Here-documents whose bodies begin after the next line end, and where their tokens stand.
    waiting: Vec<(usize, Document)>,
    /// Whether this is inside of `[[ ... ]]`, where `<`, `>`, `&&` and brackets mean other things.
    test: bool,
}

impl Lexer<'_> {
    /// Takes one token; `false` at the end.
    fn step(&mut self) -> Result<bool, Unreadable> {
        self.source.rest = self.source.rest.trim_start_matches([' ', '\t', '\r']);
        if let Some(rest) = self.source.rest.strip_prefix("\\\n") {
            self.source.rest = rest;
            return Ok(true);
        }
        if self.source.rest.starts_with('#') {
            self.source.rest = &self.source.rest[self.source.rest.find('\n').unwrap_or(self.source.rest.len())..];
        }
        if self.source.rest.is_empty() {
            return Ok(false);
        }
        if (self.test || !self.source.substitutes_a_process()) && (self.redirection()? || self.operator()?) {
            return Ok(true);
        }
        let word = self.source.word(self.test)?;
        if word.is("[[") && self.begins_a_command() {
            self.test = true;
        } else if word.is("]]") {
            self.test = false;
        }
        self.tokens.push(Token::Word(word));
        Ok(true)
    }

    fn begins_a_command(&self) -> bool {
        match self.tokens.last() {
            None | Some(Token::Operator(_)) => true,
            Some(Token::Word(word)) => {
                ["if", "while", "until", "elif", "then", "do", "else", "!", "{"].iter().any(|w| word.is(w))
            }
            Some(Token::Redirect(..)) => false,
        }
    }

    fn operator(&mut self) -> Result<bool, Unreadable> {
        let Some(operator) = OPERATORS.into_iter().find(|operator| self.source.rest.starts_with(operator)) else {
            return Ok(false);
        };
        self.source.rest = &self.source.rest[operator.len()..];
        match operator {
            _ if self.test => {}
            "((" => return self.arithmetic(),
            "\n" => {
                self.tokens.push(Token::Operator(";"));
                self.bodies();
            }
            _ => self.tokens.push(Token::Operator(operator)),
        }
        Ok(true)
    }

    /// `(( ... ))` as a command of its own, which writes nothing.
    fn arithmetic(&mut self) -> Result<bool, Unreadable> {
        let end = self.source.rest.find("))").ok_or(Unreadable)?;
        self.source.rest = &self.source.rest[end + 2..];
        self.tokens.push(Token::Word(Word::unknown()));
        Ok(true)
    }

    fn redirection(&mut self) -> Result<bool, Unreadable> {
        let digits = self.source.rest.len() - self.source.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = &self.source.rest[digits..];
        let found = REDIRECTIONS
            .into_iter()
            .find(|(sign, _)| after.starts_with(sign) && (digits == 0 || !sign.starts_with('&')));
        let Some((sign, direction)) = found else { return Ok(false) };
        self.source.rest = &after[sign.len()..];
        if self.test {
            return Ok(true);
        }
        if sign == "<<" {
            let document = self.source.document()?.ok_or(Unreadable)?;
            self.waiting.push((self.tokens.len(), document));
            self.tokens.push(Token::Redirect(Direction::Text, Word::unknown()));
            return Ok(true);
        }
        self.source.rest = self.source.rest.trim_start_matches([' ', '\t']);
        let word = self.source.word(false)?;
        self.tokens.push(Token::Redirect(direction, word));
        Ok(true)
    }

    /// Takes the bodies of the here-documents that wait; each becomes the word of its redirection.
    fn bodies(&mut self) {
        for (at, document) in std::mem::take(&mut self.waiting) {
            let text = self.source.body(&document);
            let known = document.quoted || !text.contains(['$', '`', '\\']);
            self.tokens[at] = Token::Redirect(Direction::Text, Word { text, known, ..Word::default() });
        }
    }
}
