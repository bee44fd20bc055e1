//! The object store against what it was at arm. Git does not hash again what it reads, so an object that is overwritten
//! under its old id comes back with the next checkout although no file, index or commit shows a change.
//!
//! Nobody can set a file's change time, so what is older than arm is as it was at arm; only what is younger is read. The
//! cost is one look at the names of loose objects and packs, and reading in proportion to what was written since.

pub mod baseline;
pub mod check;
pub mod loose;
pub mod packs;
