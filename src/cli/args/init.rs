//! The arguments of `cordon init`.

use clap::Args;

/// The arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// How far back to look: a date such as 2026-01-31, or a revision that is left out with all before it
    /// [default: the last 500 commits]
    #[arg(long, value_name = "DATE|REV")]
    pub since: Option<String>,

    /// Print the file instead of writing it [default: it is written]
    #[arg(long)]
    pub dry_run: bool,
}
