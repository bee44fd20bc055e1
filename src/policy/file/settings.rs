//! The values of some keys: what a table of the file says, what the command line says, and the two merged.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::keys::{Key, Merge};
use crate::policy::envelope::Envelope;
use crate::policy::limits::Limits;
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;

/// What a key says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Patterns.
    Globs(Vec<Pattern>),
    /// Commands.
    Commands(Vec<String>),
    /// A number.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// Words.
    Text(String),
}

/// Keys with their values; what no value says has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    values: BTreeMap<Key, Value>,
}

impl Settings {
    /// Gives a key a value.
    pub fn set(&mut self, key: Key, value: Value) {
        self.values.insert(key, value);
    }

    /// The same with patterns, unless there are none.
    #[must_use]
    pub fn with_globs(mut self, key: Key, globs: Vec<Pattern>) -> Settings {
        if !globs.is_empty() {
            self.set(key, Value::Globs(globs));
        }
        self
    }

    /// The same with a number, if there is one.
    #[must_use]
    pub fn with_number(mut self, key: Key, number: Option<u64>) -> Settings {
        if let Some(number) = number {
            self.set(key, Value::Number(number));
        }
        self
    }

    /// What a key says.
    pub fn get(&self, key: Key) -> Option<&Value> {
        self.values.get(&key)
    }

    /// Every key that says something, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &Value)> {
        self.values.iter().map(|(key, value)| (*key, value))
    }

    /// These values with those of `further` added to them or in their place, as the table says for each key.
    #[must_use]
    pub fn with(&self, further: &Settings) -> Settings {
        let mut merged = self.clone();
        for (key, value) in &further.values {
            let value = match (key.row().merge, merged.values.remove(key)) {
                (Merge::Adds, Some(known)) => known.and(value),
                _ => value.clone(),
            };
            merged.values.insert(*key, value);
        }
        merged
    }

    /// The patterns of a key.
    pub fn globs(&self, key: Key) -> &[Pattern] {
        match self.get(key) {
            Some(Value::Globs(globs)) => globs,
            _ => &[],
        }
    }

    /// The number of a key.
    pub fn number(&self, key: Key) -> Option<u64> {
        match self.get(key) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Whether a key says `true`.
    pub fn flag(&self, key: Key) -> bool {
        self.get(key) == Some(&Value::Flag(true))
    }

    /// The verifiers.
    pub fn verify(&self) -> &[String] {
        match self.get(Key::Verify) {
            Some(Value::Commands(commands)) => commands,
            _ => &[],
        }
    }

    /// Whom to ask.
    pub fn owner(&self) -> Option<&str> {
        match self.get(Key::Owner) {
            Some(Value::Text(owner)) => Some(owner),
            _ => None,
        }
    }

    /// How many seconds a verifier has.
    pub fn verify_timeout(&self) -> u64 {
        self.number(Key::VerifyTimeout).unwrap_or(crate::policy::limits::VERIFY_TIMEOUT)
    }

    /// How many attempts an agent has.
    pub fn max_attempts(&self) -> u32 {
        let number = self.number(Key::MaxAttempts).and_then(|number| u32::try_from(number).ok());
        number.unwrap_or(crate::policy::limits::ATTEMPTS)
    }

    /// The envelope that these values describe.
    pub fn envelope(&self) -> Envelope {
        let ordinary = Limits::default();
        Envelope {
            allow: self.globs(Key::Allow).to_vec(),
            deny: self.globs(Key::Deny).to_vec(),
            limits: Limits {
                max_files: self.number(Key::MaxFiles).unwrap_or(ordinary.max_files),
                max_added_lines: self.number(Key::MaxAddedLines).unwrap_or(ordinary.max_added_lines),
                max_deleted_lines: self.number(Key::MaxDeletedLines).unwrap_or(ordinary.max_deleted_lines),
                max_working_bytes: self.number(Key::MaxWorkingBytes).unwrap_or(ordinary.max_working_bytes),
                max_binary_files: self.number(Key::MaxBinaryFiles).unwrap_or(ordinary.max_binary_files),
            },
            allow_commits: self.flag(Key::AllowCommits),
        }
    }

    /// What holds beside the envelope.
    pub fn audit(&self) -> AuditOptions {
        AuditOptions {
            scratch: self.globs(Key::Scratch).to_vec(),
            allow_ignored: self.globs(Key::AllowIgnored).to_vec(),
            protect: self.globs(Key::Protect).to_vec(),
            allow_protected: self.globs(Key::AllowProtected).to_vec(),
            uncounted: self.globs(Key::Uncounted).to_vec(),
            ..AuditOptions::default()
        }
    }
}

impl Value {
    /// Two values of a key that adds up, each item once.
    fn and(self, more: &Value) -> Value {
        fn joined<T: PartialEq + Clone>(mut list: Vec<T>, more: &[T]) -> Vec<T> {
            for item in more {
                if !list.contains(item) {
                    list.push(item.clone());
                }
            }
            list
        }
        match (self, more) {
            (Value::Globs(list), Value::Globs(more)) => Value::Globs(joined(list, more)),
            (Value::Commands(list), Value::Commands(more)) => Value::Commands(joined(list, more)),
            (_, more) => more.clone(),
        }
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.values.iter().map(|(key, value)| (key.row().name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
    }

    #[test]
    fn what_only_tightens_adds_up_and_the_rest_replaces() {
        let team = Settings::default()
            .with_globs(Key::Allow, globs(&["src/**"]))
            .with_globs(Key::Deny, globs(&["a", "b"]))
            .with_number(Key::MaxFiles, Some(5))
            .with_number(Key::MaxAttempts, Some(7));
        let own = Settings::default()
            .with_globs(Key::Allow, globs(&["docs/**"]))
            .with_globs(Key::Deny, globs(&["b", "c"]))
            .with_number(Key::MaxFiles, Some(9));
        let merged = team.with(&own);
        assert_eq!(merged.globs(Key::Allow), globs(&["docs/**"]));
        assert_eq!(merged.globs(Key::Deny), globs(&["a", "b", "c"]));
        assert_eq!((merged.number(Key::MaxFiles), merged.max_attempts()), (Some(9), 7));
        assert_eq!(
            serde_json::to_string(&merged).unwrap(),
            r#"{"allow":["docs/**"],"deny":["a","b","c"],"max_files":9,"max_attempts":7}"#
        );
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        let nothing = Settings::default();
        assert_eq!(nothing.envelope().limits, Limits::default());
        assert_eq!(nothing.audit(), AuditOptions::default());
        assert_eq!((nothing.verify_timeout(), nothing.max_attempts(), nothing.verify().len()), (300, 3, 0));
        assert!(!nothing.envelope().allow_commits && nothing.owner().is_none());
    }
}
