//! What Git makes of the work tree. The only room that uses gitoxide; it fills the audit's evidence.
//!
//! Nothing here runs a program that the repository names, and nothing here believes Git's caches: the index is read for
//! what it lists, never for what it says about the files on disk, except at arm and to the nanosecond.

pub mod ask;
pub mod attributes;
pub mod audited;
pub mod baseline;
pub mod blob;
pub mod caches;
pub mod commits;
pub mod committed;
pub mod compare;
pub mod content;
pub mod control;
pub mod dirt;
mod encoding;
pub mod excludes;
pub mod files;
pub mod finder;
pub mod format;
pub mod graph;
pub mod hidden;
pub mod hiding;
pub mod history;
pub mod holders;
pub mod ignored;
pub mod index;
pub mod keep;
pub mod kept;
pub mod layers;
pub mod lfs;
pub mod lines;
pub mod locate;
pub mod marks;
pub mod mounted;
pub mod objects;
pub mod observe;
pub mod open;
pub mod outside;
pub mod oversize;
pub mod plane;
pub mod reader;
pub mod rebuild;
pub mod ref_files;
pub mod rights;
pub mod sparse;
pub mod staged;
pub mod standing;
pub mod steers;
mod store;
pub mod submodules;
pub mod tips;
pub mod today;
pub mod touched;
pub mod tree;
pub mod triage;
pub mod work;
