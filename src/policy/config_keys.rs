//! Which keys of Git's configuration matter: how a key finds its row in the table, and what a change of it counts as.

mod fresh;
mod named;
mod rules;

pub use fresh::{Origin, is_gits_own};
pub use named::{brings_in_files, is_asked_for, paths};
pub use rules::RULES;

/// What a change of a key counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weight {
    /// It runs programs, redirects transport or changes what Git sees.
    Violation,
    /// Ordinary work changes it, and nothing follows from it.
    Ignored,
    /// Ordinary as long as it names a remote or a ref; an address or a path in it redirects transport.
    IgnoredIfName,
    /// Only worth a word as long as it says what a well-known tool writes; anything else is a violation.
    NotedIfKnown(&'static [&'static str]),
    /// Nothing is known that it could do, which is worth a word.
    Noted,
}

/// One row: the keys that a pattern names, what a change of them counts as, and the reason.
#[derive(Debug, Clone, Copy)]
pub struct KeyRule {
    /// `section.name`, `section.*.name` for any subsection, `section.**` for everything in it; `a|b` in the place of the
    /// name is either.
    pub pattern: &'static str,
    /// What a change counts as.
    pub weight: Weight,
    /// Why.
    pub reason: &'static str,
}

const fn row(pattern: &'static str, weight: Weight, reason: &'static str) -> KeyRule {
    KeyRule { pattern, weight, reason }
}

/// What is said of keys that no row names.
const UNKNOWN: KeyRule = row("**", Weight::Noted, "nothing is known that it could do");

/// Keys whose values are never shown or kept, only their digests.
const SECRET: &[&str] = &["credential.**", "http.extraheader|proxy", "http.*.extraheader|proxy", "imap.pass"];

/// Parts of a key's last component that make its value a secret.
const SECRET_WORDS: &[&str] = &["token", "password", "passwd", "secret", "smtppass", "dbpass", "apikey", "cookie"];

/// Parts of a value that make it a secret whatever its key is: headers, parameters and the beginnings of tokens.
const SECRET_VALUES: &[&str] = &[
    "authorization:",
    "bearer ",
    "token=",
    "password=",
    "passwd=",
    "secret=",
    "api_key=",
    "apikey=",
    "sshpass ",
    "ghp_",
    "github_pat_",
    "glpat-",
];

/// The rule for a key whose section and name are in lower case.
pub fn rule(key: &[u8]) -> KeyRule {
    RULES.iter().find(|rule| fits(rule.pattern, key)).copied().unwrap_or(UNKNOWN)
}

/// Whether the value of a key is to be kept as a digest only.
pub fn is_secret(key: &[u8]) -> bool {
    let lower = key.to_ascii_lowercase();
    let name = split(&lower).2;
    let has = |word: &&str| name.windows(word.len()).any(|part| part == word.as_bytes());
    SECRET.iter().any(|pattern| fits(pattern, &lower)) || SECRET_WORDS.iter().any(has)
}

/// Whether a value is to be kept as a digest only, whatever its key is.
pub fn is_secret_value(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    SECRET_VALUES.iter().any(|part| lower.windows(part.len()).any(|window| window == part.as_bytes()))
}

/// What a change to these values counts as.
pub fn weigh(rule: &KeyRule, values: &[&[u8]]) -> Weight {
    let names_only = || values.iter().all(|value| !value.iter().any(|byte| matches!(byte, b'/' | b':' | b'\\')));
    match rule.weight {
        Weight::IgnoredIfName if names_only() => Weight::Ignored,
        Weight::IgnoredIfName => Weight::Violation,
        Weight::NotedIfKnown(known) => {
            let is_known = |value: &&[u8]| known.iter().any(|known| known.as_bytes() == *value);
            if values.iter().all(is_known) { Weight::Noted } else { Weight::Violation }
        }
        weight => weight,
    }
}

/// Section, subsection and name.
fn split(key: &[u8]) -> (&[u8], Option<&[u8]>, &[u8]) {
    let first = key.iter().position(|byte| *byte == b'.').unwrap_or(key.len());
    let last = key.iter().rposition(|byte| *byte == b'.').unwrap_or(key.len());
    let name = key.get(last + 1..).unwrap_or_default();
    (&key[..first], (first < last).then(|| &key[first + 1..last]), name)
}

fn fits(pattern: &str, key: &[u8]) -> bool {
    let (section, subsection, name) = split(key);
    let (wanted, subsection_wanted, name_wanted) = split(pattern.as_bytes());
    if section != wanted {
        return false;
    }
    match (subsection_wanted, name_wanted) {
        (None, b"**") => true,
        (Some(only), b"**") => {
            // Git knows names with dots below a section, such as `fetch.fsck.<id>`: they are subsections.
            subsection.is_some_and(|subsection| subsection == only || subsection.starts_with(&[only, b"."].concat()))
        }
        (None, _) => subsection.is_none() && is_one_of(name, name_wanted),
        (Some(b"*"), b"*") => subsection.is_some(),
        (Some(b"*"), _) => subsection.is_some() && is_one_of(name, name_wanted),
        (Some(only), _) => subsection == Some(only) && is_one_of(name, name_wanted),
    }
}

