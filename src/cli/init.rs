//! `cordon init`.

use std::path::Path;

use super::args::Init;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::report::proposal;
use crate::session::api::init;

/// Proposes a first policy file, and writes it unless it is only to be shown.
pub fn run(repo: &Path, arguments: &Init, terminal: &mut Terminal) -> Result<Exit> {
    let since = arguments.since.as_deref().map_or(init::Since::Last(init::COMMITS), init::since);
    let proposed = init::proposal(repo, &since)?;
    let text = proposal::toml(&proposed);
    if !arguments.dry_run {
        init::write(repo, &text)?;
    }
    let human = || if arguments.dry_run { text.clone() } else { proposal::human(&proposed) };
    terminal.answer(human, || proposal::json(&proposed, &text, !arguments.dry_run))?;
    Ok(Exit::Accepted)
}
