//! The judge of a gate: the same judgement as a check's, in words for somebody whose change comes as commits, with the
//! owners of what they trespassed on, and with the control files named.

use super::evidence::{Change, Evidence, Layer};
use super::finding::{Code, Finding, Severity};
use super::judge::{self, Judgement};
use super::owners;
use crate::policy::control_files::ControlFiles;
use crate::policy::envelope::{Decision, Envelope, Rules};
use crate::policy::file::territory::Territory;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// How many paths a note names.
const NAMED: usize = 5;

/// The rules of one role.
pub struct Terms<'a> {
    /// Its name.
    pub role: &'a str,
    /// What it allows.
    pub envelope: &'a Envelope,
    /// The same, compiled.
    pub rules: &'a Rules,
    /// Who owns what.
    pub territory: &'a Territory,
    /// The files that decide how a change is judged.
    pub control: &'a ControlFiles,
}

/// Judges what a head brings to a base.
pub fn judge(terms: &Terms<'_>, evidence: &Evidence) -> Judgement {
    let mut judgement = judge::judge(terms.envelope, terms.rules, evidence);
    for finding in &mut judgement.findings {
        if let Some(help) = help(terms, evidence, finding) {
            finding.help = help;
        }
    }
    let (named, owned): (Vec<_>, Vec<_>) = evidence
        .changes
        .iter()
        .filter_map(|change| Some((&change.path, terms.control.reason(change.path.as_bytes())?)))
        .partition(|(path, _)| !terms.control.is_owned(terms.rules, path.as_bytes()));
    let named = named.into_iter().map(|(path, reason)| control_file(terms, path, &reason));
    judgement.findings.splice(0..0, named);
    owners::name(&mut judgement.findings, terms.territory);
    judgement.notes.extend(owned_note(terms.role, &owned));
    if evidence.head.current.as_deref() == Some(evidence.head.baseline.as_str()) {
        judgement.notes.push("the head brings nothing in: the base has it already".into());
    }
    judgement
}

fn control_file(terms: &Terms<'_>, path: &RepoPath, reason: &str) -> Finding {
    Finding {
        code: Code::ControlFile,
        severity: Severity::Violation,
        path: Some(path.clone()),
        message: Text::from("control file changed: ").path(path),
        help: Text::from(format!(
            "It decides {reason}, so role `{}` would have to own it by name, and does not. A change of such a file goes its \
             own way: have its owner make it.",
            terms.role,
        )),
        undo: None,
        owners: None,
    }
}

/// What is worth a reviewer's look although the role owns it.
fn owned_note(role: &str, owned: &[(&RepoPath, String)]) -> Option<Text> {
    let (first, _) = owned.first()?;
    let note = Text::from(format!("{} control file(s) changed, which role {role} owns: ", owned.len())).path(first);
    let note = owned.iter().take(NAMED).skip(1).fold(note, |note, (path, _)| note.word(", ").path(path));
    Some(if owned.len() > NAMED { note.word(format!(", and {} more", owned.len() - NAMED)) } else { note })
}

/// What to do about a finding, where a check would give other advice.
fn help(terms: &Terms<'_>, evidence: &Evidence, finding: &Finding) -> Option<Text> {
    let role = terms.role;
    let text = match finding.code {
        Code::PathOutside | Code::PathDenied | Code::ProtectedPath => {
            trespass(terms, evidence, finding.path.as_ref()?, finding.code)
        }
        Code::HistoryTooLong => "Squash the commits, or bring them in by several pull requests.".to_owned(),
        Code::BudgetFiles
        | Code::BudgetAddedLines
        | Code::BudgetDeletedLines
        | Code::BudgetWorkingBytes
        | Code::BudgetBinaryFiles => format!(
            "Split the change, each part a branch of its own; or have `{}` of role `{role}` raised in cordon.toml on the \
             base. Each commit is held to it as well, also one that a later commit took back.",
            key(finding.code)?
        ),
        _ => return None,
    };
    Some(Text::from(text))
}

/// The finding about a verifier that left another tree behind than the one it was to vouch for; `what` is safe to show.
pub fn unsettled(command: &str, what: &str) -> Finding {
    Finding {
        code: Code::ChangedDuringVerification,
        severity: Severity::Violation,
        path: None,
        message: Text::from(format!("changed while a verifier ran: {command}: {what}")),
        help: "Have Git ignore what the verifier writes (.gitignore), or let it leave the work tree alone.".into(),
        undo: None,
        owners: None,
    }
}

/// The note that `count` verifiers have not run although the change is fine otherwise.
pub fn unverified(count: usize) -> Text {
    Text::from(format!("verifiers: {count} not run; cordon gate --verify runs them where the head is checked out"))
}

/// The key of cordon.toml that a budget is.
fn key(code: Code) -> Option<&'static str> {
    match code {
        Code::BudgetFiles => Some("max_files"),
        Code::BudgetAddedLines => Some("max_added_lines"),
        Code::BudgetDeletedLines => Some("max_deleted_lines"),
        Code::BudgetWorkingBytes => Some("max_working_bytes"),
        Code::BudgetBinaryFiles => Some("max_binary_files"),
        _ => None,
    }
}

/// What the role may change instead, and where the change stands.
fn trespass(terms: &Terms<'_>, evidence: &Evidence, path: &RepoPath, code: Code) -> String {
    let role = terms.role;
    let why = match (code, terms.rules.decide(path.as_bytes())) {
        (Code::ProtectedPath, _) => {
            format!("A role that may change it has it in both `allow` and `allow_protected`; role `{role}` has not.")
        }
        (_, Decision::Denied(pattern)) => format!("The deny pattern {} of role `{role}` covers it.", pattern.as_str()),
        _ => format!("Role `{role}` may change: {}.", judge::listed(&terms.envelope.allow)),
    };
    let place = evidence.changes.binary_search_by(|change| change.path.cmp(path));
    let way_out = place.map_or(String::new(), |at| way_out(evidence, &evidence.changes[at]));
    format!("{why} {way_out}")
}

fn way_out(evidence: &Evidence, change: &Change) -> String {
    let from = &evidence.head.baseline;
    match &change.commit {
        Some(commit) if !change.layers.contains(&Layer::Head) => format!(
            "Only history has this change (newest: {commit}), and a further commit that takes it back does not help: \
             rewrite the branch, for example with git rebase -i {from}"
        ),
        _ => format!("Take it out of each commit of the branch, for example with git rebase -i {from}"),
    }
}
