//! What a person loosens or tightens beside the envelope: ignored files, scratch zones, protected paths, lines that do not
//! count.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::caches::CacheRule;
use super::dependencies::{BOOKKEEPING, PLACES};
use super::fold;
use super::linking::LINKING;
use super::pattern::{Pattern, PatternSet};
use super::protected::{PROTECTED, UNPROTECTED};
use super::scratch::DEFAULT_ZONES;
use super::steering::{Reach, STEERING, Steering, UNCOLLECTED};
use crate::error::Error;

/// The most patterns that each list may have.
const MAX_PATTERNS: usize = 256;

/// What becomes of a changed or deleted ignored file that existed at arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IgnoredRule {
    /// It is a violation.
    #[default]
    Deny,
    /// It is only noted.
    Report,
}

/// The options as they were armed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditOptions {
    /// What becomes of changed ignored files.
    pub ignored: IgnoredRule,
    /// Scratch zones beside the built-in ones.
    pub scratch: Vec<Pattern>,
    /// Whether the built-in scratch zones hold.
    pub default_scratch: bool,
    /// Ignored files that may change.
    pub allow_ignored: Vec<Pattern>,
    /// Protected paths beside the built-in ones.
    pub protect: Vec<Pattern>,
    /// Protected paths that may change where the envelope allows them.
    pub allow_protected: Vec<Pattern>,
    /// Files whose lines count in no budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<Pattern>,
    /// Whether verifiers believe the caches of the repository.
    #[serde(default, skip_serializing_if = "CacheRule::is_default")]
    pub verifier_caches: CacheRule,
}

impl Default for AuditOptions {
    fn default() -> Self {
        AuditOptions {
            ignored: IgnoredRule::Deny,
            scratch: Vec::new(),
            default_scratch: true,
            allow_ignored: Vec::new(),
            protect: Vec::new(),
            allow_protected: Vec::new(),
            uncounted: Vec::new(),
            verifier_caches: CacheRule::Private,
        }
    }
}

impl AuditOptions {
    /// Refuses lists that are too long.
    pub fn validate(&self) -> Result<(), Error> {
        for (_, list) in self.lists() {
            if list.len() > MAX_PATTERNS {
                return Err(Error::usage(format!("{} patterns, and at most {MAX_PATTERNS} are possible", list.len()))
                    .hint("Cover several paths with one wildcard, `*` or `**`."));
            }
        }
        Ok(())
    }

    /// The lists of patterns, each with the option that fills it.
    pub fn lists(&self) -> [(&'static str, &[Pattern]); 5] {
        [
            ("--scratch", &self.scratch),
            ("--allow-ignored", &self.allow_ignored),
            ("--protect", &self.protect),
            ("--allow-protected", &self.allow_protected),
            ("--uncounted", &self.uncounted),
        ]
    }

    /// The scratch zones that hold, the own ones first.
    pub fn zones(&self) -> impl Iterator<Item = &str> {
        let own = self.scratch.iter().map(Pattern::as_str);
        own.chain(DEFAULT_ZONES.iter().filter(|_| self.default_scratch).map(|zone| zone.glob))
    }

    /// The options with their patterns compiled.
    pub fn compile(&self) -> Result<AuditRules, Error> {
        Ok(AuditRules {
            scratch: PatternSet::compile(&self.scratch)?,
            allow_ignored: PatternSet::compile(&self.allow_ignored)?,
            protect: PatternSet::compile(&self.protect)?,
            allow_protected: PatternSet::compile(&self.allow_protected)?,
            uncounted: PatternSet::compile(&self.uncounted)?,
            options: self.clone(),
        })
    }
}

/// The options with their patterns compiled.
#[derive(Debug, Clone)]
pub struct AuditRules {
    options: AuditOptions,
    scratch: PatternSet,
    allow_ignored: PatternSet,
    protect: PatternSet,
    allow_protected: PatternSet,
    uncounted: PatternSet,
}

/// A built-in table, compiled when it is first needed: most checks need none.
fn table(globs: impl Iterator<Item = &'static str>) -> PatternSet {
    let patterns: Vec<Pattern> =
        globs.map(|glob| Pattern::parse(glob).expect("a test parses every row of the built-in tables")).collect();
    PatternSet::compile(&patterns).expect("a test compiles every built-in table")
}

static ZONES: LazyLock<PatternSet> = LazyLock::new(|| table(DEFAULT_ZONES.iter().map(|row| row.glob)));
static GUARDED: LazyLock<PatternSet> = LazyLock::new(|| table(PROTECTED.iter().map(|row| row.glob)));
static LIFTED: LazyLock<PatternSet> = LazyLock::new(|| table(UNPROTECTED.iter().map(|row| row.glob)));
static INSTALLED: LazyLock<PatternSet> = LazyLock::new(|| table(PLACES.iter().map(|row| row.glob)));
static UNSEEN: LazyLock<PatternSet> = LazyLock::new(|| table(UNCOLLECTED.iter().copied()));
static NAMES: LazyLock<PatternSet> = LazyLock::new(|| table(names().map(|(glob, _)| glob)));
static LINKED: LazyLock<PatternSet> = LazyLock::new(|| table(LINKING.iter().map(|row| row.glob)));
static LISTS: LazyLock<PatternSet> = LazyLock::new(|| table(BOOKKEEPING.iter().map(|row| row.glob)));

/// Whether the built-in tables know a path as installed packages or as build output.
pub fn is_built_in_output(path: &[u8]) -> bool {
    built_in_dependency(path) || built_in_scratch(path)
}

/// Whether the built-in table has a scratch zone at an ignored path.
pub fn built_in_scratch(path: &[u8]) -> bool {
    ZONES.is_match(path)
}

/// Whether the built-in table has a place of dependencies at an ignored path.
pub fn built_in_dependency(path: &[u8]) -> bool {
    INSTALLED.is_match(path)
}

/// Each pattern of a file that steers, with its row.
fn names() -> impl Iterator<Item = (&'static str, &'static Steering)> {
    STEERING.iter().flat_map(|row| row.globs.iter().map(move |glob| (*glob, row)))
}

/// The row of a file that steers what verifiers run, by its name alone.
pub fn steering(path: &[u8]) -> Option<&'static Steering> {
    let at = NAMES.first_match(path)?;
    names().nth(at).map(|(_, row)| row)
}

