//! The judge: holds the evidence against the envelope and says what it finds, each thing in words to act on.

use super::evidence::{Change, ChangeKind, Evidence, HidingFlag, Layer, Obstacle, Remark, RemarkKind};
use super::finding::{Code, Finding, Severity};
use super::verdict::{Left, Metrics, Verification};
use super::{budgets, drift, ignored, links, undo};
use crate::policy::envelope::{Decision, Envelope, Rules};
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
    stands(Layer::Worktree) || stands(Layer::Head) || (stands(Layer::Index) && change.kind == ChangeKind::Deleted)
}

/// Judges the evidence by an envelope and its compiled rules.
pub fn judge(envelope: &Envelope, rules: &Rules, evidence: &Evidence) -> Judgement {
    let metrics = Metrics::of(evidence.changes.iter().filter(|change| is_net(change)), rules.audit.uncounted());
    let mut findings = Vec::new();
    findings.extend(head(envelope, evidence));
    findings.extend(drift::findings(envelope, evidence));
    findings.extend(links::findings(rules, envelope.allow_commits, evidence));
    let (about_ignored, notes_on_ignored) = ignored::judge(rules, &evidence.ignored);
    findings.extend(about_ignored);
    findings.extend(budgets::findings(&metrics, &evidence.stages, &envelope.limits, &evidence.head.baseline));
    findings.extend(evidence.hidden.iter().map(|(path, flag)| hidden(evidence, path, *flag)));
    findings.extend(evidence.obstacles.iter().map(|(path, obstacle)| obstructed(envelope, evidence, path, obstacle)));
    findings.extend(evidence.changes.iter().filter_map(|change| path(rules, envelope, evidence, change)));
    let mut notes: Vec<Text> = notes(&evidence.remarks).into_iter().chain(notes_on_ignored).collect();
    notes.extend(unmatched(rules, evidence));
    Judgement { metrics, left: budgets::left(&metrics, &envelope.limits), findings, notes }
}