fn is_one_of(name: &[u8], wanted: &[u8]) -> bool {
    wanted.split(|byte| *byte == b'|').any(|wanted| wanted == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(key: &str, value: &str) -> Weight {
        weigh(&rule(key.as_bytes()), &[value.as_bytes()])
    }

    #[test]
    fn what_runs_redirects_or_blinds_is_a_violation() {
        for key in [
            "core.fsmonitor",
            "core.hookspath",
            "filter.x.y.clean",
            "diff.external",
            "diff.x.textconv",
            "alias.st",
            "include.path",
            "includeif.gitdir:/x/.path",
            "url.https://m.invalid/a.b/.insteadof",
            "remote.origin.url",
            "remote.origin.fetch",
            "remote.pushdefault",
            "remote.origin.vcs",
            "gc.recentobjectshook",
            "fetch.fsck.badname",
            "lfs.customtransfer.x.path",
            "status.showuntrackedfiles",
            "user.signingkey",
        ] {
            assert_eq!(weight(key, "x"), Weight::Violation, "{key}");
        }
    }

    /// `git help --config-for-completion` of git 2.47.3; `tests/gate/plane/config.rs` asks the git at hand.
    const KEYS: &str = include_str!("../../fixtures/git-config-keys.txt");

    #[test]
    fn every_key_that_git_documents_has_a_row() {
        assert!(KEYS.lines().count() > 800);
        for key in KEYS.lines() {
            let key = if key.ends_with('.') { format!("{key}x.y") } else { key.to_owned() };
            assert_ne!(rule(key.to_ascii_lowercase().as_bytes()).pattern, UNKNOWN.pattern, "{key}");
        }
    }

    #[test]
    fn unknown_keys_fail_closed_where_programs_are_named() {
        for key in ["core.newprogram", "gpg.new.thing", "remote.origin.newhelper", "fetch.newcheck", "user.newkey"] {
            assert_eq!(weight(key, "x"), Weight::Violation, "{key}");
        }
        for key in ["gitflow.branch.master", "gui.diffcontext", "mytool.x", "jj.y", "diff.context", "pull.rebase"] {
            assert_eq!(weight(key, "x"), Weight::Noted, "{key}");
        }
    }

    #[test]
    fn what_lfs_installs_is_noted_and_nothing_else_of_its_filter() {
        for (key, value) in [
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("filter.lfs.smudge", "git-lfs smudge -- %f"),
            ("filter.lfs.process", "git-lfs filter-process"),
            ("filter.lfs.required", "true"),
        ] {
            assert_eq!(weight(key, value), Weight::Noted, "{key}");
            assert_eq!(weight(key, &format!("{value} ;x")), Weight::Violation, "{key}");
            assert_eq!(weight(&key.replace("lfs", "other"), value), Weight::Violation, "{key}");
        }
    }

    #[test]
    fn bookkeeping_is_nothing() {
        for (key, value) in [
            ("branch.main.merge", "refs/heads/main"),
            ("branch.a.b/c.remote", "origin"),
            ("branch.main.rebase", "true"),
            ("remote.origin.gh-resolved", "base"),
            ("gc.auto", "0"),
            ("maintenance.strategy", "incremental"),
            ("core.logallrefupdates", "true"),
            ("fetch.prune", "true"),
        ] {
            assert_eq!(weight(key, value), Weight::Ignored, "{key}");
        }
        assert_eq!(weight("branch.main.remote", "https://m.invalid/a"), Weight::Violation);
        assert_eq!(weight("branch.main.pushremote", "git@m.invalid:a"), Weight::Violation);
        assert_eq!(weight("mytool.state", "x"), Weight::Noted);
        assert_eq!(weight("lfs.https://x.invalid/a.access", "basic"), Weight::Ignored);
    }

    #[test]
    fn secrets_are_known_by_their_keys() {
        for key in [
            "credential.helper",
            "http.https://a.invalid/.extraheader",
            "http.extraHeader",
            "my.apiToken",
            "sendemail.smtpPass",
        ] {
            assert!(is_secret(key.as_bytes()), "{key}");
        }
        for key in ["core.sshcommand", "remote.origin.url", "user.name", "core.tokens.path"] {
            assert!(!is_secret(key.as_bytes()), "{key}");
        }
        assert!(is_secret_value(b"sshpass -p hunter2 ssh") && is_secret_value(b"https://a.invalid/x?Token=1"));
        assert!(!is_secret_value(b"ssh -i key"));
    }

    #[test]
    fn each_row_can_be_reached_and_says_why() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(!rule.reason.is_empty());
            let (before, names) = rule.pattern.rsplit_once('.').unwrap();
            for name in names.split('|') {
                let sample = format!("{before}.{name}").replace("**", "x.y").replace('*', "x");
                let first = RULES.iter().position(|other| fits(other.pattern, sample.as_bytes()));
                let plain = RULES.iter().position(|other| fits(other.pattern, sample.replace("x.y", "x").as_bytes()));
                assert!(first == Some(at) || plain == Some(at), "{} {name}", rule.pattern);
            }
        }
    }
}
