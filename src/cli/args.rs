//! The arguments. The comments here are the help texts, so they speak to the user.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod gate;
mod hook;
mod init;
pub mod ledger;
mod policy;
pub mod report;
mod setup;

pub use gate::Gate;
pub use hook::{Hook, HookEvent};
pub use init::Init;
pub use ledger::Ledger;
pub use policy::{CheckPolicy, Policy, PolicyAction, ShowPolicy, Whose};
pub use report::Reports;
pub use setup::{Completions, Man, Setup};

use super::options::Options;
use super::run_args::Run;
use crate::report::formats::table::Format;

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
Exit codes: 0 accepted (or done), 2 refused or invalid, 3 rejected, 4 the agent failed,
128+n ended by a signal.

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
    Arm(Box<Arm>),

    /// Judge what changed since arming: exit 0 if it is accepted, 3 if it is rejected
    #[command(after_help = report::help("\
Examples:
  cordon check --format json | jq .violations
  cordon check --format github --output sarif=../cordon.sarif --output html=../cordon.html"))]
    Check(Check),

    /// Judge what a branch brings to its base, before it is merged: exit 0 if it is accepted, 3 if it is rejected
    ///
    /// Nothing is armed: a role of cordon.toml judges, as the base has it, so that no change loosens its own rules. What is
    /// judged is the difference from where the head left the base, and each commit since then by itself. No work tree is
    /// needed; a bare repository will do.
    #[command(after_help = report::help("\
Examples:
  cordon gate --base origin/main
  cordon gate --base main --head feature --role docs --format github --output sarif=../cordon.sarif
  printf '#!/bin/sh\\nexec cordon gate --pre-receive\\n' > hooks/pre-receive"))]
    Gate(Gate),

    /// Arm, let an agent work, and judge what it did: exit 0, 3, or 4 if the agent failed
    ///
    /// Without an agent named, Claude Code does the task. The agent runs under a keeper that ends everything it started
    /// before anything is judged. What follows `--` is run instead of an agent that Cordon knows: the prompt replaces
    /// `{prompt}` or the path of a file with it `{prompt_file}`, else it comes on standard input.
    #[command(
        override_usage = "cordon run <TASK> --allow <GLOB>... [OPTIONS]\n       cordon run <TASK> --allow <GLOB>... [OPTIONS] -- <COMMAND>...",
        after_help = "\
Examples:
  cordon run \"fix the parser\" --allow 'src/**' --verify 'cargo test' --max-turns 20
  cordon run \"fix the parser\" --allow 'src/**' --agent codex --timeout 600
  cordon run \"fix the parser\" --allow 'src/**' -- my-agent --task '{prompt}'"
    )]
    Run(Box<Run>),

    /// Let the agent of `run` try again, told what the attempt before left behind
    ///
    /// It starts afresh in the work tree as it is, which must still be inside the envelope.
    #[command(after_help = "\
Example:
  cordon resume")]
    Resume,

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

    /// Look at cordon.toml, or at the built-in tables: protected paths, scratch zones and places of dependencies
    ///
    /// Without a command the tables are shown, each row with its reason.
    #[command(after_help = "\
Examples:
  cordon policy
  cordon policy check
  cordon policy show --role docs")]
    Policy(Policy),

    /// Propose a first cordon.toml from the layout and the history of the repository
    ///
    /// Directories that change together become one role, with the budgets that 95 % of the past commits in it would have
    /// fitted. The judge replays these commits, and the file says how many it would have refused. An existing file is never
    /// written over.
    #[command(after_help = "\
Examples:
  cordon init --dry-run
  cordon init --since 2026-01-01")]
    Init(Init),

    /// Tell which roles of cordon.toml own a path, and whom to ask
    ///
    /// The file is that of the armed commit, else that of HEAD's. Paths are written as Git writes them and need not exist.
    #[command(
        override_usage = "cordon whose <PATH>... [OPTIONS]\n       cordon whose -z [OPTIONS] < PATHS",
        after_help = "\
Examples:
  cordon whose src/main.rs docs/guide.md
  git diff -z --name-only main | cordon whose -z --format json"
    )]
    Whose(Whose),

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

    /// Read the record that every check leaves in `.stone/`, verify it, write it out, or sign it
    ///
    /// A record says who did what, and each net effect since arm; beside it stand the verdict and a statement about both,
    /// each check tied to the one before. `stone` reads the same records.
    #[command(after_help = "\
Examples:
  cordon ledger verify
  cordon ledger show --format html > session.html
  cordon ledger export --format markdown
  cordon ledger keygen ~/cordon.key && cordon ledger sign --key ~/cordon.key")]
    Ledger(Ledger),

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

    /// Write the file that makes a CI, a Git server or an agent ask Cordon
    ///
    /// An existing file is never written over.
    #[command(after_help = "\
Examples:
  cordon setup github
  cordon setup gitlab --dry-run
  cordon setup pre-receive --repo /srv/git/project.git")]
    Setup(Setup),

    /// Print the completions of a shell
    #[command(after_help = "\
Examples:
  cordon completions bash > ~/.local/share/bash-completion/completions/cordon
  cordon completions fish > ~/.config/fish/completions/cordon.fish")]
    Completions(Completions),

    /// Print a page of the manual
    #[command(after_help = "\
Examples:
  cordon man | man -l -
  cordon man ledger verify > cordon-ledger-verify.1")]
    Man(Man),
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

    /// What is allowed.
    #[command(flatten)]
    pub options: Options,
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

    /// Who worked, for the ledger: a declaration, which nobody verifies
    #[arg(long, value_name = "NAME", default_value = "undeclared")]
    pub actor: OsString,

    /// The reports.
    #[command(flatten)]
    pub reports: Reports,
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
