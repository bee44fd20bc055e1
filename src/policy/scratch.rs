//! The built-in scratch zones: places that tools fill with caches and build output. What Git ignores there is noted with a
//! count and never judged; a tracked or untracked path is judged wherever it lies.
//!
//! A row opens no hole: nothing that it covers is code or a setting that a tool looks for by itself, and what steers verifiers
//! by its name is judged beside the logs as anywhere else, so a directory called `logs` is no zone as a whole. Two files that tools rewrite are no rows:
//! `compile_commands.json` outside of a build directory, because clang-tidy checks what it lists and nothing else, and
//! `pyvenv.cfg`, because it names the Python that an environment runs.
//!
//! The table is data in Cordon's own pattern language. Installed dependencies (`node_modules`, `.venv`, `venv`) are not
//! in it, because verifiers run that code.

/// Paths that tools write by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone {
    /// The pattern that covers them.
    pub glob: &'static str,
    /// What writes there, in a few words.
    pub reason: &'static str,
}

/// How a valid `CACHEDIR.TAG` file begins; the directory that holds one is a scratch zone too.
pub const CACHEDIR_TAG_SIGNATURE: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";

const fn zone(glob: &'static str, reason: &'static str) -> Zone {
    Zone { glob, reason }
}

/// The zones that hold unless the policy replaces them.
pub const DEFAULT_ZONES: &[Zone] = &[
    zone("**/__pycache__/**", "Python bytecode"),
    zone("**/*.pyc", "Python bytecode"),
    zone("**/*.pyo", "Python bytecode"),
    zone("**/.pytest_cache/**", "pytest cache"),
    zone("**/.mypy_cache/**", "mypy cache"),
    zone("**/.ruff_cache/**", "ruff cache"),
    zone("**/.hypothesis/**", "Hypothesis examples"),
    zone("**/.ipynb_checkpoints/**", "Jupyter checkpoints"),
    zone("**/.tox/**", "tox environments"),
    zone("**/.nox/**", "nox environments"),
    zone("**/*.egg-info/**", "Python package metadata"),
    zone("**/.eggs/**", "Python build dependencies"),
    zone("**/target/**", "Cargo, Maven and sbt build output"),
    zone("**/build/**", "build output"),
    zone("**/dist/**", "build output"),
    zone("**/out/**", "build output"),
    zone("**/.gradle/**", "Gradle cache"),
    zone("**/CMakeFiles/**", "CMake build output"),
    zone("**/node_modules/.cache/**", "JavaScript tool cache"),
    zone("**/node_modules/.vite/**", "Vite cache"),
    zone("**/.next/**", "Next.js build output"),
    zone("**/.nuxt/**", "Nuxt build output"),
    zone("**/.svelte-kit/**", "SvelteKit build output"),
    zone("**/.angular/cache/**", "Angular cache"),
    zone("**/.nx/cache/**", "Nx cache"),
    zone("**/.docusaurus/**", "Docusaurus build output"),
    zone("**/*.o", "object file"),
    zone("**/*.class", "Java class file"),
    zone("**/cmake-build-*/**", "CMake build directory"),
    zone("**/DerivedData/**", "Xcode build output"),
    zone("**/_build/**", "build output (Elixir, OCaml, Sphinx)"),
    zone("**/.stack-work/**", "Haskell Stack build output"),
    zone("**/dist-newstyle/**", "Cabal build output"),
    zone("**/.zig-cache/**", "Zig cache"),
    zone("**/zig-out/**", "Zig build output"),
    zone("**/.dart_tool/**", "Dart tool cache"),
    zone("**/.metals/**", "Metals cache"),
    zone("**/.bloop/**", "Bloop cache"),
    zone("**/coverage.xml", "coverage report"),
    zone("**/.dmypy.json", "mypy daemon file"),
    zone("**/.turbo/**", "Turborepo cache"),
    zone("**/.parcel-cache/**", "Parcel cache"),
    zone("**/.eslintcache", "ESLint cache"),
    zone("**/.stylelintcache", "Stylelint cache"),
    zone("**/*.tsbuildinfo", "TypeScript build state"),
    zone("**/.nyc_output/**", "coverage data"),
    zone("**/coverage/**", "coverage report"),
    zone("**/htmlcov/**", "coverage report"),
    zone("**/.coverage", "coverage data"),
    zone("**/.coverage.*", "coverage data"),
    zone("**/*.log", "log file"),
    zone("**/*.log.*", "rotated log: no tool runs or reads one by itself"),
    zone("**/logs/**/*.txt", "log file: words, whatever wrote them"),
    zone("**/logs/**/*.out", "log file: words, whatever wrote them"),
    zone("**/logs/**/*.err", "log file: words, whatever wrote them"),
    zone("**/logs/**/*.jsonl", "log file: words, whatever wrote them"),
    zone("**/logs/**/*.gz", "log file: words, whatever wrote them"),
    zone("**/*.pid", "process id of a running server: a number"),
    zone("**/.cache/clangd/**", "clangd index: read by the editor, no verifier believes it"),
    zone("**/.clangd/index/**", "clangd index: read by the editor, no verifier believes it"),
    zone("**/.ccls-cache/**", "ccls index: read by the editor, no verifier believes it"),
    zone("**/*.swp", "editor swap file"),
    zone("**/*.swo", "editor swap file"),
    zone("**/*~", "editor backup"),
    zone("**/.#*", "editor lock file"),
    zone("**/#*#", "editor autosave"),
    zone("**/.DS_Store", "desktop metadata"),
    zone("**/Thumbs.db", "desktop metadata"),
    zone("**/.idea/workspace.xml", "IDE state of one user"),
    zone("**/.idea/shelf/**", "IDE state of one user"),
    zone("**/.idea/tasks.xml", "IDE state of one user"),
    zone("**/.idea/usage.statistics.xml", "IDE state of one user"),
    zone("**/.idea/httpRequests/**", "IDE state of one user"),
    zone("**/.idea/dataSources.local.xml", "IDE state of one user"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::{Pattern, PatternSet};

    fn compiled() -> PatternSet {
        let patterns: Vec<_> = DEFAULT_ZONES.iter().map(|zone| Pattern::parse(zone.glob).unwrap()).collect();
        PatternSet::compile(&patterns).unwrap()
    }

    #[test]
    fn covers_caches_and_build_output_at_any_depth() {
        let zones = compiled();
        for path in [
            "target/debug/app",
            "a/b/__pycache__/m.cpython-311.pyc",
            "web/node_modules/.cache/x/y",
            "pkg.egg-info/PKG-INFO",
            "debug.log",
            "logs/a.log",
            "app.log.1",
            "var/app.log.2026-01-02.gz",
            "logs/app.txt",
            "tmp/pids/server.pid",
            ".cache/clangd/index/a.cpp.idx",
            "src/.main.rs.swp",
            "src/main.rs~",
            ".#lock",
            "#auto#",
            "a/.DS_Store",
            ".coverage.host.1",
        ] {
            assert!(zones.is_match(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn covers_no_dependency_no_setting_and_no_mere_namesake() {
        let zones = compiled();
        for path in [
            "node_modules/left-pad/index.js",
            ".venv/bin/python",
            "venv/lib/site.py",
            ".env",
            "target",
            "my_target/x",
            "targets/x",
            "a.logs",
            "logs",
            "catalogs/x.txt",
            "src/logs/handler.py",
            "compile_commands.json",
            ".cache/other/x",
            ".clangd",
            "coverage",
            ".coveragerc",
            ".nextcloud/page.js",
            "CACHEDIR.TAG",
        ] {
            assert!(!zones.is_match(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn every_zone_is_listed_once_with_a_reason() {
        let mut globs: Vec<_> = DEFAULT_ZONES.iter().map(|zone| zone.glob).collect();
        globs.sort_unstable();
        globs.dedup();
        assert_eq!(globs.len(), DEFAULT_ZONES.len());
        assert!(DEFAULT_ZONES.iter().all(|zone| !zone.reason.is_empty()));
    }
}
