//! The arguments of `cordon policy` and `cordon whose`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The arguments of `policy`.
#[derive(Debug, Args)]
pub struct Policy {
    /// What to do with cordon.toml
    #[command(subcommand)]
    pub action: Option<PolicyAction>,

    /// Show what holds without any option of `arm` [default: shown, with or without this option]
    #[arg(long)]
    pub show_defaults: bool,
}

/// What can be done with a policy file.
#[derive(Debug, Subcommand)]
pub enum PolicyAction {
    /// Tell every fault of cordon.toml with its line and key: exit 0 if there is none, 2 otherwise
    ///
    /// Also told are the paths that several roles own, and what is valid and may not be meant. The file is that of the work
    /// tree, so that it can be checked before it is committed.
    #[command(after_help = "\
Examples:
  cordon policy check
  git show main:cordon.toml | cordon policy check /dev/stdin")]
    Check(CheckPolicy),

    /// Show what holds for each role, with `[defaults]` and what nobody says
    ///
    /// The file is that of the commit of HEAD, which is what `cordon arm --role` reads.
    #[command(after_help = "\
Examples:
  cordon policy show
  cordon policy show cordon.toml --role docs")]
    Show(ShowPolicy),

    /// Print the JSON Schema of cordon.toml, for editors
    #[command(after_help = "\
Example:
  cordon policy schema > cordon.schema.json")]
    Schema,
}

/// The arguments of `policy check`.
#[derive(Debug, Args)]
pub struct CheckPolicy {
    /// The file [default: cordon.toml of the work tree]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// The arguments of `policy show`.
#[derive(Debug, Args)]
pub struct ShowPolicy {
    /// The file [default: cordon.toml of the commit of HEAD]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Only this role [default: all]
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,
}

/// The arguments of `whose`.
#[derive(Debug, Args)]
pub struct Whose {
    /// The paths; write them before the options, or after `--`
    #[arg(value_name = "PATH", required_unless_present = "nul")]
    pub paths: Vec<OsString>,

    /// Read the paths from standard input, each ended by a NUL byte
    #[arg(short = 'z', id = "nul", conflicts_with = "paths")]
    pub nul: bool,
}
