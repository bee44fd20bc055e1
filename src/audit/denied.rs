//! What a hook answers: a tool call that is better not made, and what a session begins with.

use super::finding::Finding;
use super::verdict::Left;
use crate::policy::envelope::Envelope;
use crate::policy::text::Text;

/// Why a write is outside of what was armed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No pattern allows the path.
    Outside,
    /// This pattern denies it.
    Denied(String),
    /// It is protected; this is what it holds.
    Protected(String),
    /// It belongs to Git or to Cordon.
    Control,
    /// Commits are not allowed.
    Commit,
    /// Uncommitted work that was there at arm would be lost.
    LostWork,
}

/// A tool call that is better not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The tool or the program that would write.
    pub by: String,
    /// What it would write, relative to the root; empty when it is about no single path.
    pub path: Text,
    /// Why not.
    pub fault: Fault,
    /// The envelope that was armed.
    pub envelope: Envelope,
    /// What was left of the budgets when it was last looked.
    pub left: Left,
    /// How often the same was denied before.
    pub before: u64,
}

/// What a session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Briefing {
    /// What the envelope is for.
    pub label: Text,
    /// The envelope.
    pub envelope: Envelope,
    /// The commands that must pass.
    pub verify: Vec<String>,
    /// What was left of the budgets when it was last looked.
    pub left: Left,
    /// What was denied so far and how often, most often first.
    pub denials: Vec<(Text, u64)>,
}

/// What stands in the way of acceptance at the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// What was found; never empty.
    pub findings: Vec<Finding>,
    /// What is left of the budgets.
    pub left: Left,
}
