//! What the work tree looks like, and how two looks differ. This room reads the file system and knows no Git.
//!
//! A check costs one [`walk`] plus work in proportion to the [`delta`]: nothing else is opened.

pub mod behind;
pub mod delta;
pub mod digest;
pub mod entry;
pub mod fingerprint;
pub mod mapped;
pub mod mounts;
pub mod open;
pub mod owner;
pub mod parallel;
pub mod sync;
mod varint;
pub mod walk;
