//! The brief: everything that an agent is told, as one text. The same facts give the same words.
//!
//! It begins with a letter, so that no program takes it for an option, and holds no control character but line ends
//! and tabs, whatever names and outputs it quotes. What a program printed is marked at every line: it is no part of what
//! Cordon says.

use super::lines::{Lines, listed};
use crate::audit::finding::{Finding, Severity, sentence};
use crate::audit::verdict::{Left, Verdict, Verification};
use crate::policy::envelope::Envelope;
use crate::policy::escape::typed;
use crate::policy::options::AuditOptions;
use crate::policy::pattern::Pattern;
use crate::policy::protected::PROTECTED;
use crate::policy::text::Text;

/// How many findings are told one by one.
const FINDINGS: usize = 40;

/// How much of a failing verifier's stream is quoted, counted from its end.
const QUOTED_LINES: usize = 60;
const QUOTED_BYTES: usize = 6 * 1024;

/// What the brief is made of.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'a> {
    /// What the agent is to do.
    pub task: &'a Text,
    /// What it may change.
    pub envelope: &'a Envelope,
    /// What holds for protected paths.
    pub audit: &'a AuditOptions,
    /// The commands that must pass.
    pub verify: &'a [String],
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many there are.
    pub max_attempts: u32,
    /// How the attempt before this one ended.
    pub before: Option<Before<'a>>,
}

/// How the attempt before ended.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// What became of the agent, as a clause such as `the agent ran out of time after 1800 s`; `None` when it ended in
    /// good order.
    pub ending: Option<&'a str>,
    /// What the audit found, if one was made.
    pub verdict: Option<&'a Verdict>,
}

/// The whole brief.
pub fn brief(brief: &Brief<'_>) -> String {
    let mut out = Lines::default();
    out.line(format!("Work under Cordon, attempt {} of {}.", brief.attempt, brief.max_attempts));
    out.line(
        "A program will measure what you really changed in this repository and accept or reject it by the rules below. \
              It reads the files itself: your word that the work is done, or that a rule was kept, is no proof.",
    );
    out.section("Task");
    out.paragraphs(brief.task.as_bytes());
    rules(&mut out, brief);
    if let Some(before) = &brief.before {
        earlier(&mut out, before);
    }
    out.section("When you are done");
    out.line(
        "Leave the work tree as it is to be judged and end your turn. If the task cannot be done inside these rules, \
              change nothing outside of them and say what you would need.",
    );
    out.finish()
}

fn rules(out: &mut Lines, brief: &Brief<'_>) {
    let Envelope { allow, deny, limits, allow_commits } = brief.envelope;
    out.section("Rules");
    out.line(format!("You may change only: {}", patterns(allow)));
    if !deny.is_empty() {
        out.line(format!("Never, whatever the line above says: {}", patterns(deny)));
    }
    out.line(format!("Protected, at any depth, tracked or ignored: {}", protected(brief.audit)));
    if !brief.audit.allow_protected.is_empty() {
        out.line(format!(
            "Of these, open where the first line allows them: {}",
            patterns(&brief.audit.allow_protected)
        ));
    }
    out.line(
        "Leave .git, .cordon and .stone alone, and files that Git ignores unless the first line allows them; what \
              builds and tests write into their usual places is fine.",
    );
    out.line("`*` stays within a directory, `**` crosses directories, `?` is one character. A path that no pattern covers is outside.");
    out.line(format!(
        "In all, against the state at the start: at most {} changed files (a rename is two), {} added lines, {} deleted lines, \
         {} binary files, {} bytes in the changed files.",
        limits.max_files,
        limits.max_added_lines,
        limits.max_deleted_lines,
        limits.max_binary_files,
        limits.max_working_bytes
    ));
    out.line(if *allow_commits {
        "You may commit on the present branch; every path of every commit is held against the same rules. Do not rewrite \
         history, switch branches, tag, stash or change Git's configuration or hooks."
    } else {
        "Do not commit. Do not switch branches, tag, stash or reset, and do not change Git's configuration or hooks."
    });
    match brief.verify {
        [] => {}
        commands => {
            out.line(
                "These commands must exit with 0 in the root of the repository, and must not change tracked files:",
            );
            for command in commands {
                out.line(format!("  {}", typed(command.as_bytes())));
            }
        }
    }
}

fn patterns(patterns: &[Pattern]) -> String {
    listed(patterns.iter().map(ToString::to_string))
}

/// The protected paths without the wildcard that all rows begin with; a directory stands once, with a slash.
fn protected(audit: &AuditOptions) -> String {
    let names: Vec<&str> = PROTECTED.iter().map(|row| row.glob.strip_prefix("**/").unwrap_or(row.glob)).collect();
    let is_directory = |name: &str| names.iter().any(|other| other.strip_suffix("/**") == Some(name));
    let built_in = names.iter().filter(|name| !name.ends_with("/**")).map(|name| {
        let slash = if is_directory(name) { "/" } else { "" };
        format!("{name}{slash}")
    });
    listed(built_in.chain(audit.protect.iter().map(ToString::to_string)))
}

fn earlier(out: &mut Lines, before: &Before<'_>) {
    out.section("What the attempt before left behind");
    out.line("Its changes are still in the work tree. Go on from there; undo what is named below.");
    if let Some(ending) = before.ending {
        out.line(format!("How it ended: {}.", typed(ending.as_bytes())));
    }
    let Some(verdict) = before.verdict else { return };
    let violations: Vec<&Finding> =
        verdict.findings.iter().filter(|finding| finding.severity == Severity::Violation).collect();
    if violations.is_empty() {
        out.line("What it changed keeps the rules.");
    } else {
        out.line("It was rejected:");
        findings(out, &violations);
    }
    verdict.verification.iter().filter(|run| !run.passed).for_each(|run| verifier(out, run));
    left(out, &verdict.left);
}

/// Findings with the same help share it, so that forty paths do not repeat it.
fn findings(out: &mut Lines, all: &[&Finding]) {
    let shown = &all[..all.len().min(FINDINGS)];
    for group in shown.chunk_by(|a, b| a.code == b.code && a.help == b.help) {
        for finding in group {
            out.line(format!("  - {}: {}", finding.code.name(), sentence(&finding.message)));
        }
        if let Some(finding) = group.first().filter(|finding| !finding.help.is_empty()) {
            out.line(format!("    {}", finding.advice()));
        }
    }
    if all.len() > shown.len() {
        out.line(format!("  - and {} more of the kind.", all.len() - shown.len()));
    }
}

fn verifier(out: &mut Lines, run: &Verification) {
    out.line(format!("The command `{}` failed ({}).", typed(run.command.as_bytes()), run.ending()));
    for (name, stream) in [("standard output", &run.stdout), ("standard error", &run.stderr)] {
        out.quoted(name, stream.as_bytes(), QUOTED_LINES, QUOTED_BYTES);
    }
}

fn left(out: &mut Lines, left: &Left) {
    let rows = [
        ("files", left.files),
        ("added lines", left.added_lines),
        ("deleted lines", left.deleted_lines),
        ("binary files", left.binary_files),
        ("bytes", left.working_bytes),
    ];
    let words = rows.map(|(name, left)| match left {
        0.. => format!("{left} {name}"),
        over => format!("{} {name} too many", over.unsigned_abs()),
    });
    out.line(format!("Left of the budgets: {}.", listed(words)));
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
