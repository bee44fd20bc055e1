//! `cordon codes`.

use super::args::Codes;
use super::terminal::Terminal;
use crate::audit::codes::{self, CODES, Explained};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::escape;
use crate::{json, report};

/// Explains one code, or all of them.
pub fn run(arguments: &Codes, terminal: &mut Terminal) -> Result<Exit> {
    let width = terminal.width();
    match &arguments.code {
        None => terminal.answer(|| report::codes::human(CODES, width), || json::pretty(&CODES))?,
        Some(name) => {
            let row = codes::find(name).ok_or_else(|| unknown(name))?;
            terminal.answer(|| report::codes::human(std::slice::from_ref(row), width), || json::pretty(row))?;
        }
    }
    Ok(Exit::Accepted)
}

fn unknown(name: &str) -> Error {
    let near: Vec<&str> = codes::nearest(name).into_iter().map(Explained::name).collect();
    Error::usage(format!("there is no code `{}`", escape::plain(name.as_bytes())))
        .hint(format!("Did you mean {}?", near.join(", ")))
        .hint("cordon codes lists all of them.")
}
