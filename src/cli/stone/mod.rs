//! The command line of `stone`: the one of Cornerstone, over the same rooms.

pub mod app;
pub mod args;
