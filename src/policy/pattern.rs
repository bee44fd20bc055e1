//! One pattern of the policy: its text, checked once, so that whoever holds a [`Pattern`] holds a valid one.
//!
//! The language: a pattern is anchored and covers the whole path; `*` stays within a component; `**/` is zero or more
//! directories; `**` elsewhere crosses slashes; `?` is one character other than `/`; everything else is literal. A
//! character is one code point of valid UTF-8 or one byte that cannot be decoded. The same text means the same thing
//! wherever Cordon takes a pattern: allow, deny, scratch zones, protected paths.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::escape;
use crate::error::Error;

mod program;
mod reach;
mod set;
mod token;
mod translate;
pub mod witness;

pub use set::PatternSet;

/// The longest pattern, in characters.
pub const MAX_CHARS: usize = 512;

/// The text of a valid pattern.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern(Box<str>);

impl Pattern {
    /// The pattern that `source` says, or why it is none.
    pub fn parse(source: &str) -> Result<Self, Error> {
        match fault(source) {
            None => Ok(Pattern(source.into())),
            Some((what, hint)) => {
                let shown = escape::typed(source.as_bytes());
                Err(Error::usage(format!("pattern `{shown}` {what}")).hint(hint))
            }
        }
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Why the pattern covers no path whatever, and what to write instead; `None` if it covers any.
    pub fn futility(&self) -> Option<String> {
        if reach::covers_any(&token::tokens(&self.0)) {
            return None;
        }
        let components: Vec<&str> = self.0.split('/').filter(|component| !component.is_empty()).collect();
        let (name, ends) = (components.join("/"), self.0.ends_with('/'));
        let below = if !ends || name.ends_with("**") { "" } else { "/**" };
        let why = if ends { "ends in a slash, as no file does" } else { "has an empty component, as no path does" };
        Some(format!("{why}; write {name}{below}"))
    }

    /// Whether the pattern names the first component of what it covers.
    pub fn begins_literally(&self) -> bool {
        self.0.split('/').next().is_some_and(|first| !first.contains(['*', '?']))
    }

    /// Whether the pattern may cover a path below a directory, by its components before the first wildcard.
    pub fn may_cover_below(&self, directory: &[u8]) -> bool {
        let mut components = self.0.as_bytes().split(|byte| *byte == b'/');
        let mut above = directory.split(|byte| *byte == b'/').filter(|component| !component.is_empty());
        loop {
            match (components.next(), above.next()) {
                (Some(component), _) if component.contains(&b'*') || component.contains(&b'?') => return true,
                (Some(_), None) => return true,
                (Some(component), Some(name)) if component == name => {}
                _ => return false,
            }
        }
    }
}

/// What is wrong with a pattern, and what to write instead.
fn fault(source: &str) -> Option<(&'static str, &'static str)> {
    let dots = |component| matches!(component, "." | "..");
    if source.is_empty() {
        Some(("is empty", "Write `**` for every path, or a path relative to the repository root."))
    } else if source.chars().nth(MAX_CHARS).is_some() {
        Some(("is longer than 512 characters", "Use wildcards, or split it into several patterns."))
    } else if source.contains('\0') {
        Some(("holds a NUL character", "No path holds one; remove it."))
    } else if source.starts_with('/') {
        Some(("starts with a slash", "Patterns are relative to the repository root; drop the leading `/`."))
    } else if source.starts_with("./") {
        Some(("starts with `./`", "Patterns are relative to the repository root; drop the leading `./`."))
    } else if source.split('/').any(dots) {
        Some(("has a component `.` or `..`", "Write the path without detours, as `git ls-files` prints it."))
    } else {
        None
    }
}

impl AsRef<str> for Pattern {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&escape::typed(self.0.as_bytes()))
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({self})")
    }
}

impl std::str::FromStr for Pattern {
    type Err = Error;

    fn from_str(source: &str) -> Result<Self, Error> {
        Pattern::parse(source)
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Pattern::parse(&source).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_can_name_no_path_and_says_why() {
        let long = "x".repeat(513);
        let cases = [
            ("", "is empty"),
            (long.as_str(), "longer than 512"),
            ("a\0b", "NUL"),
            ("/a", "starts with a slash"),
            ("./a", "starts with `./`"),
            (".", "component"),
            ("a/..", "component"),
            ("a/./b", "component"),
            ("**/../b", "component"),
        ];
        for (source, what) in cases {
            let error = Pattern::parse(source).expect_err(source);
            assert!(error.message.contains(what), "{source}: {error}");
            assert_eq!(error.kind, crate::error::Kind::Usage);
            assert_eq!(error.hints.len(), 1);
        }
    }

    #[test]
    fn counts_characters_and_not_bytes() {
        assert!(Pattern::parse(&"\u{e9}".repeat(512)).is_ok());
        assert!(Pattern::parse(&"\u{e9}".repeat(513)).is_err());
    }

    #[test]
    fn takes_dots_that_are_no_detour() {
        for source in ["...", "..a", "a..", ".a/b", "a//b", "a/", " a", "-a", "\\", "[", "{", "!a", "\n"] {
            assert_eq!(Pattern::parse(source).unwrap().as_str(), source);
        }
    }

    #[test]
    fn what_covers_no_path_is_told_with_what_does() {
        for (source, instead) in [
            ("a/", "a/**"),
            ("**/", "**"),
            ("a/**/", "a/**"),
            ("a//b", "a/b"),
            ("**//a", "**/a"),
            ("s?c//x//", "s?c/x/**"),
        ] {
            let told = Pattern::parse(source).unwrap().futility().expect(source);
            assert!(told.ends_with(&format!("; write {instead}")), "{told}");
            assert_eq!(Pattern::parse(instead).unwrap().futility(), None);
        }
        assert_eq!(Pattern::parse("a**//b").unwrap().futility(), None);
    }

    #[test]
    fn shows_hostile_text_escaped_and_stores_it_raw() {
        let pattern = Pattern::parse("a\n\u{1b}[2J").unwrap();
        assert_eq!(pattern.to_string(), "a\\n\\u{1b}[2J");
        assert_eq!(format!("{pattern:?}"), "Pattern(a\\n\\u{1b}[2J)");
        assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""a\n\u001b[2J""#);
        assert!(Pattern::parse("/a\n").unwrap_err().message.starts_with("pattern `/a\\n` "));
    }

    #[test]
    fn reading_validates() {
        assert_eq!(serde_json::from_str::<Pattern>(r#""src/**""#).unwrap().as_str(), "src/**");
        assert!(serde_json::from_str::<Pattern>(r#""../src""#).unwrap_err().to_string().contains("component"));
        assert!(serde_json::from_str::<Pattern>("7").is_err());
    }
}
