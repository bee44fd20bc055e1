//! The JSON Schema of `cordon.toml`, for editors: made from the table of keys, so that it cannot tell another story.

use serde_json::{Map, Value, json};

use super::keys::{KEYS, MAX_TEXT, Row, Takes};
use super::read::VERSION;
use crate::policy::command::{self, MAX_COMMANDS};
use crate::policy::envelope::MAX_PATTERNS;
use crate::policy::pattern::MAX_CHARS;

/// What a pattern may not be: absolute, or with a component `.` or `..`.
const PATTERN: &str = r"^(?!/)(?!(.*/)?\.\.?(/|$))";

/// The schema.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cordon.toml",
        "description": "What each role may change, how much of it, and what must pass.",
        "type": "object",
        "required": ["version"],
        "additionalProperties": false,
        "properties": {
            "version": { "const": VERSION, "description": "The version of this form." },
            "defaults": table("What holds for every role that does not say otherwise.", |row| row.in_defaults),
            "role": {
                "type": "object",
                "description": "The roles, by name.",
                "propertyNames": { "pattern": r"^[^-\s/\\][^\s/\\]*$", "maxLength": 64 },
                "additionalProperties": table("One role.", |_| true),
            },
            "gate": {
                "type": "object",
                "description": "How `cordon gate` finds the role of a branch.",
                "additionalProperties": false,
                "properties": {
                    "role": { "type": "string", "description": "The role of branches that no role claims; without it they are refused." },
                },
            },
        },
    })
}

fn table(description: &str, wanted: impl Fn(&Row) -> bool) -> Value {
    let rows = KEYS.iter().filter(|row| wanted(row));
    let properties: Map<String, Value> = rows.map(|row| (row.name.to_owned(), property(row))).collect();
    json!({ "type": "object", "description": description, "additionalProperties": false, "properties": properties })
}

fn property(row: &Row) -> Value {
    let mut value = match row.takes {
        Takes::Globs => json!({
            "type": "array",
            "maxItems": MAX_PATTERNS,
            "uniqueItems": true,
            "items": { "type": "string", "minLength": 1, "maxLength": MAX_CHARS, "pattern": PATTERN },
        }),
        Takes::Commands => json!({
            "type": "array",
            "maxItems": MAX_COMMANDS,
            "uniqueItems": true,
            "items": { "type": "string", "minLength": 1, "maxLength": command::MAX_CHARS },
        }),
        Takes::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Takes::Flag => json!({ "type": "boolean" }),
        Takes::Text => json!({ "type": "string", "minLength": 1, "maxLength": MAX_TEXT }),
    };
    value["description"] = Value::from(row.what);
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::file::read;

    fn verdicts(text: &str) -> (bool, bool) {
        let value: Value = toml::from_str(text).unwrap();
        (read::check(text.as_bytes()).is_ok(), jsonschema::is_valid(&schema(), &value))
    }

    #[test]
    fn the_schema_takes_every_key_and_what_the_reader_takes() {
        let keys: Vec<String> = KEYS
            .iter()
            .map(|row| {
                let value = match row.takes {
                    Takes::Globs => r#"["src/**", ".x/..y"]"#.to_owned(),
                    Takes::Commands => r#"["cargo test"]"#.to_owned(),
                    Takes::Number(least, _) => least.to_string(),
                    Takes::Flag => "true".to_owned(),
                    Takes::Text => r#""Jane""#.to_owned(),
                };
                format!("{} = {value}\n", row.name)
            })
            .map(|line| line.replace("deny = [\"src/**\", \".x/..y\"]", "deny = [\"src/a\"]"))
            .collect();
        let text = format!("version = 1\n[gate]\nrole = \"a\"\n[role.a]\n{}", keys.concat());
        assert_eq!(verdicts(&text), (true, true), "{text}");
    }

    #[test]
    fn the_schema_refuses_what_the_reader_refuses() {
        let ok = "version = 1\n[role.a]\nallow = [\"src/**\"]\n";
        assert_eq!(verdicts(ok), (true, true));
        for (from, to) in [
            ("version = 1", "version = 2"),
            ("version = 1", ""),
            ("version = 1", "version = 1\nmore = 1"),
            ("allow", "alow"),
            ("src/**", "/src"),
            ("src/**", ""),
            ("src/**", "./src"),
            ("src/**", "src/../x"),
            ("src/**", "src/.."),
            ("[\"src/**\"]", "\"src/**\""),
            ("[\"src/**\"]", "[\"a\", \"a\"]"),
            ("allow", "max_files = -1\nallow"),
            ("allow", "max_attempts = 0\nallow"),
            ("allow", "verify_timeout = 86401\nallow"),
            ("allow", "allow_commits = 1\nallow"),
            ("allow", "owner = \"\"\nallow"),
            ("[role.a]", "[defaults]\nbranches = [\"x\"]\n[role.a]"),
            ("[role.a]", "[gate]\nroles = \"a\"\n[role.a]"),
            ("[role.a]", "[role.\"-x\"]"),
        ] {
            let text = ok.replacen(from, to, 1);
            assert_ne!(text, ok);
            assert_eq!(verdicts(&text), (false, false), "{text}");
        }
    }
}
