//! What hooks answer, in the JSON that Claude Code reads: a denial, words for the beginning, findings at the end.

use serde_json::{Value, json};

use crate::audit::denied::{Briefing, Denied, Fault, Pending};
use crate::audit::finding::sentence;
use crate::audit::verdict::Left;
use crate::json;
use crate::policy::escape::typed;
use crate::policy::pattern::Pattern;

use super::words::counted;

/// How much of a list is told.
const LISTED: usize = 20;

/// A denial with its reason.
pub fn denied(denied: &Denied) -> Vec<u8> {
    json::line(&json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason(denied),
    }}))
}

/// What a session begins with, as context for the model.
pub fn briefing(briefing: &Briefing) -> Vec<u8> {
    json::line(&json!({"hookSpecificOutput": {
        "hookEventName": "SessionStart",
        "additionalContext": begin(briefing),
    }}))
}

/// The findings, as the reason not to stop yet.
pub fn pending(pending: &Pending) -> Vec<u8> {
    json::line(&json!({"decision": "block", "reason": mend(pending)}))
}

/// The settings that call the hooks.
pub fn settings(settings: &Value) -> Vec<u8> {
    json::pretty(settings)
}

fn reason(denied: &Denied) -> String {
    let Denied { by, path, fault, envelope, left, before } = denied;
    let path = path.plain();
    let allowed = format!("Allowed instead: {}.", patterns(&envelope.allow));
    let (why, instead) = match fault {
        Fault::Outside => (format!("{path} is outside of the envelope: no pattern allows it"), allowed),
        Fault::Denied(pattern) => (
            format!("{path} is outside of the envelope: the pattern `{}` denies it", typed(pattern.as_bytes())),
            allowed,
        ),
        Fault::Protected(reason) => (format!("{path} is protected: it holds {reason}"), allowed),
        Fault::Control => (
            format!("{path} belongs to Git or to Cordon"),
            "Leave it alone; what you write there is seen and rejected.".to_owned(),
        ),
        Fault::Commit => (
            format!("`{by}` makes or publishes commits, and commits are not allowed here"),
            "Leave your changes in the work tree; they are judged there.".to_owned(),
        ),
        Fault::LostWork => (
            format!("`{by}` would lose uncommitted work of the user in {path}"),
            "Name the files of your own instead.".to_owned(),
        ),
    };
    let undo = match fault {
        Fault::Outside | Fault::Denied(_) | Fault::Protected(_) => {
            " To take back an earlier change of a tracked file: git checkout -- the path."
        }
        _ => "",
    };
    let again = match before {
        0 => String::new(),
        1 => " This was denied once before; do not try it in another way.".to_owned(),
        n => format!(" This was denied {n} times before; do not try it in another way."),
    };
    let by = if matches!(fault, Fault::Commit | Fault::LostWork) { String::new() } else { format!(" ({by})") };
    format!("Cordon: {why}{by}. {instead}{undo} Left of the budgets: {}.{again}", budgets(left))
}

fn begin(briefing: &Briefing) -> String {
    let envelope = &briefing.envelope;
    let mut lines = vec![
        format!("Cordon will judge what changes in this repository. The task: {}", typed(briefing.label.as_bytes())),
        format!("You may change only: {}.", patterns(&envelope.allow)),
    ];
    if !envelope.deny.is_empty() {
        lines.push(format!("Never: {}.", patterns(&envelope.deny)));
    }
    let commits = if envelope.allow_commits { "" } else { " Do not commit." };
    lines.push(format!(
        "Also off limits: .git, .cordon, .stone, and the control files of agents, editors and hooks (.claude, .vscode, .husky, ...).{commits}"
    ));
    lines.push(format!("Left of the budgets: {}.", budgets(&briefing.left)));
    if !briefing.verify.is_empty() {
        let commands = briefing.verify.iter().map(|command| format!("`{}`", typed(command.as_bytes())));
        lines.push(format!("These must pass at the end: {}.", listed(commands)));
    }
    if !briefing.denials.is_empty() {
        let denials =
            briefing.denials.iter().map(|(what, times)| format!("{} ({})", what.plain(), counted(*times, "time")));
        lines.push(format!("Denied so far: {}.", listed(denials)));
    }
    lines.join("\n")
}

fn mend(pending: &Pending) -> String {
    let mut lines = vec!["Cordon would reject the work tree as it stands. Mend this before you stop:".to_owned()];
    for finding in pending.findings.iter().take(LISTED) {
        lines.push(format!("- {}: {} {}", finding.code.name(), sentence(&finding.message), finding.advice()));
    }
    let rest = pending.findings.len().saturating_sub(LISTED);
    if rest > 0 {
        lines.push(format!("- and {rest} more; `cordon check` lists all"));
    }
    lines.push(format!("Left of the budgets: {}.", budgets(&pending.left)));
    lines.join("\n")
}

fn budgets(left: &Left) -> String {
    let rows = [
        (left.files, "files"),
        (left.added_lines, "added lines"),
        (left.deleted_lines, "deleted lines"),
        (left.binary_files, "binary files"),
        (left.working_bytes, "bytes"),
    ];
    rows.map(|(left, name)| format!("{left} {name}")).join(", ")
}

fn patterns(patterns: &[Pattern]) -> String {
    listed(patterns.iter().map(ToString::to_string))
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = words.collect();
    let rest = all.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
    all[..all.len() - rest].join(", ") + &more
}
