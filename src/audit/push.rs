//! What a hook answers to a push: each updated ref by itself, and whether all of it may come in.

use serde::Serialize;

use super::finding::{Code, Finding, Severity};
use super::verdict::Verdict;
use crate::policy::text::Text;

/// The answer to one push.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pushed {
    /// The version of this form.
    pub schema_version: u32,
    /// Whether the push is accepted as a whole.
    pub passed: bool,
    /// Each updated ref, in the order of the push.
    pub updates: Vec<Updated>,
    /// How long it took, in seconds.
    pub duration_s: f64,
}

/// One updated ref.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Updated {
    /// Its whole name.
    #[serde(rename = "ref")]
    pub name: Text,
    /// The object that it named, in hex; zeros for a new one.
    pub old: String,
    /// The object that it is to name, in hex; zeros for one that is deleted.
    pub new: String,
    /// Whether it may come in.
    pub passed: bool,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What is only noted.
    pub notes: Vec<Text>,
    /// The verdict about what it brings in; `null` where no role judges such a ref.
    pub verdict: Option<Verdict>,
}

impl Updated {
    /// One that no role judges, with what speaks against it.
    pub fn without_role(
        name: Text,
        (old, new): (String, String),
        finding: Option<Finding>,
        note: Option<Text>,
    ) -> Updated {
        let passed = finding.is_none();
        Updated {
            name,
            old,
            new,
            passed,
            findings: finding.into_iter().collect(),
            notes: note.into_iter().collect(),
            verdict: None,
        }
    }

    /// One that a role judged.
    pub fn judged(name: Text, (old, new): (String, String), verdict: Verdict) -> Updated {
        let (findings, notes) = (verdict.findings.clone(), verdict.notes.clone());
        Updated { name, old, new, passed: verdict.passed, findings, notes, verdict: Some(verdict) }
    }
}

/// What a push may not do to a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trespass {
    /// To leave out commits of the default branch.
    Rewrites,
    /// To delete the default branch.
    DeletesDefault,
    /// To move or delete a tag.
    TagMoved,
    /// To bring commits, or something else than commits, that no branch has.
    TagBrings,
    /// To write a ref that is neither branch nor tag.
    OtherRef,
    /// To write through a ref that is another name of another one.
    Alias,
}

impl Trespass {
    /// The finding about a ref.
    pub fn finding(self, name: &Text) -> Finding {
        let (code, words, help) = match self {
            Trespass::Rewrites => (
                Code::BranchChanged,
                "default branch would lose commits: ",
                "Fetch it, and build your commits on what it has: git pull --rebase. Nobody may push it back by force.",
            ),
            Trespass::DeletesDefault => (
                Code::BranchChanged,
                "default branch would be deleted: ",
                "Leave it, or have somebody with access to the server do it.",
            ),
            Trespass::TagMoved => (
                Code::TagChanged,
                "tag would be moved or deleted: ",
                "Give the new tag another name: whoever fetched the old one keeps it.",
            ),
            Trespass::TagBrings => (
                Code::TagChanged,
                "tag on something that no branch has: ",
                "Push the branch that holds its commit first, or together with it, so that a role judges the commit.",
            ),
            Trespass::Alias => (
                Code::RefChanged,
                "ref that is another name of another ref: ",
                "What is pushed there goes elsewhere. Push to the branch itself.",
            ),
            Trespass::OtherRef => (
                Code::RefChanged,
                "ref that is neither branch nor tag: ",
                "No role judges such a ref. Push to a branch, below refs/heads/.",
            ),
        };
        Finding {
            code,
            severity: Severity::Violation,
            path: None,
            message: Text::from(words).raw(name),
            help: help.into(),
            undo: None,
            owners: None,
        }
    }
}
