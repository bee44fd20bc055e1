//! Which keeper is at work, written down while it is: who finds it later and holds the lock knows that its Cordon was
//! killed, and looks for whoever is left.

use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::error::{Error, Kind, Result};
use crate::process::leftovers::{self, Identity};
use crate::process::supervisor::Supervisor;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Running {
    /// The run of the system that the process ids belong to.
    boot: String,
    /// The Cordon that runs the operation.
    cordon: Option<Identity>,
    /// Its keeper.
    keeper: Identity,
}

/// Writes down who is about to keep programs.
pub fn begin(store: &Store, supervisor: &mut Supervisor) -> Result<()> {
    let keeper = supervisor.keeper().map_err(|error| Error::io("cannot start the keeper of programs", error))?;
    store.set_running(&Running { boot: leftovers::boot(), cordon: Identity::own(), keeper })
}

/// Refuses to go on while anything of an operation runs whose Cordon was killed. The caller holds the lock.
pub fn refuse_leftovers(store: &Store) -> Result<()> {
    let Some(running) = store.running() else { return Ok(()) };
    if running.boot == leftovers::boot() {
        let left = leftovers::of(running.keeper);
        if !left.is_empty() {
            let all = left.join(", ");
            return Err(Error::new(Kind::Refused, format!("a killed operation left processes behind: {all}"))
                .hint("End them, for example with `kill -9`, and look at what they changed; then try again."));
        }
    }
    store.clear_running();
    Ok(())
}

/// Whether the operation that was written down is under way.
pub fn is_under_way(store: &Store) -> bool {
    let cordon = store.running().filter(|running| running.boot == leftovers::boot()).and_then(|running| running.cordon);
    cordon.is_some_and(Identity::is_alive)
}
