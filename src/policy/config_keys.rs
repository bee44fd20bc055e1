//! Which keys of Git's configuration matter: a table that says for each what a change of it means, and why.

/// What a change of a key counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weight {
    /// It runs programs, redirects transport or changes what Git sees.
    Violation,
    /// Ordinary work changes it, and nothing follows from it.
    Ignored,
    /// Ordinary as long as it names a remote or a ref; an address or a path in it redirects transport.
    IgnoredIfName,
    /// Nothing is known that it could do, which is worth a word.
    Noted,
}

/// One row: the keys that a pattern names, what a change of them counts as, and the reason.
#[derive(Debug, Clone, Copy)]
pub struct KeyRule {
    /// `section.name`, `section.*.name` for any subsection, `section.**` for everything in it.
    pub pattern: &'static str,
    /// What a change counts as.
    pub weight: Weight,
    /// Why.
    pub reason: &'static str,
}

const fn row(pattern: &'static str, weight: Weight, reason: &'static str) -> KeyRule {
    KeyRule { pattern, weight, reason }
}

const RUNS: &str = "Git runs a program that it names";
const REDIRECTS: &str = "it decides where Git fetches from and pushes to";
const BLINDS: &str = "it changes what Git sees or shows";
const LOADS: &str = "it brings in other configuration";
const PUBLISHES: &str = "it decides what a push publishes or a fetch brings in";
const GUARDS: &str = "it loosens or moves a guard of Git";
const BOOKS: &str = "Git keeps its own books in it";
const NAMES: &str = "it decides who new commits say they are from";
const STYLE: &str = "it decides how things are shown or how fast they go, and nothing that is audited";
const TUNES: &str = "it only tunes maintenance";

