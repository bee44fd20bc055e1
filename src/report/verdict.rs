//! The verdict for people: the answer first, then what to do about it, then the figures behind it.

use super::formats::report::{self, Budget};
use super::status::ACCEPTED_NEXT;
use super::style::{ACCEPTED, BAD, HEADING, HINT, REJECTED, paint};
use super::words::{count, counted, guarded, signed};
use super::{changes, findings, verifiers};
use crate::audit::verdict::Verdict;
use crate::policy::escape::typed;

/// How many notes are listed before the rest is only counted.
const LISTED: usize = 40;

/// The whole verdict.
pub fn human(verdict: &Verdict) -> String {
    let word = if verdict.passed { paint(ACCEPTED, "ACCEPTED") } else { paint(REJECTED, "REJECTED") };
    text(verdict, &word, next(verdict))
}

/// The verdict about what a failed agent left: it accepts nothing, even where the audit has nothing against it.
pub fn of_failed_agent(verdict: &Verdict) -> String {
    let audit = if verdict.passed { "the audit passes" } else { "the audit rejects what it left" };
    text(verdict, &format!("{}, {audit}:", paint(REJECTED, "AGENT FAILED")), String::new())
}

fn text(verdict: &Verdict, word: &str, next: String) -> String {
    let sections = [
        headline(verdict, word),
        findings::human(&verdict.findings),
        verifiers::human(verdict),
        budgets(verdict),
        changes::human(verdict),
        notes(verdict),
        foot(verdict),
        next,
    ];
    sections.iter().filter(|section| !section.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn headline(verdict: &Verdict, word: &str) -> String {
    format!("{word}  {}\n", typed(verdict.label.as_bytes()))
}

fn budgets(verdict: &Verdict) -> String {
    let mut out = vec![paint(HEADING, format!("{:<14}{:>14}{:>14}{:>14}", "budget", "used", "limit", "left")) + "\n"];
    for Budget { name, used, limit, left } in report::budgets(verdict) {
        let left = format!("{:>14}", signed(left));
        let left = if left.contains('-') { paint(BAD, left) } else { left };
        out.push(format!("{name:<14}{:>14}{:>14}{left}\n", count(used), count(limit)));
    }
    out.concat()
}

fn notes(verdict: &Verdict) -> String {
    if verdict.notes.is_empty() {
        return String::new();
    }
    let shown = &verdict.notes[..verdict.notes.len().min(LISTED)];
    let lines = shown.iter().map(|note| format!("  {}\n", note.plain())).collect::<Vec<_>>().concat();
    format!("{}\n{lines}{}", paint(HEADING, "notes"), more(verdict.notes.len(), "note"))
}

fn foot(verdict: &Verdict) -> String {
    let role = verdict.role.as_ref().map_or_else(String::new, |role| format!("role      {}\n", typed(role.as_bytes())));
    if let Some(gate) = &verdict.gate {
        let (base, head, from) = (plain(&gate.base), plain(&gate.head), plain(&verdict.baseline));
        let left = if gate.base == verdict.baseline { String::new() } else { format!(", left at {from}") };
        return format!("base      {base}{left}\nhead      {head}\n{role}judged in {:.2} s\n", verdict.duration_s);
    }
    let head = match (&verdict.current_head, verdict.head_changed) {
        (Some(current), true) => format!("{}, HEAD is now {}", plain(&verdict.baseline), plain(current)),
        (None, _) => format!("{}, HEAD is now unborn", plain(&verdict.baseline)),
        _ => plain(&verdict.baseline),
    };
    let anchor = plain(&verdict.anchor);
    let session = verdict.session.as_ref().map_or_else(String::new, |id| format!("ledger    {}\n", plain(id)));
    format!("{role}baseline  {head}\nanchor    {anchor}\n{session}checked in {:.2} s\n", verdict.duration_s)
}

/// What to do with work that was accepted.
fn next(verdict: &Verdict) -> String {
    if verdict.passed && verdict.gate.is_none() && !verdict.changes.is_empty() {
        format!("{} {ACCEPTED_NEXT}\n", paint(HINT, "next:"))
    } else {
        String::new()
    }
}

fn plain(text: &str) -> String {
    guarded(text.as_bytes())
}

fn more(all: usize, noun: &str) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        rest => format!("  ... and {} more; `--format json` lists all\n", counted(rest as u64, noun)),
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
