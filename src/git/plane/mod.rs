//! The control plane: what stands beside the files and decides what Git runs, reads, believes and publishes.

pub mod compare;
pub mod config;
pub mod declared;
pub mod dormant;
pub mod drifts;
pub mod files;
pub mod flags;
pub mod hooks;
pub mod inside;
pub mod links;
pub mod named;
mod operations;
pub mod past;
pub mod peeled;
pub mod places;
pub mod read;
pub mod refs;
pub mod shadows;
