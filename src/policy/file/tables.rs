//! Reads single tables of a policy file: each key by its row, each value by what the row takes, each fault by its line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::fault::{Fault, Lines};
use super::keys::{self, KEYS, Key, MAX_TEXT, Row, Takes};
use super::nearest::nearest;
use super::settings::{Settings, Value};
use crate::error::Error;
use crate::policy::command::Command;
use crate::policy::escape::typed;
use crate::policy::pattern::Pattern;

/// Collects faults while tables are read.
pub(super) struct Reader<'a> {
    pub lines: &'a Lines,
    pub faults: Vec<Fault>,
}

/// What the reader gives of a key: the words of a value, or nothing where it is faulty.
type Read<T> = Option<T>;

impl Reader<'_> {
    /// Takes note of a fault.
    pub(super) fn fault(&mut self, span: &Range<usize>, key: &str, what: impl Into<String>, hint: impl Into<String>) {
        let line = self.lines.line(span);
        self.faults.push(Fault { line, key: key.to_owned(), what: what.into(), hint: hint.into() });
    }

    /// A table of keys that hold for a role.
    pub(super) fn settings(&mut self, table: &DeTable<'_>, place: &str) -> Settings {
        let defaults = place == "[defaults]";
        let mut settings = Settings::default();
        for (name, value) in table {
            let full = format!("{place} {}", typed(name.get_ref().as_bytes()));
            match keys::find(name.get_ref()) {
                Some(row) if defaults && !row.in_defaults => self.fault(
                    &name.span(),
                    &full,
                    "cannot be a default",
                    "Write it in each [role.NAME] that it is about.",
                ),
                Some(row) => {
                    if let Some(value) = self.value(row, value, &full) {
                        settings.set(row.key, value);
                    }
                }
                None => {
                    let known = KEYS.iter().filter(|row| !defaults || row.in_defaults).map(|row| row.name);
                    self.unknown_key(name, &full, &known.collect::<Vec<_>>());
                }
            }
        }
        settings
    }

    /// A key that nobody knows.
    pub(super) fn unknown_key(&mut self, name: &Spanned<std::borrow::Cow<'_, str>>, full: &str, known: &[&str]) {
        let hint = match nearest(name.get_ref(), known.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Known here: {}.", known.join(", ")),
        };
        self.fault(&name.span(), full, "is no key that is known here", hint);
    }

    /// What stands where another kind of value is wanted.
    pub(super) fn other_kind(&mut self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &str) {
        let what = format!("takes {wanted}, and this is {}", described(value.get_ref()));
        self.fault(&value.span(), key, what, example(wanted));
    }

    fn value(&mut self, row: &Row, value: &Spanned<DeValue<'_>>, key: &str) -> Read<Value> {
        match row.takes {
            Takes::Globs => {
                let needs_one = matches!(row.key, Key::Allow | Key::Branches);
                if needs_one && value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
                    self.fault(&value.span(), key, "is empty", "Write a pattern, or leave the key out.");
                    return None;
                }
                self.list(value, key, GLOBS, Pattern::parse, |pattern| pattern.as_str().to_owned()).map(Value::Globs)
            }
            Takes::Commands => {
                let parse = |text: &str| Command::parse(text).map(|_| text.to_owned());
                self.list(value, key, COMMANDS, parse, Clone::clone).map(Value::Commands)
            }
            Takes::Number(least, most) => self.number(value, key, least, most).map(Value::Number),
            Takes::Flag => match value.get_ref() {
                DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
                _ => self.wrong(value, key, FLAG),
            },
            Takes::Text => match value.get_ref() {
                DeValue::String(text) if text.trim().is_empty() => {
                    self.fault(&value.span(), key, "is blank", "Say it in words, or leave the key out.");
                    None
                }
                DeValue::String(text) if text.chars().nth(MAX_TEXT).is_some() => {
                    let what = format!("is longer than {MAX_TEXT} characters");
                    self.fault(&value.span(), key, what, "Keep it short.");
                    None
                }
                DeValue::String(text) => Some(Value::Text(text.to_string())),
                _ => self.wrong(value, key, TEXT),
            },
        }
    }

    fn wrong<T>(&mut self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &str) -> Read<T> {
        self.other_kind(value, key, wanted);
        None
    }

    /// The items of a list, each by itself valid and none twice.
    fn list<T>(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        key: &str,
        wanted: &str,
        parse: impl Fn(&str) -> Result<T, Error>,
        name: impl Fn(&T) -> String,
    ) -> Read<Vec<T>> {
        let DeValue::Array(array) = value.get_ref() else { return self.wrong(value, key, wanted) };
        let mut items: Vec<T> = Vec::with_capacity(array.len());
        for item in array as &DeArray<'_> {
            let DeValue::String(text) = item.get_ref() else {
                self.other_kind(item, key, wanted);
                continue;
            };
            match parse(text) {
                Ok(parsed) if items.iter().any(|known| name(known) == name(&parsed)) => {
                    let what = format!("has `{}` twice", typed(text.as_bytes()));
                    self.fault(&item.span(), key, what, "Remove one of the two.");
                }
                Ok(parsed) => items.push(parsed),
                Err(error) => {
                    let hint = error.hints.into_iter().next().unwrap_or_default();
                    self.fault(&item.span(), key, error.message, hint);
                }
            }
        }
        Some(items)
    }

    /// A whole number between two.
    pub(super) fn number(&mut self, value: &Spanned<DeValue<'_>>, key: &str, least: u64, most: u64) -> Read<u64> {
        let DeValue::Integer(integer) = value.get_ref() else { return self.wrong(value, key, NUMBER) };
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let upper = if most == i64::MAX.unsigned_abs() { String::new() } else { format!(" to {most}") };
            let what = format!("takes a whole number from {least}{upper}, got {}", typed(integer.as_str().as_bytes()));
            self.fault(&value.span(), key, what, "Write a number in that range.");
        }
        number
    }
}

const GLOBS: &str = "a list of patterns";
const COMMANDS: &str = "a list of commands";
const FLAG: &str = "true or false";
const TEXT: &str = "a string";
/// What a number is called.
pub(super) const NUMBER: &str = "a whole number";
/// What a table is called.
pub(super) const TABLE: &str = "a table";

fn example(wanted: &str) -> String {
    let example = match wanted {
        GLOBS => r#"Write, for example, ["src/**", "tests/**"]."#,
        COMMANDS => r#"Write, for example, ["cargo test"]."#,
        FLAG => "Write true or false, without quotation marks.",
        TEXT => r#"Write words in quotation marks, for example "the documentation team"."#,
        TABLE => "Write [NAME] on a line of its own, and the keys below it.",
        _ => "Write the number alone, without quotation marks.",
    };
    example.to_owned()
}

fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
