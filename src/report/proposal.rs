//! The proposal of `cordon init`: as a policy file, in short for people, and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::style::{FAINT, HEADING, HINT, paint};
use super::words::{count, counted};
use crate::audit::propose::{Proposal, Proposed, Replay};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::json;
use crate::policy::escape::{is_hostile, typed};
use crate::policy::file::keys::Key;
use crate::policy::file::read::{NAME, VERSION};
use crate::policy::file::settings::Value;
use crate::policy::pattern::Pattern;

/// A line of the file is broken into several where it would be longer.
const WIDTH: usize = 100;

/// The policy file that the proposal is.
pub fn toml(proposal: &Proposal) -> String {
    let mut out = String::from(
        "# Proposed by `cordon init` from the layout and the history of this repository: a first draft to edit.\n\
         # `cordon policy check` finds faults, `cordon policy show` shows all that holds.\n",
    );
    for line in about(&proposal.replay) {
        let _ = writeln!(out, "# {line}");
    }
    let _ = write!(
        out,
        "version = {VERSION}\n\n\
         # What every role may not change, and whom to ask about what no role owns.\n\
         [defaults]\n\
         # deny = [\"**/secrets/**\"]\n\
         # owner = \"the core team\"\n\n\
         # The role of branches that no role claims with `branches`; without it `cordon gate` refuses them.\n\
         # [gate]\n\
         # role = \"NAME\"\n"
    );
    for role in &proposal.roles {
        section(&mut out, role);
    }
    out
}

fn section(out: &mut String, role: &Proposed) {
    let _ = writeln!(out, "\n[role.{}]", quoted_key(&role.name));
    let _ = writeln!(out, "# {}.", history(role));
    let has_budgets = role.settings.number(Key::MaxFiles).is_some();
    if !has_budgets {
        let _ = writeln!(out, "# Too few to learn budgets from, so the defaults hold.");
    }
    for (key, value) in role.settings.iter() {
        if key == Key::Owner {
            let _ = writeln!(out, "# The author of {} of them.", count(role.by_owner));
        }
        let _ = writeln!(out, "{} = {}", key.row().name, written(value));
    }
}

/// How many past commits a role is about, and what it would have said of them.
fn history(role: &Proposed) -> String {
    let accepted = role.commits - role.refused;
    format!(
        "{} touched these paths and no others; {} of them would have been accepted",
        counted(role.commits, "past commit"),
        count(accepted)
    )
}

/// What would have become of the past commits, in sentences.
fn about(replay: &Replay) -> Vec<String> {
    let mut lines = vec![format!(
        "Replayed: of {} (merges left out) {} would have been accepted in one of these roles.",
        counted(replay.commits, "past commit"),
        count(replay.accepted)
    )];
    let refused = [
        (replay.over_budget, "are larger than the budgets of their role, or bring what no role accepts"),
        (replay.several_roles, "touch paths of several roles"),
        (replay.nobody, "touch paths that no role owns, such as what is not there any more"),
        (replay.protected, "touch protected paths"),
    ];
    lines.extend(
        refused
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, why)| format!("Of the others {} {why}.", count(*number))),
    );
    lines
}

fn written(value: &Value) -> String {
    match value {
        Value::Globs(globs) => list(globs.iter().map(Pattern::as_str)),
        Value::Commands(commands) => list(commands.iter().map(String::as_str)),
        Value::Number(number) => grouped(*number),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => quoted(text),
    }
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.map(quoted).collect();
    let line = items.join(", ");
    if line.len() <= WIDTH { format!("[{line}]") } else { format!("[\n    {},\n]", items.join(",\n    ")) }
}

/// A number as TOML has it, with an underscore between thousands.
fn grouped(number: u64) -> String {
    count(number).replace(',', "_")
}

/// A string as TOML has it, with what could deceive whoever reads the file escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_hostile(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn quoted_key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// What was proposed in short, and what to do with it.
pub fn human(proposal: &Proposal) -> String {
    let width = proposal.roles.iter().map(|role| role.name.chars().count()).max().unwrap_or(0);
    let roles = proposal.roles.iter().map(|role| {
        let allow = role.settings.globs(Key::Allow);
        let shown: Vec<&str> = allow.iter().take(4).map(Pattern::as_str).collect();
        let more =
            if allow.len() > shown.len() { format!(" and {} more", allow.len() - shown.len()) } else { String::new() };
        let (name, paths) = (typed(role.name.as_bytes()), typed(shown.join("  ").as_bytes()));
        format!(
            "{}  {paths}{more}\n{:width$}  {}\n",
            paint(HEADING, format!("{name:<width$}")),
            "",
            paint(FAINT, history(role))
        )
    });
    let replay = about(&proposal.replay).join("\n");
    let next = format!("edit {NAME}, run cordon policy check, commit it, then cordon arm LABEL --role NAME");
    format!("{NAME} is written\n\n{}\n{replay}\n\n{} {next}\n", roles.collect::<String>(), paint(HINT, "next:"))
}

#[derive(Serialize)]
struct Form<'a> {
    schema_version: u32,
    file: &'static str,
    written: bool,
    #[serde(flatten)]
    proposal: &'a Proposal,
    text: &'a str,
}

/// The proposal for programs, with the text of the file, and whether it was written.
pub fn json(proposal: &Proposal, text: &str, written: bool) -> Vec<u8> {
    json::pretty(&Form { schema_version: SCHEMA_VERSION, file: NAME, written, proposal, text })
}

#[cfg(test)]
#[path = "proposal_tests.rs"]
mod tests;
