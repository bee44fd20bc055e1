//! The paragraph "Bad input": never an accept, never a hang or a panic, never lost state.

mod repository;
mod special;
mod state_files;
mod storage;
mod together;
mod unprivileged;
