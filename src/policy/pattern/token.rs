//! A pattern as a list of tokens in normal form; both matchers are made from it.
//!
//! `**` that is no `**/` needs no token of its own: any text is zero or more directories and then a name, so `**` is
//! `**/` followed by `*`. What is left of repeated wildcards is dropped here, which keeps nine `**` in a row as cheap as
//! one and leaves at most two tokens side by side that can match nothing, [`Token::Dirs`] and then [`Token::Star`].

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// This character.
    Char(char),
    /// Any one character other than `/`.
    AnyChar,
    /// Any number of characters other than `/`.
    Star,
    /// Nothing, or anything that ends with `/`.
    Dirs,
}

/// The tokens of a pattern, read from left to right, longest wildcard first.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("**/") {
            push(&mut out, Token::Dirs);
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix("**") {
            push(&mut out, Token::Dirs);
            push(&mut out, Token::Star);
            rest = tail;
        } else {
            let token = match c {
                '*' => Token::Star,
                '?' => Token::AnyChar,
                c => Token::Char(c),
            };
            push(&mut out, token);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Appends `token` unless it adds nothing to what stands before it.
fn push(out: &mut Vec<Token>, token: Token) {
    // A star before directories is always the second half of a `**`: a lone `*` and a `**` after it read as `**`, `*`.
    let redundant = matches!(
        (out.last(), token),
        (Some(Token::Dirs | Token::Star), Token::Dirs) | (Some(Token::Star), Token::Star)
    );
    if !redundant {
        out.push(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_wildcards_collapse() {
        use Token::{Char, Dirs, Star};
        let cases: [(&str, &[Token]); 12] = [
            ("*", &[Star]),
            ("**", &[Dirs, Star]),
            ("**/", &[Dirs]),
            ("***", &[Dirs, Star]),
            ("****", &[Dirs, Star]),
            ("***/", &[Dirs, Star, Char('/')]),
            ("****/", &[Dirs, Star]),
            ("**/**/", &[Dirs]),
            ("**/**", &[Dirs, Star]),
            ("**/***/", &[Dirs, Star, Char('/')]),
            ("******************", &[Dirs, Star]),
            ("x**/y", &[Char('x'), Dirs, Char('y')]),
        ];
        for (source, expected) in cases {
            assert_eq!(tokens(source), expected, "{source}");
        }
    }

    #[test]
    fn everything_else_is_literal() {
        let source = "[a]{b,c}!\\\n\u{65e5}";
        assert_eq!(tokens(source), source.chars().map(Token::Char).collect::<Vec<_>>());
        assert_eq!(tokens("?"), [Token::AnyChar]);
    }
}
