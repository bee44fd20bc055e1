//! The configuration by effective key, over all the layers that Git reads; secrets only as digests.

use gix::bstr::BString;
use gix::config::Source;
use serde::{Deserialize, Serialize};

use super::super::open::Repository;
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::config_keys::{self, Origin, Weight};
use crate::policy::text::Text;
use crate::snapshot::digest;

/// How much of a value is shown.
const SHOWN: usize = 80;

/// One value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// As it is.
    Plain(Text),
    /// SHA-256 of a secret.
    Secret(String),
    /// The key stands there without a value, which means true.
    Implicit,
}

/// One key with all its values, in the order in which Git reads them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Section and name in lower case; a password in the subsection is left out.
    pub key: Text,
    /// Its values.
    pub values: Vec<Value>,
    /// The options that tell `git config` where the last of them stands.
    pub place: Text,
    /// Whether a file of the repository itself says any of them, and not only the user's own files.
    pub own: bool,
}

/// All settings that files say, sorted by key. A `core.worktree` that says what is so anyway, as in a submodule, is left
/// out.
pub fn read(repository: &Repository) -> Vec<Setting> {
    let mut settings = settings(repository.gix.config_snapshot().plumbing());
    let is_true =
        |setting: &Setting| setting.key.as_bytes() == b"core.worktree" && repository.other_worktree().is_none();
    settings.retain(|setting| !is_true(setting));
    settings
}

/// Whether a section stands in a file: what this program itself pins is no setting of the repository.
fn is_said(section: &gix::config::file::SectionRef<'_>) -> bool {
    !matches!(section.meta().source, Source::Api | Source::Cli | Source::Env | Source::EnvOverride)
}

/// The keys of a section, each name once and in lower case, with its full key.
fn keys(section: &gix::config::file::SectionRef<'_>) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = section.value_names().map(|name| name.to_ascii_lowercase()).collect();
    names.sort();
    names.dedup();
    let header = section.header();
    let mut start = header.name().to_ascii_lowercase();
    if let Some(subsection) = header.subsection_name() {
        start.push(b'.');
        start.extend_from_slice(subsection);
    }
    names.into_iter().map(|name| (name.clone(), [&start, b".".as_slice(), name.as_bytes()].concat())).collect()
}

/// Gives every value with its key, as they stand: for looking at, not for keeping.
pub fn each_value(config: &gix::config::File, each: &mut dyn FnMut(&[u8], &[u8])) {
    for section in config.sections().filter(|section| is_said(section)) {
        for (name, key) in keys(&section) {
            for value in section.values(&name) {
                each(&key, &value);
            }
        }
    }
}

/// A key as it may be shown and kept.
pub fn shown_key(key: &[u8]) -> Text {
    Text::from_bytes(without_password(key))
}

/// The settings of a parsed configuration, sorted by key.
pub fn settings(config: &gix::config::File) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for section in config.sections().filter(|section| is_said(section)) {
        let meta = section.meta();
        let place = place(meta.source, meta.level, meta.path.as_deref());
        let own = matches!(meta.source, Source::Local | Source::Worktree);
        for (name, key) in keys(&section) {
            let mut values: Vec<Option<BString>> = section.values(&name).into_iter().map(Some).collect();
            if section.value_implicit(&name) == Some(None) {
                values.push(None);
            }
            let values = values.iter().map(|value| keep(&key, value.as_ref().map(|value| value.as_slice()))).collect();
            settings.push(Setting { key: shown_key(&key), values, place: place.clone(), own });
        }
    }
    // A stable sort keeps the order in which Git reads the values of one key.
    settings.sort_by(|a, b| a.key.as_bytes().cmp(b.key.as_bytes()));
    settings.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.values.append(&mut next.values);
            kept.place = std::mem::take(&mut next.place);
            kept.own |= next.own;
        }
        same
    });
    settings
}

fn place(source: Source, level: u8, path: Option<&std::path::Path>) -> Text {
    match (source, level, path) {
        (Source::Local, 0, _) => Text::from("--local"),
        (Source::Worktree, 0, _) => Text::from("--worktree"),
        (_, _, Some(path)) => Text::from("--file ").raw(&super::files::quoted(path.as_os_str().as_encoded_bytes())),
        _ => Text::from("--global"),
    }
}

