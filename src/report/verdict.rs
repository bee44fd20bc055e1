//! The verdict for people: the answer first, then what to do about it, then the figures behind it.

use super::style::{ACCEPTED, BAD, FAINT, GOOD, HEADING, HINT, REJECTED, WARNING, paint};
use super::words::{content_line, count, counted, guarded, len, signed};
use crate::audit::evidence::{Change, ChangeKind, Layer};
use crate::audit::finding::{Finding, Severity};
use crate::audit::verdict::{Verdict, Verification};

/// How many findings, changed paths and notes are listed before the rest is only counted.
const LISTED: usize = 40;
/// How many lines of a failed verifier's output are shown, from its end.
const TAIL: usize = 15;

/// The whole verdict.
pub fn human(verdict: &Verdict) -> String {
    let sections = [
        headline(verdict),
        findings(verdict),
        verifiers(verdict),
        budgets(verdict),
        changes(verdict),
        notes(verdict),
        foot(verdict),
    ];
    sections.iter().filter(|section| !section.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn headline(verdict: &Verdict) -> String {
    let word = if verdict.passed { paint(ACCEPTED, "ACCEPTED") } else { paint(REJECTED, "REJECTED") };
    format!("{word}  {}\n", verdict.label.plain())
}

/// Neighbours with the same code and the same help share that help, so that a hundred paths do not repeat it.
fn findings(verdict: &Verdict) -> String {
    let shown = &verdict.findings[..verdict.findings.len().min(LISTED)];
    let mut out = Vec::new();
    for group in shown.chunk_by(|a, b| a.code == b.code && a.help == b.help) {
        for finding in group {
            out.push(format!("{} {}\n", tag(finding), finding.message.plain()));
        }
        if let Some(help) = group.first().map(|finding| &finding.help).filter(|help| !help.is_empty()) {
            out.push(format!("  {} {}\n", paint(HINT, "help:"), help.plain()));
        }
    }
    out.push(more(verdict.findings.len(), "finding"));
    out.concat()
}

fn tag(finding: &Finding) -> String {
    match finding.severity {
        Severity::Violation => paint(REJECTED, format!("violation[{}]:", finding.code.name())),
        Severity::Note => paint(WARNING, format!("note[{}]:", finding.code.name())),
    }
}

fn budgets(verdict: &Verdict) -> String {
    let (used, limits, left) = (&verdict.metrics, &verdict.limits, &verdict.left);
    let rows = [
        ("files", used.files, limits.max_files, left.files),
        ("added lines", used.added_lines, limits.max_added_lines, left.added_lines),
        ("deleted lines", used.deleted_lines, limits.max_deleted_lines, left.deleted_lines),
        ("working bytes", used.working_bytes, limits.max_working_bytes, left.working_bytes),
        ("binary files", used.binary_files, limits.max_binary_files, left.binary_files),
    ];
    let mut out = vec![paint(HEADING, format!("{:<14}{:>14}{:>14}{:>14}", "budget", "used", "limit", "left")) + "\n"];
    for (name, used, limit, left) in rows {
        let left = format!("{:>14}", signed(left));
        let left = if left.contains('-') { paint(BAD, left) } else { left };
        out.push(format!("{name:<14}{:>14}{:>14}{left}\n", count(used), count(limit)));
    }
    out.concat()
}

fn changes(verdict: &Verdict) -> String {
    if verdict.changes.is_empty() {
        return "Nothing changed since arming.\n".to_owned();
    }
    let shown = &verdict.changes[..verdict.changes.len().min(LISTED)];
    let head = paint(HEADING, format!("changed: {}", counted(len(&verdict.changes), "path")));
    let lines: String = shown.iter().map(change).collect();
    format!("{head}\n{lines}{}", more(verdict.changes.len(), "path"))
}

fn change(change: &Change) -> String {
    let letter = match change.kind {
        ChangeKind::Added => paint(GOOD, 'A'),
        ChangeKind::Deleted => paint(BAD, 'D'),
        ChangeKind::Modified => "M".to_owned(),
        ChangeKind::ModeChanged => "m".to_owned(),
        ChangeKind::TypeChanged => paint(WARNING, 'T'),
    };
    let size = if change.binary {
        "binary".to_owned()
    } else {
        format!(
            "{} {}",
            paint(GOOD, format!("+{}", count(change.added))),
            paint(BAD, format!("-{}", count(change.deleted)))
        )
    };
    format!("  {letter} {}  {size}{}\n", change.path.plain(), elsewhere(change))
}

/// Says where a change stands when looking at the file on disk would not show it.
fn elsewhere(change: &Change) -> String {
    if change.layers.contains(&Layer::Worktree) {
        return String::new();
    }
    let places: Vec<&str> = change
        .layers
        .iter()
        .map(|layer| match layer {
            Layer::Commit => "commits",
            Layer::Index => "the index",
            Layer::Worktree => "the work tree",
        })
        .collect();
    paint(FAINT, format!("  (only in {})", places.join(" and ")))
}

fn verifiers(verdict: &Verdict) -> String {
    if verdict.verification.is_empty() {
        return String::new();
    }
    paint(HEADING, "verifiers") + "\n" + &verdict.verification.iter().map(verifier).collect::<String>()
}

fn verifier(run: &Verification) -> String {
    let command = run.command.plain();
    if run.passed {
        return format!("  {} {command}\n", paint(GOOD, "passed"));
    }
    format!(
        "  {} {command}  ({})\n{}{}",
        paint(BAD, "failed"),
        ending(run),
        tail("stdout", run.stdout.as_bytes()),
        tail("stderr", run.stderr.as_bytes())
    )
}

fn ending(run: &Verification) -> String {
    match (run.timed_out, run.output_limited, run.returncode) {
        (true, ..) => "timeout".to_owned(),
        (_, true, _) => "output limit".to_owned(),
        (.., code) if code < 0 => format!("signal {}", code.unsigned_abs()),
        (.., code) => format!("exit {code}"),
    }
}

/// The last lines of what a program wrote, each of them escaped and marked as not Cordon's own words.
fn tail(stream: &str, output: &[u8]) -> String {
    if output.is_empty() {
        return String::new();
    }
    let lines: Vec<&[u8]> = output.strip_suffix(b"\n").unwrap_or(output).split(|byte| *byte == b'\n').collect();
    let shown = &lines[lines.len().saturating_sub(TAIL)..];
    let head = match lines.len() - shown.len() {
        0 => format!("{stream}:"),
        left_out => format!("{stream}, without the first {}:", counted(left_out as u64, "line")),
    };
    let mut out = vec![format!("    {}\n", paint(FAINT, head))];
    for line in shown {
        out.push(format!("    {} {}\n", paint(FAINT, "|"), content_line(line.strip_suffix(b"\r").unwrap_or(line))));
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
    let head = match (&verdict.current_head, verdict.head_changed) {
        (Some(current), true) => format!("{}, HEAD is now {}", plain(&verdict.baseline), plain(current)),
        (None, _) => format!("{}, HEAD is now unborn", plain(&verdict.baseline)),
        _ => plain(&verdict.baseline),
    };
    let anchor = plain(&verdict.anchor);
    format!("baseline  {head}\nanchor    {anchor}\nchecked in {:.2} s\n", verdict.duration_s)
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
