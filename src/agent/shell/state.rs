//! Where a shell stands while it runs a list.

use super::commands::absolute;
use super::options;
use super::word::Word;

/// Where a shell stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The directory; `None` when it cannot be known.
    pub cwd: Option<String>,
    /// Those that `pushd` left.
    pub stack: Vec<Option<String>>,
}

impl State {
    /// Nobody knows any more where it stands.
    pub fn unknown(&mut self) {
        self.cwd = None;
        self.stack.clear();
    }

    /// What holds after either of two courses.
    pub fn meet(&mut self, other: &State) {
        if *self != *other {
            self.unknown();
        }
    }

    /// `cd` with its operands; without one it goes home, wherever that is.
    pub fn change(&mut self, words: &[Word]) {
        let parsed = options::parse(words, &options::Form::default());
        match parsed.operands.as_slice() {
            [word] => self.enter(word.known().filter(|text| *text != "-")),
            _ => self.cwd = None,
        }
    }

    /// Goes to a directory.
    pub fn enter(&mut self, directory: Option<&str>) {
        self.cwd = directory.filter(|text| !text.is_empty()).and_then(|text| absolute(self.cwd.as_deref(), text));
    }
}
