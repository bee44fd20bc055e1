//! `cordon setup`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::Setup;
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::text::Text;
use crate::report;
use crate::session::api::setup;

/// Writes the file that makes another program ask Cordon, or prints it.
pub fn run(repo: &Path, arguments: &Setup, terminal: &mut Terminal) -> Result<Exit> {
    let target = arguments.target.into();
    let program = std::env::current_exe().map_err(|error| Error::io("cannot find this program's own path", error))?;
    let setup = setup::setup(target, program.as_os_str().as_bytes())?;
    let written = if arguments.dry_run { None } else { Some(setup::write(repo, target, &setup)?) };
    let path = written.as_ref().map(|path| Text::from_bytes(path.as_os_str().as_bytes()));
    let form = report::setup::Form::of(setup.name, &setup.file.path, path.as_ref(), &setup.file.bytes, setup.next);
    terminal.answer(|| report::setup::human(&form), || report::setup::json(&form))?;
    Ok(Exit::Accepted)
}
