//! Where a shell stands while it runs a list.

use super::commands::absolute;
use super::options;
use super::word::Word;
use crate::policy::path::PATH_MAX;

/// So many directories may wait on the stack; beyond, nobody follows.
const STACK: usize = 64;

/// Variables that tell Git of another repository than the one of the directory.
const REPOSITORY: [&str; 2] = ["GIT_DIR", "GIT_WORK_TREE"];

/// Where a shell stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The directory; `None` when it cannot be known.
    pub cwd: Option<String>,
    /// Those that `pushd` left.
    pub stack: Vec<Option<String>>,
    /// Whether Git is told of a repository that may be another one than that of the directory.
    pub astray: bool,
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

    /// Takes note of words that may assign one of the variables by which Git finds its repository.
    pub fn assign<'a>(&mut self, words: impl IntoIterator<Item = &'a Word>) {
        let own = self.cwd.as_deref().and_then(|cwd| absolute(Some(cwd), ".git"));
        for word in words {
            let Some((name, value)) = word.text.split_once('=') else { continue };
            if REPOSITORY.contains(&name) {
                let names_own = name == "GIT_DIR" && word.known && absolute(self.cwd.as_deref(), value) == own;
                self.astray |= !names_own;
            }
        }
    }

    /// Takes note that variables are there no more.
    pub fn unset(&mut self, words: &[Word]) {
        if words.iter().any(|word| REPOSITORY.contains(&word.text.as_str())) {
            self.astray = false;
        }
    }

    /// Leaves a directory on the stack.
    pub fn push(&mut self, directory: Option<String>) {
        if self.stack.len() == STACK {
            self.unknown();
        } else {
            self.stack.push(directory);
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
        let directory = directory.filter(|text| !text.is_empty()).and_then(|text| absolute(self.cwd.as_deref(), text));
        self.cwd = directory.filter(|directory| directory.len() < PATH_MAX);
    }
}
