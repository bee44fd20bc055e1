//! `cordon.toml`: the envelopes of a team by role. Text in, roles out; where the text comes from is told by whoever reads
//! it.

pub mod fault;
pub mod keys;
pub mod nearest;
pub mod overlap;
pub mod read;
pub mod review;
pub mod role;
pub mod schema;
pub mod settings;
mod tables;
pub mod territory;
