//! The agent that an envelope was armed with: everything that it takes to start it again.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::effort::Effort;
use crate::agent::launch::{Asked, Launch, Worker};
use crate::agent::preset::Agent;
use crate::agent::settings;
use crate::error::{Error, Result};
use crate::policy::text::Text;

/// What an agent of the user's own is called.
const COMMAND: &str = "command";

/// The longest time that an agent may be given, in seconds: a week.
pub const MAX_TIMEOUT: u64 = 604_800;

/// The agent as it was armed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// `claude` or another that Cordon knows, or `command`.
    pub name: String,
    /// The program to start instead of the one that `PATH` has.
    pub program: Option<Text>,
    /// The words of a command of the user's own.
    pub command: Vec<Text>,
    /// How long it may run, in seconds.
    pub timeout: u64,
    /// How many turns it has.
    pub max_turns: Option<u32>,
    /// How much it may spend, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// Which model it uses.
    pub model: Option<String>,
    /// How hard it is to think.
    pub effort: Option<String>,
    /// Whether it gets Cordon's hooks, if it takes any.
    pub hook: bool,
}

impl Engine {
    /// Refuses what the agent cannot honour, before anything starts.
    pub fn validate(&self) -> Result<()> {
        if !(1..=MAX_TIMEOUT).contains(&self.timeout) {
            return Err(Error::usage(format!("an agent cannot be given {} seconds", self.timeout))
                .hint(format!("Give --timeout a number from 1 to {MAX_TIMEOUT}.")));
        }
        self.worker()?.validate(&self.asked()?)
    }

    /// The agent's row in the table; `None` for a command of the user's own.
    pub fn known(&self) -> Option<Agent> {
        Agent::all().find(|agent| agent.name() == self.name)
    }

    /// The program to look for.
    pub fn program(&self) -> OsString {
        let first = self.command.first().or(self.program.as_ref());
        let named = first.map(|text| OsString::from_vec(text.as_bytes().to_vec()));
        named.or_else(|| self.known().map(|agent| agent.program().into())).unwrap_or_default()
    }

    /// The command line for `prompt`, which also stands in `prompt_file`, in the work tree at `root`.
    pub fn launch(&self, prompt: &str, prompt_file: &Path, root: &Path) -> Result<Launch> {
        let hooked = self.hook && self.known().is_some_and(Agent::takes_hooks);
        let settings = if hooked { Some(settings_for(root)?) } else { None };
        self.worker()?.launch(prompt, prompt_file.as_os_str(), &self.asked()?, settings.as_ref())
    }

    fn worker(&self) -> Result<Worker> {
        let word = |text: &Text| OsStr::from_bytes(text.as_bytes()).to_owned();
        match self.known() {
            Some(agent) => Ok(Worker::Known(agent, self.program.as_ref().map(word))),
            None if self.name == COMMAND => Ok(Worker::Command(self.command.iter().map(word).collect())),
            None => {
                Err(Error::usage(format!("no agent is called {}", crate::policy::escape::typed(self.name.as_bytes()))))
            }
        }
    }

    fn asked(&self) -> Result<Asked> {
        Ok(Asked {
            max_turns: self.max_turns,
            max_budget_usd: self.max_budget_usd,
            model: self.model.clone(),
            effort: self.effort.as_deref().map(Effort::parse).transpose()?,
        })
    }
}

/// The settings that add this very program as a hook.
fn settings_for(root: &Path) -> Result<Value> {
    let own = std::env::current_exe().map_err(|error| Error::io("cannot tell where this program is", error))?;
    settings::settings(own.as_os_str().as_bytes(), Some(root.as_os_str().as_bytes()))
}
