//! How an attempt of an agent ended: what Cordon saw, and beside it what the agent says.

use serde::{Deserialize, Serialize};

use super::preset::Agent;
use super::result::Reported;
use crate::audit::verdict::Verdict;
use crate::policy::signal;
use crate::policy::text::Text;

/// The end of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// The agent's name, or `command`.
    pub name: String,
    /// The exit code, or minus the number of the signal that ended it.
    pub returncode: i32,
    /// Whether its time ran out.
    pub timed_out: bool,
    /// Whether it wrote too much.
    pub output_limited: bool,
    /// How long it ran, in seconds.
    pub duration_s: f64,
    /// Why the attempt counts as failed; `null` when it does not.
    pub failure: Option<Text>,
    /// What the agent says of it.
    pub reported: Reported,
}

/// What Cordon saw of an end.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// The exit code, or minus the number of the signal.
    pub returncode: i32,
    /// Whether its time ran out.
    pub timed_out: bool,
    /// Whether it wrote too much.
    pub output_limited: bool,
    /// How long it ran, in seconds.
    pub duration_s: f64,
    /// How long it had, in seconds.
    pub timeout: u64,
}

impl Ended {
    /// Puts together what was seen and what the agent printed; `agent` is `None` for a command of the user's own, which
    /// is judged by its exit code alone.
    pub fn of(name: &str, agent: Option<Agent>, seen: Seen, output: &[u8]) -> Ended {
        let reported = agent.map_or_else(Reported::default, |agent| Reported::read(agent, output));
        let failure = seen.failure().or_else(|| agent.and_then(|agent| reported.failure(agent)));
        Ended {
            name: name.to_owned(),
            returncode: seen.returncode,
            timed_out: seen.timed_out,
            output_limited: seen.output_limited,
            duration_s: seen.duration_s,
            failure: failure.map(Text::from),
            reported,
        }
    }
}

impl Seen {
    /// Why the end alone makes the attempt a failed one, as a clause about the agent.
    fn failure(&self) -> Option<String> {
        match self.returncode {
            _ if self.timed_out => Some(format!("it ran out of time after {} s", self.timeout)),
            _ if self.output_limited => Some("it wrote more than Cordon takes".to_owned()),
            0 => None,
            code @ 1.. => Some(format!("it exited with {code}")),
            code => Some(format!("it was ended by {}", signal::words(-code))),
        }
    }
}

/// The answer of `run` and `resume`.
#[derive(Debug, Clone, Serialize)]
pub struct Ran {
    /// The audit.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How the agent ended.
    pub agent: Ended,
    /// Which attempt this was, from 1.
    pub attempt: u32,
    /// How many there are.
    pub max_attempts: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Seen = Seen { returncode: 0, timed_out: false, output_limited: false, duration_s: 1.5, timeout: 9 };

    fn failure(agent: Option<Agent>, seen: Seen, output: &str) -> Option<String> {
        Ended::of("x", agent, seen, output.as_bytes()).failure.map(|text| text.plain())
    }

    #[test]
    fn what_was_seen_comes_before_what_was_said() {
        let success = r#"{"type":"result","subtype":"success","is_error":false}"#;
        let claude = Some(Agent::Claude);
        assert_eq!(failure(claude, SEEN, success), None);
        let over = Seen { timed_out: true, output_limited: true, ..SEEN };
        assert_eq!(failure(claude, over, success).unwrap(), "it ran out of time after 9 s");
        let loud = Seen { output_limited: true, returncode: -15, ..SEEN };
        assert_eq!(failure(claude, loud, success).unwrap(), "it wrote more than Cordon takes");
        for (returncode, words) in [(7, "it exited with 7"), (-9, "it was ended by signal 9 (SIGKILL)")] {
            assert_eq!(failure(claude, Seen { returncode, ..SEEN }, success).unwrap(), words);
        }
        assert!(failure(claude, SEEN, &success.replace("false", "true")).is_some(), "it says itself that it failed");
        assert!(failure(claude, SEEN, "").is_some());
    }

    #[test]
    fn a_command_is_judged_by_its_exit_code_alone() {
        assert_eq!(failure(None, SEEN, r#"{"type":"result","subtype":"error","is_error":true}"#), None);
        assert_eq!(failure(None, Seen { returncode: 1, ..SEEN }, "").unwrap(), "it exited with 1");
    }
}
