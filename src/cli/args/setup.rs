//! The arguments of `cordon setup`, `cordon completions` and `cordon man`.

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use crate::session::api::setup::Target;

/// The arguments of `setup`.
#[derive(Debug, Args)]
pub struct Setup {
    /// Who is to ask Cordon
    #[arg(value_name = "TARGET", value_enum)]
    pub target: TargetName,

    /// Print the file instead of writing it [default: it is written]
    #[arg(long)]
    pub dry_run: bool,
}

/// The targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TargetName {
    /// A workflow of GitHub Actions that judges each pull request
    Github,
    /// A job of GitLab CI that judges each merge request, to be included
    Gitlab,
    /// Hooks for the pre-commit framework: the policy file is valid, and what is pushed is accepted
    PreCommit,
    /// The hook of a Git server that judges each push; also for a bare repository
    PreReceive,
    /// The settings that make Claude Code ask before it writes
    Claude,
}

impl From<TargetName> for Target {
    fn from(name: TargetName) -> Target {
        match name {
            TargetName::Github => Target::Github,
            TargetName::Gitlab => Target::Gitlab,
            TargetName::PreCommit => Target::PreCommit,
            TargetName::PreReceive => Target::PreReceive,
            TargetName::Claude => Target::Claude,
        }
    }
}

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// The arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The command, such as `arm` or `ledger verify` [default: cordon itself]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}