fn keep(key: &[u8], value: Option<&[u8]>) -> Value {
    let Some(value) = value else { return Value::Implicit };
    let is_secret = config_keys::is_secret(key) || config_keys::is_secret_value(value);
    if is_secret || without_password(key) != key || without_password(value) != value {
        return Value::Secret(digest::hex(&digest::sha256(&[key, b"\0", value].concat())));
    }
    Value::Plain(Text::from_bytes(value))
}

/// A text with the part of an address between `//` and `@` replaced: a password, or a token in the user's place.
fn without_password(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(3).position(|part| part == b"://") {
        let (before, after) = rest.split_at(at + 3);
        out.extend_from_slice(before);
        let end = after.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b' ')).unwrap_or(after.len());
        rest = match after[..end].iter().rposition(|byte| *byte == b'@') {
            // A bare user name, such as `git@`, is no secret; anything with a colon, or as long as a token, is.
            Some(user) if user >= 20 || after[..user].contains(&b':') => {
                out.extend_from_slice(b"***");
                &after[user..]
            }
            _ => after,
        };
    }
    out.extend_from_slice(rest);
    out
}

/// How the settings of a repository differ.
///
/// `declared` are settings that may appear with just these values.
pub fn compare(armed: &[Setting], now: &[Setting], declared: &[(Text, Text)]) -> Vec<Drift> {
    let mut drifts = Vec::new();
    let at = |settings: &[Setting], key: &Text| {
        settings.binary_search_by(|setting| setting.key.as_bytes().cmp(key.as_bytes())).ok()
    };
    for old in armed {
        let new = at(now, &old.key).map(|at| &now[at]);
        if new.is_none_or(|new| new.values != old.values) {
            drifts.extend(drift(Some(old), new));
        }
    }
    let is_declared = |new: &Setting| {
        let [Value::Plain(value)] = new.values.as_slice() else { return false };
        declared.iter().any(|(key, wanted)| *key == new.key && wanted == value)
    };
    let news = now.iter().filter(|new| at(armed, &new.key).is_none() && !is_declared(new));
    drifts.extend(news.filter_map(|new| drift(None, Some(new))));
    drifts
}

/// What the repository's own files say and Git did not write when it came to be.
pub fn planted(now: &[Setting], origin: Origin) -> Vec<Drift> {
    let is_own = |setting: &&Setting| {
        setting.values.iter().all(|value| {
            let plain = if let Value::Plain(text) = value { text.as_bytes() } else { b"" };
            config_keys::is_gits_own(origin, setting.key.as_bytes(), plain)
        })
    };
    let planted = now.iter().filter(|setting| setting.own).filter(|setting| !is_own(setting));
    planted.filter_map(|new| drift(None, Some(new))).filter(|drift| drift.kind == DriftKind::Config).collect()
}

fn drift(old: Option<&Setting>, new: Option<&Setting>) -> Option<Drift> {
    let key = &old.or(new)?.key;
    let rule = config_keys::rule(key.as_bytes());
    let after: Vec<&[u8]> = new.map_or(&[][..], |new| &new.values).iter().map(Value::bytes).collect();
    let kind = match config_keys::weigh(&rule, &after) {
        Weight::Violation => DriftKind::Config,
        Weight::Noted => DriftKind::ConfigUnknown,
        Weight::Ignored | Weight::IgnoredIfName | Weight::NotedIfKnown(_) => return None,
    };
    let what = match (old, new) {
        (None, Some(new)) => Text::from("set to ").raw(&shown(&new.values)),
        (Some(old), None) => Text::from("removed, was ").raw(&shown(&old.values)),
        (Some(old), Some(new)) => Text::from("was ").raw(&shown(&old.values)).word(", is ").raw(&shown(&new.values)),
        (None, None) => return None,
    };
    let what = what.word(" (").word(rule.reason).word(")");
    Some(Drift { kind, subject: key.clone(), what, undo: undo(key, old, new) })
}

impl Value {
    fn bytes(&self) -> &[u8] {
        match self {
            Value::Plain(text) => text.as_bytes(),
            // A secret is an address with a password, or worse.
            Value::Secret(_) => b"://",
            Value::Implicit => b"",
        }
    }
}

