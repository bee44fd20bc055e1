//! Reads a command line as a shell would run it, list by list, and keeps track of the directory on the way.

use super::act::{Act, Effect};
use super::commands::Scene;
use super::lexer::tokens;
use super::spelling::Unreadable;
use super::state::State;
use super::word::{Direction, Token, Word};

/// How deep lists may lie in each other.
const DEPTH: usize = 40;

/// Words behind which another list ends.
const ENDINGS: [&str; 8] = ["}", "fi", "done", "esac", "then", "else", "elif", "do"];

/// What a command line does that starts in `cwd`, as far as it plainly does it.
pub fn read(command: &str, cwd: &str) -> Vec<Act> {
    let mut acts = Vec::new();
    let start = State { cwd: Some(cwd.to_owned()), stack: Vec::new(), astray: false };
    // What cannot be read to its end is run by no shell.
    if source(command, &start, DEPTH, &mut acts).is_err() {
        acts.clear();
    }
    acts
}

/// Reads a text as a shell would run it from here; gives back where the shell stands then.
pub(super) fn source(text: &str, state: &State, depth: usize, acts: &mut Vec<Act>) -> Result<State, Unreadable> {
    let depth = depth.checked_sub(1).ok_or(Unreadable)?;
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0, depth, acts };
    let mut state = state.clone();
    reader.list(&mut state)?;
    // A bracket or a reserved word too many: this was not understood.
    if reader.at < tokens.len() { Err(Unreadable) } else { Ok(state) }
}

/// A reader of one text.
pub(super) struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    pub(super) depth: usize,
    pub(super) acts: &'a mut Vec<Act>,
}

