//! The three questions and their answers.

use std::path::Path;

use super::armed::Armed;
use super::denials::Denials;
use super::guard::{Guard, Objection};
use crate::agent::event::Event;
use crate::audit::denied::{Briefing, Denied, Fault, Pending};
use crate::audit::finding::Severity;
use crate::policy::text::Text;
use crate::session::check;

/// Why the tool call of an event is better not made; `None` when nothing speaks against it, or nothing can be known.
pub fn pre_tool_use(start: &Path, event: &[u8]) -> Option<Denied> {
    let event = Event::read(event, "PreToolUse")?;
    let (armed, cwd) = here(start, &event)?;
    let Objection { by, path, fault } = Guard::new(&armed).objection(&event.acts(&cwd))?;
    let before = Denials::of(&armed.store).add(&what(&by, &path, &fault));
    let (left, envelope) = (armed.left(), armed.record.config.policy);
    Some(Denied { by, path, fault, envelope, left, before })
}

/// What an agent should know when its session begins.
pub fn session_start(start: &Path, event: &[u8]) -> Option<Briefing> {
    let (armed, _) = here(start, &Event::read(event, "SessionStart")?)?;
    let denials = Denials::of(&armed.store).counts();
    let left = armed.left();
    let config = armed.record.config;
    Some(Briefing { label: config.label, envelope: config.policy, verify: config.verify, left, denials })
}

/// What stands in the way of acceptance when an agent wants to stop; `None` when nothing does, and at its second try.
///
/// The verifiers do not run here: they may take longer than a hook may, and the check that decides runs them anyway.
pub fn stop(start: &Path, event: &[u8]) -> Option<Pending> {
    let event = Event::read(event, "Stop").filter(|event| !event.stop_hook_active())?;
    let (armed, _) = here(start, &event)?;
    let judgement = check::preview(&armed.location.root, &armed.store, &armed.record).ok()?;
    let violations = judgement.findings.into_iter().filter(|finding| finding.severity == Severity::Violation);
    let findings: Vec<_> = violations.collect();
    (!findings.is_empty()).then_some(Pending { findings, left: judgement.left })
}

/// What is armed where the agent works, and where that is. A repository that was named comes first; then the directory
/// that the event names, and the one that the agent was started in.
fn here(start: &Path, event: &Event) -> Option<(Armed, String)> {
    let started = || std::env::current_dir().ok()?.into_os_string().into_string().ok();
    let cwd = event.cwd().or_else(started)?;
    let named = (start != Path::new(".")).then(|| Armed::find(start));
    let project = || Armed::find(Path::new(&std::env::var_os("CLAUDE_PROJECT_DIR")?));
    let armed = named.unwrap_or_else(|| Armed::find(Path::new(&cwd)).or_else(project))?;
    Some((armed, cwd))
}

/// What a denial is counted as.
fn what(by: &str, path: &Text, fault: &Fault) -> Text {
    if *fault == Fault::Commit { Text::from(by) } else { path.clone() }
}