/// The rules; the first row that fits a key counts. What no row names is only noted.
pub const RULES: &[KeyRule] = &[
    // Reflogs are written or not; no program runs, and no check reads them but the stash's own.
    row("core.logallrefupdates", Weight::Ignored, BOOKS),
    row("user.name", Weight::Noted, NAMES),
    row("user.email", Weight::Noted, NAMES),
    row("gui.geometry", Weight::Ignored, BOOKS),
    row("gui.wmstate", Weight::Ignored, BOOKS),
    row("core.preloadindex", Weight::Noted, STYLE),
    row("core.untrackedcache", Weight::Noted, STYLE),
    row("core.abbrev", Weight::Noted, STYLE),
    row("core.commitgraph", Weight::Noted, STYLE),
    row("diff.algorithm", Weight::Noted, STYLE),
    row("diff.colormoved", Weight::Noted, STYLE),
    row("merge.conflictstyle", Weight::Noted, STYLE),
    row("log.date", Weight::Noted, STYLE),
    row("status.branch", Weight::Noted, STYLE),
    row("rebase.autostash", Weight::Noted, STYLE),
    row("rebase.autosquash", Weight::Noted, STYLE),
    row("init.defaultbranch", Weight::Noted, STYLE),
    row("index.version", Weight::Noted, STYLE),
    row("index.threads", Weight::Noted, STYLE),
    row("core.**", Weight::Violation, "it names programs, hooks and files, or decides what Git compares"),
    row("filter.**", Weight::Violation, RUNS),
    row("diff.**", Weight::Violation, RUNS),
    row("difftool.**", Weight::Violation, RUNS),
    row("merge.**", Weight::Violation, RUNS),
    row("mergetool.**", Weight::Violation, RUNS),
    row("rebase.**", Weight::Violation, "a rebase can run programs between its steps"),
    row("rerere.**", Weight::Violation, "recorded resolutions are applied without being asked for"),
    row("alias.**", Weight::Violation, RUNS),
    row("include.**", Weight::Violation, LOADS),
    row("includeif.**", Weight::Violation, LOADS),
    row("url.**", Weight::Violation, REDIRECTS),
    row("remote.pushdefault", Weight::Violation, REDIRECTS),
    row("remote.*.fetch", Weight::Ignored, BOOKS),
    row("remote.*.tagopt", Weight::Ignored, BOOKS),
    row("remote.*.prune", Weight::Ignored, BOOKS),
    row("remote.*.prunetags", Weight::Ignored, BOOKS),
    row("remote.*.followremotehead", Weight::Ignored, BOOKS),
    row("remote.*.gh-resolved", Weight::Ignored, "the forge's own command line keeps its books in it"),
    row("remote.*.*", Weight::Violation, REDIRECTS),
    row("branch.*.remote", Weight::IgnoredIfName, BOOKS),
    row("branch.*.pushremote", Weight::IgnoredIfName, BOOKS),
    row("branch.*.mergeoptions", Weight::Violation, "a merge strategy is a program"),
    row("branch.**", Weight::Ignored, BOOKS),
    row("credential.**", Weight::Violation, RUNS),
    row("submodule.**", Weight::Violation, "it names where submodules come from, and commands that update them"),
    row("extensions.**", Weight::Violation, "it changes how the repository is read"),
    row("gpg.**", Weight::Violation, RUNS),
    row("commit.gpgsign", Weight::Violation, "it decides whether commits are signed, by running a program"),
    row("commit.template", Weight::Violation, "it puts a file's words into commit messages"),
    row("tag.gpgsign", Weight::Violation, "it decides whether tags are signed, by running a program"),
    row("tag.forcesignannotated", Weight::Violation, "it decides whether tags are signed, by running a program"),
    row("push.**", Weight::Violation, PUBLISHES),
    row("fetch.fsckobjects", Weight::Violation, GUARDS),
    row("fetch.fsck.**", Weight::Violation, GUARDS),
    row("fetch.recursesubmodules", Weight::Violation, PUBLISHES),
    row("fetch.bundleuri", Weight::Violation, REDIRECTS),
    row("fetch.**", Weight::Ignored, TUNES),
    row("fsck.**", Weight::Violation, GUARDS),
    row("transfer.**", Weight::Violation, GUARDS),
    row("protocol.**", Weight::Violation, GUARDS),
    row("safe.**", Weight::Violation, GUARDS),
    row("ssh.**", Weight::Violation, RUNS),
    row("http.**", Weight::Violation, REDIRECTS),
    row("https.**", Weight::Violation, REDIRECTS),
    row("remotehelper.**", Weight::Violation, RUNS),
    row("bundle.**", Weight::Violation, REDIRECTS),
    row("lfs.customtransfer.**", Weight::Violation, RUNS),
    row("lfs.extension.**", Weight::Violation, RUNS),
    row("lfs.standalonetransferagent", Weight::Violation, RUNS),
    row("lfs.url", Weight::Violation, REDIRECTS),
    row("lfs.pushurl", Weight::Violation, REDIRECTS),
    row("lfs.*.url", Weight::Violation, REDIRECTS),
    row("lfs.*.standalonetransferagent", Weight::Violation, RUNS),
    row("uploadpack.**", Weight::Violation, RUNS),
    row("uploadarchive.**", Weight::Violation, GUARDS),
    row("receive.**", Weight::Violation, GUARDS),
    row("daemon.**", Weight::Violation, GUARDS),
    row("uploadpackfilter.**", Weight::Violation, GUARDS),
    row("sendemail.**", Weight::Violation, RUNS),
    row("sendpack.**", Weight::Violation, RUNS),
    row("imap.**", Weight::Violation, RUNS),
    row("format.**", Weight::Violation, "it decides what patches carry and where they go"),
    row("pager.**", Weight::Violation, RUNS),
    row("man.**", Weight::Violation, RUNS),
    row("browser.**", Weight::Violation, RUNS),
    row("web.browser", Weight::Violation, RUNS),
    row("help.**", Weight::Violation, "a mistyped command can run another one"),
    row("instaweb.**", Weight::Violation, RUNS),
    row("gitweb.**", Weight::Violation, RUNS),
    row("gui.**", Weight::Violation, RUNS),
    row("guitool.**", Weight::Violation, RUNS),
    row("gitcvs.**", Weight::Violation, RUNS),
    row("svn.**", Weight::Violation, RUNS),
    row("svn-remote.**", Weight::Violation, REDIRECTS),
    row("sequence.editor", Weight::Violation, RUNS),
    row("interactive.**", Weight::Violation, RUNS),
    row("hook.**", Weight::Violation, RUNS),
    row("trailer.**", Weight::Violation, RUNS),
    row("tar.**", Weight::Violation, RUNS),
    row("archive.**", Weight::Violation, RUNS),
    row("init.**", Weight::Violation, "new repositories take hooks from it"),
    row("clone.**", Weight::Violation, "new clones follow it"),
    row("notes.**", Weight::Violation, BLINDS),
    row("attr.**", Weight::Violation, BLINDS),
    row("status.**", Weight::Violation, BLINDS),
    row("log.**", Weight::Violation, BLINDS),
    row("blame.**", Weight::Violation, BLINDS),
    row("grep.**", Weight::Violation, BLINDS),
    row("apply.**", Weight::Violation, BLINDS),
    row("index.**", Weight::Violation, BLINDS),
    row("sparse.**", Weight::Violation, BLINDS),
    row("feature.**", Weight::Violation, BLINDS),
    row("checkout.**", Weight::Violation, BLINDS),
    row("advice.**", Weight::Ignored, "it only silences hints"),
    row("color.**", Weight::Ignored, "it only colours output"),
    row("column.**", Weight::Ignored, "it only arranges output"),
    row("user.**", Weight::Violation, "it decides who new commits say they are from"),
    row("author.**", Weight::Violation, "it decides who new commits say they are from"),
    row("committer.**", Weight::Violation, "it decides who new commits say they are from"),
    row("trace2.**", Weight::Violation, "Git writes what it does to where it says"),
    row("gitoxide.**", Weight::Violation, BLINDS),
    row("gc.recentobjectshook", Weight::Violation, RUNS),
    row("gc.**", Weight::Ignored, TUNES),
    row("maintenance.**", Weight::Ignored, TUNES),
    row("pack.**", Weight::Ignored, TUNES),
    row("repack.**", Weight::Ignored, TUNES),
    row("lfs.repositoryformatversion", Weight::Ignored, BOOKS),
    row("lfs.*.access", Weight::Ignored, BOOKS),
    row("lfs.*.locksverify", Weight::Ignored, BOOKS),
];

