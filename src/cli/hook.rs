//! `cordon hook`.

use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::args::HookEvent;
use super::terminal::Terminal;
use crate::agent::event::MAX_EVENT;
use crate::agent::settings;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::report;
use crate::session::api;

/// Answers one event, or prints the settings that make an agent ask.
pub fn run(repo: &Path, event: HookEvent, terminal: &mut Terminal) -> Result<Exit> {
    let answer = match event {
        HookEvent::Settings => return print_settings(terminal),
        HookEvent::PreToolUse => api::pre_tool_use(repo, &read()).map(|denied| report::hook::denied(&denied)),
        HookEvent::SessionStart => api::session_start(repo, &read()).map(|briefing| report::hook::briefing(&briefing)),
        HookEvent::Stop => api::stop(repo, &read()).map(|pending| report::hook::pending(&pending)),
    };
    if let Some(answer) = answer {
        // An answer that nobody takes is silence, and silence is no error.
        let _ = terminal.raw(&answer).and_then(|()| terminal.flush());
    }
    Ok(Exit::Accepted)
}

/// The event; what is too long or cannot be read is none.
fn read() -> Vec<u8> {
    let mut event = Vec::new();
    match std::io::stdin().lock().take(MAX_EVENT + 1).read_to_end(&mut event) {
        Ok(length) if length as u64 <= MAX_EVENT => event,
        _ => Vec::new(),
    }
}

fn print_settings(terminal: &mut Terminal) -> Result<Exit> {
    let program = std::env::current_exe().map_err(|error| Error::io("cannot find this program's own path", error))?;
    let settings = settings::settings(program.as_os_str().as_bytes(), None)?;
    terminal.raw(&report::hook::settings(&settings))?;
    Ok(Exit::Accepted)
}
