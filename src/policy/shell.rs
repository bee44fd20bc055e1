//! Names as words of a shell command that somebody will paste: one word, whatever the bytes are.
//!
//! Hostile bytes are written as escapes in `$'...'` (bash, zsh, ksh, and POSIX since 2024), so that a word is also safe to
//! show: no report has to escape it once more, and what is copied from a terminal is what the file is called.

use std::fmt::Write as _;

use super::escape;
use super::path::RepoPath;
use super::text::Text;

/// One word of a shell command.
pub fn word(bytes: &[u8]) -> String {
    let harmless = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./@%+=:,-".contains(byte);
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.is_empty() && bytes.iter().all(harmless) => text.to_owned(),
        Ok(text) if escape::typed(bytes) == text => format!("'{}'", text.replace('\'', "'\\''")),
        _ => escaped(bytes),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for byte in bytes {
        match byte {
            b'\\' | b'\'' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            // A `#` could be a part of a command to a CI runner.
            b' '..=b'~' if *byte != b'#' => out.push(char::from(*byte)),
            // Three digits always, so that a digit behind it is never taken for a part of the escape.
            byte => write!(out, "\\{byte:03o}").expect("writing to a String cannot fail"),
        }
    }
    out.push('\'');
    out
}

/// The only operand of a command, behind `--` where it begins with a dash and could be taken for an option.
pub fn operand(bytes: &[u8]) -> String {
    let dashed = if bytes.starts_with(b"-") { "-- " } else { "" };
    format!("{dashed}{}", word(bytes))
}

/// A command about one path, `words` first; the path is never taken for an option.
pub fn about(words: &str, path: &RepoPath) -> Text {
    Text::from(format!("{words} -- {}", word(path.as_bytes())))
}

/// A git command about one path, which stands for itself also where it holds characters of a pathspec. `options` stand
/// before the subcommand; each ends with a space.
pub fn git(options: &str, subcommand: &str, path: &RepoPath) -> Text {
    let bytes = path.as_bytes();
    let is_pathspec = bytes.starts_with(b":") || bytes.iter().any(|byte| b"*?[\\".contains(byte));
    let literal = if is_pathspec { "--literal-pathspecs " } else { "" };
    about(&format!("git {options}{literal}{subcommand}"), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_and_safe_to_show() {
        let cases: [(&[u8], &str); 10] = [
            (b"##[error]x", r"$'\043\043[error]x'"),
            (b"src/a-b_c.rs", "src/a-b_c.rs"),
            (b"", "''"),
            (b"a b", "'a b'"),
            (b"it's", r"'it'\''s'"),
            (b"$(x)`y`", "'$(x)`y`'"),
            ("caf\u{e9}".as_bytes(), "'caf\u{e9}'"),
            (b"a\n::error'1", r"$'a\012::error\'1'"),
            (b"\xff\\\x1b[2J", r"$'\377\\\033[2J'"),
            ("\u{202e}x".as_bytes(), r"$'\342\200\256x'"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(word(bytes), expected);
            assert_eq!(escape::typed(expected.as_bytes()), expected);
        }
    }

    #[test]
    fn a_path_is_no_option_and_no_pattern() {
        assert_eq!(about("rm", &"-rf".into()).plain(), "rm -- -rf");
        assert_eq!(git("", "restore", &"a".into()).plain(), "git restore -- a");
        for path in ["a*", ":(top)", "[a]", "b?"] {
            let command = git("", "restore", &path.into()).plain();
            assert_eq!(command, format!("git --literal-pathspecs restore -- '{path}'"));
        }
    }
}
