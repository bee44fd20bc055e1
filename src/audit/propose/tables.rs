//! What a first policy file is guessed by, as data: which places are which kind of work, which files are made by tools,
//! and which commands belong to which file at the top.

use std::sync::LazyLock;

use crate::policy::pattern::{Pattern, PatternSet};

/// Work that has a role of its own wherever it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Texts for people.
    Docs,
    /// What the servers of the team run.
    Ci,
    /// Where and how the software is deployed.
    Infra,
}

impl Kind {
    /// The name of its role.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Docs => "docs",
            Kind::Ci => "ci",
            Kind::Infra => "infra",
        }
    }
}

/// The places of each kind; the first row that covers a path decides.
pub(super) const KINDS: &[(&str, Kind)] = &[
    (".github/**", Kind::Ci),
    (".gitlab/**", Kind::Ci),
    (".circleci/**", Kind::Ci),
    (".buildkite/**", Kind::Ci),
    (".azure-pipelines/**", Kind::Ci),
    (".ci/**", Kind::Ci),
    ("ci/**", Kind::Ci),
    (".gitlab-ci.yml", Kind::Ci),
    (".travis.yml", Kind::Ci),
    (".cirrus.yml", Kind::Ci),
    (".appveyor.yml", Kind::Ci),
    ("appveyor.yml", Kind::Ci),
    ("azure-pipelines.yml", Kind::Ci),
    ("bitbucket-pipelines.yml", Kind::Ci),
    (".pre-commit-config.yaml", Kind::Ci),
    ("Jenkinsfile", Kind::Ci),
    ("infra/**", Kind::Infra),
    ("infrastructure/**", Kind::Infra),
    ("deploy/**", Kind::Infra),
    ("deployment/**", Kind::Infra),
    ("terraform/**", Kind::Infra),
    ("k8s/**", Kind::Infra),
    ("kubernetes/**", Kind::Infra),
    ("helm/**", Kind::Infra),
    ("charts/**", Kind::Infra),
    ("ansible/**", Kind::Infra),
    ("docker/**", Kind::Infra),
    ("*.tf", Kind::Infra),
    ("Dockerfile*", Kind::Infra),
    ("docker-compose*", Kind::Infra),
    ("compose.y*ml", Kind::Infra),
    ("docs/**", Kind::Docs),
    ("doc/**", Kind::Docs),
    ("documentation/**", Kind::Docs),
    ("website/**", Kind::Docs),
    ("man/**", Kind::Docs),
    ("*.md", Kind::Docs),
    ("*.rst", Kind::Docs),
    ("*.adoc", Kind::Docs),
    ("LICENSE*", Kind::Docs),
    ("COPYING*", Kind::Docs),
    ("NOTICE*", Kind::Docs),
];

/// Directories at the top that hold one project in each directory below them.
pub(super) const CONTAINERS: &[&str] = &["crates", "packages", "apps", "services", "libs", "modules", "plugins"];

/// Directories at the top that belong to the code which they test or show.
pub(super) const TESTS: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "e2e",
    "integration",
    "testdata",
    "fixtures",
    "__tests__",
    "bench",
    "benches",
    "benchmarks",
    "example",
    "examples",
    "fuzz",
];

/// Files whose lines nobody writes.
pub(super) const LOCKFILES: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "pubspec.lock",
    "flake.lock",
    "Podfile.lock",
    "Package.resolved",
    "gradle.lockfile",
    "packages.lock.json",
];

/// A command that belongs to a file at the top.
pub(super) struct Verifier {
    /// What the command is about: of the rows of one tool only the first that fits counts.
    pub tool: &'static str,
    /// Files that must all be there.
    pub files: &'static [&'static str],
    /// What the first of them must hold, as it is written there; empty for anything.
    pub holding: &'static str,
    /// The command.
    pub command: &'static str,
}

const fn row(
    tool: &'static str,
    files: &'static [&'static str],
    holding: &'static str,
    command: &'static str,
) -> Verifier {
    Verifier { tool, files, holding, command }
}

/// The commands.
pub(super) const VERIFIERS: &[Verifier] = &[
    row("cargo", &["Cargo.toml"], "[workspace]", "cargo test --workspace"),
    row("cargo", &["Cargo.toml"], "", "cargo test"),
    row("node", &["package.json", "pnpm-lock.yaml"], "\"test\":", "pnpm test"),
    row("node", &["package.json", "yarn.lock"], "\"test\":", "yarn test"),
    row("node", &["package.json", "bun.lock"], "\"test\":", "bun run test"),
    row("node", &["package.json"], "\"test\":", "npm test"),
    row("python", &["tox.ini"], "[tox]", "tox"),
    row("python", &["pyproject.toml"], "pytest", "python3 -m pytest"),
    row("python", &["setup.cfg"], "pytest", "python3 -m pytest"),
    row("python", &["pytest.ini"], "", "python3 -m pytest"),
    row("python", &["pyproject.toml"], "", "python3 -m unittest"),
    row("python", &["setup.py"], "", "python3 -m unittest"),
    row("go", &["go.mod"], "", "go test ./..."),
    row("maven", &["pom.xml", "mvnw"], "", "./mvnw -q test"),
    row("maven", &["pom.xml"], "", "mvn -q test"),
    row("gradle", &["build.gradle", "gradlew"], "", "./gradlew test"),
    row("gradle", &["build.gradle.kts", "gradlew"], "", "./gradlew test"),
    row("ruby", &["Rakefile"], "", "bundle exec rake"),
    row("elixir", &["mix.exs"], "", "mix test"),
    row("swift", &["Package.swift"], "", "swift test"),
    row("composer", &["composer.json"], "\"test\":", "composer test"),
    row("make", &["Makefile"], "\ntest:", "make test"),
    row("make", &["Makefile"], "\ncheck:", "make check"),
    row("just", &["justfile"], "\ntest", "just test"),
];

/// Whether a path is a file whose content says which commands there are.
pub fn is_manifest(path: &[u8]) -> bool {
    VERIFIERS.iter().any(|row| row.files.iter().any(|file| file.as_bytes() == path))
}

static PLACES: LazyLock<PatternSet> = LazyLock::new(|| {
    let patterns: Vec<Pattern> =
        KINDS.iter().map(|(glob, _)| Pattern::parse(glob).expect("a test parses every row")).collect();
    PatternSet::compile(&patterns).expect("a test compiles the table")
});

/// The row of [`KINDS`] that decides about a path.
pub(super) fn place(path: &[u8]) -> Option<&'static (&'static str, Kind)> {
    PLACES.first_match(path).map(|at| &KINDS[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::command::Command;

    #[test]
    fn every_row_can_be_used() {
        assert_eq!(place(b"docs/a/b.rs").map(|row| row.0), Some("docs/**"));
        assert_eq!(place(b"src/docs/a.md"), None);
        assert!(VERIFIERS.iter().all(|row| Command::parse(row.command).is_ok() && !row.files.is_empty()));
        assert!(is_manifest(b"yarn.lock") && !is_manifest(b"x/package.json"));
    }
}
