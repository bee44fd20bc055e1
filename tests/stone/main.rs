//! Black-box tests of `stone`: real directories, real commands, and the older program of the same name as counterpart.
//!
//! `CORDON_TEST_STONE` names that program, which is otherwise looked for under `target/stone-venv`; `CORDON_TEST_ALL` turns
//! what would be skipped without it, or without root, into a failure. `CORDON_BIN` names a `cordon` whose neighbour is
//! tested, `CORDON_TEST_LEDGERS` where the sessions of all tests are kept, `CORDON_STONE_SEQUENCES` and `CORDON_SEED` set the size and the start of the random runs.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test, which is what it is for")]

mod agreement;
mod attest;
mod authority;
mod common;
mod confine;
mod counterpart;
mod exits;
mod faults;
mod group;
mod names;
mod reading;
