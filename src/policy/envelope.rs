//! The envelope: which paths may change and how much, and the decision about a single path.

use serde::{Deserialize, Serialize};

use super::limits::Limits;
use super::options::{AuditOptions, AuditRules};
use super::pattern::{Pattern, PatternSet};
use crate::error::Error;

/// The most patterns that an envelope may have, allow and deny together.
pub const MAX_PATTERNS: usize = 256;

/// The longest label, in characters.
pub const MAX_LABEL_CHARS: usize = 16_384;

/// What a person allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Paths that may change.
    pub allow: Vec<Pattern>,
    /// Paths that may not change, whatever `allow` says.
    pub deny: Vec<Pattern>,
    /// How much may change.
    pub limits: Limits,
    /// Whether HEAD may move.
    pub allow_commits: bool,
}

impl Envelope {
    /// Refuses an envelope that allows nothing or has too many patterns.
    pub fn validate(&self) -> Result<(), Error> {
        if self.allow.is_empty() {
            return Err(Error::usage("the envelope allows no path")
                .hint("Name what may change with `--allow`, for example `--allow 'src/**'`."));
        }
        let count = self.allow.len() + self.deny.len();
        if count > MAX_PATTERNS {
            return Err(Error::usage(format!("{count} patterns, and at most {MAX_PATTERNS} are possible"))
                .hint("Cover several paths with one wildcard, `*` or `**`."));
        }
        Ok(())
    }

    /// The lists of patterns, each with the option that fills it.
    pub fn lists(&self) -> [(&'static str, &[Pattern]); 2] {
        [("--allow", &self.allow), ("--deny", &self.deny)]
    }

    /// The compiled patterns of this envelope.
    pub fn rules(&self) -> Result<Rules, Error> {
        Rules::compile(&self.allow, &self.deny)
    }
}

/// Refuses a label that says nothing or is too long to show.
pub fn check_label(label: &str) -> Result<(), Error> {
    if label.trim().is_empty() {
        return Err(Error::usage("the label is blank").hint("Say in a few words what the change is for."));
    }
    if label.chars().nth(MAX_LABEL_CHARS).is_some() {
        return Err(Error::usage(format!("the label is longer than {MAX_LABEL_CHARS} characters"))
            .hint("Keep the label short and put the details elsewhere."));
    }
    Ok(())
}

/// The patterns of an envelope, compiled.
#[derive(Debug, Clone)]
pub struct Rules {
    allow: Side,
    deny: Side,
    /// What holds for ignored files and protected paths.
    pub audit: AuditRules,
}

#[derive(Debug, Clone)]
struct Side {
    patterns: Vec<Pattern>,
    set: PatternSet,
}

impl Side {
    fn compile(patterns: &[Pattern]) -> Result<Self, Error> {
        Ok(Side { patterns: patterns.to_vec(), set: PatternSet::compile(patterns)? })
    }

    fn first(&self, path: &[u8]) -> Option<&Pattern> {
        self.set.first_match(path).map(|index| &self.patterns[index])
    }

    fn without<'a>(&self, paths: impl Iterator<Item = &'a [u8]>) -> Vec<&Pattern> {
        let mut covered = vec![false; self.patterns.len()];
        for path in paths {
            self.set.mark(path, &mut covered);
        }
        self.patterns.iter().zip(covered).filter(|(_, covered)| !covered).map(|(pattern, _)| pattern).collect()
    }
}

/// Whether a path may change, and which pattern says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// It may: this is the first pattern of `allow` that covers it, and none of `deny` does.
    Allowed(&'a Pattern),
    /// It may not: this is the first pattern of `deny` that covers it.
    Denied(&'a Pattern),
    /// It may not: no pattern covers it.
    Outside,
}

impl Decision<'_> {
    /// Whether the path may change.
    pub fn is_allowed(self) -> bool {
        matches!(self, Decision::Allowed(_))
    }
}

impl Rules {
    /// Compiles what may change and what may not.
    pub fn compile(allow: &[Pattern], deny: &[Pattern]) -> Result<Self, Error> {
        let audit = AuditOptions::default().compile()?;
        Ok(Rules { allow: Side::compile(allow)?, deny: Side::compile(deny)?, audit })
    }

    /// The same rules with these options for ignored files and protected paths.
    pub fn under(self, options: &AuditOptions) -> Result<Self, Error> {
        Ok(Rules { audit: options.compile()?, ..self })
    }

