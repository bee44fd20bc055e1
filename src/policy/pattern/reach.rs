//! Whether a pattern can cover any path as Git writes it: without an empty component, and without a slash at its end.

use super::token::Token;

/// How what the tokens cover may end: each way, if there is one, stands for all texts that end so.
#[derive(Clone, Copy)]
struct Ends {
    /// At the beginning of a component.
    component: bool,
    /// Within a component.
    name: bool,
}

impl Ends {
    fn then(self, token: Token) -> Ends {
        let any = self.component || self.name;
        match token {
            Token::Char('/') => Ends { component: self.name, name: false },
            Token::Char(_) | Token::AnyChar => Ends { component: false, name: any },
            Token::Star => Ends { component: self.component, name: any },
            Token::Dirs => Ends { component: any, name: self.name },
        }
    }
}

/// Whether the tokens cover any path.
pub(super) fn covers_any(tokens: &[Token]) -> bool {
    let start = Ends { component: true, name: false };
    tokens.iter().fold(start, |ends, token| ends.then(*token)).name
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn a_path_ends_in_a_name_and_has_no_empty_component() {
        for pattern in ["a", "*", "**", "?", "a/b", "**/a", "a/**", "a/**/b", "a**//b", "a**/", "***/a"] {
            assert!(covers_any(&tokens(pattern)), "{pattern}");
        }
        for pattern in ["a/", "*/", "**/", "a/**/", "s?c/", "a//b", "**//a", "*//a", "a//**", "**//**", "a///b", "?//"]
        {
            assert!(!covers_any(&tokens(pattern)), "{pattern}");
        }
    }
}
