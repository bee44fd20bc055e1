//! The one path type: a repository-relative path as raw bytes, from the disk to the output.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use super::escape;

/// The longest path that a system call of Linux takes, in bytes, its end included: behind a longer one nothing is found.
pub const PATH_MAX: usize = 4096;

/// A repository-relative path: raw bytes, components separated by `/`, no leading or trailing slash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RepoPath(Box<[u8]>);

impl RepoPath {
    /// The path with these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        RepoPath(bytes.into().into_boxed_slice())
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// This directory's entry called `name`.
    #[must_use]
    pub fn join(&self, name: &[u8]) -> Self {
        if self.is_root() {
            return RepoPath::new(name);
        }
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.len());
        bytes.extend_from_slice(&self.0);
        bytes.push(b'/');
        bytes.extend_from_slice(name);
        RepoPath::new(bytes)
    }

    /// The directory that holds this path; the root's own parent is the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        let cut = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        RepoPath::new(&self.0[..cut])
    }

    /// The last component.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Whether this path is `dir` or lies below it.
    pub fn is_within(&self, dir: &[u8]) -> bool {
        match self.0.strip_prefix(dir) {
            Some(rest) => dir.is_empty() || rest.is_empty() || rest[0] == b'/',
            None => false,
        }
    }

    /// The path as text that is safe to show, see [`escape::plain`].
    pub fn plain(&self) -> String {
        escape::plain(&self.0)
    }
}

impl AsRef<[u8]> for RepoPath {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl std::borrow::Borrow<[u8]> for RepoPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for RepoPath {
    fn from(bytes: &[u8]) -> Self {
        RepoPath::new(bytes)
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        RepoPath::new(text.as_bytes())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.plain())
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_bytes(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_bytes(deserializer).map(RepoPath::new)
    }
}

/// Writes raw bytes as a JSON string with `\udcNN` escapes. Only for JSON values, never for keys: it goes through a raw
/// value.
pub(super) fn serialize_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(escape::json_string(bytes)).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// Reads a JSON string that may hold `\udcNN` escapes back into raw bytes.
pub(super) fn deserialize_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Visitor;
    impl de::Visitor<'_> for Visitor {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(text.as_bytes().to_vec())
        }
        fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            escape::from_wtf8(bytes).ok_or_else(|| E::custom("a lone surrogate that stands for no byte"))
        }
    }
    deserializer.deserialize_bytes(Visitor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_empty_path_and_its_own_parent() {
        let root = RepoPath::new("");
        assert!(root.is_root());
        assert_eq!(root.parent(), root);
        assert_eq!(root.name(), b"");
        assert_eq!(root.join(b"a"), RepoPath::from("a"));
    }

    #[test]
    fn join_undoes_parent_and_name() {
        for text in ["a", "a/b", "a/b/\u{e9}", "a\n/b"] {
            let path = RepoPath::from(text);
            assert_eq!(path.parent().join(path.name()), path);
        }
    }

    #[test]
    fn lies_within_whole_components_only() {
        let path = RepoPath::from("src/parser/a");
        for dir in ["", "src", "src/parser", "src/parser/a"] {
            assert!(path.is_within(dir.as_bytes()), "{dir}");
        }
        for dir in ["sr", "src/pars", "parser", "src/parser/a/b"] {
            assert!(!path.is_within(dir.as_bytes()), "{dir}");
        }
    }

    #[test]
    fn is_shown_escaped() {
        assert_eq!(format!("{:?}", RepoPath::new(b"a\xff\n".as_slice())), r#""a\xff\n""#);
    }
}
