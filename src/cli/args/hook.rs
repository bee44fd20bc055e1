//! The arguments of `cordon hook`.

use clap::{Args, Subcommand};

/// The arguments of `hook`.
#[derive(Debug, Args)]
pub struct Hook {
    /// Which hook
    #[command(subcommand)]
    pub event: HookEvent,
}

/// The hooks, and how to install them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum HookEvent {
    /// Deny a tool call that would write outside the envelope, and a Bash command that plainly would
    PreToolUse,
    /// Tell what is armed when a session begins
    SessionStart,
    /// Keep the agent from stopping, once, while something of its change would be rejected
    Stop,
    /// Print the settings that call these hooks, for a settings file of Claude Code
    Settings,
}
