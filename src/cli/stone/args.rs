//! The arguments of `stone`. The comments here are the help texts, so they speak to the user.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Run a command and record what it has changed
///
/// Stone looks at the directory that it is started in before and after a command, and records the net effects in a
/// hash-chained ledger below .stone/. It needs no Git and no cooperation of the command. It reads and writes the ledgers
/// of Cornerstone.
#[derive(Debug, Parser)]
#[command(
    name = "stone",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Exit codes: `run` ends as its command does. 0 done, 1 no such session or a ledger that is not
intact, 2 invalid arguments, 94 attestation failed under a strict policy, 95 confinement not
possible, 96 another session holds the lock, 97 invalid workspace or configuration, 98 the
workspace could not be observed, 99 internal error, 126 the command cannot be run, 127 the command
was not found, 128+n ended by a signal.

Example:
  stone run --actor codex -- codex exec \"Reorganize these files\"
  stone show latest
  stone verify latest"
)]
pub struct Arguments {
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a command and record its net effects
    #[command(
        override_usage = "stone run [OPTIONS] -- <COMMAND> [ARG]...",
        args_override_self = true,
        after_help = "\
What stands in .stone/config.toml, both optional:
  ignore = [\"data/cache/\", \"tmp/\"]     paths that are not observed, relative, no patterns
  capture_max_bytes = 10485760         how much of each output stream --capture-output keeps
.stone/ .git/ node_modules/ __pycache__/ .venv/ and venv/ at the top are never observed.

The summary is printed when the command and everybody in its process group have ended.

Example:
  stone run --actor codex --capture-output -- codex exec \"Reorganize these files\""
    )]
    Run(Run),
    /// Show the net effects of a session, if its ledger is intact
    #[command(after_help = "Example:\n  stone show latest")]
    Show(Session),
    /// Verify the ledger of a session: its chain, its form and its structure
    #[command(after_help = "Example:\n  stone verify latest")]
    Verify(Session),
    /// Print what a Witness authority is told about a session, or submit it
    #[command(
        override_usage = "stone attest [OPTIONS] <SESSION>",
        args_override_self = true,
        after_help = "\
The statement binds the session to the SHA-256 of its ledger. Without --url it is all that is
printed. A receipt is kept as receipt.json beside the ledger and is never replaced.

SSL_CERT_FILE names certificates to trust in place of those that are built in.

Example:
  stone attest --url https://witness.example latest"
    )]
    Attest(Attest),
    /// List the sessions, the latest first
    #[command(after_help = "Example:\n  stone list")]
    List,
}

/// The arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Who runs the command: a name that you give and nobody checks
    #[arg(long, value_name = "NAME", default_value = "undeclared", allow_hyphen_values = true)]
    pub actor: OsString,

    /// Keep the end of the command's output beside the ledger, where only you can read it [default: it is only shown]
    #[arg(long)]
    pub capture_output: bool,

    /// Keep the command from writing below .stone/, also through what it starts [default: it could]
    #[arg(long)]
    pub confine: bool,

    /// Have a Witness authority attest the ledger once it is written: https, or http to this machine [default: nobody]
    #[arg(long, value_name = "URL")]
    pub attest: Option<String>,

    /// Whether a failed attestation is a failure of the session, with exit code 94
    #[arg(long, value_name = "POLICY", value_enum, default_value = "open")]
    pub attest_policy: Policy,

    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The arguments of a command about one session.
#[derive(Debug, Args)]
pub struct Session {
    /// The id of the session, or `latest`
    #[arg(value_name = "SESSION")]
    pub session: String,
}

/// The arguments of `attest`.
#[derive(Debug, Args)]
pub struct Attest {
    /// The authority to submit the statement to: https, or http to this machine [default: only print it]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,

    /// The id of the session, or `latest`
    #[arg(value_name = "SESSION")]
    pub session: String,
}

/// What a failed attestation means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// It is told, and changes nothing else
    Open,
    /// It is exit code 94; the ledger stays
    Strict,
}
