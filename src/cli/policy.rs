//! `cordon policy`.

use std::path::Path;

use super::args::{CheckPolicy, Policy, PolicyAction, ShowPolicy};
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::file::{review, schema};
use crate::session::api::{self, Source};
use crate::{json, report};

/// Looks at a policy file, or shows the built-in tables, for which no repository is needed.
pub fn run(repo: &Path, arguments: &Policy, terminal: &mut Terminal) -> Result<Exit> {
    match &arguments.action {
        None => {
            let width = terminal.width();
            terminal.answer(|| report::policy::human(width), report::policy::json).map(|()| Exit::Accepted)
        }
        Some(PolicyAction::Check(check)) => self::check(repo, check, terminal),
        Some(PolicyAction::Show(show)) => self::show(repo, show, terminal),
        Some(PolicyAction::Schema) => terminal.raw(&json::pretty(&schema::schema())).map(|()| Exit::Accepted),
    }
}

fn check(repo: &Path, arguments: &CheckPolicy, terminal: &mut Terminal) -> Result<Exit> {
    let source = source(arguments.file.as_deref(), || api::policy_of_work_tree(repo))?;
    let review = review::review(&source.bytes)?;
    terminal.answer(|| report::review::human(&source.name, &review), || report::review::json(&source.name, &review))?;
    Ok(if review.faults.is_empty() { Exit::Accepted } else { Exit::Refused })
}

fn show(repo: &Path, arguments: &ShowPolicy, terminal: &mut Terminal) -> Result<Exit> {
    let source = source(arguments.file.as_deref(), || api::policy_at_head(repo))?;
    let mut file = source.read()?;
    if let Some(name) = &arguments.role {
        let role = file.role(name)?.clone();
        file.roles.retain(|other| other.name == role.name);
    }
    let commit = source.commit.as_deref();
    terminal.answer(
        || report::roles::human(&source.name, commit, &file),
        || report::roles::json(&source.name, commit, &file),
    )?;
    Ok(Exit::Accepted)
}

/// The file that was named, or else the one that the command is about.
fn source(named: Option<&Path>, otherwise: impl FnOnce() -> Result<Source>) -> Result<Source> {
    named.map_or_else(otherwise, api::policy_file)
}
