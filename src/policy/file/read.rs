//! Reads a policy file as a whole: its version, its tables, and what only several keys together can have wrong.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{self, Fault, Lines};
use super::keys::Key;
use super::nearest::nearest;
use super::role::{PolicyFile, Role};
use super::settings::Settings;
use super::tables::{NUMBER, Reader, TABLE};
use crate::error::Error;
use crate::policy::command;
use crate::policy::escape::typed;
use crate::policy::fold;
use crate::policy::pattern::witness::{self, Witness};

/// The name of the file, at the root of the repository.
pub const NAME: &str = "cordon.toml";

/// The version of the form that this program reads.
pub const VERSION: u64 = 1;

/// A larger file was not written by hand.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The longest name of a role, in characters.
const MAX_NAME: usize = 64;

/// The tables at the top, and the one key.
const TOP: [&str; 4] = ["version", "defaults", "role", "gate"];

/// What the file says. `file` is how messages call it.
pub fn read(file: &str, bytes: &[u8]) -> Result<PolicyFile, Error> {
    check(bytes).map_err(|faults| fault::error(file, &faults))
}

/// What the file says, or everything that is wrong with it, line by line.
pub fn check(bytes: &[u8]) -> Result<PolicyFile, Vec<Fault>> {
    let whole = |what: &str, hint: &str| {
        Err(vec![Fault { line: 1, key: String::new(), what: what.to_owned(), hint: hint.to_owned() }])
    };
    if bytes.len() > MAX_BYTES {
        return whole("is larger than 1 MiB", "Write patterns with wildcards instead of lists of files.");
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return whole("is not UTF-8", "Save it as UTF-8, which is what TOML is written in.");
    };
    let lines = Lines::of(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { lines: &lines, faults: Vec::new() };
    for error in &errors {
        syntax(&mut reader, text, error);
    }
    // What could not be parsed would be missed below, and be told as a fault that nobody made.
    let file = if errors.is_empty() { document(&mut reader, table.get_ref()) } else { PolicyFile::default() };
    let mut faults = reader.faults;
    if faults.is_empty() {
        return Ok(file);
    }
    faults.sort();
    Err(faults)
}

fn syntax(reader: &mut Reader<'_>, text: &str, error: &toml::de::Error) {
    let span = error.span().unwrap_or(0..0);
    let at = text.get(span.clone()).unwrap_or_default();
    let duplicate = error.message().contains("duplicate key");
    let (key, hint) = if duplicate {
        (typed(at.as_bytes()), "Remove one of the two, or put their values into one.")
    } else {
        (String::new(), "The file is TOML: keys and values as `key = value`, tables as `[name]`.")
    };
    let what = if duplicate { "stands here twice".to_owned() } else { typed(error.message().as_bytes()) };
    reader.fault(&span, &key, what, hint);
}

fn document(reader: &mut Reader<'_>, table: &DeTable<'_>) -> PolicyFile {
    version(reader, table);
    let mut file = PolicyFile::default();
    let defaults = match table.get("defaults") {
        Some(value) => reader.table(value, "[defaults]").map(|table| reader.settings(table, "[defaults]")),
        None => None,
    };
    file.owner = defaults.as_ref().and_then(|defaults| defaults.owner()).map(str::to_owned);
    for (name, value) in table {
        match name.get_ref().as_ref() {
            "version" | "defaults" | "gate" => {}
            "role" => file.roles = roles(reader, value, &defaults.clone().unwrap_or_default()),
            _ => reader.unknown_key(name, &typed(name.get_ref().as_bytes()), &TOP),
        }
    }
    if let Some(gate) = table.get("gate") {
        file.gate_role = self::gate(reader, gate, &file.roles);
    }
    file
}

fn version(reader: &mut Reader<'_>, table: &DeTable<'_>) {
    let Some(value) = table.get("version") else {
        reader.fault(&(0..0), "version", "is missing", format!("Begin the file with version = {VERSION}."));
        return;
    };
    match value.get_ref() {
        DeValue::Integer(integer) if integer.as_str() == VERSION.to_string() => {}
        DeValue::Integer(integer) => {
            let what = format!("is {}, and this program reads version {VERSION}", typed(integer.as_str().as_bytes()));
            reader.fault(&value.span(), "version", what, "Use a Cordon that reads it, or write the file in this form.");
        }
        _ => reader.other_kind(value, "version", NUMBER),
    }
}

fn roles(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, defaults: &Settings) -> Vec<Role> {
    let Some(tables) = reader.table(value, "[role]") else { return Vec::new() };
    let mut roles = Vec::new();
    let mut spans = Vec::new();
    for (name, value) in tables {
        let place = format!("[role.{}]", typed(name.get_ref().as_bytes()));
        if let Some((what, hint)) = bad_name(name.get_ref()) {
            reader.fault(&name.span(), &place, what, hint);
        }
        let Some(table) = reader.table(value, &place) else { continue };
        let before = reader.faults.len();
        let own = reader.settings(table, &place);
        let role = Role {
            name: name.get_ref().to_string(),
            line: reader.lines.line(&name.span()),
            settings: defaults.with(&own),
        };
        // What a faulty value would have said is not known, so nothing is concluded from it.
        if reader.faults.len() == before {
            together(reader, &name.span(), &place, &role);
        }
        roles.push(role);
        spans.push(name.span());
    }
    among(reader, &roles, &spans);
    roles.sort_by_key(|role| role.line);
    roles
}

/// What is wrong with the name of a role.
fn bad_name(name: &str) -> Option<(&'static str, &'static str)> {
    let hint = "Call it by letters, digits, `-`, `_` and `.`, for example [role.docs].";
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() {
        Some(("has an empty name", hint))
    } else if name.chars().nth(MAX_NAME).is_some() {
        Some(("has a name of more than 64 characters", hint))
    } else if name.starts_with('-') || !name.chars().all(is_plain) {
        Some(("has a name that no option can take", hint))
    } else {
        None
    }
}

/// What several keys of one role have wrong together.
fn together(reader: &mut Reader<'_>, span: &Range<usize>, place: &str, role: &Role) {
    let settings = &role.settings;
    if settings.globs(Key::Allow).is_empty() {
        let hint = "Write what it may change: allow = [\"src/**\"].";
        return reader.fault(span, &format!("{place} allow"), "is missing, so the role can match nothing", hint);
    }
    let limits =
        [settings.envelope().validate(), settings.audit().validate(), command::check_count(settings.verify().len())];
    for error in limits.into_iter().filter_map(Result::err) {
        reader.fault(span, place, error.message, error.hints.into_iter().next().unwrap_or_default());
    }
    if witness::common(&[(settings.globs(Key::Allow), settings.globs(Key::Deny))]) == Witness::None {
        let hint = "A pattern that ends in a slash covers no file (write src/**), and deny wins over allow.";
        reader.fault(span, &format!("{place} allow"), "can match nothing: no path is allowed and not denied", hint);
    }
}

/// What roles have wrong among each other.
fn among(reader: &mut Reader<'_>, roles: &[Role], spans: &[Range<usize>]) {
    let mut names: HashMap<Vec<u8>, &str> = HashMap::new();
    let mut branches: HashMap<&str, &str> = HashMap::new();
    let mut order: Vec<usize> = (0..roles.len()).collect();
    order.sort_by_key(|at| spans[*at].start);
    for at in order {
        let role = &roles[at];
        let place = format!("[role.{}]", typed(role.name.as_bytes()));
        if let Some(other) = names.insert(fold::name(role.name.as_bytes()), &role.name) {
            let what = format!("differs from [role.{}] in case or Unicode form only", typed(other.as_bytes()));
            reader.fault(&spans[at], &place, what, "Give one of them another name.");
        }
        for branch in role.branches() {
            if let Some(other) = branches.insert(branch.as_str(), &role.name).filter(|other| *other != role.name) {
                let what = format!("claims `{branch}`, which [role.{}] claims as well", typed(other.as_bytes()));
                reader.fault(&spans[at], &format!("{place} branches"), what, "Leave it to one of them.");
            }
        }
    }
}

fn gate(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>, roles: &[Role]) -> Option<String> {
    let table = reader.table(value, "[gate]")?;
    let mut named = None;
    for (name, value) in table {
        let full = format!("[gate] {}", typed(name.get_ref().as_bytes()));
        match (name.get_ref().as_ref(), value.get_ref()) {
            ("role", DeValue::String(role)) if roles.iter().any(|known| known.name == *role) => {
                named = Some(role.to_string());
            }
            ("role", DeValue::String(role)) => {
                let near = nearest(role, roles.iter().map(|role| role.name.as_str()));
                let hint =
                    near.map_or("Name a role of this file.".to_owned(), |near| format!("Did you mean `{near}`?"));
                let what = format!("names `{}`, and there is no such role", typed(role.as_bytes()));
                reader.fault(&value.span(), &full, what, hint);
            }
            ("role", _) => reader.other_kind(value, &full, "a string"),
            _ => reader.unknown_key(name, &full, &["role"]),
        }
    }
    named
}

impl Reader<'_> {
    /// A value that has to be a table.
    fn table<'v, 'i>(&mut self, value: &'v Spanned<DeValue<'i>>, key: &str) -> Option<&'v DeTable<'i>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.other_kind(value, key, TABLE);
        None
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
