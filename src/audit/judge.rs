//! The judge: holds the evidence against the envelope and says what it finds, each thing in words to act on.

use super::evidence::{Change, ChangeKind, Evidence, HidingFlag, Layer, Obstacle, Remark, RemarkKind};
use super::finding::{Code, Finding, Severity};
use super::verdict::{Left, Metrics, Verification};
use super::{drift, ignored, links, undo};
use crate::policy::envelope::{Decision, Envelope, Rules};
use crate::policy::limits::Limits;
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::text::Text;

/// How many paths a note names.
const NAMED: usize = 5;

/// What the judge found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The net change in numbers.
    pub metrics: Metrics,
    /// What remains of the budgets.
    pub left: Left,
    /// Violations: what is about the whole change first, then path by path.
    pub findings: Vec<Finding>,
    /// What is only noted.
    pub notes: Vec<Text>,
}

impl Judgement {
    /// Whether anything found rejects the change.
    pub fn rejects(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Violation)
    }
}

/// Whether a change belongs to the net change: what stands only in history or in the index does not, but for a path
/// that left the index, which Git tracks no more.
pub fn is_net(change: &Change) -> bool {
    let stands = |layer| change.layers.contains(&layer);
    stands(Layer::Worktree) || (stands(Layer::Index) && change.kind == ChangeKind::Deleted)
}

/// Judges the evidence by an envelope and its compiled rules.
pub fn judge(envelope: &Envelope, rules: &Rules, evidence: &Evidence) -> Judgement {
    let metrics = measure(evidence.changes.iter().filter(|change| is_net(change)));
    let mut findings = Vec::new();
    findings.extend(head(envelope, evidence));
    findings.extend(drift::findings(envelope, evidence));
    findings.extend(links::findings(rules, evidence));
    let (about_ignored, notes_on_ignored) = ignored::judge(rules, &evidence.ignored);
    findings.extend(about_ignored);
    findings.extend(budgets(&metrics, &envelope.limits));
    findings.extend(evidence.hidden.iter().map(|(path, flag)| hidden(evidence, path, *flag)));
    findings.extend(evidence.obstacles.iter().map(|(path, obstacle)| obstructed(evidence, path, obstacle)));
    findings.extend(evidence.changes.iter().filter_map(|change| path(rules, envelope, evidence, &change.path)));
    let notes = notes(&evidence.remarks).into_iter().chain(notes_on_ignored).collect();
    Judgement { metrics, left: left(&metrics, &envelope.limits), findings, notes }
}

/// The net change in numbers.
pub fn measure<'a>(changes: impl Iterator<Item = &'a Change>) -> Metrics {
    changes.fold(Metrics::default(), |metrics, change| Metrics {
        files: metrics.files + 1,
        added_lines: metrics.added_lines.saturating_add(change.added),
        deleted_lines: metrics.deleted_lines.saturating_add(change.deleted),
        working_bytes: metrics.working_bytes.saturating_add(change.size_after.unwrap_or(0)),
        binary_files: metrics.binary_files + u64::from(change.binary),
    })
}

/// The finding about a verifier that failed, of those that had `timeout` seconds each; `None` for one that passed.
pub fn verification(run: &Verification, timeout: u64) -> Option<Finding> {
    if run.passed {
        return None;
    }
    let command = std::str::from_utf8(run.command.as_bytes()).unwrap_or_default();
    let message = Text::from(format!("verifier failed ({}): {command}", run.ending()));
    let help = if run.timed_out {
        format!("It was ended after {timeout} s. Make it faster, or arm again with a larger --verify-timeout.")
    } else if run.output_limited {
        "It wrote more than 4 MiB on a stream and was ended. Make it say less, or send its output to an ignored file."
            .to_owned()
    } else {
        "Run the command yourself in the root of the repository, mend what it reports, then check again.".to_owned()
    };
    Some(violation(Code::VerifierFailed, None, message, help))
}

/// The note that `count` verifiers have not run, for a change that something else rejects.
pub fn not_verified(count: usize) -> Text {
    Text::from(format!("verifiers: {count} not run, because the change is outside the envelope"))
}

