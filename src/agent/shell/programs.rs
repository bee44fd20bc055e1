//! What becomes of one simple command: it moves the shell, runs another command, or writes.

use super::commands::{self, Scene, base_name};
use super::reader::{Reader, source};
use super::spelling::Unreadable;
use super::state::State;
use super::word::Word;
use super::{git, options, wrappers};

/// Programs that run the text behind `-c`, or their standard input.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

impl Reader<'_> {
    /// Runs a program with its words, through whatever wraps it.
    pub(super) fn run(&mut self, words: &[Word], input: Option<&Word>, state: &mut State) -> Result<(), Unreadable> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        let result = self.program(words, input, state);
        self.depth += 1;
        result
    }

    fn program(&mut self, words: &[Word], input: Option<&Word>, state: &mut State) -> Result<(), Unreadable> {
        let Some((first, rest)) = words.split_first() else { return Ok(()) };
        let Some(name) = first.known().and_then(|text| if text == "." { Some(text) } else { base_name(text) }) else {
            return Ok(());
        };
        if let Some(wrapped) = wrappers::unwrap(name, rest) {
            let mut inside = state.clone();
            inside.assign(&wrapped.assigned);
            if let Some(directory) = wrapped.chdir {
                inside.enter(directory.known());
            }
            return self.run(&wrapped.words, input, &mut inside);
        }
        match name {
            "cd" | "chdir" => state.change(rest),
            "pushd" => {
                let left = state.cwd.clone();
                state.change(rest);
                state.push(left);
            }
            "popd" => state.cwd = state.stack.pop().flatten(),
            "eval" => {
                let text: Option<Vec<&str>> = rest.iter().map(Word::known).collect();
                match text {
                    Some(text) => *state = source(&text.join(" "), state, self.depth, self.acts)?,
                    None => state.unknown(),
                }
            }
            "." | "source" => state.unknown(),
            "export" | "declare" | "typeset" => state.assign(rest),
            "unset" => state.unset(rest),
            // Whatever it does, it does not plainly do it here.
            "git" if state.astray => {}
            "git" => git::run(rest, &mut Scene { cwd: state.cwd.as_deref(), acts: self.acts }),
            _ if SHELLS.contains(&name) => self.shell(rest, input, state),
            _ => commands::run(name, rest, &mut Scene { cwd: state.cwd.as_deref(), acts: self.acts }),
        }
        Ok(())
    }

    /// A shell in a shell: the text behind `-c`, or what it is given on standard input.
    fn shell(&mut self, words: &[Word], input: Option<&Word>, state: &State) {
        let form = options::Form { valued: "oO", attached: "", long: &["rcfile", "init-file"], leading: true };
        let parsed = options::parse(words, &form);
        let text = if parsed.has(&["c"]) {
            parsed.operands.first().and_then(|word| word.known())
        } else if parsed.operands.is_empty() || parsed.has(&["s"]) {
            input.and_then(Word::known)
        } else {
            None
        };
        if let Some(text) = text.filter(|_| !parsed.has(&["n"])) {
            let mut acts = Vec::new();
            // What that shell cannot read, it does not run; the others go on.
            if source(text, state, self.depth, &mut acts).is_ok() {
                self.acts.append(&mut acts);
            }
        }
    }
}
