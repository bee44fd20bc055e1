//! The gate before a merge: `cordon gate` over branches, clones and bare repositories, next to what git says.

mod ci;
mod counts;
mod history;
mod hostile;
mod judged;
mod push;
pub mod rig;
mod shallow;
mod transport;
mod verify;