/// The finding about work that changed between the looks before and after the verifiers.
pub fn changed_meanwhile(before: &Evidence, after: &Evidence) -> Finding {
    let unequal = |a: &Evidence, b: &Evidence| {
        a.changes.iter().find(|change| !b.changes.contains(change)).map(|change| change.path.clone())
    };
    let path = unequal(after, before).or_else(|| unequal(before, after));
    let message = Text::from("changed while the verifiers ran: ");
    let message =
        path.as_ref().map_or_else(|| message.clone().word("HEAD or the index"), |path| message.clone().path(path));
    let help = "Usually a verifier writes caches or build output: have Git ignore that (.gitignore) before arming. Otherwise let \
                the verifiers leave the work tree alone, or run what they do to it yourself and check again.";
    violation(Code::ChangedDuringVerification, path.as_ref(), message, help)
}

fn head(envelope: &Envelope, evidence: &Evidence) -> Option<Finding> {
    let head = &evidence.head;
    if envelope.allow_commits || !head.moved() {
        return None;
    }
    let now = head.current.as_deref().unwrap_or("no commit");
    let message = format!("HEAD changed: {} at arm, {now} now", head.baseline);
    let help = "Commits are not allowed here. Go back to the baseline (your files stay), or arm with --allow-commits.";
    let undo = Text::from(format!("git reset --soft {}", head.baseline));
    Some(undone_by(Some(undo), violation(Code::HeadChanged, None, message.into(), help)))
}

fn path(rules: &Rules, envelope: &Envelope, evidence: &Evidence, path: &RepoPath) -> Option<Finding> {
    let is_lost = evidence.lost.binary_search(path).is_ok();
    let (code, words, help) = if let Some(reason) = rules.audit.protected(path.as_bytes()) {
        (Code::ProtectedPath, "protected path changed: ", ignored::protected_help(reason, Some(path)))
    } else {
        let words = "path outside policy: ";
        match rules.decide(path.as_bytes()) {
            Decision::Allowed(_) => return None,
            _ if is_lost => return Some(lost(path)),
            Decision::Denied(pattern) => {
                let help = format!("The deny pattern {} covers it. Undo this change.", pattern.as_str());
                (Code::PathDenied, words, help)
            }
            Decision::Outside => {
                let help = format!("Undo this change, or ask for a wider envelope. Allowed: {}.", listed(envelope));
                (Code::PathOutside, words, help)
            }
        }
    };
    let help = if is_lost { format!("{help} {}", rescue(path)) } else { help };
    Some(undone_by(undo::path(evidence, path), violation(code, Some(path), Text::from(words).path(path), help)))
}

/// Uncommitted work of the user that is not as it was.
fn lost(path: &RepoPath) -> Finding {
    let message = Text::from("uncommitted work changed or lost: ").path(path);
    violation(Code::LostWork, Some(path), message, rescue(path))
}

fn rescue(path: &RepoPath) -> String {
    format!(
        "Its content of arm was kept. Write it to a new directory: cordon rescue {}",
        shell::operand(path.as_bytes())
    )
}

