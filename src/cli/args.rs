//! The arguments. The comments here are the help texts, so they speak to the user.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod hook;

pub use hook::{Hook, HookEvent};

use super::number::whole;
use crate::policy::limits::Limits;

/// A change gate for coding agents
///
/// Arm an envelope over a Git repository: which paths may change, how much, and which commands must pass. Let any agent
/// work. Then check: Cordon reads what really changed since arming and accepts or rejects it. It believes neither the
/// agent's word nor Git's caches nor the repository's own configuration.
#[derive(Debug, Parser)]
#[command(
    name = "cordon",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 accepted (or done), 2 refused or invalid, 3 rejected, 128+n ended by a signal.

Colours are for terminals. NO_COLOR=1, CLICOLOR=0 or TERM=dumb turns them off; CLICOLOR_FORCE=1
turns them on in a pipe as well, though never in a patch.

Example:
  cordon arm \"fix the parser\" --allow 'src/**' 'tests/**' --verify 'cargo test'
  ... let the agent work ...
  cordon check"
)]
pub struct Arguments {
    /// The repository: its root or any directory in it
    #[arg(long, global = true, help_heading = "Global options", value_name = "PATH", default_value = ".")]
    pub repo: PathBuf,

    /// How to print the result [default: human on a terminal, json otherwise; a patch for `diff`]
    #[arg(long, global = true, help_heading = "Global options", value_name = "FORMAT", value_enum)]
    pub format: Option<Format>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// JSON for programs
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record the repository as it is, and what may change from now on
    // The generated usage would put LABEL behind --allow, which takes every word that follows it.
    #[command(
        override_usage = "cordon arm <LABEL> --allow <GLOB>... [OPTIONS]",
        after_help = "\
Patterns are relative to the repository's root and match whole paths; deny wins over allow.
  *     anything within one directory: src/*.rs
  **    anything, across directories: src/** is all below src
  **/   any number of directories, also none: **/Cargo.toml
  ?     one character
Everything else stands for itself.

Example:
  cordon arm \"fix the parser\" --allow 'src/**' --deny 'src/vendor/**' --verify 'cargo test'"
    )]
    Arm(Arm),

    /// Judge what changed since arming: exit 0 if it is accepted, 3 if it is rejected
    #[command(after_help = "\
Example:
  cordon check --format json | jq .violations")]
    Check(Check),

    /// Show what is armed, and how the last check ended
    #[command(after_help = "\
Example:
  cordon status")]
    Status,

    /// Disarm: remove `.cordon/` and nothing else
    ///
    /// Refused while `.cordon/` holds the only copy of uncommitted work that `arm --allow-dirty` kept.
    #[command(after_help = "\
Example:
  cordon reset")]
    Reset(Reset),

    /// Show what changed since arming, as a patch against the baseline
    ///
    /// The patch has Git's form. In a pipe its bytes are raw, so that `git apply` takes it; on a terminal control
    /// characters are escaped, and of binary files it only says that they differ. Files of more than 512 MiB are left out
    /// with a warning. `--format json` prints one object a path.
    #[command(after_help = "\
Example:
  cordon diff --outside | git apply --reverse")]
    Diff(Diff),

    /// Tell for each path whether it is inside the envelope, and which pattern decides
    ///
    /// Paths are written as Git writes them, relative to the repository's root and without detours, and need not exist. They are held against the armed envelope, or
    /// against the patterns given here, in which case no repository is needed. Exit 0 if all are inside, 3 otherwise.
    #[command(
        override_usage = "cordon explain <PATH>... [OPTIONS]\n       cordon explain -z [OPTIONS] < PATHS",
        after_help = "\
Examples:
  cordon explain src/main.rs README.md
  cordon explain src/main.rs --allow 'src/**' --deny 'src/vendor/**'
  git ls-files -z | cordon explain -z"
    )]
    Explain(Explain),

    /// Show the built-in tables: protected paths, scratch zones and places of dependencies, each with its reason
    #[command(after_help = "\
Example:
  cordon policy --show-defaults")]
    Policy(Policy),
    /// Write the uncommitted work that `arm --allow-dirty` kept into a new directory
    ///
    /// Nothing that exists is written over. It works whatever the last check said, as long as the state is whole.
    #[command(after_help = "\
Examples:
  cordon rescue
  cordon rescue docs/guide.md notes --to ../saved")]
    Rescue(Rescue),

    /// Explain the codes of the findings: what they mean, why they matter, how to allow or undo what they are about
    #[command(after_help = "\
Example:
  cordon codes lost-work")]
    Codes(Codes),

    /// Answer the hooks of Claude Code, so that an agent hears what is outside before it writes it
    ///
    /// Each hook reads an event on standard input and answers in the JSON that Claude Code reads, or not at all: nothing
    /// armed, an event that is not understood and every error are answered with silence and exit 0. Hooks advise; `check`
    /// decides.
    #[command(after_help = "\
Examples:
  cordon hook settings > .claude/settings.local.json
  echo '{\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"README.md\"}}' | cordon hook pre-tool-use")]
    Hook(Hook),
}

