//! The arguments of `cordon gate`. The comments are the help texts.

use std::ffi::OsString;

use clap::Args;

use super::Reports;

/// The arguments of `gate`.
#[derive(Debug, Args)]
pub struct Gate {
    /// The commit that the change is to be merged into: an id, a branch such as origin/main, or a tag; its cordon.toml
    /// judges [default: what `CORDON_BASE`, GitHub, GitLab or Buildkite tell of]
    #[arg(long, value_name = "REV")]
    pub base: Option<OsString>,

    /// The commit that is to be merged [default: HEAD; without --base what `CORDON_HEAD` or the CI service tell of]
    #[arg(long, value_name = "REV")]
    pub head: Option<OsString>,

    /// The role of cordon.toml that judges [default: the one whose `branches` claim the head's branch, else the one in
    /// `[gate]`]
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,

    /// Run the role's verifiers, which needs the head checked out and clean [default: they run where there is a work tree]
    #[arg(long, overrides_with = "no_verify")]
    pub verify: bool,

    /// Run no verifiers [default: they run where there is a work tree]
    #[arg(long, overrides_with = "verify")]
    pub no_verify: bool,

    /// Judge a push, as the pre-receive hook of a server: reads `OLD NEW REF` lines on standard input, and tells the pusher
    /// on standard error [default: judge a change that is to be merged]
    #[arg(long, conflicts_with_all = ["base", "head", "verify", "output"])]
    pub pre_receive: bool,

    /// The reports beside the answer.
    #[command(flatten)]
    pub reports: Reports,
}
