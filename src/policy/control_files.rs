//! Files that decide how a change is judged, built and checked out: a change of one is named by the gate, unless the role
//! owns it by name. The table is data, in Cordon's own pattern language, matched as other file systems see the names.

use std::sync::LazyLock;

use super::command::Command;
use super::envelope::{Envelope, Rules};
use super::fold;
use super::options::AuditOptions;
use super::pattern::{Pattern, PatternSet};
use crate::error::Result;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlFile {
    /// The pattern.
    pub glob: &'static str,
    /// What it decides.
    pub reason: &'static str,
}

const fn row(glob: &'static str, reason: &'static str) -> ControlFile {
    ControlFile { glob, reason }
}

const CI: &str = "what CI runs";
const HOOKS: &str = "Git hooks";

/// What every gate names.
pub const CONTROL_FILES: &[ControlFile] = &[
    row("cordon.toml", "the policy that the next change is judged by"),
    row(".github/**", CI),
    row(".gitlab-ci.yml", CI),
    row(".gitlab/**", CI),
    row(".buildkite/**", CI),
    row(".circleci/**", CI),
    row(".forgejo/**", CI),
    row(".gitea/**", CI),
    row(".woodpecker.yml", CI),
    row(".woodpecker.yaml", CI),
    row(".woodpecker/**", CI),
    row(".drone.yml", CI),
    row(".drone.star", CI),
    row(".travis.yml", CI),
    row(".cirrus.yml", CI),
    row(".appveyor.yml", CI),
    row("appveyor.yml", CI),
    row("azure-pipelines.yml", CI),
    row(".azure-pipelines/**", CI),
    row(".teamcity/**", CI),
    row(".semaphore/**", CI),
    row(".tekton/**", CI),
    row(".builds/**", CI),
    row(".build.yml", CI),
    row("buildspec.yml", CI),
    row("cloudbuild.yaml", CI),
    row("bitrise.yml", CI),
    row("bitbucket-pipelines.yml", CI),
    row("**/jenkinsfile", CI),
    row("codeowners", "who must review"),
    row("docs/codeowners", "who must review"),
    row(".husky/**", HOOKS),
    row(".githooks/**", HOOKS),
    row(".pre-commit-config.yaml", HOOKS),
    row("lefthook.yml", HOOKS),
    row("lefthook.yaml", HOOKS),
    row(".lefthook.yml", HOOKS),
    row(".lefthook.yaml", HOOKS),
    row(".overcommit.yml", HOOKS),
    row(".mergify.yml", "what is merged by itself"),
    row(".gitmodules", "where submodules are fetched from"),
    row("**/.gitattributes", "how the lines of the next change are counted"),
];

/// Programs that read what to do from a file which their command line does not name.
const READS: &[(&str, &[&str])] = &[
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
    ("rake", &["Rakefile"]),
    ("tox", &["tox.ini"]),
    ("nox", &["noxfile.py"]),
];

static TABLE: LazyLock<PatternSet> = LazyLock::new(|| {
    let patterns: Vec<Pattern> = CONTROL_FILES
        .iter()
        .map(|row| Pattern::parse(row.glob).expect("a test parses every row of the table"))
        .collect();
    PatternSet::compile(&patterns).expect("a test compiles the table")
});

/// The control files of one role: those of the table, and what its verifiers run.
pub struct ControlFiles {
    /// Each script with the verifier that runs it.
    scripts: Vec<(String, String)>,
    /// The patterns by which the role owns such files.
    named: PatternSet,
}

impl ControlFiles {
    /// The control files of a role with this envelope, these options and these verifiers.
    pub fn of(envelope: &Envelope, audit: &AuditOptions, verify: &[String]) -> Result<ControlFiles> {
        let mut scripts = Vec::new();
        for source in verify {
            let command = Command::parse(source)?;
            scripts.extend(files(command.argv(), 0).into_iter().map(|file| (file, source.clone())));
        }
        let by_name = envelope.allow.iter().filter(|pattern| pattern.begins_literally());
        let named: Vec<Pattern> = by_name.chain(&audit.allow_protected).cloned().collect();
        Ok(ControlFiles { scripts, named: PatternSet::compile(&named)? })
    }

    /// What a path decides, if it is such a file.
    pub fn reason(&self, path: &[u8]) -> Option<String> {
        // A link or a submodule in the place of a whole directory brings all that is in it.
        let below = [path, b"/x"].concat();
        let (folded, below) = (fold::path(path), fold::path(&below));
        if let Some(at) = TABLE.first_match(&folded).or_else(|| TABLE.first_match(&below)) {
            return Some(CONTROL_FILES[at].reason.to_owned());
        }
        let script = self.scripts.iter().find(|(file, _)| file.as_bytes() == path);
        script.map(|(_, command)| format!("what the verifier `{command}` runs"))
    }

