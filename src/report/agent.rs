//! What an attempt of an agent came to, for people: the verdict, and before it how the agent ended and what it says.

use super::style::{BAD, FAINT, GOOD, HEADING, HINT, paint};
use super::verdict;
use super::words::{count, counted};
use crate::agent::ended::{Ended, Ran};
use crate::agent::result::Denial;
use crate::audit::verdict::Metrics;
use crate::policy::escape::typed;
use crate::policy::limits::Limits;
use crate::policy::text::Text;

/// So many denied tool calls are listed before the rest is only counted.
const DENIALS: usize = 5;

/// So many of the agent's own last lines are shown.
const LINES: usize = 8;

/// The whole answer.
pub fn human(ran: &Ran) -> String {
    let verdict = match ran.agent.failure {
        Some(_) => verdict::of_failed_agent(&ran.verdict),
        None => verdict::human(&ran.verdict),
    };
    [ended(ran), verdict, next(ran)].concat()
}

fn ended(ran: &Ran) -> String {
    let Ended { name, failure, duration_s, reported, .. } = &ran.agent;
    let how = match failure {
        Some(failure) => format!("{}: {}", paint(BAD, "failed"), failure.plain()),
        None => paint(GOOD, "ended in good order"),
    };
    let figures = figures(reported.turns, reported.cost_usd);
    let mut out = vec![format!(
        "{} {}, attempt {} of {}: {how} after {duration_s:.1} s{figures}\n",
        paint(HEADING, "agent"),
        typed(name.as_bytes()),
        ran.attempt,
        ran.max_attempts
    )];
    out.extend(reported.denials.iter().take(DENIALS).map(denial));
    if let Some(rest) = reported.denied.checked_sub(DENIALS as u64).filter(|rest| *rest > 0) {
        out.push(format!("  ... and {} more\n", counted(rest, "denied call")));
    }
    out.extend(reported.result.as_ref().map(last_words));
    out.push("\n".to_owned());
    out.concat()
}

/// What an agent says of its turns and cost, if it does.
pub fn figures(turns: Option<u64>, cost_usd: Option<f64>) -> String {
    let turns = turns.map(|turns| counted(turns, "turn"));
    let cost = cost_usd.map(|usd| format!("{usd:.2} US dollars by its own estimate"));
    let parts: Vec<String> = turns.into_iter().chain(cost).collect();
    if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) }
}

/// One line about an attempt that is under way; it is short, because a terminal cuts it.
pub fn glance(attempt: (u32, u32), metrics: Option<&Metrics>, limits: &Limits) -> String {
    let used = metrics.map(|metrics| {
        let of = |used: u64, limit: u64| format!("{}/{}", count(used), count(limit));
        format!(
            ": {} files, +{} -{} lines",
            of(metrics.files, limits.max_files),
            of(metrics.added_lines, limits.max_added_lines),
            of(metrics.deleted_lines, limits.max_deleted_lines)
        )
    });
    format!("agent at work, attempt {}/{}{}", attempt.0, attempt.1, used.unwrap_or_default())
}

fn denial(denial: &Denial) -> String {
    let target = denial.target.as_ref().map(|target| format!(" {}", typed(target.as_bytes()))).unwrap_or_default();
    format!("  denied {}{target}\n", typed(denial.tool.as_bytes()))
}

/// What the agent says in the end, each line marked as not Cordon's own words.
fn last_words(text: &Text) -> String {
    let lines: Vec<&[u8]> = text.as_bytes().trim_ascii().split(|byte| *byte == b'\n').collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    let head = match lines.len() - shown.len() {
        0 => "it says".to_owned(),
        more => format!("it says, after {} more", count(more as u64)),
    };
    let line = |line: &&[u8]| format!("  {} {}\n", paint(FAINT, "|"), super::words::content_line(line));
    format!("  {}\n{}", paint(FAINT, head + ":"), shown.iter().map(line).collect::<String>())
}

/// What to do when the agent failed or was rejected and another attempt is left.
fn next(ran: &Ran) -> String {
    let failed = ran.agent.failure.is_some();
    let words = match (failed, ran.verdict.passed, ran.attempt < ran.max_attempts) {
        (true, true, true) => {
            "The audit passes as it stands: run cordon check to accept it, or cordon resume for another attempt."
        }
        (true, true, false) => "The audit passes as it stands: run cordon check to accept it.",
        (_, false, true) => "Undo what left the envelope, if anything did, then run cordon resume for another attempt.",
        _ => return String::new(),
    };
    format!("{} {words}\n", paint(HINT, "next:"))
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
