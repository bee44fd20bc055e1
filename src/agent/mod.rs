//! PURE. What is said to an agent, how it is started, and what it says about itself.
//!
//! Nothing of an agent's own report is proof: it is shown and stored as evidence, and can only make an attempt fail.

pub mod brief;
pub mod effort;
pub mod ended;
pub mod event;
pub mod launch;
mod lines;
pub mod preset;
mod readers;
pub mod result;
mod scan;
pub mod settings;
pub mod shell;
