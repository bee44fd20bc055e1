//! From what the user asks to the command line that one attempt gets.

use std::ffi::{OsStr, OsString};

use serde_json::{Value, json};

use super::effort::{Effort, names};
use super::preset::{Agent, Place, Preset, Told};
use crate::error::Error;

/// The longest single argument that Linux hands to a program, in bytes, its closing NUL included (`MAX_ARG_STRLEN`).
pub const MAX_ARGUMENT: usize = 128 * 1024;

/// How many turns an agent that counts them has, unless somebody says otherwise.
pub const DEFAULT_MAX_TURNS: u32 = 30;

/// Stands for the prompt in an argument of a custom command.
const PROMPT: &str = "{prompt}";
/// Stands for the path of a file that holds the prompt.
const PROMPT_FILE: &str = "{prompt_file}";

/// Who does the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worker {
    /// An agent that Cordon knows, started from here instead of from `PATH` if a path is given.
    Known(Agent, Option<OsString>),
    /// Any program and its arguments.
    Command(Vec<OsString>),
}

/// What the user asks of an agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// How many turns it has.
    pub max_turns: Option<u32>,
    /// How much it may spend, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// Which model it uses.
    pub model: Option<String>,
    /// How hard it is to think.
    pub effort: Option<Effort>,
}

/// One start of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Whether the prompt goes to standard input, which is empty otherwise.
    pub on_input: bool,
    /// Whether the prompt must stand in the file that was named.
    pub in_file: bool,
}

impl Worker {
    /// Refuses what this worker cannot honour, before anything starts.
    ///
    /// # Errors
    /// Of kind `Usage`; the message names the option.
    pub fn validate(&self, asked: &Asked) -> Result<(), Error> {
        check_numbers(asked)?;
        match self {
            Worker::Known(agent, _) => agent.preset().validate(asked),
            Worker::Command(argv) if argv.first().is_none_or(|program| program.is_empty()) => {
                Err(Error::usage("the command names no program").hint("Write it behind `--`: -- PROGRAM ARGUMENT.."))
            }
            Worker::Command(_) => match asked.first() {
                None => Ok(()),
                Some(option) => Err(Error::usage(format!("{option} says nothing to a command of your own"))
                    .hint("Give the command its own options, behind `--`.")),
            },
        }
    }

    /// The command line for `prompt`, which the caller also puts into `prompt_file` when the launch says so. `settings`
    /// adds hooks.
    ///
    /// # Errors
    /// Of kind `Usage`, as [`Worker::validate`], and when a command wants the prompt in an argument that cannot hold it.
    pub fn launch(
        &self,
        prompt: &str,
        prompt_file: &OsStr,
        asked: &Asked,
        settings: Option<&Value>,
    ) -> Result<Launch, Error> {
        self.validate(asked)?;
        match self {
            Worker::Known(agent, program) => {
                let program = program.clone().unwrap_or_else(|| agent.program().into());
                Ok(agent.preset().launch(program, prompt, prompt_file, asked, settings))
            }
            Worker::Command(argv) => custom(argv, prompt, prompt_file),
        }
    }
}

