//! The table of exit codes: the only place where a number for the shell is chosen.

use std::process::ExitCode;

/// How a `cordon` process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The audit accepted the change, or the command did what it was asked to do.
    Accepted,
    /// Cordon refused the operation, or the input, the state or the policy is invalid.
    Refused,
    /// The audit or a verifier rejected the change.
    Rejected,
    /// The wrapped agent failed, ran out of time or wrote too much, whatever the audit says.
    AgentFailed,
    /// A signal with this number ended the operation.
    Interrupted(u8),
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Accepted => 0,
            Exit::Refused => 2,
            Exit::Rejected => 3,
            Exit::AgentFailed => 4,
            Exit::Interrupted(signal) => 128 + (signal & 0x7f),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
