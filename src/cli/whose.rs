//! `cordon whose`.

use std::path::Path;

use super::args::Whose;
use super::paths;
use super::terminal::Terminal;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::file::territory::Territory;
use crate::report;
use crate::session::api;

/// Tells for each path who owns it.
pub fn run(repo: &Path, arguments: &Whose, terminal: &mut Terminal) -> Result<Exit> {
    let paths = paths::named(&arguments.paths, arguments.nul)?;
    let territory = Territory::of(&api::claims(repo)?)?;
    for path in paths {
        let ownership = territory.whose(path.as_bytes());
        terminal.answer(|| report::whose::human(&path, &ownership), || report::whose::json(&path, &ownership))?;
    }
    Ok(Exit::Accepted)
}