impl Reader<'_> {
    fn operator(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Operator(operator)) => Some(operator),
            _ => None,
        }
    }

    fn word(&self) -> Option<&Word> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn accepts(&mut self, operator: &str) -> bool {
        let found = self.operator() == Some(operator);
        self.at += usize::from(found);
        found
    }

    fn reserved(&mut self, word: &str) -> bool {
        let found = self.word().is_some_and(|next| next.is(word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), Unreadable> {
        if self.reserved(word) { Ok(()) } else { Err(Unreadable) }
    }

    fn newlines(&mut self) {
        while self.accepts(";") {}
    }

    /// Commands up to a word or operator that ends a list.
    fn list(&mut self, state: &mut State) -> Result<(), Unreadable> {
        loop {
            self.newlines();
            let ends = self.word().is_some_and(|word| ENDINGS.iter().any(|ending| word.is(ending)));
            if ends || matches!(self.operator(), Some(")" | ";;" | ";&" | ";;&")) || self.at >= self.tokens.len() {
                return Ok(());
            }
            let before = state.clone();
            self.and_or(state)?;
            if self.accepts("&") {
                *state = before;
            }
        }
    }

    fn and_or(&mut self, state: &mut State) -> Result<(), Unreadable> {
        let mut failed = state.clone();
        self.pipeline(state)?;
        loop {
            if self.accepts("&&") {
                self.newlines();
                self.pipeline(state)?;
            } else if self.accepts("||") {
                self.newlines();
                let leaves =
                    self.word().is_some_and(|word| ["exit", "return", "break", "continue"].iter().any(|w| word.is(w)));
                let succeeded = state.clone();
                self.pipeline(&mut failed)?;
                if !leaves {
                    state.meet(&failed);
                }
                failed = succeeded;
            } else {
                return Ok(());
            }
        }
    }

    fn pipeline(&mut self, state: &mut State) -> Result<(), Unreadable> {
        while self.reserved("!") {}
        let before = state.clone();
        let mut piped = false;
        loop {
            let mut inside = before.clone();
            self.command(&mut inside)?;
            if self.accepts("|") || self.accepts("|&") {
                self.newlines();
                piped = true;
            } else {
                // Each part of a pipeline runs in a shell of its own.
                *state = if piped { before } else { inside };
                return Ok(());
            }
        }
    }

    fn command(&mut self, state: &mut State) -> Result<(), Unreadable> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        let result = self.compound(state);
        self.depth += 1;
        result
    }

    fn compound(&mut self, state: &mut State) -> Result<(), Unreadable> {
        if self.accepts("(") {
            let mut inside = state.clone();
            self.list(&mut inside)?;
            if !self.accepts(")") {
                return Err(Unreadable);
            }
        } else if self.reserved("{") {
            self.list(state)?;
            self.expect("}")?;
        } else if self.reserved("if") {
            self.branches(state)?;
        } else if self.reserved("while") || self.reserved("until") {
            let before = state.clone();
            self.list(state)?;
            self.expect("do")?;
            self.list(state)?;
            self.expect("done")?;
            state.meet(&before);
        } else if self.reserved("for") || self.reserved("select") {
            self.each(state)?;
        } else if self.reserved("case") {
            self.cases(state)?;
        } else {
            return self.simple(state);
        }
        let mut words = Vec::new();
        self.redirections(state, &mut words)?;
        if words.is_empty() { Ok(()) } else { Err(Unreadable) }
    }

    fn branches(&mut self, state: &mut State) -> Result<(), Unreadable> {
        let before = state.clone();
        let mut moved = false;
        loop {
            self.list(state)?;
            self.expect("then")?;
            moved |= self.branch(state)?;
            if self.reserved("elif") {
                continue;
            }
            if self.reserved("else") {
                moved |= self.branch(state)?;
            }
            self.expect("fi")?;
            if moved || *state != before {
                state.unknown();
            }
            return Ok(());
        }
    }

    /// One of several courses; says whether it leads elsewhere.
    fn branch(&mut self, state: &State) -> Result<bool, Unreadable> {
        let mut inside = state.clone();
        self.list(&mut inside)?;
        Ok(inside != *state)
    }

    fn each(&mut self, state: &mut State) -> Result<(), Unreadable> {
        let before = state.clone();
        while self.word().is_some_and(|word| !word.is("do")) {
            let word = self.word().cloned().unwrap_or_default();
            self.inner(&word, state)?;
            self.at += 1;
        }
        self.newlines();
        self.expect("do")?;
        self.list(state)?;
        self.expect("done")?;
        state.meet(&before);
        Ok(())
    }

    fn cases(&mut self, state: &mut State) -> Result<(), Unreadable> {
        let before = state.clone();
        self.at += 1;
        self.newlines();
        self.expect("in")?;
        loop {
            self.newlines();
            if self.reserved("esac") {
                state.meet(&before);
                return Ok(());
            }
            self.accepts("(");
            while self.word().is_some() || self.operator() == Some("|") {
                self.at += 1;
            }
            if !self.accepts(")") {
                return Err(Unreadable);
            }
            let mut inside = before.clone();
            self.list(&mut inside)?;
            state.meet(&inside);
            let _ = self.accepts(";;") || self.accepts(";&") || self.accepts(";;&");
        }
    }

    /// Substituted commands in a word run in a shell of their own.
    fn inner(&mut self, word: &Word, state: &State) -> Result<(), Unreadable> {
        for text in &word.inner {
            source(text, state, self.depth, self.acts)?;
        }
        Ok(())
    }

    /// Takes words and redirections up to the next operator; gives back the text on standard input, if it is known.
    fn redirections(&mut self, state: &State, words: &mut Vec<Word>) -> Result<Option<Word>, Unreadable> {
        let mut input = None;
        loop {
            match self.tokens.get(self.at).cloned() {
                Some(Token::Word(word)) => {
                    self.inner(&word, state)?;
                    words.push(word);
                }
                Some(Token::Redirect(direction, word)) => {
                    self.inner(&word, state)?;
                    let descriptor =
                        word.text == "-" || word.text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit());
                    match direction {
                        Direction::Out => self.written(&word, state),
                        Direction::Duplicate if !descriptor => self.written(&word, state),
                        Direction::Text => input = Some(word),
                        Direction::Duplicate | Direction::In => {}
                    }
                }
                _ => return Ok(input),
            }
            self.at += 1;
        }
    }

    fn written(&mut self, word: &Word, state: &State) {
        let mut scene = Scene { cwd: state.cwd.as_deref(), acts: self.acts };
        scene.place("a redirection", word, Effect::Write, Vec::new());
    }

    fn simple(&mut self, state: &mut State) -> Result<(), Unreadable> {
        let begin = self.at;
        let mut words = Vec::new();
        let input = self.redirections(state, &mut words)?;
        if self.accepts("(") {
            // A function: its body may run at any time and anywhere.
            if !self.accepts(")") || words.len() > 2 {
                return Err(Unreadable);
            }
            self.newlines();
            let mut inside = state.clone();
            inside.unknown();
            return self.command(&mut inside);
        }
        if self.at == begin {
            return Err(Unreadable);
        }
        let (assigned, command) = words.split_at(words.iter().take_while(|word| word.assigns).count());
        let astray = state.astray;
        state.assign(assigned);
        self.run(command, input.as_ref(), state)?;
        // What stands before a program is for that one alone.
        if !assigned.is_empty() && !command.is_empty() {
            state.astray = astray;
        }
        Ok(())
    }
}
