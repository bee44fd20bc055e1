//! The paragraph "Hooks": what is denied before it is written, and what must never be.

mod commands;
mod events;
