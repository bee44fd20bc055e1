//! Words and operators, as the lexer hands them on.

/// One word: what it stands for, if that can be known without running anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text after quotes were removed; meaningless unless `known`.
    pub text: String,
    /// Whether the text is what the program gets: no variable, glob, brace or tilde has a say.
    pub known: bool,
    /// Whether no part was quoted, so that it may be a reserved word.
    pub bare: bool,
    /// Whether it has the form `NAME=...` of an assignment.
    pub assigns: bool,
    /// The sources of substituted commands in it, which run as well.
    pub inner: Vec<String>,
}

impl Word {
    /// A word that nobody can know.
    pub fn unknown() -> Word {
        Word::default()
    }

    /// The text, if it is known.
    pub fn known(&self) -> Option<&str> {
        self.known.then_some(self.text.as_str())
    }

    /// Whether it is this reserved word or operator-like word.
    pub fn is(&self, reserved: &str) -> bool {
        self.known && self.bare && self.text == reserved
    }
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It opens a file for writing.
    Out,
    /// It duplicates a descriptor, or writes to a file when the word is none.
    Duplicate,
    /// It only reads.
    In,
    /// It hands over the text that the word has.
    Text,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A word.
    Word(Word),
    /// A redirection and its target.
    Redirect(Direction, Word),
    /// A control operator; a line end is `;`.
    Operator(&'static str),
}