/// The pattern that covers a protected path together with what belongs to it: the control directory as a whole.
pub fn protected_glob(path: &[u8]) -> Vec<u8> {
    match prefixes(path).find(|prefix| GUARDED.is_match(&fold::path(prefix))) {
        Some(directory) if directory.len() < path.len() => [directory, b"/**"].concat(),
        _ => path.to_vec(),
    }
}

impl AuditRules {
    /// What becomes of changed ignored files.
    pub fn ignored(&self) -> IgnoredRule {
        self.options.ignored
    }

    /// The files whose lines count in no budget.
    pub fn uncounted(&self) -> &PatternSet {
        &self.uncounted
    }

    /// Whether an ignored path may change because it was named.
    pub fn allows_ignored(&self, path: &[u8]) -> bool {
        self.allow_ignored.is_match(path)
    }

    /// The scratch zone that an ignored path lies in: its pattern, and what writes there.
    pub fn scratch(&self, path: &[u8]) -> Option<(&str, &'static str)> {
        if let Some(at) = self.scratch.first_match(path) {
            return Some((self.options.scratch[at].as_str(), "named at arm"));
        }
        let at = if self.options.default_scratch { ZONES.first_match(path) } else { None };
        at.map(|at| (DEFAULT_ZONES[at].glob, DEFAULT_ZONES[at].reason))
    }

    /// Whether a file that steers does so where it lies: build output and packages steer nobody.
    pub fn is_steered_by(&self, path: &[u8], steering: &Steering) -> bool {
        let installed = self.dependency(path).is_some();
        match steering.reach {
            Reach::Installed => installed,
            Reach::Collected => !installed && !self.scratch.is_match(path) && !UNSEEN.is_match(path),
            Reach::Work => !installed && !self.scratch.is_match(path) && !self.is_in_zone(path),
        }
    }

    /// Whether links out of the repository and files shared with a store outside are usual at an ignored path.
    pub fn links_out(&self, path: &[u8]) -> bool {
        self.dependency(path).is_some() || LINKED.is_match(path)
    }

    /// Whether the directory of a path lies in a scratch zone, or is one.
    fn is_in_zone(&self, path: &[u8]) -> bool {
        let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        // A name that no zone knows.
        end > 0 && self.scratch(&[&path[..end], b"\0"].concat()).is_some()
    }

    /// What installs dependencies at an ignored path, if anything does. The outermost place counts: build output may hold
    /// copies of packages, and packages may hold build output.
    pub fn dependency(&self, path: &[u8]) -> Option<&'static str> {
        let at = INSTALLED.first_match(path)?;
        let outermost = prefixes(path).find(|prefix| INSTALLED.is_match(prefix) || self.is_default_zone(prefix));
        let first = outermost.is_some_and(|prefix| INSTALLED.is_match(prefix));
        (first && !LISTS.is_match(path)).then_some(PLACES[at].reason)
    }

    /// Whether a path holds only what the tools of a place of dependencies note for themselves.
    pub fn is_bookkeeping(&self, path: &[u8]) -> bool {
        LISTS.is_match(path)
    }

    /// Why a path is protected, unless it was named as one that may change.
    ///
    /// On other file systems another spelling is the same file, see [`fold::path`].
    pub fn protected(&self, path: &[u8]) -> Option<&'static str> {
        if self.allow_protected.is_match(path) {
            return None;
        }
        if self.protect.is_match(path) {
            return Some("protected at arm");
        }
        let folded = fold::path(path);
        let at = GUARDED.first_match(&folded)?;
        (!LIFTED.is_match(&folded)).then_some(PROTECTED[at].reason)
    }

    /// The same for an ignored path. Packages bring settings of their own along, and nobody works inside of a package,
    /// so what lies in a place of dependencies or in a built-in scratch zone as a whole is not protected.
    pub fn protected_ignored(&self, path: &[u8]) -> Option<&'static str> {
        let reason = self.protected(path)?;
        if self.protect.is_match(path) {
            return Some(reason);
        }
        let first = prefixes(path).find(|prefix| GUARDED.is_match(&fold::path(prefix))).unwrap_or(path);
        let inside = INSTALLED.is_match(first) || self.is_default_zone(first);
        (!inside).then_some(reason)
    }

    fn is_default_zone(&self, path: &[u8]) -> bool {
        self.options.default_scratch && ZONES.is_match(path)
    }
}