/// The finding about a verifier that failed, of those that had `timeout` seconds each; `None` for one that passed.
pub fn verification(run: &Verification, timeout: u64) -> Option<Finding> {
    if run.passed {
        return None;
    }
    let command = std::str::from_utf8(run.command.as_bytes()).unwrap_or_default();
    let message = Text::from(format!("verifier failed ({}): {command}", run.ending()));
    let help = if run.timed_out {
        format!(
            "It was ended after {timeout} s. Make it faster, or give it longer: --verify-timeout at arm, verify_timeout of a role."
        )
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

/// The finding about a verifier between whose start and end the work changed, or something that the envelope forbids came
/// about: `before` and `after` are what was seen then, and how it was judged.
pub fn changed_by(command: &str, before: (&Evidence, &Judgement), after: (&Evidence, &Judgement)) -> Option<Finding> {
    let forbidden = after.1.findings.iter().find(|finding| !before.1.findings.contains(finding));
    if forbidden.is_none() && after.0.shows_the_same_work(before.0) {
        return None;
    }
    let path = forbidden.and_then(|finding| finding.path.clone()).or_else(|| after.0.first_difference(before.0));
    let message = Text::from(format!("changed while a verifier ran: {command}: "));
    let message = match (&path, forbidden) {
        (Some(path), _) => message.path(path),
        (None, Some(finding)) => message.raw(&finding.message),
        (None, None) => message.word("HEAD, the index or what stands beside the files"),
    };
    let help = "Usually a verifier writes caches or build output: have Git ignore that (.gitignore) before arming. Otherwise let \
                the verifier leave the work tree alone, or run what it does to it yourself and check again.";
    Some(violation(Code::ChangedDuringVerification, path.as_ref(), message, help))
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

fn path(rules: &Rules, envelope: &Envelope, evidence: &Evidence, change: &Change) -> Option<Finding> {
    let path = &change.path;
    let is_lost = evidence.lost.binary_search(path).is_ok();
    let (code, words, help) = if let Some(reason) = rules.audit.protected(path.as_bytes()) {
        (Code::ProtectedPath, "protected path changed: ", ignored::protected_help(reason, Some(path)))
    } else {
        let words = "path outside policy: ";
        match rules.decide(path.as_bytes()) {
            Decision::Allowed(_) => return None,
            _ if is_lost => return Some(lost(path)),
            Decision::Denied(pattern) => {
                let help = format!("The deny pattern {} covers it. {}", pattern.as_str(), advice(evidence, change));
                (Code::PathDenied, words, help)
            }
            Decision::Outside => {
                let help = format!(
                    "{} Or ask for a wider envelope. Allowed: {}.",
                    advice(evidence, change),
                    listed(&envelope.allow)
                );
                (Code::PathOutside, words, help)
            }
        }
    };
    let help = if is_lost { format!("{help} {}", rescue(path)) } else { help };
    let undo = undo::path(evidence, envelope.allow_commits, path);
    Some(undone_by(undo, violation(code, Some(path), Text::from(words).path(path), help)))
}

/// What to do about a change, by where it stands: what only history has is in no file.
fn advice(evidence: &Evidence, change: &Change) -> String {
    match (change.layers.as_slice(), &change.commit) {
        ([Layer::Index], _) => "Undo this change, which only the index has.".to_owned(),
        ([Layer::Commit], Some(commit)) => format!(
            "Only history has this change (newest: {commit}{}), and a further commit that takes it back does not help: rewrite \
             it. If it came from elsewhere, arm again on top of it.",
            evidence.holders.get(&change.path).map_or_else(String::new, |holders| format!("; on {}", holders.words())),
        ),
        _ => "Undo this change.".to_owned(),
    }
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

/// The first of several patterns.
pub fn listed<P: AsRef<str>>(patterns: &[P]) -> String {
    let first: Vec<&str> = patterns.iter().take(NAMED).map(AsRef::as_ref).collect();
    match patterns.len() - first.len() {
        0 => first.join(", "),
        more => format!("{}, and {more} more", first.join(", ")),
    }
}

fn obstructed(envelope: &Envelope, evidence: &Evidence, path: &RepoPath, obstacle: &Obstacle) -> Finding {
    let restored = || {
        undo::path(evidence, envelope.allow_commits, path)
            .map(|restore| shell::about("rm", path).word(" && ").raw(&restore))
    };
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

/// The note on patterns of the envelope that no change has to do with: perhaps one was meant otherwise, or the envelope is
/// wider than the work was. Where nothing changed there is nothing to learn from it.
fn unmatched(rules: &Rules, evidence: &Evidence) -> Option<Text> {
    let changed = evidence.changes.iter().map(|change| &change.path);
    let paths = changed.chain(evidence.ignored.iter().map(|ignored| &ignored.path)).map(RepoPath::as_bytes);
    if evidence.changes.is_empty() {
        return None;
    }
    let lists = ["allow", "deny"].into_iter().zip(rules.unmatched(paths)).filter(|(_, patterns)| !patterns.is_empty());
    let told: Vec<String> = lists.map(|(list, patterns)| format!("{list} {}", listed(&patterns))).collect();
    (!told.is_empty()).then(|| Text::from(format!("patterns that no change matched: {}", told.join("; "))))
}

fn phrase(kind: RemarkKind) -> &'static str {
    match kind {
        RemarkKind::SameForGit => "with other bytes that Git would store as before",
        RemarkKind::Permissions => "with other permissions that Git does not record",
        RemarkKind::Owner => "with another owner, which Git does not record",
        RemarkKind::Special => "new FIFO, socket or device, which Git does not list",
        RemarkKind::Unreadable => "ignored directory that cannot be read",
    }
}

fn violation(code: Code, path: Option<&RepoPath>, message: Text, help: impl Into<Text>) -> Finding {
    Finding {
        code,
        severity: Severity::Violation,
        path: path.cloned(),
        message,
        help: help.into(),
        undo: None,
        owners: None,
    }
}

fn undone_by(undo: Option<Text>, finding: Finding) -> Finding {
    Finding { undo, ..finding }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
