//! How a word is spelled: quotations, escapes, expansions, and brackets that hold whole commands.

use super::word::Word;

/// A text that no shell reads to its end: an open quotation or bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// How many brackets may be open.
const NESTED: usize = 100;

/// What is still to be read of a command line.
pub struct Source<'a> {
    /// The rest of it.
    pub rest: &'a str,
    /// How many brackets are open.
    nested: usize,
}

impl<'a> Source<'a> {
    /// A command line from its beginning.
    pub fn new(text: &'a str) -> Source<'a> {
        Source { rest: text, nested: 0 }
    }

    /// Whether a process substitution begins here.
    pub fn substitutes_a_process(&self) -> bool {
        self.rest.starts_with("<(") || self.rest.starts_with(">(")
    }

    /// One word, up to the next character that ends one.
    pub fn word(&mut self, test: bool) -> Result<Word, Unreadable> {
        let mut word = Word { known: true, bare: true, ..Word::default() };
        let mut unquoted = String::new();
        let from = self.rest;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '<' | '>' if !test && word.text.is_empty() && word.known && self.substitutes_a_process() => {
                    self.take(2);
                    let body = self.balanced(")")?;
                    word.inner.push(body);
                    word.known = false;
                }
                ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '<' | '>' => break,
                '(' | ')' if !test => break,
                '\\' => {
                    self.take(1);
                    word.bare = false;
                    match self.take_char() {
                        Some('\n') | None => {}
                        Some(c) => word.text.push(c),
                    }
                }
                '\'' => {
                    self.take(1);
                    word.bare = false;
                    let end = self.rest.find('\'').ok_or(Unreadable)?;
                    word.text.push_str(&self.rest[..end]);
                    self.take(end + 1);
                }
                '"' => {
                    self.take(1);
                    word.bare = false;
                    self.double_quoted(&mut word)?;
                }
                '$' | '`' => self.expansion(&mut word, true)?,
                c => {
                    self.take(c.len_utf8());
                    word.text.push(c);
                    unquoted.push(c);
                    if c == '=' && word.bare && is_assignment(&word.text) {
                        word.assigns = true;
                    }
                }
            }
        }
        if self.rest.len() == from.len() {
            return Err(Unreadable);
        }
        if expands(&unquoted) && !word.assigns {
            word.known = false;
        }
        Ok(word)
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.rest.chars().next().ok_or(Unreadable)? {
                '"' => {
                    self.take(1);
                    return Ok(());
                }
                '$' | '`' => self.expansion(word, false)?,
                '\\' => {
                    self.take(1);
                    match self.take_char().ok_or(Unreadable)? {
                        '\n' => {}
                        c @ ('$' | '`' | '"' | '\\') => word.text.push(c),
                        c => word.text.extend(['\\', c]),
                    }
                }
                c => {
                    self.take(c.len_utf8());
                    word.text.push(c);
                }
            }
        }
    }

    /// What begins with a dollar sign or a backtick.
    fn expansion(&mut self, word: &mut Word, outside_quotes: bool) -> Result<(), Unreadable> {
        if self.rest.starts_with('`') {
            self.take(1);
            let body = self.backticked()?;
            word.inner.push(body);
            word.known = false;
            return Ok(());
        }
        self.take(1);
        match self.rest.chars().next() {
            Some('\'') if outside_quotes => {
                self.take(1);
                word.bare = false;
                self.ansi(word)
            }
            Some('"') if outside_quotes => {
                self.take(1);
                word.bare = false;
                self.double_quoted(word)
            }
            Some('(') => {
                self.take(1);
                let body = self.balanced(")")?;
                if !body.starts_with('(') {
                    word.inner.push(body);
                }
                word.known = false;
                Ok(())
            }
            Some('{') => {
                self.take(1);
                self.balanced("}")?;
                word.known = false;
                Ok(())
            }
            Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                let name = self.rest.len()
                    - self.rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
                self.take(name.max(1));
                word.known = false;
                Ok(())
            }
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    /// `$'...'` with its escapes.
    fn ansi(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.take_char().ok_or(Unreadable)? {
                '\'' => return Ok(()),
                '\\' => match self.take_char().ok_or(Unreadable)? {
                    'n' => word.text.push('\n'),
                    't' => word.text.push('\t'),
                    c @ ('\\' | '\'' | '"' | '?') => word.text.push(c),
                    'x' => self.code(word, 16, 2),
                    'u' => self.code(word, 16, 4),
                    'U' => self.code(word, 16, 8),
                    c @ '0'..='7' => self.octal(word, c),
                    _ => word.known = false,
                },
                c => word.text.push(c),
            }
        }
    }

    fn code(&mut self, word: &mut Word, radix: u32, most: usize) {
        let digits = self.rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let value = u32::from_str_radix(&self.rest[..digits], radix).ok();
        self.take(digits);
        push_code(word, value);
    }

    fn octal(&mut self, word: &mut Word, first: char) {
        let more = self.rest.chars().take(2).take_while(|c| c.is_digit(8)).count();
        let value = u32::from_str_radix(&format!("{first}{}", &self.rest[..more]), 8).ok();
        self.take(more);
        push_code(word, value);
    }

    /// The source up to the closing bracket, which is taken as well; quotations and brackets in it are whole.
    fn balanced(&mut self, close: &str) -> Result<String, Unreadable> {
        self.nested += 1;
        if self.nested > NESTED {
            return Err(Unreadable);
        }
        let body = self.up_to(close);
        self.nested -= 1;
        body
    }

    fn up_to(&mut self, close: &str) -> Result<String, Unreadable> {
        let from = self.rest;
        loop {
            if self.rest.starts_with(close) {
                let body = from[..from.len() - self.rest.len()].to_owned();
                self.take(close.len());
                return Ok(body);
            }
            match self.take_char().ok_or(Unreadable)? {
                '\\' => {
                    self.take_char();
                }
                '\'' if close == ")" => {
                    let end = self.rest.find('\'').ok_or(Unreadable)?;
                    self.take(end + 1);
                }
                '"' => self.double_quoted(&mut Word::default())?,
                '`' => {
                    self.backticked()?;
                }
                '(' if close == ")" => {
                    self.balanced(")")?;
                }
                '{' if close == "}" => {
                    self.balanced("}")?;
                }
                '$' if self.rest.starts_with('(') => {
                    self.take(1);
                    self.balanced(")")?;
                }
                _ => {}
            }
        }
    }

    fn backticked(&mut self) -> Result<String, Unreadable> {
        let mut body = String::new();
        loop {
            match self.take_char().ok_or(Unreadable)? {
                '`' => return Ok(body),
                '\\' => match self.take_char().ok_or(Unreadable)? {
                    c @ ('`' | '\\' | '$') => body.push(c),
                    c => body.extend(['\\', c]),
                },
                c => body.push(c),
            }
        }
    }

    fn take(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn take_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(c)
    }
}

/// A character by its number; a byte that is no character of its own makes the word unknown.
fn push_code(word: &mut Word, value: Option<u32>) {
    match value.and_then(char::from_u32).filter(|c| *c != '\0') {
        Some(c) if c.is_ascii() => word.text.push(c),
        _ => word.known = false,
    }
}

/// Whether `text` is a name and an equals sign.
fn is_assignment(text: &str) -> bool {
    let name = text.strip_suffix('=').unwrap_or(text);
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether unquoted characters of a word make a shell put something else in its place: a glob, braces, a tilde.
fn expands(unquoted: &str) -> bool {
    let bracket = unquoted.find('[').is_some_and(|at| unquoted[at..].contains(']'));
    let braces = unquoted.find('{').is_some_and(|at| {
        let inside = &unquoted[at..];
        inside.contains('}') && (inside.contains(',') || inside.contains(".."))
    });
    unquoted.contains(['*', '?']) || bracket || braces || unquoted.starts_with('~')
}
