//! PURE. One line of a ledger, read without trust: the fields that its type must have and no others, each of its form.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use serde_json::value::RawValue;

use super::id;
use super::record::{
    Backend, Confinement, Digest, Effect, EntryType, Event, Finished, Outcome, Profile, Side, Started,
};
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;

/// A record of a ledger and the digest that ties it to the one before.
pub(super) struct Line {
    /// The digest of the line before, as it is written.
    pub(super) prev: String,
    /// The record.
    pub(super) record: Record,
}

/// What a line may be.
pub(super) enum Record {
    /// The first record.
    Started(Started),
    /// A net effect.
    Event(Event),
    /// The last record.
    Finished(Finished),
}

/// The fields of a record: its type, those that it must have, and those that it may have. All have `prev`, `ts`, `type`.
struct Shape {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const COMMON: [&str; 3] = ["prev", "ts", "type"];

const SHAPES: [Shape; 7] = [
    Shape {
        name: "session.started",
        required: &["actor", "command", "id", "spec"],
        optional: &["confinement_backend", "confinement_profile", "confinement_signal_scope"],
    },
    Shape { name: "file.created", required: &["entry_type", "hash", "path", "size"], optional: &["mode", "target"] },
    Shape { name: "file.deleted", required: &["entry_type", "hash_before", "path"], optional: &[] },
    Shape { name: "file.metadata_modified", required: &["mode_after", "mode_before", "path"], optional: &[] },
    Shape {
        name: "file.modified",
        required: &[
            "entry_type_after",
            "entry_type_before",
            "hash_after",
            "hash_before",
            "path",
            "size_after",
            "size_before",
        ],
        optional: &["mode_after", "mode_before"],
    },
    Shape { name: "file.renamed", required: &["hash", "path", "path_before", "size"], optional: &[] },
    Shape { name: "session.finished", required: &["duration_s", "exit_code", "outcome"], optional: &[] },
];

/// The fields that version 0.2 demands of the first record, and version 0.1 does not have.
const CONFINEMENT: &[&str] = &["confinement_backend", "confinement_profile", "confinement_signal_scope"];

/// Why a line is none, in words that are safe to show.
pub(super) type Reason = String;

/// Reads a line.
pub(super) fn line(bytes: &[u8]) -> Result<Line, Reason> {
    let fields = Fields::parse(bytes)?;
    let name = fields.name("type")?;
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    let shape = shape.ok_or_else(|| format!("has the unknown type `{}`", plain(name.as_bytes())))?;
    fields.require(shape)?;
    let record = match shape.name {
        "session.started" => Record::Started(started(&fields)?),
        "session.finished" => Record::Finished(finished(&fields)?),
        _ => Record::Event(Event { effect: effect(&fields, shape.name)?, ts: fields.timestamp()? }),
    };
    Ok(Line { prev: fields.name("prev")?, record })
}

fn started(fields: &Fields<'_>) -> Result<Started, Reason> {
    let confinement = match fields.name("spec")?.as_str() {
        "0.1" => {
            fields.refuse(CONFINEMENT, "of version 0.1 has the fields of version 0.2")?;
            None
        }
        "0.2" => {
            fields.demand(CONFINEMENT)?;
            Some(Confinement {
                backend: fields.variant("confinement_backend", Backend::named)?,
                profile: fields.variant("confinement_profile", Profile::named)?,
                signal_scope: fields.get("confinement_signal_scope", "no truth value")?,
            })
        }
        other => return Err(format!("has the unknown version `{}`", plain(other.as_bytes()))),
    };
    let id = fields.name("id")?;
    if !id::is_id(id.as_bytes()) {
        return Err(format!("names the session `{}`, which is no ULID", plain(id.as_bytes())));
    }
    Ok(Started {
        id,
        actor: fields.get("actor", "no text")?,
        command: fields.get("command", "no list of words")?,
        confinement,
        ts: fields.timestamp()?,
    })
}

fn finished(fields: &Fields<'_>) -> Result<Finished, Reason> {
    let duration: Number = fields.get("duration_s", "no number")?;
    if duration.as_f64().is_none_or(f64::is_sign_negative) {
        return Err("has a negative `duration_s`".into());
    }
    Ok(Finished {
        outcome: fields.variant("outcome", Outcome::named)?,
        exit_code: fields.get("exit_code", "no whole number")?,
        duration_s: duration,
        ts: fields.timestamp()?,
    })
}

fn effect(fields: &Fields<'_>, name: &str) -> Result<Effect, Reason> {
    let path = fields.path("path")?;
    Ok(match name {
        "file.created" => {
            let side = fields.side("entry_type", "hash", "size", "mode")?;
            let target = if fields.has("target") { Some(fields.get("target", "no text")?) } else { None };
            if target.is_some() && side.entry_type != EntryType::Symlink {
                return Err("has a `target` and is no link".into());
            }
            Effect::Created { path, side, target }
        }
        "file.deleted" => Effect::Deleted {
            path,
            entry_type: fields.variant("entry_type", EntryType::named)?,
            digest: fields.digest("hash_before")?,
        },
        "file.metadata_modified" => {
            let (before, after) = (fields.mode("mode_before")?, fields.mode("mode_after")?);
            let (Some(before), Some(after)) = (before, after) else { return Err("lacks a mode".into()) };
            if before == after {
                return Err("tells of permissions that did not change".into());
            }
            Effect::MetadataModified { path, before, after }
        }
        "file.modified" => {
            let before = fields.side("entry_type_before", "hash_before", "size_before", "mode_before")?;
            let after = fields.side("entry_type_after", "hash_after", "size_after", "mode_after")?;
            if (before.entry_type, before.digest) == (after.entry_type, after.digest) {
                return Err("tells of a content that did not change".into());
            }
            Effect::Modified { path, before, after }
        }
        _ => {
            let path_before = fields.path("path_before")?;
            if path_before == path {
                return Err("tells of a rename to the same path".into());
            }
            Effect::Renamed { path, path_before, digest: fields.digest("hash")?, size: fields.size("size")? }
        }
    })
}

/// The fields of a line, each as the JSON that it holds.
struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, Reason> {
        serde_json::from_slice(bytes).map_err(|error| {
            if !error.is_data() {
                return "is not valid JSON".into();
            }
            let told = error.to_string();
            // Where in the line it is says nothing to whoever reads it.
            let what = told.rsplit_once(" at line ").map_or(&*told, |(what, _)| what);
            format!("is no record: {}", plain(what.as_bytes()))
        })
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Refuses a line that lacks what its shape demands, or has what its shape does not know.
    fn require(&self, shape: &Shape) -> Result<(), Reason> {
        self.demand(&COMMON)?;
        self.demand(shape.required)?;
        let known = |name: &str| [&COMMON[..], shape.required, shape.optional].iter().any(|list| list.contains(&name));
        let unknown: Vec<String> =
            self.0.keys().filter(|name| !known(name)).map(|name| plain(name.as_bytes())).collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("has unknown fields: {}", unknown.join(", "))) }
    }

    fn demand(&self, names: &[&str]) -> Result<(), Reason> {
        let missing: Vec<&str> = names.iter().copied().filter(|name| !self.has(name)).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("lacks fields: {}", missing.join(", "))) }
    }

    fn refuse(&self, names: &[&str], why: &str) -> Result<(), Reason> {
        if names.iter().any(|name| self.has(name)) { Err(why.into()) } else { Ok(()) }
    }

    fn get<'b, T: Deserialize<'b>>(&'b self, name: &str, otherwise: &str) -> Result<T, Reason> {
        let raw = self.0.get(name).ok_or_else(|| format!("lacks fields: {name}"))?;
        serde_json::from_str(raw.get()).map_err(|_| format!("has a `{name}` that is {otherwise}"))
    }

    /// A string without escapes for bytes.
    fn name(&self, name: &str) -> Result<String, Reason> {
        self.get(name, "no text")
    }

    fn variant<T>(&self, name: &str, named: impl Fn(&str) -> Option<T>) -> Result<T, Reason> {
        let value = self.name(name)?;
        named(&value).ok_or_else(|| format!("has the unknown `{name}` `{}`", plain(value.as_bytes())))
    }

    /// A path that stays where it belongs.
    fn path(&self, name: &str) -> Result<RepoPath, Reason> {
        let path: RepoPath = self.get(name, "no text")?;
        let bytes = path.as_bytes();
        let strays = bytes.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b".."));
        if strays || bytes.contains(&0) {
            return Err(format!("has a `{name}` that is no relative path: `{}`", path.plain()));
        }
        Ok(path)
    }

    fn digest(&self, name: &str) -> Result<Digest, Reason> {
        let text = self.name(name)?;
        digest(&text).ok_or_else(|| format!("has a `{name}` that is no SHA-256 in 64 lower-case digits"))
    }

    fn size(&self, name: &str) -> Result<u64, Reason> {
        self.get(name, "no size in bytes")
    }

    fn mode(&self, name: &str) -> Result<Option<u16>, Reason> {
        if !self.has(name) {
            return Ok(None);
        }
        let text = self.name(name)?;
        // The canonical form refuses every other way to write the same number.
        let mode = u16::from_str_radix(&text, 8).ok().filter(|mode| *mode <= 0o7777);
        mode.map(Some).ok_or_else(|| format!("has a `{name}` that is no mode in octal digits"))
    }

    fn side(&self, entry_type: &str, hash: &str, size: &str, mode: &str) -> Result<Side, Reason> {
        Ok(Side {
            entry_type: self.variant(entry_type, EntryType::named)?,
            digest: self.digest(hash)?,
            size: self.size(size)?,
            mode: self.mode(mode)?,
        })
    }

    fn timestamp(&self) -> Result<String, Reason> {
        let text = self.name("ts")?;
        if is_timestamp(&text) {
            return Ok(text);
        }
        Err(format!("has a `ts` that is no time in UTC: `{}`", plain(text.as_bytes())))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if fields.contains_key(&name) {
                        return Err(de::Error::custom(format!("the field `{name}` stands there twice")));
                    }
                    fields.insert(name, value);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Names)
    }
}

