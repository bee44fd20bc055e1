//! What an agent reported about its own run: evidence that is shown and stored, never proof.

use serde::{Deserialize, Serialize};

use super::preset::Agent;
use super::readers;
use crate::policy::text::Text;

/// How much of one text of an agent is kept, in bytes.
const KEPT: usize = 4 * 1024;

/// How many entries of one list of an agent are kept.
const LISTED: usize = 50;

/// A tool call that was denied to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Denial {
    /// The tool.
    pub tool: Text,
    /// The file or the command that it was about, as far as the report says.
    pub target: Option<Text>,
}

/// What an agent said about its run, as far as it said it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reported {
    /// Whether a report was found at all.
    pub found: bool,
    /// How the run ended, in the agent's own word, such as `success` or `error_max_turns`.
    pub subtype: Option<Text>,
    /// Whether the agent calls it an error.
    pub is_error: Option<bool>,
    /// How many turns it took.
    pub turns: Option<u64>,
    /// What it cost by the agent's own estimate, in US dollars.
    pub cost_usd: Option<f64>,
    /// The agent's name for its session.
    pub session_id: Option<Text>,
    /// How many tool calls were denied.
    pub denied: u64,
    /// The first of them.
    pub denials: Vec<Denial>,
    /// The agent's last words.
    pub result: Option<Text>,
    /// What it says went wrong.
    pub errors: Vec<Text>,
}

impl Reported {
    /// Reads the report of an agent from its standard output.
    pub fn read(agent: Agent, output: &[u8]) -> Reported {
        readers::read(agent, output)
    }

    /// Why the report makes a run a failed one although the program exited with 0; `None` when it does not.
    ///
    /// `success` and no error is what `claude` says of a run that did its work; its report is part of its contract. The
    /// others are held to what they say, and their silence is no failure.
    pub fn failure(&self, agent: Agent) -> Option<String> {
        if agent == Agent::Claude && !self.found {
            return Some("it exited with 0 and printed no result".to_owned());
        }
        let subtype = self.subtype.as_ref().filter(|subtype| subtype.as_bytes() != b"success");
        let reason = self.errors.first().or(self.result.as_ref()).map(|text| format!(": {}", first_line(text)));
        match subtype {
            Some(subtype) => Some(format!("it reported {}{}", subtype.plain(), reason.unwrap_or_default())),
            None if self.is_error == Some(true) => Some(format!("it reported an error{}", reason.unwrap_or_default())),
            None => None,
        }
    }

    /// Takes note of a denied tool call.
    pub(super) fn deny(&mut self, tool: &str, target: Option<&str>) {
        self.denied += 1;
        if self.denials.len() < LISTED {
            self.denials.push(Denial { tool: bounded(tool), target: target.map(bounded) });
        }
    }

    /// Takes note of something that went wrong.
    pub(super) fn error(&mut self, text: &str) {
        if self.errors.len() < LISTED {
            self.errors.push(bounded(text));
        }
    }
}

/// Text of an agent, cut to what is kept of it.
pub(super) fn bounded(text: &str) -> Text {
    if text.len() <= KEPT {
        return Text::from(text);
    }
    let end = (0..=KEPT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    Text::from(&text[..end]).word("... (cut)")
}

/// The first line of a text, safe to show.
fn first_line(text: &Text) -> String {
    let line = text.as_bytes().split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    crate::policy::escape::typed(line.unwrap_or_default().trim_ascii())
}

#[cfg(test)]
#[path = "result_tests.rs"]
mod tests;
