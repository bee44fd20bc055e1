//! The control plane: configuration, hooks, refs and files of the Git directory.

mod config;
mod control;
mod dormant;
mod inner_refs;
mod lent;
mod named;
mod nested;
mod refs;
mod shadows;
mod worktrees;
