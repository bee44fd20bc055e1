//! The ledger: the net effects of a session as hash-chained records, in the format of Cornerstone, so that its tools read
//! what Cordon wrote and Cordon reads what they wrote.
//!
//! `record` has the words, `canonical` and `chain` write them down, `read` and `verify` read them without trust, `effects`
//! is the difference of two observations, `witness` what an authority is told, `statement` and `dsse` what an attestation says and who signed it, and `id` names sessions. All of that is pure. `store` is `.stone/` on disk,
//! `index` its list of sessions, `lock` its lock, and `files` how its files are read and written.

pub mod canonical;
pub mod chain;
pub mod dsse;
pub mod effects;
mod files;
pub mod id;
pub mod index;
pub mod lock;
pub mod order;
mod read;
pub mod record;
pub mod statement;
pub mod store;
pub mod verify;
pub mod witness;
