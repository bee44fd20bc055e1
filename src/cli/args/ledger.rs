//! The arguments of `cordon ledger`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::report::{self, Reports};

/// The arguments of `ledger`.
#[derive(Debug, Args)]
pub struct Ledger {
    /// What to do
    #[command(subcommand)]
    pub action: LedgerAction,
}

/// What can be done with the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum LedgerAction {
    /// List the sessions, the newest first
    List,
    /// Show one session: who, what, how it ended, and every net effect
    #[command(after_help = report::help("\
Example:
  cordon ledger show latest --format html > session.html"))]
    Show(Show),
    /// Verify every session, what is bound to it, and the chain of checks: exit 0 if all is intact, 3 otherwise
    Verify(Verify),
    /// Print where a session lies
    Path(Named),
    /// Write one session out, `--format json|intoto|markdown`: verdict and effects, or the in-toto statement as it is
    Export(Named),
    /// Make a pair of Ed25519 keys: FILE, for you alone, and FILE.pub
    Keygen {
        /// The file of the private key, which must be new
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Sign the statement of a session: DSSE, beside its ledger
    Sign(Sign),
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Named {
    /// The session
    #[arg(value_name = "ID|latest", default_value = "latest")]
    pub session: String,
}

/// The arguments of `ledger show`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Show {
    /// The session
    #[command(flatten)]
    pub named: Named,

    /// The reports.
    #[command(flatten)]
    pub reports: Reports,
}

/// The arguments of `ledger verify`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Verify {
    /// The session
    #[command(flatten)]
    pub named: Named,

    /// A public key that must have signed the session's statement [default: signatures are not asked for]
    #[arg(long, value_name = "PUB")]
    pub key: Option<PathBuf>,
}

/// The arguments of `ledger sign`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Sign {
    /// The session
    #[command(flatten)]
    pub named: Named,

    /// The private key that `cordon ledger keygen` made
    #[arg(long, value_name = "FILE", required = true)]
    pub key: PathBuf,
}
