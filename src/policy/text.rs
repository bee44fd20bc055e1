//! A message for people that may quote raw names: bytes until the moment it is written out.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::escape;
use super::path::{RepoPath, deserialize_bytes, serialize_bytes};

/// Text with raw names in it. JSON writes undecodable bytes as `\udcNN`, people see [`escape::plain`].
#[derive(Clone, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Text(Vec<u8>);

impl Text {
    /// Text from raw bytes, such as a program's output.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Text(bytes.into())
    }

    /// Appends plain words.
    #[must_use]
    pub fn word(mut self, words: impl AsRef<str>) -> Self {
        self.0.extend_from_slice(words.as_ref().as_bytes());
        self
    }

    /// Appends a path as it is.
    #[must_use]
    pub fn path(mut self, path: &RepoPath) -> Self {
        self.0.extend_from_slice(path.as_bytes());
        self
    }

    /// Appends another text as it is.
    #[must_use]
    pub fn raw(mut self, other: &Text) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text as one line that is safe to show.
    pub fn plain(&self) -> String {
        escape::plain(&self.0)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.as_bytes().to_vec())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(text.into_bytes())
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.plain())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_bytes(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_bytes(deserializer).map(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_names_raw_in_json_and_escaped_for_people() {
        let text = Text::default().word("path outside policy: ").path(&RepoPath::new(b"a\xff\n".as_slice()));
        assert_eq!(text.plain(), "path outside policy: a\\xff\\n");
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(json, r#""path outside policy: a\udcff\n""#);
        assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text);
        assert!(!text.is_empty());
        assert!(Text::default().is_empty());
    }
}
