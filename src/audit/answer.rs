//! What the other commands answer: plain data that `session` fills and `report` writes out.
//!
//! The types stand here, below both rooms, so that a report needs no look at the state machine. Their JSON forms are
//! contracts with scripts, as the verdict's is.

use serde::Serialize;

use super::evidence::Change;
use super::verdict::Summary;
use crate::policy::envelope::Envelope;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// What `arm` did.
#[derive(Debug, Clone, Serialize)]
pub struct Armed {
    /// The version of this form.
    pub schema_version: u32,
    /// Always `armed`.
    pub phase: &'static str,
    /// Always `manual`: nobody but the user starts the agent.
    pub mode: &'static str,
    /// What the envelope is for.
    pub label: Text,
    /// The role of cordon.toml that it was made from; `null` when it was made from options alone.
    pub role: Option<String>,
    /// The commit that every change is measured against.
    pub baseline: String,
    /// The branch that HEAD was on, such as `refs/heads/main`; `null` when it was detached.
    pub branch: Option<Text>,
    /// SHA-256 over envelope and fingerprint.
    pub anchor: String,
    /// The envelope.
    pub policy: Envelope,
    /// The commands that must pass.
    pub verify: Vec<String>,
    /// How many seconds each of them has.
    pub verify_timeout: u64,
    /// How many attempts an agent has.
    pub max_attempts: u32,
    /// Patterns of the places where ignored files may come and go.
    pub scratch_zones: Vec<String>,
    /// What was recorded of the work tree.
    pub fingerprint: Fingerprinted,
    /// What is worth a second look: patterns and verifiers that may not mean what they seem to.
    pub warnings: Vec<String>,
    /// How long arming took, in seconds.
    pub duration_s: f64,
}

/// The fingerprint in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fingerprinted {
    /// Entries in all.
    pub entries: u64,
    /// Entries that Git tracks.
    pub tracked: u64,
    /// Entries that Git ignores.
    pub ignored: u64,
    /// Entries whose content was read.
    pub hashed: u64,
    /// Files of uncommitted work whose content was kept.
    pub kept: u64,
    /// The size of the fingerprint file.
    pub bytes: u64,
}

/// Where an armed repository stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The version of this form.
    pub schema_version: u32,
    /// Who starts the agent.
    pub mode: String,
    /// What the envelope is for.
    pub label: Text,
    /// The role of cordon.toml that it was made from; `null` when it was made from options alone.
    pub role: Option<String>,
    /// The commit that every change is measured against.
    pub baseline: String,
    /// The envelope.
    pub policy: Envelope,
    /// The commands that must pass.
    pub verify: Vec<String>,
    /// How many seconds each of them has.
    pub verify_timeout: u64,
    /// When it was armed, RFC 3339 in UTC.
    pub created_at: String,
    /// The phase, as the state file names it.
    pub phase: String,
    /// The present attempt.
    pub attempt: u32,
    /// How many attempts there are.
    pub max_attempts: u32,
    /// Why the last operation did not accept.
    pub last_error: Option<Text>,
    /// The verdict of the last check, as it was kept.
    pub last_audit: Option<Summary>,
    /// The agent that Cordon starts; `null` when it starts none.
    pub agent: Option<AgentStatus>,
    /// SHA-256 over envelope and fingerprint.
    pub anchor: String,
    /// How often this repository was armed anew since a clean finish.
    pub rearmed: Rearmed,
}

/// The agent of an envelope.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentStatus {
    /// `claude` or another that Cordon knows, or `command`.
    pub name: String,
    /// How many seconds it has.
    pub timeout: u64,
    /// Whether it has ended an attempt.
    pub ended: bool,
    /// Why its last attempt failed; `null` when it did not.
    pub failure: Option<Text>,
    /// How many turns it says that it took.
    pub turns: Option<u64>,
    /// What it says that it cost, in US dollars.
    pub cost_usd: Option<f64>,
}

/// Arms that followed a reset of work that no check had accepted, or of accepted work that was not committed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Rearmed {
    /// How many, since accepted work was last reset and committed.
    pub count: u64,
    /// When the last of them was, RFC 3339 in UTC.
    pub last: Option<String>,
}

impl Rearmed {
    /// The sentence about it; `None` when there is nothing to tell.
    pub fn note(&self) -> Option<String> {
        let times = if self.count == 1 { "once".to_owned() } else { format!("{} times", self.count) };
        let last = self.last.as_deref().unwrap_or("an unknown time");
        (self.count > 0).then(|| format!("re-armed {times} since the last clean finish, last at {last}"))
    }
}

/// What `rescue` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rescued {
    /// The new directory.
    pub directory: Text,
    /// What was written into it.
    pub paths: Vec<RepoPath>,
}

/// What `reset` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResetReport {
    /// The version of this form.
    pub schema_version: u32,
    /// Whether there was something to remove.
    pub removed: bool,
    /// The directory that is gone now.
    pub path: Text,
}

/// One changed path with its two contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// How it differs.
    pub change: Change,
    /// Whether the envelope allows the path.
    pub inside: bool,
    /// The object at arm, in hex; `None` when the path is not in the baseline.
    pub id_before: Option<String>,
    /// The object that Git would store now, in hex; `None` when the path is gone.
    pub id_after: Option<String>,
    /// Whether a side is too big to be shown; it has no content here.
    pub too_big: bool,
    /// The content at arm: the bytes of a file, the target of a symbolic link, Git's line for a submodule.
    pub before: Option<Vec<u8>>,
    /// The content now, in the same form.
    pub after: Option<Vec<u8>>,
}