/// The directories above a path, outermost first, and the path itself.
fn prefixes(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    slashes.chain([path.len()]).map(|end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(change: impl FnOnce(&mut AuditOptions)) -> AuditRules {
        let mut options = AuditOptions::default();
        change(&mut options);
        options.compile().unwrap()
    }

    fn patterns(globs: &[&str]) -> Vec<Pattern> {
        globs.iter().map(|glob| Pattern::parse(glob).unwrap()).collect()
    }

    #[test]
    fn own_zones_come_first_and_the_built_in_ones_can_be_dropped() {
        let rules = options(|options| options.scratch = patterns(&["tmp/**"]));
        assert_eq!(rules.scratch(b"tmp/a.log"), Some(("tmp/**", "named at arm")));
        assert_eq!(rules.scratch(b"a.log"), Some(("**/*.log", "log file")));
        let rules = options(|options| options.default_scratch = false);
        assert_eq!(rules.scratch(b"a.log"), None);
    }

    #[test]
    fn protection_is_lifted_by_name_only_and_ignores_case() {
        let rules = options(|options| {
            options.protect = patterns(&["ci/**"]);
            options.allow_protected = patterns(&[".vscode/settings.json"]);
        });
        assert!(rules.protected(b".vscode/settings.json").is_none());
        assert!(rules.protected(b".vscode/tasks.json").is_some());
        for spelling in [".Claude/settings.json", ".clau\u{200c}de/x", ".mcp.j\u{17f}on", ".vscode./tasks.json"] {
            assert!(rules.protected(spelling.as_bytes()).is_some(), "{spelling}");
        }
        assert_eq!(rules.protected(b"ci/verify.sh"), Some("protected at arm"));
        assert!(rules.protected(b".idea/workspace.xml").is_none());
        assert!(rules.protected(b".idea/runConfigurations/x.xml").is_some());
    }

    #[test]
    fn a_control_directory_is_opened_as_a_whole() {
        for (path, glob) in [
            (".idea/modules.xml", ".idea/**"),
            ("web/.vscode/a/b.json", "web/.vscode/**"),
            (".mcp.json", ".mcp.json"),
            ("ci/verify.sh", "ci/verify.sh"),
        ] {
            assert_eq!(protected_glob(path.as_bytes()), glob.as_bytes());
        }
    }

    #[test]
    fn packages_may_bring_settings_but_no_settings_directory_hides_in_a_zone() {
        let rules = options(|_| ());
        for path in ["node_modules/a/.vscode/settings.json", "target/package/x/.husky/pre-commit"] {
            assert_eq!(rules.protected_ignored(path.as_bytes()), None, "{path}");
        }
        for path in [".claude/build/hook.sh", ".claude/node_modules/x/i.js", ".claude/x.log"] {
            assert!(rules.protected_ignored(path.as_bytes()).is_some(), "{path}");
        }
    }

    #[test]
    fn dependencies_are_no_scratch_and_their_lists_are_no_dependencies() {
        let rules = options(|_| ());
        assert!(rules.dependency(b"node_modules/a/dist/index.js").is_some());
        assert!(rules.dependency(b"node_modules/.cache/x").is_none());
        assert!(rules.is_bookkeeping(b"node_modules/.package-lock.json"));
        assert!(rules.dependency(b"src/a.js").is_none());
        assert!(rules.dependency(b"target/debug/deps/liba.rlib").is_none());
        assert!(rules.dependency(b"build/vendor/a.js").is_none());
    }

    #[test]
    fn round_trips_and_refuses_the_rest() {
        let text = serde_json::to_string(&AuditOptions::default()).unwrap();
        assert_eq!(serde_json::from_str::<AuditOptions>(&text).unwrap(), AuditOptions::default());
        assert!(serde_json::from_str::<AuditOptions>(&text.replace("deny", "maybe")).is_err());
        assert!(serde_json::from_str::<AuditOptions>(&text.replace("\"scratch\"", "\"more\"")).is_err());
        let many = AuditOptions { scratch: vec![Pattern::parse("a").unwrap(); 257], ..AuditOptions::default() };
        assert!(many.validate().is_err());
    }
}
