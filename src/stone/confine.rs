//! The confinement of a command: it can only read `.stone/`, and that is proved before it is relied on.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::ledger::record::{Backend, Confinement, Profile};
use crate::ledger::store::Store;
use crate::policy::signal;
use crate::process::child::Status;
use crate::process::interrupt::Interrupts;
use crate::process::mask::DENIED;
use crate::process::observed::{self, Around, Unrun};

/// What a ledger says of a session that was confined so.
pub(super) const CONFINED: Confinement =
    Confinement { backend: Backend::Userns, profile: Profile::Ledger, signal_scope: false };

/// A mask over `.stone/` that was proved to hold.
pub(super) struct Mask {
    /// Where the directory is, without a link on the way.
    place: PathBuf,
}

impl Mask {
    /// Proves in two steps that a command can be confined here: a program runs behind the mask at all, and then one that
    /// tries to write is denied. Anything else is a failure.
    pub(super) fn prove(root: &Path, store: &Store, interrupts: &Interrupts) -> Result<Mask> {
        let place = store.path().canonicalize().map_err(|error| failed("a probe").caused_by(error))?;
        let mask = Mask { place };
        match mask.probe(root, store, interrupts, None)? {
            Status::Exited(0) => {}
            status => return Err(odd("that only had to run", status)),
        }
        let name = format!(".tmp-probe-{}", std::process::id());
        let status = mask.probe(root, store, interrupts, Some(&mask.place.join(&name)))?;
        if store.remove(&name)? {
            return Err(failed("a probe").hint("A probe could write into .stone/ although it was masked."));
        }
        if status == Status::Exited(DENIED) { Ok(mask) } else { Err(odd("that had to be denied a write", status)) }
    }

    /// What a command is told to keep away from.
    pub(super) fn masked<'a>(&'a self, store: &'a Store) -> (&'a Path, BorrowedFd<'a>) {
        (&self.place, store.directory().as_fd())
    }

    fn probe(&self, root: &Path, store: &Store, interrupts: &Interrupts, target: Option<&Path>) -> Result<Status> {
        let around = Around { keep: None, masked: Some(self.masked(store)) };
        let ended = observed::run(&observed::probe(target, root), around, interrupts).map_err(|why| match why {
            Unrun::Start(error) | Unrun::Mask(error) | Unrun::System(error) => unavailable().caused_by(error),
        })?;
        match ended.passed_on.and_then(|signal| u8::try_from(signal).ok()) {
            Some(signal) => Err(Error::new(Kind::Interrupted(signal), "interrupted before the command was started")),
            None => Ok(ended.status),
        }
    }
}

/// Confinement works here and did not hold this time.
pub(super) fn failed(whom: &str) -> Error {
    Error::new(Kind::Confinement, format!("the confinement could not be applied to {whom}"))
        .hint("Nothing ran. Without --confine the command could write its own record.")
}

/// Confinement does not work here.
fn unavailable() -> Error {
    Error::new(Kind::Confinement, "this system does not let an ordinary user confine a command")
        .hint("It needs user and mount namespaces without privileges; on Ubuntu the administrator must allow them.")
}

fn odd(which: &str, status: Status) -> Error {
    let how = match status {
        Status::Exited(code) => format!("exited with {code}"),
        Status::Signaled(signal) => format!("was ended by {}", signal::words(signal)),
    };
    failed("a probe").caused_by(anyhow::anyhow!("the probe {which} {how}"))
}
