//! What the command line may ask for.

use std::path::Path;

use crate::audit::verdict::Metrics;
use crate::policy::envelope::Envelope;
use crate::policy::limits::Limits;
use crate::policy::options::AuditOptions;
use crate::policy::text::Text;

pub use super::anchor::Expected;
pub use super::arm::arm;
pub use super::check::check;
pub use super::diff::{Side, diff};
pub use super::engine::{Engine, MAX_TIMEOUT};
pub use super::gate::{GateOptions, gate, pre_receive};
pub use super::hook::{pre_tool_use, session_start, stop};
pub use super::init;
pub use super::policy::{Source, claims, policy_at_head, policy_file, policy_of_work_tree};
pub use super::rescue::rescue;
pub use super::resume::resume;
pub use super::role::{RoleRef, role_at_head};
pub use super::run::run;
pub use super::setup;
pub use super::signing;
pub use super::simple::{armed_envelope, reset, status};
pub use super::trail::{Fault, Listed, Trail, Whole};

/// What `arm` is asked to record.
#[derive(Debug, Clone)]
pub struct ArmRequest {
    /// What the envelope is for.
    pub label: String,
    /// What is allowed.
    pub envelope: Envelope,
    /// What holds for ignored files and protected paths.
    pub audit: AuditOptions,
    /// Commands that must pass.
    pub verify: Vec<String>,
    /// How long each of them may take, in seconds.
    pub verify_timeout: u64,
    /// How many attempts a wrapped agent has.
    pub max_attempts: u32,
    /// Whether uncommitted work is part of the baseline.
    pub allow_dirty: bool,
    /// The role that the envelope was made from.
    pub role: Option<RoleRef>,
}

/// What `run` is asked to do.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// What to arm; its label is the task.
    pub arm: ArmRequest,
    /// Who works.
    pub engine: Engine,
}

/// How far a running attempt is.
#[derive(Debug, Clone, Copy)]
pub struct Glance {
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// How many there are.
    pub max_attempts: u32,
    /// The change as it stands, once it was looked at.
    pub metrics: Option<Metrics>,
    /// The budgets.
    pub limits: Limits,
}

/// Somebody who is told how an operation with an agent goes.
pub trait Watch: Sync {
    /// Whether anybody sees it; if not, nothing is looked at for it.
    fn is_watched(&self) -> bool;
    /// What is done now, and how many entries are done.
    fn report(&self, phrase: &str, done: u64);
    /// The envelope is armed; what is worth a second look.
    fn armed(&self, warnings: &[String]);
    /// How far the agent is.
    fn glance(&self, glance: &Glance);
}

/// Called now and then while something long runs: a phrase, and how many entries are done.
pub type Progress<'a> = &'a (dyn Fn(&str, u64) + Sync);

/// How a check looks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckOptions {
    /// Whether every file is read, whatever its stat says.
    pub rehash: bool,
    /// The anchor that the envelope must have.
    pub anchor: Option<Expected>,
    /// Who says to have worked.
    pub actor: Text,
    /// The command line of the check.
    pub command: Vec<Text>,
}

/// The repository that a command is about: any directory of the work tree.
pub type Repo<'a> = &'a Path;