fn shown(values: &[Value]) -> Text {
    let mut out = Text::default();
    for (at, value) in values.iter().enumerate() {
        out = out.word(if at == 0 { "" } else { ", " });
        out = match value {
            Value::Secret(_) => out.word("a value that is not shown"),
            Value::Implicit => out.word("true, without a value"),
            Value::Plain(text) if text.as_bytes().len() > SHOWN => {
                out.word("'").raw(&Text::from_bytes(&text.as_bytes()[..SHOWN])).word("...'")
            }
            Value::Plain(text) => out.word("'").raw(text).word("'"),
        };
    }
    out
}

/// The command that puts the old values back, where they are known and the key can be written.
fn undo(key: &Text, old: Option<&Setting>, new: Option<&Setting>) -> Option<Text> {
    if key.as_bytes().windows(3).any(|part| part == b"***") {
        return None;
    }
    let place = &new.or(old)?.place;
    let command =
        |what: &str| Text::from("git config ").raw(place).word(what).raw(&super::files::quoted(key.as_bytes()));
    let Some(old) = old else { return Some(command(" --unset-all ")) };
    let mut olds = old.values.iter().map(|value| match value {
        Value::Plain(text) => Some(super::files::quoted(text.as_bytes())),
        Value::Implicit => Some(Text::from("true")),
        Value::Secret(_) => None,
    });
    let first = olds.next()??;
    let mut out = if new.is_some() { command(" --replace-all ") } else { command(" --add ") }.word(" ").raw(&first);
    for value in olds {
        out = out.word(" && ").raw(&command(" --add ")).word(" ").raw(&value?);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, values: &[&str]) -> Setting {
        let values = values.iter().map(|value| keep(key.as_bytes(), Some(value.as_bytes()))).collect();
        Setting { key: Text::from(key), values, place: Text::from("--local"), own: true }
    }

    #[test]
    fn each_way_to_differ_is_told_with_its_undo() {
        let armed = [setting("alias.a", &["x"]), setting("alias.b", &["1", "2 3"]), setting("gc.auto", &["1"])];
        let now = [setting("alias.b", &["1"]), setting("core.pager", &["less"]), setting("my.tool", &["1"])];
        let told: Vec<_> = compare(&armed, &now, &[])
            .into_iter()
            .map(|drift| (drift.kind, drift.subject.plain(), drift.undo.unwrap().plain()))
            .collect();
        let row = |kind, key: &str, undo: &str| (kind, key.to_owned(), undo.to_owned());
        assert_eq!(
            told,
            [
                row(DriftKind::Config, "alias.a", "git config --local --add alias.a x"),
                row(
                    DriftKind::Config,
                    "alias.b",
                    "git config --local --replace-all alias.b 1 && git config --local --add alias.b '2 3'"
                ),
                row(DriftKind::Config, "core.pager", "git config --local --unset-all core.pager"),
                row(DriftKind::ConfigUnknown, "my.tool", "git config --local --unset-all my.tool"),
            ]
        );
        assert!(compare(&armed, &armed, &[]).is_empty());
    }

    #[test]
    fn the_order_of_values_counts_and_the_layer_does_not() {
        let armed = [setting("alias.b", &["1", "2"])];
        assert_eq!(compare(&armed, &[setting("alias.b", &["2", "1"])], &[]).len(), 1);
        let moved = Setting { place: Text::from("--worktree"), ..armed[0].clone() };
        assert!(compare(&armed, &[moved], &[]).is_empty());
    }

    #[test]
    fn secrets_are_neither_kept_nor_shown() {
        let armed = [setting("remote.o.url", &["https://me:hunter2@a.invalid/x"])];
        let now = [setting("remote.o.url", &["https://me:hunter3@a.invalid/x"])];
        let drift = compare(&armed, &now, &[]).remove(0);
        assert!(!format!("{armed:?}{drift:?}").contains("hunter"));
        assert_eq!(drift.undo, None);
        assert_eq!(without_password(b"url.https://u:p@h/.insteadof"), b"url.https://***@h/.insteadof");
        assert_eq!(without_password(b"ssh://git@h/x"), b"ssh://git@h/x");
    }

    #[test]
    fn long_values_are_cut() {
        let drift = compare(&[], &[setting("alias.x", &[&"a".repeat(500)])], &[]).remove(0);
        assert!(drift.what.as_bytes().len() < 200);
    }
}
