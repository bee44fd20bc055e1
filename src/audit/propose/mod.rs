//! Proposes a first policy file from the layout and the history of a repository: which directories belong together, how
//! large their changes were, and what the judge would have said of them.

mod budgets;
mod clusters;
pub mod proposal;
mod replay;
mod tables;
mod units;

pub use proposal::{Layout, Past, Proposal, Proposed, propose};
pub use replay::Replay;
pub use tables::is_manifest;