fn listed(envelope: &Envelope) -> String {
    let first: Vec<&str> =
        envelope.allow.iter().take(NAMED).map(super::super::policy::pattern::Pattern::as_str).collect();
    match envelope.allow.len() - first.len() {
        0 => first.join(", "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}

fn obstructed(evidence: &Evidence, path: &RepoPath, obstacle: &Obstacle) -> Finding {
    let restored = || undo::path(evidence, path).map(|restore| shell::about("rm", path).word(" && ").raw(&restore));
    let (code, help, undo) = match obstacle {
        Obstacle::Unreadable(_) => {
            (Code::Unreadable, "Make it readable for the user who checks.", Some(shell::about("chmod u+rX", path)))
        }
        Obstacle::Special => (Code::SpecialFile, "Remove it and bring the file back.", restored()),
        Obstacle::Unsteady => (Code::Unsteady, "End what still writes to it, then check again.", None),
    };
    let message = Text::from("path cannot be vouched for: ").path(path).word(": ").word(obstacle.describe());
    undone_by(undo, violation(code, Some(path), message, help))
}

fn hidden(evidence: &Evidence, path: &RepoPath, flag: HidingFlag) -> Finding {
    let message = Text::from(format!("hidden from Git by the {} flag: ", flag.name())).path(path);
    let undo = undo::flag(evidence, path, flag);
    let help = Text::from("Clear the flag: ").raw(&undo);
    undone_by(Some(undo), violation(Code::HiddenEntry, Some(path), message, help))
}

/// One budget: its code, the words of the message, and where its number and its limit stand.
struct Budget {
    code: Code,
    words: &'static str,
    option: &'static str,
    used: fn(&Metrics) -> u64,
    limit: fn(&Limits) -> u64,
}

const BUDGETS: &[Budget] = &[
    Budget {
        code: Code::BudgetFiles,
        words: "file",
        option: "--max-files",
        used: |metrics| metrics.files,
        limit: |limits| limits.max_files,
    },
    Budget {
        code: Code::BudgetAddedLines,
        words: "added-line",
        option: "--max-added-lines",
        used: |metrics| metrics.added_lines,
        limit: |limits| limits.max_added_lines,
    },
    Budget {
        code: Code::BudgetDeletedLines,
        words: "deleted-line",
        option: "--max-deleted-lines",
        used: |metrics| metrics.deleted_lines,
        limit: |limits| limits.max_deleted_lines,
    },
    Budget {
        code: Code::BudgetWorkingBytes,
        words: "working-byte",
        option: "--max-working-bytes",
        used: |metrics| metrics.working_bytes,
        limit: |limits| limits.max_working_bytes,
    },
    Budget {
        code: Code::BudgetBinaryFiles,
        words: "binary-file",
        option: "--max-binary-files",
        used: |metrics| metrics.binary_files,
        limit: |limits| limits.max_binary_files,
    },
];

fn budgets(metrics: &Metrics, limits: &Limits) -> impl Iterator<Item = Finding> {
    let (metrics, limits) = (*metrics, *limits);
    BUDGETS.iter().filter_map(move |budget| {
        let (used, limit) = ((budget.used)(&metrics), (budget.limit)(&limits));
        (used > limit).then(|| {
            let message = format!("{} budget exceeded: {used} > {limit}", budget.words);
            let help = format!("Make the change smaller, or arm again with a larger {}.", budget.option);
            violation(budget.code, None, message.into(), help)
        })
    })
}

/// What remains of the budgets.
pub fn left(metrics: &Metrics, limits: &Limits) -> Left {
    let of = |limit: u64, used: u64| {
        i64::try_from(i128::from(limit) - i128::from(used)).unwrap_or(if limit > used { i64::MAX } else { i64::MIN })
    };
    Left {
        files: of(limits.max_files, metrics.files),
        added_lines: of(limits.max_added_lines, metrics.added_lines),
        deleted_lines: of(limits.max_deleted_lines, metrics.deleted_lines),
        working_bytes: of(limits.max_working_bytes, metrics.working_bytes),
        binary_files: of(limits.max_binary_files, metrics.binary_files),
    }
}

/// One note a kind of remark, with the first paths by name.
fn notes(remarks: &[Remark]) -> Vec<Text> {
    remarks
        .chunk_by(|a, b| a.kind == b.kind)
        .map(|group| {
            let mut note = Text::from(format!("{} {}: ", group.len(), phrase(group[0].kind)));
            for (at, remark) in group.iter().take(NAMED).enumerate() {
                note = note.word(if at == 0 { "" } else { ", " }).path(&remark.path);
            }
            if group.len() > NAMED { note.word(format!(", and {} more", group.len() - NAMED)) } else { note }
        })
        .collect()
}

fn phrase(kind: RemarkKind) -> &'static str {
    match kind {
        RemarkKind::SameForGit => "with other bytes that Git would store as before",
        RemarkKind::Permissions => "with other permissions that Git does not record",
        RemarkKind::Special => "new FIFO, socket or device, which Git does not list",
        RemarkKind::Unreadable => "ignored directory that cannot be read",
    }
}

fn violation(code: Code, path: Option<&RepoPath>, message: Text, help: impl Into<Text>) -> Finding {
    Finding { code, severity: Severity::Violation, path: path.cloned(), message, help: help.into(), undo: None }
}

fn undone_by(undo: Option<Text>, finding: Finding) -> Finding {
    Finding { undo, ..finding }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