    /// Whether the role owns a path by name: it may change it, and a pattern that does not begin with a wildcard, or its
    /// `allow_protected`, says so.
    pub fn is_owned(&self, rules: &Rules, path: &[u8]) -> bool {
        rules.decide(path).is_allowed() && rules.audit.protected(path).is_none() && self.named.is_match(path)
    }
}

/// What ends a word of a shell without being one.
const SEPARATORS: [char; 8] = [';', '&', '|', '<', '>', '(', ')', '\n'];

/// How often a shell may be called by a shell.
const DEPTH: usize = 4;

/// The files that a command line names or implies, relative to the root.
fn files(argv: &[String], depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in argv.iter().enumerate() {
        let name = word.rsplit('/').next().unwrap_or_default();
        if let Some((_, implied)) = READS.iter().find(|(program, _)| *program == name) {
            found.extend(implied.iter().map(|file| (*file).to_owned()));
        }
        let value =
            if word.starts_with('-') { word.split_once('=').map(|(_, value)| value) } else { Some(word.as_str()) };
        found.extend(value.map(plain));
        let is_script = at > 0 && depth < DEPTH && argv[at - 1].starts_with('-') && argv[at - 1].ends_with('c');
        // What separates commands in a shell stands beside names without a blank.
        let text = word.replace(SEPARATORS, " ");
        if let Some(inner) = Some(text).filter(|_| is_script).and_then(|text| Command::parse(&text).ok()) {
            found.extend(files(inner.argv(), depth + 1));
        }
    }
    found.retain(|file| !file.is_empty());
    found
}

/// A path as Git writes it.
fn plain(word: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in word.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::limits::Limits;

    fn of(allow: &[&str], verify: &[&str]) -> (ControlFiles, Rules) {
        let allow = allow.iter().map(|glob| Pattern::parse(glob).unwrap()).collect();
        let envelope = Envelope { allow, deny: Vec::new(), limits: Limits::default(), allow_commits: true };
        let verify: Vec<String> = verify.iter().map(|source| (*source).to_owned()).collect();
        (ControlFiles::of(&envelope, &AuditOptions::default(), &verify).unwrap(), envelope.rules().unwrap())
    }

    #[test]
    fn the_table_and_the_scripts_are_known_whatever_their_spelling() {
        let verify = [
            "./ci/check.sh --strict",
            "sh -c 'make test; python3 tools/lint.py'",
            "x --config=conf/x.toml",
            "a/../ci/other.sh",
            "sh -c '(./ci/piped.sh|tee x)>/dev/null&&true;./ci/last.sh'",
        ];
        let (files, _) = of(&["**"], &verify);
        for path in [
            "cordon.toml",
            ".github/workflows/ci.yml",
            ".GitHub/workflows/ci.yml",
            "Jenkinsfile",
            ".gitmodules",
            "ci/check.sh",
            "Makefile",
            "tools/lint.py",
            "conf/x.toml",
            "ci/other.sh",
            "ci/piped.sh",
            "ci/last.sh",
            ".github",
            "src/.gitattributes",
            "sub/Jenkinsfile",
        ] {
            assert!(files.reason(path.as_bytes()).is_some(), "{path}");
        }
        for path in ["src/a.rs", "check.sh", "sub/cordon.toml", "docs/github.md", "ci"] {
            assert!(files.reason(path.as_bytes()).is_none(), "{path}");
        }
    }

    #[test]
    fn a_role_owns_by_name_and_not_by_a_wildcard() {
        let (files, rules) = of(&["**", ".github/**", "cordon.toml"], &[]);
        assert!(files.is_owned(&rules, b".github/workflows/ci.yml"));
        assert!(!files.is_owned(&rules, b".gitmodules"));
        // The policy is protected as well.
        assert!(!files.is_owned(&rules, b"cordon.toml"));
    }

    #[test]
    fn each_row_is_a_pattern_in_its_folded_form() {
        for row in CONTROL_FILES {
            assert_eq!(fold::path(row.glob.replace("**", "x").as_bytes()), row.glob.replace("**", "x").as_bytes());
            assert!(TABLE.is_match(row.glob.replace("**", "x").as_bytes()) && !row.reason.is_empty());
        }
    }
}
