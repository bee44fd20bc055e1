//! `setup`: the files that make other programs ask Cordon, as templates, and where each belongs.

use std::path::{Path, PathBuf};

use super::fresh::{self, NewFile};
use crate::agent::settings;
use crate::error::{Error, Result};
use crate::git::locate;
use crate::json;

/// Who is to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
    /// The pre-commit framework.
    PreCommit,
    /// Git on a server.
    PreReceive,
    /// Claude Code.
    Claude,
}

/// What is known of a target.
struct Row {
    target: Target,
    name: &'static str,
    path: &'static str,
    /// `None` where the text depends on this machine.
    template: Option<&'static str>,
    next: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        target: Target::Github,
        name: "github",
        path: ".github/workflows/cordon.yml",
        template: Some(include_str!("templates/github.yml")),
        next: "set CORDON_SOURCE in it, commit it with cordon.toml, and make the check required for the branch",
    },
    Row {
        target: Target::Gitlab,
        name: "gitlab",
        path: ".gitlab/cordon.gitlab-ci.yml",
        template: Some(include_str!("templates/gitlab.yml")),
        next: "set CORDON_SOURCE in it, include it from .gitlab-ci.yml, and commit both with cordon.toml",
    },
    Row {
        target: Target::PreCommit,
        name: "pre-commit",
        path: ".pre-commit-config.yaml",
        template: Some(include_str!("templates/pre-commit.yml")),
        next: "commit it, then pre-commit install --hook-type pre-commit --hook-type pre-push",
    },
    Row {
        target: Target::PreReceive,
        name: "pre-receive",
        path: "hooks/pre-receive",
        template: Some(include_str!("templates/pre-receive.sh")),
        next: "see that the user who receives pushes has cordon in the PATH",
    },
    Row {
        target: Target::Claude,
        name: "claude",
        path: ".claude/settings.local.json",
        template: None,
        next: "have Git ignore it or commit it before you arm: .claude/ is protected",
    },
];

/// What belongs to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The target's name.
    pub name: &'static str,
    /// The file.
    pub file: NewFile,
    /// What to do once it is written.
    pub next: &'static str,
}

/// The file of a target. `program` is this program, for what calls it by its full path.
pub fn setup(target: Target, program: &[u8]) -> Result<Setup> {
    let row = ROWS.iter().find(|row| row.target == target).expect("a test finds a row for each target");
    let bytes = match row.template {
        Some(text) => text.replace("{version}", env!("CARGO_PKG_VERSION")).into_bytes(),
        None => json::pretty(&settings::settings(program, None)?),
    };
    let file = NewFile { path: row.path.to_owned(), bytes, executable: target == Target::PreReceive };
    Ok(Setup { name: row.name, file, next: row.next })
}

/// Writes it where it belongs: into the work tree, or, for Git on a server, into the Git directory.
pub fn write(start: &Path, target: Target, setup: &Setup) -> Result<PathBuf> {
    let root = match target {
        Target::PreReceive => git_directory(start)?,
        _ => locate::locate(start)?.root,
    };
    fresh::write(&root, std::slice::from_ref(&setup.file))?;
    Ok(root.join(&setup.file.path))
}

/// The Git directory of a repository with or without a work tree.
fn git_directory(start: &Path) -> Result<PathBuf> {
    let is_bare = start.join("HEAD").is_file() && start.join("objects").is_dir() && start.join("refs").is_dir();
    if is_bare {
        return std::fs::canonicalize(start).map_err(|error| Error::io("cannot find the repository", error));
    }
    Ok(locate::locate(start)?.common_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_has_its_file_and_no_placeholder_is_left() {
        for target in [Target::Github, Target::Gitlab, Target::PreCommit, Target::PreReceive, Target::Claude] {
            let setup = setup(target, b"/bin/cordon").unwrap();
            let text = String::from_utf8(setup.file.bytes).unwrap();
            assert!(text.contains("cordon") && !text.contains("{version}"), "{text}");
            assert_eq!(setup.file.executable, text.starts_with("#!"));
        }
    }
}
