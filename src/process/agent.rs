//! A coding agent: one program, found before anything else happens, with the caller's environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::environment;
use super::program::Program;
use super::resolve::resolve;

/// The file to start for an agent that is called `name` and runs in `root`.
///
/// # Errors
/// Says why it cannot start as things stand.
pub fn locate(name: &OsStr, root: &Path) -> Result<PathBuf, String> {
    resolve(name, root, std::env::var_os("PATH").as_deref()).map_err(|why| why.to_string())
}

/// The program of an agent that runs in `root`.
///
/// # Errors
/// As [`locate`].
pub fn program(argv: &[OsString], root: &Path) -> Result<Program, String> {
    let (name, arguments) = argv.split_first().ok_or("the command is empty")?;
    Ok(Program {
        file: locate(name, root)?,
        name: name.clone(),
        arguments: arguments.to_vec(),
        directory: root.to_owned(),
        environment: environment::for_agents(std::env::vars_os()),
    })
}
