//! The arguments of `run`. The comments are the help texts.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::number::{positive, whole};
use super::options::Options;
use crate::agent::launch::DEFAULT_MAX_TURNS;
use crate::session::api::MAX_TIMEOUT;

/// The arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// What the agent is to do; write it before the options
    #[arg(value_name = "TASK")]
    pub task: String,

    /// What is allowed.
    #[command(flatten)]
    pub options: Options,

    /// The agent
    #[arg(long, value_name = "NAME", default_value = "claude", value_parser = ["claude", "codex", "gemini", "opencode", "cursor", "aider"], conflicts_with = "command")]
    pub agent: String,

    /// The program to start as the agent [default: the one that the search path has]
    #[arg(long, value_name = "PATH", conflicts_with = "command")]
    pub claude: Option<PathBuf>,

    /// How many turns the agent has, if it counts them [default: 30]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole("--max-turns", 1..=100_000))]
    pub max_turns: Option<u64>,

    /// How many seconds the agent has, 1 to 604800
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, allow_negative_numbers = true, value_parser = whole("--timeout", 1..=MAX_TIMEOUT))]
    pub timeout: u64,

    /// How much the agent may spend, in US dollars [default: its own limit]
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = positive("--max-budget-usd"))]
    pub max_budget_usd: Option<f64>,

    /// Which model the agent uses [default: its own]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// How hard the agent is to think: low, medium, high, xhigh, max or ultracode [default: its own]
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// Start the agent without the hooks that tell it at once what is outside of the envelope [default: with them, if it
    /// takes hooks]
    #[arg(long)]
    pub no_hook: bool,

    /// The command to run instead of an agent that Cordon knows
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<OsString>,
}

// The help text says the number, because an agent that does not count turns must not be told one.
const _: () = assert!(DEFAULT_MAX_TURNS == 30);
