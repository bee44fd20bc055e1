//! The control plane: what stands beside the files and decides what Git runs, reads, believes and publishes.

pub mod compare;
pub mod config;
pub mod declared;
pub mod drifts;
pub mod files;
pub mod hooks;
pub mod past;
pub mod read;
pub mod refs;
