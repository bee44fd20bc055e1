//! The agents that Cordon can start, as a table: what each is called, and how it is told what.
//!
//! The flags of `claude` were tried with the real program; those of the others follow their documentation. An option
//! that an agent has no way to honour is refused: a limit that nobody holds is worse than none.

use super::effort::Effort;

/// An agent that Cordon knows how to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// `OpenCode`.
    Opencode,
    /// Cursor's agent.
    Cursor,
    /// Aider.
    Aider,
}

/// Where an agent takes its prompt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The words before it, then the prompt as one argument; when it is too long for one, standard input and no such
    /// words.
    ArgumentOrInput(&'static [&'static str]),
    /// Standard input, and this word tells so.
    Input(&'static str),
    /// A file, named behind this flag.
    File(&'static str),
}

/// How an agent is told one of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It cannot be told.
    No,
    /// A flag and then the value.
    Flag(&'static str),
    /// `-c KEY="VALUE"`.
    Setting(&'static str),
}

/// One row of the table.
#[derive(Debug)]
pub struct Preset {
    /// Which agent the row is about.
    pub agent: Agent,
    /// The name on Cordon's command line.
    pub name: &'static str,
    /// The program that is looked up in `PATH`.
    pub program: &'static str,
    /// The words behind the program.
    pub head: &'static [&'static str],
    /// Where the prompt goes; as an argument it stands behind `head`.
    pub prompt: Place,
    /// The words behind the prompt.
    pub tail: &'static [&'static str],
    /// How it is told how many turns it has.
    pub max_turns: Told,
    /// How it is told what it may spend.
    pub max_budget_usd: Told,
    /// How it is told its model.
    pub model: Told,
    /// How it is told its effort.
    pub effort: Told,
    /// The efforts that it knows.
    pub efforts: &'static [Effort],
    /// How it is told of hooks for one run, as JSON.
    pub hooks: Told,
}

const PRESETS: &[Preset] = &[
    Preset {
        agent: Agent::Claude,
        name: "claude",
        program: "claude",
        head: &["-p"],
        prompt: Place::ArgumentOrInput(&[]),
        tail: &["--output-format", "json", "--no-session-persistence", "--permission-mode", "acceptEdits"],
        max_turns: Told::Flag("--max-turns"),
        max_budget_usd: Told::Flag("--max-budget-usd"),
        model: Told::Flag("--model"),
        effort: Told::Flag("--effort"),
        efforts: &Effort::ALL,
        hooks: Told::Flag("--settings"),
    },
    Preset {
        agent: Agent::Codex,
        name: "codex",
        program: "codex",
        head: &["exec", "--json", "--sandbox", "workspace-write", "-c", "approval_policy=\"never\"", "--ephemeral"],
        prompt: Place::Input("-"),
        tail: &[],
        max_turns: Told::No,
        max_budget_usd: Told::No,
        model: Told::Flag("--model"),
        effort: Told::Setting("model_reasoning_effort"),
        efforts: &[Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh],
        hooks: Told::No,
    },
    Preset {
        agent: Agent::Gemini,
        name: "gemini",
        program: "gemini",
        head: &[],
        prompt: Place::ArgumentOrInput(&["-p"]),
        tail: &["--output-format", "json", "--approval-mode", "auto_edit"],
        max_turns: Told::No,
        max_budget_usd: Told::No,
        model: Told::Flag("--model"),
        effort: Told::No,
        efforts: &[],
        hooks: Told::No,
    },
    Preset {
        agent: Agent::Opencode,
        name: "opencode",
        program: "opencode",
        head: &["run", "--format", "json"],
        prompt: Place::ArgumentOrInput(&[]),
        tail: &[],
        max_turns: Told::No,
        max_budget_usd: Told::No,
        model: Told::Flag("--model"),
        effort: Told::Flag("--variant"),
        efforts: &[Effort::Low, Effort::Medium, Effort::High, Effort::Xhigh, Effort::Max],
        hooks: Told::No,
    },
    Preset {
        agent: Agent::Cursor,
        name: "cursor",
        program: "cursor-agent",
        head: &["-p", "--force", "--output-format", "json"],
        prompt: Place::ArgumentOrInput(&[]),
        tail: &[],
        max_turns: Told::No,
        max_budget_usd: Told::No,
        model: Told::Flag("--model"),
        effort: Told::No,
        efforts: &[],
        hooks: Told::No,
    },
    Preset {
        agent: Agent::Aider,
        name: "aider",
        program: "aider",
        head: &[],
        prompt: Place::File("--message-file"),
        tail: &["--yes-always", "--no-auto-commits", "--no-dirty-commits"],
        max_turns: Told::No,
        max_budget_usd: Told::No,
        model: Told::Flag("--model"),
        effort: Told::Flag("--reasoning-effort"),
        efforts: &[Effort::Low, Effort::Medium, Effort::High],
        hooks: Told::No,
    },
];

impl Agent {
    /// All of them, in the order of the help.
    pub fn all() -> impl Iterator<Item = Agent> {
        PRESETS.iter().map(|preset| preset.agent)
    }

    /// The name on Cordon's command line.
    pub fn name(self) -> &'static str {
        self.preset().name
    }

    /// The program that is looked up in `PATH`.
    pub fn program(self) -> &'static str {
        self.preset().program
    }

    /// Whether hooks can be added for one run.
    pub fn takes_hooks(self) -> bool {
        self.preset().hooks != Told::No
    }

    /// The row of this agent.
    pub fn preset(self) -> &'static Preset {
        PRESETS.iter().find(|preset| preset.agent == self).expect("a test finds a row for every agent")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_one_row_and_a_name_of_its_own() {
        for agent in Agent::all() {
            assert_eq!(PRESETS.iter().filter(|row| row.agent == agent || row.name == agent.name()).count(), 1);
            assert_eq!(agent.preset().agent, agent);
            assert_eq!(agent.preset().efforts.is_empty(), agent.preset().effort == Told::No, "{}", agent.name());
        }
        assert_eq!(Agent::all().count(), 6);
        assert!(Agent::Claude.takes_hooks() && !Agent::Aider.takes_hooks());
    }
}
