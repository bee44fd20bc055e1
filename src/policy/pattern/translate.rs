//! A pattern in the words of globset, where globset has them.
//!
//! globset gives a class to `[`, alternatives to `{`, and escapes to the backslash, so all of these are escaped. It takes
//! `**` for directories only as a whole component, and two stars anywhere else for one; `{**/}` is its way to say zero or
//! more directories in the middle of a name. A pattern that is nothing but `**/` would read as `**`, so it is put into
//! braces as well.

use super::token::Token;

/// With more wildcards than this a regular expression is no faster than the states of [`Program`], and costs ten times
/// as much to build.
///
/// [`Program`]: super::program::Program
const MAX_WILDCARDS: usize = 4;

/// Beyond this length a set of 256 patterns with wildcards takes tens of mebibytes and tenths of a second to build.
const MAX_TOKENS: usize = 128;

/// The glob that means exactly these tokens, or `None` when globset cannot say it or would say it slowly.
pub(super) fn translate(tokens: &[Token]) -> Option<String> {
    let wildcards = tokens.iter().filter(|token| matches!(token, Token::Star | Token::Dirs)).count();
    let slow = wildcards > MAX_WILDCARDS || (wildcards > 0 && tokens.len() > MAX_TOKENS);
    if slow || tokens.contains(&Token::AnyChar) {
        return None;
    }
    let mut out = String::with_capacity(2 * tokens.len());
    let mut rest = tokens;
    while let Some((token, tail)) = rest.split_first() {
        let component_starts = out.is_empty() || out.ends_with('/');
        rest = tail;
        match token {
            Token::Dirs if component_starts && tail == [Token::Star] => {
                out.push_str("**");
                rest = &[];
            }
            Token::Dirs if component_starts && tokens.len() > 1 => out.push_str("**/"),
            Token::Dirs => out.push_str("{**/}"),
            Token::Star => out.push('*'),
            Token::Char(c @ ('*' | '?' | '[' | ']' | '{' | '}' | '!' | ',' | '\\')) => out.extend(['\\', *c]),
            Token::Char(c) => out.push(*c),
            Token::AnyChar => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn says_the_same_in_the_words_of_globset() {
        let cases = [
            ("src/app.py", "src/app.py"),
            ("src/**", "src/**"),
            ("**", "**"),
            ("**/", "{**/}"),
            ("a/**/", "a/**/"),
            ("**/*.py", "**/*.py"),
            ("**.py", "**/*.py"),
            ("src/**.py", "src/**/*.py"),
            ("x**/y", "x{**/}y"),
            ("x**", "x{**/}*"),
            ("x**/**/y", "x{**/}y"),
            ("a[b]{c,d}!\\", "a\\[b\\]\\{c\\,d\\}\\!\\\\"),
        ];
        for (pattern, glob) in cases {
            assert_eq!(translate(&tokens(pattern)).as_deref(), Some(glob), "{pattern}");
        }
    }

    #[test]
    fn leaves_the_rest_to_the_states() {
        for pattern in ["?", "a/?/b", "*a*a*a*a*a", "**a**b**c"] {
            assert_eq!(translate(&tokens(pattern)), None, "{pattern}");
        }
        assert_eq!(translate(&tokens(&format!("{}*", "a".repeat(128)))), None);
        assert!(translate(&tokens(&"a".repeat(512))).is_some());
    }
}
