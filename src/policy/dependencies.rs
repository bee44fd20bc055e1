//! Places of installed dependencies: code that verifiers and programs run although it stands in no diff. What was there
//! at arm stays as it was; only ignored paths count, because the others are judged like any path.
//!
//! The table is data in Cordon's own pattern language.

/// One place of installed dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The pattern that covers what is in it.
    pub glob: &'static str,
    /// What installs there.
    pub reason: &'static str,
}

const fn place(glob: &'static str, reason: &'static str) -> Place {
    Place { glob, reason }
}

/// The places.
pub const PLACES: &[Place] = &[
    place("**/node_modules/**", "npm, pnpm, yarn and bun packages"),
    place("**/.pnpm-store/**", "pnpm packages"),
    place("**/.yarn/cache/**", "yarn packages"),
    place("**/.yarn/unplugged/**", "yarn packages"),
    place("**/.pnp.cjs", "yarn's module loader"),
    place("**/bower_components/**", "bower packages"),
    place("**/.venv/**", "Python virtual environment"),
    place("**/venv/**", "Python virtual environment"),
    place("**/virtualenv/**", "Python virtual environment"),
    place("**/__pypackages__/**", "PDM packages"),
    place("**/vendor/**", "vendored packages of Composer, Bundler, Go and others"),
    place("**/.bundle/**", "Bundler settings and packages"),
    place("**/Pods/**", "CocoaPods packages"),
    place("**/Carthage/Build/**", "Carthage packages"),
    place("deps/**", "Mix packages"),
    place("**/elm-stuff/**", "Elm packages"),
];

/// What tools write into these places as they run; it is no code that anybody runs.
pub const BOOKKEEPING: &[Place] = &[
    place("**/node_modules/.cache/**", "tool cache"),
    place("**/node_modules/.vite/**", "tool cache"),
    place("**/node_modules/.package-lock.json", "npm's own list"),
    place("**/node_modules/.yarn-integrity", "yarn's own list"),
    place("**/node_modules/.yarn-state.yml", "yarn's own list"),
    place("**/node_modules/.modules.yaml", "pnpm's own list"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::{Pattern, PatternSet};

    #[test]
    fn every_row_compiles_and_has_a_reason() {
        let rows: Vec<_> = PLACES.iter().chain(BOOKKEEPING).collect();
        let patterns: Vec<_> = rows.iter().map(|row| Pattern::parse(row.glob).unwrap()).collect();
        let set = PatternSet::compile(&patterns).unwrap();
        assert!(set.is_match(b"web/node_modules/left-pad/dist/index.js"));
        assert!(!set.is_match(b"src/dependencies.rs"));
        assert!(!set.is_match(b"target/debug/deps/liba.rlib"));
        assert!(rows.iter().all(|row| !row.reason.is_empty()));
    }
}