    /// The decision about one path; deny wins.
    pub fn decide(&self, path: &[u8]) -> Decision<'_> {
        match (self.deny.first(path), self.allow.first(path)) {
            (Some(pattern), _) => Decision::Denied(pattern),
            (None, Some(pattern)) => Decision::Allowed(pattern),
            (None, None) => Decision::Outside,
        }
    }

    /// Whether a pattern of `allow` covers a path, whatever `deny` says.
    pub fn covers(&self, path: &[u8]) -> bool {
        self.allow.first(path).is_some()
    }

    /// The patterns that cover none of these paths: those of `allow`, and those of `deny`.
    pub fn unmatched<'a>(&self, paths: impl Iterator<Item = &'a [u8]> + Clone) -> [Vec<&Pattern>; 2] {
        [self.allow.without(paths.clone()), self.deny.without(paths)]
    }

    /// Whether some path below a directory may be allowed. It never misses one, and may name a directory in which, by the
    /// rest of a pattern, nothing is.
    pub fn may_allow_below(&self, directory: &[u8]) -> bool {
        self.allow.patterns.iter().any(|pattern| pattern.may_cover_below(directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(sources: &[&str]) -> Vec<Pattern> {
        sources.iter().map(|source| Pattern::parse(source).unwrap()).collect()
    }

    fn envelope(allow: usize, deny: usize) -> Envelope {
        let many = |count| vec![Pattern::parse("a").unwrap(); count];
        Envelope { allow: many(allow), deny: many(deny), limits: Limits::default(), allow_commits: false }
    }

    #[test]
    fn deny_wins_and_the_first_pattern_is_named() {
        let allow = patterns(&["src/parser/**", "src/**"]);
        let deny = patterns(&["**/generated/**", "src/secret"]);
        let rules = Rules::compile(&allow, &deny).unwrap();
        assert_eq!(rules.decide(b"src/parser/a.py"), Decision::Allowed(&allow[0]));
        assert_eq!(rules.decide(b"src/a.py"), Decision::Allowed(&allow[1]));
        assert_eq!(rules.decide(b"src/parser/generated/a.py"), Decision::Denied(&deny[0]));
        assert_eq!(rules.decide(b"src/secret"), Decision::Denied(&deny[1]));
        assert_eq!(rules.decide(b"generated/x"), Decision::Denied(&deny[0]));
        assert_eq!(rules.decide(b"README.md"), Decision::Outside);
        assert!(rules.decide(b"src/a.py").is_allowed());
        assert!(!rules.decide(b"src/secret").is_allowed());
        assert!(!rules.decide(b"README.md").is_allowed());
    }

    #[test]
    fn patterns_without_a_path_are_told_apart_from_the_others() {
        let (allow, deny) = (patterns(&["src/**", "docs/**", "**/*.rs"]), patterns(&["src/gen/**", "x"]));
        let rules = Rules::compile(&allow, &deny).unwrap();
        let paths: [&[u8]; 2] = [b"src/gen/a", b"lib.rs"];
        assert_eq!(rules.unmatched(paths.into_iter()), [vec![&allow[1]], vec![&deny[1]]]);
    }

    #[test]
    fn a_directory_may_hold_what_is_allowed_unless_the_fixed_components_lead_elsewhere() {
        let rules = Rules::compile(&patterns(&["src/a/*.rs", "docs/x", "**/test/**"][..2]), &[]).unwrap();
        for directory in ["", "src", "src/a", "src/a/b", "docs"] {
            assert!(rules.may_allow_below(directory.as_bytes()), "{directory}");
        }
        for directory in ["sr", "src/b", "docs/x", "docs/x/y", "lib", "source"] {
            assert!(!rules.may_allow_below(directory.as_bytes()), "{directory}");
        }
        assert!(Rules::compile(&patterns(&["**/test/**"]), &[]).unwrap().may_allow_below(b"lib"));
        assert!(Rules::compile(&patterns(&["s?c/**"]), &[]).unwrap().may_allow_below(b"src"));
    }

    #[test]
    fn needs_an_allowed_path_and_holds_at_most_256_patterns() {
        assert!(envelope(1, 255).validate().is_ok());
        assert!(envelope(256, 0).validate().is_ok());
        assert!(envelope(1, 256).validate().unwrap_err().message.contains("257 patterns"));
        assert!(envelope(0, 1).validate().unwrap_err().message.contains("allows no path"));
    }

    #[test]
    fn labels_are_not_blank_and_not_endless() {
        for blank in ["", " ", "\n\t", "\u{a0}\u{3000}"] {
            assert!(check_label(blank).is_err(), "{blank:?}");
        }
        assert!(check_label("x").is_ok());
        assert!(check_label(&"\u{e9}".repeat(MAX_LABEL_CHARS)).is_ok());
        assert!(check_label(&"x".repeat(MAX_LABEL_CHARS + 1)).is_err());
    }

    #[test]
    fn round_trips_in_the_order_written_and_refuses_the_rest() {
        let text = r#"{"allow":["src/**"],"deny":[],"limits":{"max_files":25,"max_added_lines":2000,"max_deleted_lines":1000,"max_working_bytes":2097152,"max_binary_files":2},"allow_commits":true}"#;
        let read: Envelope = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(read.rules().unwrap().decide(b"src/a"), Decision::Allowed(&read.allow[0]));
        for (from, to) in [
            (r#""deny":[],"#, ""),
            (r#""deny":[]"#, r#""deny":[],"more":1"#),
            ("true", "1"),
            ("src/**", "/src/**"),
            (r#""allow_commits":true"#, r#""allow_commits":null"#),
        ] {
            assert!(serde_json::from_str::<Envelope>(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
