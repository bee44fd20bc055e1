//! `state.json`: where the attempt stands. Its keys are a contract with scripts.

use serde::{Deserialize, Serialize};

use crate::agent::ended::Ended;
use crate::audit::verdict::Summary;
use crate::json;
use crate::policy::text::Text;
use crate::snapshot::digest;

/// The version of the file that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Where an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The envelope stands, and nothing was checked yet.
    Armed,
    /// An agent is running under Cordon.
    Running,
    /// The agent has ended, and the audit is due.
    AgentFinished,
    /// The last check accepted the change.
    Accepted,
    /// The last check rejected the change.
    Rejected,
    /// The agent failed.
    EngineError,
    /// A signal ended the attempt.
    Interrupted,
}

impl Phase {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Armed => "armed",
            Phase::Running => "running",
            Phase::AgentFinished => "agent_finished",
            Phase::Accepted => "accepted",
            Phase::Rejected => "rejected",
            Phase::EngineError => "engine_error",
            Phase::Interrupted => "interrupted",
        }
    }
}

/// Where the attempt stands, and the hashes that tie the files together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The version of this form.
    pub schema_version: u32,
    /// Where the attempt stands.
    pub phase: Phase,
    /// Attempts that a wrapped agent has made.
    pub attempt: u32,
    /// Attempts that it may make.
    pub max_attempts: u32,
    /// SHA-256 of `config.json`.
    pub config_sha256: String,
    /// SHA-256 that closes `fingerprint`.
    pub fingerprint_sha256: String,
    /// Why the last check did not accept, or what else went wrong.
    pub last_error: Option<Text>,
    /// The last check in short; all of it is in `audit.json`.
    pub last_audit: Option<Summary>,
    /// How the last attempt of the agent ended, if Cordon started one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_agent: Option<Ended>,
    /// When this file was written, RFC 3339 in UTC.
    pub updated_at: String,
    /// SHA-256 of this file with this field empty: no flipped byte of it goes unnoticed.
    pub checksum: String,
}

impl State {
    /// The bytes of the file, with the checksum that belongs to them.
    pub fn encode(&self) -> Vec<u8> {
        json::pretty(&self.sealed())
    }

    /// The state as it is read back.
    #[must_use]
    pub fn sealed(&self) -> State {
        State { checksum: self.sum(), ..self.clone() }
    }

    /// Whether `bytes` are exactly what [`State::encode`] writes of this state.
    pub fn is_written_as(&self, bytes: &[u8]) -> bool {
        self.checksum == self.sum() && json::pretty(self) == bytes
    }

    fn sum(&self) -> String {
        digest::hex(&digest::sha256(&json::pretty(&State { checksum: String::new(), ..self.clone() })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::ended::Seen;

    fn state(duration_s: f64) -> State {
        let seen = Seen { returncode: 0, timed_out: false, output_limited: false, duration_s, timeout: 1 };
        State {
            schema_version: SCHEMA_VERSION,
            phase: Phase::Armed,
            attempt: 0,
            max_attempts: 3,
            config_sha256: String::new(),
            fingerprint_sha256: String::new(),
            last_error: None,
            last_audit: None,
            last_agent: Some(Ended::of("command", None, seen, b"")),
            updated_at: String::new(),
            checksum: String::new(),
        }
    }

    #[test]
    fn every_time_and_cost_is_read_back_as_it_was_written() {
        let mut nanos: u64 = 1;
        for _ in 0..20_000 {
            nanos = nanos.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let duration = std::time::Duration::from_nanos(nanos >> 30);
            let bytes = state(duration.as_secs_f64()).encode();
            let read: State = serde_json::from_slice(&bytes).unwrap();
            assert!(read.is_written_as(&bytes), "{duration:?}");
        }
    }
}
