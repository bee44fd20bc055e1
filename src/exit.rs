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

/// How a `stone` process ends: as the command that it observed, or with a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoneExit {
    /// What was asked for was done.
    Done,
    /// There is no such session, or its ledger is not intact, or it cannot be attested.
    NoLedger,
    /// The arguments are not valid.
    Usage,
    /// The attestation that a strict policy demands failed.
    Unattested,
    /// The confinement that was asked for is not available, or does not hold.
    Unconfined,
    /// Another session holds the lock.
    Locked,
    /// The workspace or its configuration is not valid.
    Workspace,
    /// The workspace could not be observed.
    Incomplete,
    /// Something that is nobody's fault outside.
    Internal,
    /// The observed command ended so, or could not be started.
    Command(u8),
}

impl StoneExit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            StoneExit::Done => 0,
            StoneExit::NoLedger => 1,
            StoneExit::Usage => 2,
            StoneExit::Unattested => 94,
            StoneExit::Unconfined => 95,
            StoneExit::Locked => 96,
            StoneExit::Workspace => 97,
            StoneExit::Incomplete => 98,
            StoneExit::Internal => 99,
            StoneExit::Command(code) => code,
        }
    }
}

impl From<StoneExit> for ExitCode {
    fn from(exit: StoneExit) -> Self {
        ExitCode::from(exit.code())
    }
}
