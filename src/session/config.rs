//! `config.json`: the envelope as it was armed. Its keys are a contract with scripts.

use serde::{Deserialize, Serialize};

use super::engine::Engine;
use crate::error::{Error, Result};
use crate::policy::command::{self, Command};
use crate::policy::envelope::{self, Envelope, Rules};
use crate::policy::file::territory::{Claims, Territory};
use crate::policy::limits::MAX_VERIFY_TIMEOUT;
use crate::policy::options::AuditOptions;
use crate::policy::text::Text;

/// The version of the file that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Who drives the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A person, or anything outside of Cordon.
    Manual,
    /// Cordon itself.
    Agent,
}

impl Mode {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Manual => "manual",
            Mode::Agent => "agent",
        }
    }
}

/// The envelope as it was armed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The version of this form.
    pub schema_version: u32,
    /// Who drives the agent.
    pub mode: Mode,
    /// What the envelope was armed for.
    pub label: Text,
    /// The role of cordon.toml that it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Who owns what, by cordon.toml of that commit, whether or not a role was armed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub territory: Option<Claims>,
    /// The commit at arm.
    pub baseline: String,
    /// What is allowed.
    pub policy: Envelope,
    /// What holds for ignored files and protected paths.
    pub audit: AuditOptions,
    /// The verifier commands, each to be split like a POSIX shell does.
    pub verify: Vec<String>,
    /// How long each verifier may take, in seconds.
    pub verify_timeout: u64,
    /// The agent that Cordon starts, if it starts one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Engine>,
    /// When it was armed, RFC 3339 in UTC.
    pub created_at: String,
}

impl Config {
    /// Checks what the types cannot say.
    pub fn validate(&self) -> Result<()> {
        envelope::check_label(&String::from_utf8_lossy(self.label.as_bytes()))?;
        self.policy.validate()?;
        self.audit.validate()?;
        check_timeout(self.verify_timeout)?;
        self.agent.as_ref().map_or(Ok(()), Engine::validate)?;
        self.verifiers().map(drop)
    }

    /// The compiled rules of the envelope.
    pub fn rules(&self) -> Result<Rules> {
        self.policy.rules()?.under(&self.audit)
    }

    /// Who owns what, compiled.
    pub fn owners(&self) -> Result<Option<Territory>> {
        self.territory.as_ref().map(Territory::of).transpose()
    }

    /// The verifiers, split into arguments.
    pub fn verifiers(&self) -> Result<Vec<Command>> {
        command::check_count(self.verify.len())?;
        self.verify.iter().map(|source| Command::parse(source)).collect()
    }
}

/// Refuses a time that no verifier can be given.
pub fn check_timeout(seconds: u64) -> Result<()> {
    if (1..=MAX_VERIFY_TIMEOUT).contains(&seconds) {
        return Ok(());
    }
    Err(Error::usage(format!("a verifier cannot be given {seconds} seconds"))
        .hint(format!("Give --verify-timeout a number from 1 to {MAX_VERIFY_TIMEOUT}.")))
}
