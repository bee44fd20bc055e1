//! How a word is spelled: quotations, escapes, expansions, and brackets that hold whole commands.

use super::word::Word;

/// A text that no shell reads to its end: an open quotation or bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// How many brackets may be open.
const NESTED: usize = 100;

/// What stands between brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// `$( ... )`, and `( ... )` in it.
    Commands,
    /// `$(( ... ))`.
    Arithmetic,
    /// `${ ... }`.
    Parameter,
}

impl Bracket {
    /// What `$(` begins, by what stands behind it.
    fn after(rest: &str) -> Bracket {
        if rest.starts_with('(') { Bracket::Arithmetic } else { Bracket::Commands }
    }
}

/// A here-document, before its lines.
#[derive(Debug, Clone)]
pub struct Document {
    /// The line that ends it.
    end: String,
    /// Whether the end was quoted, so that nothing in it is expanded.
    pub quoted: bool,
    /// Whether tabs at the beginning of lines go.
    tabs: bool,
}

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
        let (mut unquoted, mut equals) = (String::new(), false);
        let from = self.rest;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '<' | '>' if !test && word.text.is_empty() && word.known && self.substitutes_a_process() => {
                    self.take(2);
                    let body = self.balanced(Bracket::Commands)?;
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
                    if c == '=' && !equals {
                        equals = true;
                        word.assigns = word.bare && is_assignment(&word.text);
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
                let kind = Bracket::after(self.rest);
                let body = self.balanced(kind)?;
                if kind == Bracket::Commands {
                    word.inner.push(body);
                }
                word.known = false;
                Ok(())
            }
            Some('{') => {
                self.take(1);
                self.balanced(Bracket::Parameter)?;
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
    fn balanced(&mut self, kind: Bracket) -> Result<String, Unreadable> {
        self.nested += 1;
        if self.nested > NESTED {
            return Err(Unreadable);
        }
        let body = self.up_to(kind);
        self.nested -= 1;
        body
    }

    fn up_to(&mut self, kind: Bracket) -> Result<String, Unreadable> {
        let (from, close) = (self.rest, if kind == Bracket::Parameter { '}' } else { ')' });
        let (mut before, mut documents) = (' ', Vec::new());
        loop {
            let c = self.take_char().ok_or(Unreadable)?;
            match c {
                _ if c == close => return Ok(from[..from.len() - self.rest.len() - 1].to_owned()),
                '\\' => {
                    self.take_char();
                }
                '\'' if kind != Bracket::Parameter => {
                    let end = self.rest.find('\'').ok_or(Unreadable)?;
                    self.take(end + 1);
                }
                '"' => self.double_quoted(&mut Word::default())?,
                '`' => {
                    self.backticked()?;
                }
                '(' if kind != Bracket::Parameter => {
                    self.balanced(kind)?;
                }
                '{' if kind == Bracket::Parameter => {
                    self.balanced(kind)?;
                }
                '$' if self.rest.starts_with('(') => {
                    self.take(1);
                    self.balanced(Bracket::after(self.rest))?;
                }
                '#' if kind == Bracket::Commands && before.is_ascii_whitespace() => {
                    self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '<' if kind == Bracket::Commands && self.rest.starts_with('<') => {
                    self.take(1);
                    documents.extend(self.document()?);
                }
                '\n' => documents.drain(..).for_each(|document| drop(self.body(&document))),
                _ => {}
            }
            before = c;
        }
    }

    /// What stands behind `<<`: the end of a here-document, unless it is a here-string.
    pub fn document(&mut self) -> Result<Option<Document>, Unreadable> {
        if self.rest.starts_with('<') {
            self.take(1);
            return Ok(None);
        }
        let tabs = self.rest.starts_with('-');
        self.take(usize::from(tabs));
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let begin = self.rest;
        let word = self.word(false)?;
        let quoted = begin[..begin.len() - self.rest.len()].contains(['\'', '"', '\\']);
        Ok(Some(Document { end: word.text, quoted, tabs }))
    }

    /// Takes the lines of a here-document that begins here.
    pub fn body(&mut self, document: &Document) -> String {
        let mut body = String::new();
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            self.rest = rest;
            let line = if document.tabs { line.trim_start_matches('\t') } else { line };
            if line == document.end {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        body
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
