//! A change counts wherever it stands: in the index, in commits, on other branches, in the stash.

mod budgets;
mod history;
mod honest;
mod index;
mod merges;
mod standing;

use serde_json::Value;

use crate::common::json;
use crate::common::outcome::Outcome;
use crate::common::sandbox::Sandbox;

/// A project that is armed for `src/**`, with commits.
fn committing() -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    sandbox
}

/// The change of one path in a verdict.
#[track_caller]
fn change(outcome: &Outcome, path: &str) -> Value {
    let verdict = outcome.json();
    let found = json::array(&verdict["changes"]).iter().find(|change| json::bytes(&change["path"]) == path.as_bytes());
    found.unwrap_or_else(|| panic!("no change of {path} in {outcome:?}")).clone()
}

/// The layers of one path in a verdict.
#[track_caller]
fn layers(outcome: &Outcome, path: &str) -> Vec<String> {
    json::array(&change(outcome, path)["layers"]).iter().map(|layer| layer.as_str().unwrap().to_owned()).collect()
}

/// The id that a git command prints.
#[track_caller]
fn id(sandbox: &Sandbox, args: &[&str]) -> String {
    String::from_utf8(sandbox.git(args).ok().stdout).unwrap().trim().to_owned()
}

/// Stores a blob without touching a file.
#[track_caller]
fn blob(sandbox: &Sandbox, content: &str) -> String {
    let command = sandbox.git_command(&["hash-object", "-w", "--stdin"]);
    let outcome = crate::common::run::run(command, content.as_bytes(), crate::common::run::PATIENCE).ok();
    String::from_utf8(outcome.stdout).unwrap().trim().to_owned()
}