impl Asked {
    /// The first option that was given.
    fn first(&self) -> Option<&'static str> {
        let given = [
            ("--max-turns", self.max_turns.is_some()),
            ("--max-budget-usd", self.max_budget_usd.is_some()),
            ("--model", self.model.is_some()),
            ("--effort", self.effort.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

fn check_numbers(asked: &Asked) -> Result<(), Error> {
    if asked.max_turns == Some(0) {
        return Err(Error::usage("--max-turns must be at least 1").hint("Leave it out for the default."));
    }
    match asked.max_budget_usd {
        Some(usd) if !(usd.is_finite() && usd > 0.0) => {
            Err(Error::usage(format!("--max-budget-usd must be a positive number, got {usd}"))
                .hint("Give it dollars, for example 2.50."))
        }
        _ => match &asked.model {
            Some(model) if model.is_empty() || model.starts_with('-') || model.contains('\0') => {
                Err(Error::usage("--model names no model").hint("Give it the name that the agent knows the model by."))
            }
            _ => Ok(()),
        },
    }
}

impl Preset {
    fn validate(&self, asked: &Asked) -> Result<(), Error> {
        let refused = [
            ("--max-turns", asked.max_turns.is_some(), self.max_turns),
            ("--max-budget-usd", asked.max_budget_usd.is_some(), self.max_budget_usd),
            ("--model", asked.model.is_some(), self.model),
            ("--effort", asked.effort.is_some(), self.effort),
        ];
        if let Some((option, ..)) = refused.into_iter().find(|(_, given, told)| *given && *told == Told::No) {
            return Err(Error::usage(format!("{} cannot be told {option}", self.name))
                .hint(format!("Leave {option} out, or set it in the configuration of {}.", self.name)));
        }
        match asked.effort.filter(|effort| !self.efforts.contains(effort)) {
            Some(effort) => Err(Error::usage(format!("{} knows no effort `{}`", self.name, effort.name()))
                .hint(format!("It knows {}.", names(self.efforts)))),
            None => Ok(()),
        }
    }

    fn launch(
        &self,
        program: OsString,
        prompt: &str,
        prompt_file: &OsStr,
        asked: &Asked,
        settings: Option<&Value>,
    ) -> Launch {
        let mut argv = vec![program];
        argv.extend(self.head.iter().map(OsString::from));
        self.push_prompt(&mut argv, prompt, prompt_file);
        argv.extend(self.tail.iter().map(OsString::from));
        let turns = asked.max_turns.or((self.max_turns != Told::No).then_some(DEFAULT_MAX_TURNS));
        self.max_turns.push(&mut argv, turns.map(|turns| turns.to_string()));
        self.max_budget_usd.push(&mut argv, asked.max_budget_usd.map(|usd| usd.to_string()));
        self.model.push(&mut argv, asked.model.clone());
        self.effort.push(&mut argv, asked.effort.map(|effort| effort.name().to_owned()));
        let settings = with_effort(settings.filter(|_| self.hooks != Told::No), asked.effort);
        self.hooks.push(&mut argv, settings.map(|settings| settings.to_string()));
        let on_input = match self.prompt {
            Place::ArgumentOrInput(_) => !fits(prompt),
            Place::Input(_) => true,
            Place::File(_) => false,
        };
        Launch { argv, on_input, in_file: matches!(self.prompt, Place::File(_)) }
    }

    fn push_prompt(&self, argv: &mut Vec<OsString>, prompt: &str, prompt_file: &OsStr) {
        match self.prompt {
            Place::ArgumentOrInput(before) if fits(prompt) => {
                argv.extend(before.iter().map(OsString::from));
                argv.push(prompt.into());
            }
            Place::ArgumentOrInput(_) => {}
            Place::Input(word) => argv.push(word.into()),
            Place::File(flag) => argv.extend([flag.into(), prompt_file.to_owned()]),
        }
    }
}

/// The settings of one run. `ultracode` is also a setting: releases of Claude Code that do not know it as an effort only
/// warn about it and go on without.
fn with_effort(settings: Option<&Value>, effort: Option<Effort>) -> Option<Value> {
    if effort != Some(Effort::Ultracode) {
        return settings.cloned();
    }
    let mut all = settings.cloned().unwrap_or_else(|| json!({}));
    all["ultracode"] = json!(true);
    Some(all)
}

/// Whether a prompt can be an argument: short enough, and not to be taken for an option.
fn fits(prompt: &str) -> bool {
    prompt.len() < MAX_ARGUMENT && !prompt.starts_with('-')
}

impl Told {
    fn push(self, argv: &mut Vec<OsString>, value: Option<String>) {
        match (self, value) {
            (Told::Flag(flag), Some(value)) => argv.extend([flag.into(), value.into()]),
            (Told::Setting(key), Some(value)) => argv.extend(["-c".into(), format!("{key}=\"{value}\"").into()]),
            _ => {}
        }
    }
}

/// A command of the user's own with its placeholders filled.
fn custom(argv: &[OsString], prompt: &str, prompt_file: &OsStr) -> Result<Launch, Error> {
    let (program, arguments) = argv.split_first().expect("a command that was validated names a program");
    let (mut filled, mut in_argument, mut in_file) = (vec![program.clone()], false, false);
    for argument in arguments {
        let (argument, prompts, files) = fill(argument, prompt, prompt_file);
        if prompts && argument.len() >= MAX_ARGUMENT {
            return Err(Error::usage(format!("the prompt is too long for an argument: {} bytes", argument.len()))
                .hint("Write {prompt_file} instead of {prompt}, or neither: then the prompt goes to standard input."));
        }
        in_argument |= prompts;
        in_file |= files;
        filled.push(argument);
    }
    Ok(Launch { argv: filled, on_input: !in_argument && !in_file, in_file })
}

/// One argument with its placeholders replaced, each once: what the prompt itself says is not looked at again.
fn fill(argument: &OsStr, prompt: &str, prompt_file: &OsStr) -> (OsString, bool, bool) {
    let Some(text) = argument.to_str() else { return (argument.to_owned(), false, false) };
    let (mut out, mut rest, mut prompts, mut files) = (OsString::new(), text, false, false);
    while let Some(at) = rest.find('{') {
        out.push(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(PROMPT) {
            out.push(prompt);
            (rest, prompts) = (after, true);
        } else if let Some(after) = rest.strip_prefix(PROMPT_FILE) {
            out.push(prompt_file);
            (rest, files) = (after, true);
        } else {
            out.push("{");
            rest = &rest[1..];
        }
    }
    out.push(rest);
    (out, prompts, files)
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