/// The arguments of `rescue`.
#[derive(Debug, Args)]
pub struct Rescue {
    /// Files, or directories of files, relative to the repository's root [default: all that was kept]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// The directory to write, which must be new or empty [default: cordon-rescue-<TIME> beside the repository]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

/// The arguments of `reset`.
#[derive(Debug, Args)]
pub struct Reset {
    /// Drop kept uncommitted work even if it is nowhere else any more [default: such a reset is refused]
    #[arg(long)]
    pub discard_kept: bool,
}

/// The arguments of `codes`.
#[derive(Debug, Args)]
pub struct Codes {
    /// The code to explain [default: all]
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// The arguments of `arm`.
#[derive(Debug, Args)]
pub struct Arm {
    /// What the change is for, in your own words; write it before the options
    #[arg(value_name = "LABEL")]
    pub label: String,

    /// Patterns of the paths that may change
    #[arg(long, value_name = "GLOB", required = true, num_args = 1..)]
    pub allow: Vec<String>,

    /// Patterns of paths that must not change, even where --allow covers them [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub deny: Vec<String>,

    /// How many paths may change; a rename is two
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_files, allow_negative_numbers = true, value_parser = whole("--max-files", 0..=u64::MAX))]
    pub max_files: u64,

    /// How many lines may be added
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_added_lines, allow_negative_numbers = true, value_parser = whole("--max-added-lines", 0..=u64::MAX))]
    pub max_added_lines: u64,

    /// How many lines may be deleted
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_deleted_lines, allow_negative_numbers = true, value_parser = whole("--max-deleted-lines", 0..=u64::MAX))]
    pub max_deleted_lines: u64,

    /// How large the changed files may be together, in bytes
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_working_bytes, allow_negative_numbers = true, value_parser = whole("--max-working-bytes", 0..=u64::MAX))]
    pub max_working_bytes: u64,

    /// How many binary files may change
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_binary_files, allow_negative_numbers = true, value_parser = whole("--max-binary-files", 0..=u64::MAX))]
    pub max_binary_files: u64,

    /// Allow HEAD to move to new commits [default: HEAD must not move]
    #[arg(long)]
    pub allow_commits: bool,

    /// Take uncommitted work, untracked files included, as part of the baseline, and keep its content so that it cannot be
    /// lost unnoticed [default: a dirty work tree is refused]
    #[arg(long)]
    pub allow_dirty: bool,

    /// Commands that must exit with 0, each one quoted word; run without a shell in the repository's root, and only if
    /// the change is inside the envelope [default: none]
    #[arg(long, value_name = "CMD", num_args = 1..)]
    pub verify: Vec<String>,

    /// How many seconds each of these commands has, 1 to 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 300, allow_negative_numbers = true, value_parser = whole("--verify-timeout", 1..=86_400))]
    pub verify_timeout: u64,

    /// What becomes of an ignored file that existed at arm and was changed or deleted
    #[arg(long, value_name = "RULE", value_enum, default_value_t = IgnoredChoice::Deny)]
    pub ignored: IgnoredChoice,

    /// More scratch zones: places of ignored files that tools fill by themselves [default: see `cordon policy`]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub scratch: Vec<String>,

    /// Drop the built-in scratch zones [default: they hold]
    #[arg(long)]
    pub no_default_scratch: bool,

    /// Ignored files that may change, installed dependencies included [default: those inside --allow]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub allow_ignored: Vec<String>,

    /// More protected paths: no --allow pattern opens them [default: see `cordon policy`]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub protect: Vec<String>,

    /// Protected paths that may change where --allow covers them [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub allow_protected: Vec<String>,

    /// How many attempts a wrapped agent has, 1 to 100
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = whole("--max-attempts", 1..=100))]
    pub max_attempts: u64,
}

/// What becomes of changed ignored files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IgnoredChoice {
    /// It rejects the change
    Deny,
    /// It is only noted
    Report,
}

/// The arguments of `policy`.
#[derive(Debug, Args)]
pub struct Policy {
    /// Show what holds without any option: protected paths, scratch zones, places of dependencies
    #[arg(long, required = true)]
    pub show_defaults: bool,
}

/// The arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Read every file again, also those whose metadata did not change [default: only where metadata differ]
    #[arg(long)]
    pub rehash: bool,

    /// The anchor that `arm` printed, or at least its first 12 digits: any other envelope is refused [default: the
    /// anchor that the Git directory keeps]
    #[arg(long, value_name = "HEX")]
    pub anchor: Option<String>,
}

/// The arguments of `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// Only the paths that the envelope allows [default: all]
    #[arg(long, conflicts_with = "outside")]
    pub inside: bool,

    /// Only the paths that the envelope does not allow [default: all]
    #[arg(long)]
    pub outside: bool,
}

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The paths; write them before the options, or after `--`
    #[arg(value_name = "PATH", required_unless_present = "nul")]
    pub paths: Vec<OsString>,

    /// Read the paths from standard input, each ended by a NUL byte
    #[arg(short = 'z', id = "nul", conflicts_with = "paths")]
    pub nul: bool,

    /// Patterns to hold the paths against instead of the armed envelope
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub allow: Vec<String>,

    /// Patterns of paths that are outside even where --allow covers them [default: none]
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub deny: Vec<String>,
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