/// The bytes of 64 lower-case hexadecimal digits.
fn digest(text: &str) -> Option<Digest> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 64 || !text.bytes().all(is_digit) {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(digest)
}

/// `2026-07-19T09:12:44Z`, also with a fraction of a second.
fn is_timestamp(text: &str) -> bool {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let Some((whole, rest)) = text.as_bytes().split_at_checked(FORM.len()) else { return false };
    let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
    let fraction = match rest {
        b"Z" => true,
        [b'.', digits @ .., b'Z'] => (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    fraction && whole.iter().zip(FORM).all(fits) && text.parse::<jiff::Timestamp>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_one_form_and_exist() {
        for text in ["2026-07-19T09:12:44Z", "2024-02-29T00:00:00Z", "2026-07-19T09:12:44.5Z"] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "",
            "Z",
            "2026-07-19",
            "2026-07-19T09:12:44",
            "2026-07-19 09:12:44Z",
            "2026-07-19t09:12:44z",
            "2026-07-19T09:12:44+00:00",
            "2026-07-19T09:12:44.Z",
            "2026-13-19T09:12:44Z",
            "2025-02-29T00:00:00Z",
            "2026-07-19T25:12:44Z",
            "2026-07-19T09:12:44Z[UTC]",
            "\u{e9}026-07-19T09:12:44Z",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn digests_are_64_lower_case_digits() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(crate::snapshot::digest::hex(&digest(&text).unwrap()), text);
        for text in ["", "00", &text[1..], &text.to_uppercase(), &"+1".repeat(32), &"\u{e9}".repeat(32)] {
            assert_eq!(digest(text), None, "{text}");
        }
    }
}
