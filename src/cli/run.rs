//! `cordon run` and `cordon resume`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::arm;
use super::progress::AgentProgress;
use super::run_args::Run;
use super::terminal::Terminal;
use crate::agent::ended::Ran;
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::text::Text;
use crate::session::api::{self, Engine, RunRequest};
use crate::{json, report};

/// Arms, runs an agent, and judges.
pub fn run(repo: &Path, arguments: &Run, terminal: &mut Terminal) -> Result<Exit> {
    let request =
        RunRequest { arm: arm::request(repo, &arguments.task, &arguments.options)?, engine: engine(arguments) };
    let progress = AgentProgress::start();
    let ran = api::run(repo, &request, &progress);
    progress.stop();
    answer(&ran?, terminal)
}

/// Runs the agent of the armed envelope once more.
pub fn resume(repo: &Path, terminal: &mut Terminal) -> Result<Exit> {
    let progress = AgentProgress::start();
    let ran = api::resume(repo, &progress);
    progress.stop();
    answer(&ran?, terminal)
}

fn engine(arguments: &Run) -> Engine {
    let text = |word: &std::ffi::OsStr| Text::from_bytes(word.as_bytes());
    let own = !arguments.command.is_empty();
    Engine {
        name: if own { "command".to_owned() } else { arguments.agent.clone() },
        program: arguments.claude.as_ref().map(|path| text(path.as_os_str())),
        command: arguments.command.iter().map(|word| text(word)).collect(),
        timeout: arguments.timeout,
        max_turns: arguments.max_turns.and_then(|turns| u32::try_from(turns).ok()),
        max_budget_usd: arguments.max_budget_usd,
        model: arguments.model.clone(),
        effort: arguments.effort.clone(),
        hook: !arguments.no_hook,
    }
}

fn answer(ran: &Ran, terminal: &mut Terminal) -> Result<Exit> {
    terminal.answer(|| report::agent::human(ran), || json::pretty(ran))?;
    Ok(match (&ran.agent.failure, ran.verdict.passed) {
        (Some(_), _) => Exit::AgentFailed,
        (None, true) => Exit::Accepted,
        (None, false) => Exit::Rejected,
    })
}
