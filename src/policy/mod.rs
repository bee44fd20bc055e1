//! PURE. What is allowed: paths, patterns, limits, the envelope, and the tables that users can read and replace.

pub mod caches;
pub mod command;
pub mod config_keys;
pub mod control_files;
pub mod dependencies;
pub mod envelope;
pub mod escape;
pub mod file;
pub mod fold;
pub mod limits;
pub mod linking;
pub mod options;
pub mod path;
pub mod pattern;
pub mod protected;
pub mod scratch;
pub mod shell;
pub mod signal;
pub mod steering;
pub mod text;
