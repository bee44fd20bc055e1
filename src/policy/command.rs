//! The command line of a verifier: split once, when it is read, and never given to a shell.
//!
//! The words are those of Python's `shlex.split`, which the older system used. The `shlex` crate splits as a shell does,
//! so what the two read differently is rewritten first: the crate drops comments and escaped line ends, takes no carriage
//! return for a space, and undoes `\$`, `` \` `` and `\` before a line end inside double quotes.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::escape;
use crate::error::Error;

/// The longest command, in characters.
pub const MAX_CHARS: usize = 4_096;

/// The most verifiers that an envelope may have.
pub const MAX_COMMANDS: usize = 8;

/// A verifier's command: the text, and the program and arguments that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    source: String,
    argv: Vec<String>,
}

impl Command {
    /// The command that `source` says, or why it is none.
    pub fn parse(source: &str) -> Result<Self, Error> {
        if source.chars().nth(MAX_CHARS).is_some() {
            return Err(Error::usage(format!("a verifier is longer than {MAX_CHARS} characters"))
                .hint("Put the command into a script and name the script."));
        }
        let fault = |what: &str, hint: &str| {
            Err(Error::usage(format!("verifier `{}` {what}", escape::typed(source.as_bytes()))).hint(hint))
        };
        if source.contains('\0') {
            return fault("holds a NUL character", "No argument can hold one; remove it.");
        }
        // What is blank to a reader names no program, even where splitting would take a vertical tab for a word.
        let argv = if source.trim().is_empty() { Some(Vec::new()) } else { split(source) };
        match argv {
            None => {
                fault("has an open quotation or ends in a backslash", "Close the quotation, or double the backslash.")
            }
            Some(argv) if argv.first().is_none_or(String::is_empty) => {
                fault("names no program", "Write a program and its arguments, for example `cargo test`.")
            }
            Some(argv) => Ok(Command { source: source.to_owned(), argv }),
        }
    }

    /// The text as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The program and its arguments; there is always a program.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }
}

/// What a shell would act on and a program gets as an ordinary argument.
const OPERATORS: [&str; 9] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"];

/// Programs that are a shell themselves.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

impl Command {
    /// The first word that only a shell would act on, unless the program is one.
    pub fn word_for_a_shell(&self) -> Option<&str> {
        let (program, arguments) = self.argv.split_first()?;
        if SHELLS.contains(&program.rsplit('/').next().unwrap_or_default()) {
            return None;
        }
        arguments.iter().map(String::as_str).find(|word| OPERATORS.contains(word) || is_expansion(word))
    }
}

/// Whether a word is a variable or a command substitution, as `$HOME`, `${HOME}/x`, `$(date)` and backticks are.
fn is_expansion(word: &str) -> bool {
    let named = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '('));
    word.strip_prefix('$').is_some_and(named) || word.starts_with('`')
}

/// Refuses more verifiers than an envelope may have.
pub fn check_count(count: usize) -> Result<(), Error> {
    if count > MAX_COMMANDS {
        return Err(Error::usage(format!("{count} verifiers, and at most {MAX_COMMANDS} are possible"))
            .hint("Put several commands into one script and name the script."));
    }
    Ok(())
}

/// The words of `source` as Python's `shlex.split` gives them; `None` for an open quotation or a backslash at the end.
fn split(source: &str) -> Option<Vec<String>> {
    shlex::split(&as_shell(source))
}

/// Where a character stands.
#[derive(Clone, Copy)]
enum Quote {
    None,
    Single,
    Double,
}

/// The text that a shell splits as Python splits `source`.
fn as_shell(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut quote = Quote::None;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Quote::None, '\r') => out.push(' '),
            (Quote::None, '#') => out.push_str("\\#"),
            (Quote::None | Quote::Double, '\\') => push_escaped(&mut out, quote, chars.next()),
            _ => {
                quote = match (quote, c) {
                    (Quote::None, '\'') => Quote::Single,
                    (Quote::None, '"') => Quote::Double,
                    (Quote::Single, '\'') | (Quote::Double, '"') => Quote::None,
                    (same, _) => same,
                };
                out.push(c);
            }
        }
    }
    out
}

