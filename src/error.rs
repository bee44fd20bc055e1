//! The one error type: what kind of failure it is, what is wrong, and what to do next.
//!
//! A message is a sentence fragment that names the thing at fault with every hostile byte already escaped; hints are
//! whole sentences that a person or an agent can act on at once.

use std::fmt;

use crate::exit::{Exit, StoneExit};

/// What kind of failure an [`Error`] is; it decides the exit code and the `error.kind` of the JSON form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The arguments or the policy are not valid.
    Usage,
    /// The repository is missing, unreadable or of a form that cannot be audited.
    Repository,
    /// The operation is not possible in the present phase (armed already, not armed, dirty tree ...).
    Refused,
    /// Cordon's own state is missing, damaged, foreign or newer than this program.
    State,
    /// Another operation holds the lock.
    Busy,
    /// A verifier could not be started.
    Verifier,
    /// The agent could not be started, or not be ended.
    Agent,
    /// A workspace whose `.stone/` or its configuration cannot be used.
    Workspace,
    /// A ledger that is missing or not intact.
    Ledger,
    /// A workspace that cannot be observed.
    Snapshot,
    /// A confinement that was asked for and does not hold.
    Confinement,
    /// A command that could not be started; the number is the exit code that shells have for the reason.
    Command(u8),
    /// The operating system refused something that Cordon needs.
    Io,
    /// A signal with this number ended the operation.
    Interrupted(u8),
    /// Whoever read the output went away, which is no error.
    BrokenPipe,
}

impl Kind {
    /// The name in the JSON form of an error.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Usage => "usage",
            Kind::Repository => "repository",
            Kind::Refused => "refused",
            Kind::State => "state",
            Kind::Busy => "busy",
            Kind::Verifier => "verifier",
            Kind::Agent => "agent",
            Kind::Workspace => "workspace",
            Kind::Ledger => "ledger",
            Kind::Snapshot => "snapshot",
            Kind::Confinement => "confinement",
            Kind::Command(_) => "command",
            Kind::Io => "io",
            Kind::Interrupted(_) => "interrupted",
            Kind::BrokenPipe => "broken-pipe",
        }
    }

    /// The exit code of `stone` that belongs to this kind.
    pub fn stone_exit(self) -> StoneExit {
        match self {
            Kind::BrokenPipe => StoneExit::Done,
            Kind::Ledger => StoneExit::NoLedger,
            Kind::Usage => StoneExit::Usage,
            Kind::Confinement => StoneExit::Unconfined,
            Kind::Busy => StoneExit::Locked,
            Kind::Workspace => StoneExit::Workspace,
            Kind::Snapshot => StoneExit::Incomplete,
            Kind::Command(code) => StoneExit::Command(code),
            Kind::Interrupted(signal) => StoneExit::Command(Exit::Interrupted(signal).code()),
            _ => StoneExit::Internal,
        }
    }

    /// The exit code that belongs to this kind.
    pub fn exit(self) -> Exit {
        match self {
            Kind::BrokenPipe => Exit::Accepted,
            Kind::Interrupted(signal) => Exit::Interrupted(signal),
            _ => Exit::Refused,
        }
    }
}

/// A failure with its kind, a message, hints, and what caused it.
#[derive(Debug)]
pub struct Error {
    /// Which kind of failure this is.
    pub kind: Kind,
    /// What is wrong; names of files are escaped already.
    pub message: String,
    /// What to do next, whole sentences.
    pub hints: Vec<String>,
    /// What caused it, if another error did.
    pub source: Option<anyhow::Error>,
}

/// The result type of everything that can fail with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), hints: Vec::new(), source: None }
    }

    /// Bad arguments or a bad policy.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A repository that cannot be audited.
    pub fn repository(message: impl Into<String>) -> Self {
        Self::new(Kind::Repository, message)
    }

    /// An operation that the present phase does not allow.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    /// Damaged, missing, foreign or newer state.
    pub fn state(message: impl Into<String>) -> Self {
        Self::new(Kind::State, message)
    }

    /// A failed system call: `what` names the operation and the file.
    pub fn io(what: impl Into<String>, source: impl Into<anyhow::Error>) -> Self {
        Self::new(Kind::Io, what).caused_by(source)
    }

    /// Adds a sentence that says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<anyhow::Error>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The messages of the whole chain of causes, outermost first, this error's own left out.
    pub fn causes(&self) -> Vec<String> {
        self.source.iter().flat_map(|source| source.chain()).map(ToString::to_string).collect()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}