/// What is said of keys that no row names.
const UNKNOWN: KeyRule = row("**", Weight::Noted, "nothing is known that it could do");

/// Keys whose values are never shown or kept, only their digests.
const SECRET: &[&str] =
    &["credential.**", "http.extraheader", "http.*.extraheader", "http.proxy", "http.*.proxy", "imap.pass"];

/// Parts of a key's last component that make its value a secret.
const SECRET_WORDS: &[&str] = &["token", "password", "passwd", "secret", "smtppass", "apikey", "cookie"];

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

/// What a change to these values counts as.
pub fn weigh(rule: &KeyRule, values: &[&[u8]]) -> Weight {
    let names_only = || values.iter().all(|value| !value.iter().any(|byte| matches!(byte, b'/' | b':' | b'\\')));
    match rule.weight {
        Weight::IgnoredIfName if names_only() => Weight::Ignored,
        Weight::IgnoredIfName => Weight::Violation,
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
        (None, _) => subsection.is_none() && name == name_wanted,
        (Some(b"*"), b"*") => subsection.is_some(),
        (Some(b"*"), _) => subsection.is_some() && name == name_wanted,
        (Some(only), _) => subsection == Some(only) && name == name_wanted,
    }
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

    #[test]
    fn bookkeeping_is_nothing() {
        for (key, value) in [
            ("branch.main.merge", "refs/heads/main"),
            ("branch.a.b/c.remote", "origin"),
            ("branch.main.rebase", "true"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
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
    }

    #[test]
    fn each_row_can_be_reached_and_says_why() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(!rule.reason.is_empty());
            let sample = rule.pattern.replace("**", "x.y").replace('*', "x");
            let first = RULES.iter().position(|other| fits(other.pattern, sample.as_bytes()));
            let plain = RULES.iter().position(|other| fits(other.pattern, sample.replace("x.y", "x").as_bytes()));
            assert!(first == Some(at) || plain == Some(at), "{}", rule.pattern);
        }
    }
}
