//! What stands beside the files: configuration, hooks, refs and the files of the Git directory.

mod config;
mod control;
mod refs;