/// A backslash and what follows it: nothing at the end of the text, which the crate refuses as Python does.
fn push_escaped(out: &mut String, quote: Quote, next: Option<char>) {
    match (quote, next) {
        (Quote::None, Some('\n')) => out.push_str("'\n'"),
        (Quote::Double, Some(c)) if !matches!(c, '"' | '\\') => out.extend(['\\', '\\', c]),
        _ => {
            out.push('\\');
            out.extend(next);
        }
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.source)
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Command::parse(&source).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_as_python_does_where_a_shell_would_not() {
        let cases: [(&str, &[&str]); 14] = [
            ("a # b", &["a", "#", "b"]),
            ("a#b", &["a#b"]),
            ("a\rb", &["a", "b"]),
            ("a\u{b}b \u{a0} c", &["a\u{b}b", "\u{a0}", "c"]),
            ("\\\n", &["\n"]),
            ("a\\\nb", &["a\nb"]),
            ("\"a\\\nb\"", &["a\\\nb"]),
            (r#""\$\`\"\\\a""#, &[r#"\$\`"\\a"#]),
            ("'\\'", &["\\"]),
            ("'a\r#'", &["a\r#"]),
            ("\"\r#\"", &["\r#"]),
            ("\\\r\\#", &["\r#"]),
            ("''\"\" x", &["", "x"]),
            ("a && b | c > d; $X", &["a", "&&", "b", "|", "c", ">", "d;", "$X"]),
        ];
        for (source, words) in cases {
            assert_eq!(split(source).as_deref(), Some(owned(words).as_slice()), "{source:?}");
        }
        for open in ["'", "\"", "a 'b", "\"\\\"", "\\", "a \\", "\"a\\"] {
            assert_eq!(split(open), None, "{open:?}");
        }
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn keeps_text_and_words() {
        let command = Command::parse("python3 -m unittest 'a b'").unwrap();
        assert_eq!(command.source(), "python3 -m unittest 'a b'");
        assert_eq!(command.argv(), ["python3", "-m", "unittest", "a b"]);
        let json = serde_json::to_string(&command).unwrap();
        assert_eq!(json, r#""python3 -m unittest 'a b'""#);
        assert_eq!(serde_json::from_str::<Command>(&json).unwrap(), command);
        assert!(serde_json::from_str::<Command>(r#""'""#).is_err());
    }

    #[test]
    fn refuses_what_cannot_run_and_says_why() {
        let long = "x".repeat(MAX_CHARS + 1);
        for (source, what) in [
            ("", "names no program"),
            (" \t\r\n", "names no program"),
            ("\u{b}\u{a0}", "names no program"),
            ("'' a", "names no program"),
            ("a\0", "NUL"),
            ("'a", "open quotation"),
            ("a\\", "backslash"),
            (long.as_str(), "longer than 4096"),
        ] {
            let error = Command::parse(source).expect_err(source);
            assert!(error.message.contains(what), "{error}");
            assert_eq!(error.hints.len(), 1);
        }
        assert!(Command::parse(&"\u{e9}".repeat(MAX_CHARS)).is_ok());
    }

    #[test]
    fn words_that_only_a_shell_acts_on_are_found() {
        for (source, word) in [
            ("make && make test", Some("&&")),
            ("make | tee log", Some("|")),
            ("a ; b", Some(";")),
            ("make > log", Some(">")),
            ("wc < a", Some("<")),
            ("ls $HOME", Some("$HOME")),
            ("ls ${HOME}/x", Some("${HOME}/x")),
            ("echo `date`", Some("`date`")),
            ("sh -c 'a && b'", None),
            ("/bin/bash -c x && y", None),
            ("grep a$ b", None),
            ("awk '{print $1}' a", None),
            ("make -k", None),
        ] {
            assert_eq!(Command::parse(source).unwrap().word_for_a_shell(), word, "{source}");
        }
    }

    #[test]
    fn at_most_eight() {
        assert!(check_count(0).is_ok());
        assert!(check_count(8).is_ok());
        assert!(check_count(9).unwrap_err().message.contains("9 verifiers"));
    }
}
