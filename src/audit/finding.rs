//! What a judge can find: a table of codes with their meaning, and one finding.

use serde::{Deserialize, Serialize};

use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It rejects the change.
    Violation,
    /// It is worth knowing and rejects nothing.
    Note,
}

/// The code of a finding: stable, so that scripts can select by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// A changed path matches no allow pattern.
    PathOutside,
    /// A changed path matches a deny pattern.
    PathDenied,
    /// More changed paths than allowed.
    BudgetFiles,
    /// More added lines than allowed.
    BudgetAddedLines,
    /// More deleted lines than allowed.
    BudgetDeletedLines,
    /// More bytes in the changed paths than allowed.
    BudgetWorkingBytes,
    /// More changed binary files than allowed.
    BudgetBinaryFiles,
    /// HEAD stands on another commit, and commits are not allowed.
    HeadChanged,
    /// A flag of the index hides a tracked path from Git.
    HiddenEntry,
    /// A path could not be read, so it cannot be vouched for.
    Unreadable,
    /// Something that is no file stands where a tracked file was.
    SpecialFile,
    /// A path changed while it was being read.
    Unsteady,
    /// A verifier did not exit with 0.
    VerifierFailed,
    /// The work tree changed while the verifiers ran, and what it became was not verified or not allowed.
    ChangedDuringVerification,
}

impl Code {
    /// The name in JSON and in the output for people.
    pub fn name(self) -> &'static str {
        match self {
            Code::PathOutside => "path-outside",
            Code::PathDenied => "path-denied",
            Code::BudgetFiles => "budget-files",
            Code::BudgetAddedLines => "budget-added-lines",
            Code::BudgetDeletedLines => "budget-deleted-lines",
            Code::BudgetWorkingBytes => "budget-working-bytes",
            Code::BudgetBinaryFiles => "budget-binary-files",
            Code::HeadChanged => "head-changed",
            Code::HiddenEntry => "hidden-entry",
            Code::Unreadable => "unreadable",
            Code::SpecialFile => "special-file",
            Code::Unsteady => "unsteady",
            Code::VerifierFailed => "verifier-failed",
            Code::ChangedDuringVerification => "changed-during-verification",
        }
    }

    /// Whether one path is at fault, of which there may be thousands, and not the change as a whole.
    pub fn is_about_one_path(self) -> bool {
        matches!(self, Code::PathOutside | Code::PathDenied | Code::Unreadable | Code::SpecialFile | Code::Unsteady)
    }
}

/// One thing that was found, in words that a person or an agent can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of finding.
    pub code: Code,
    /// Whether it rejects the change.
    pub severity: Severity,
    /// The path it is about; `null` when it is about the whole change.
    pub path: Option<RepoPath>,
    /// What is wrong, with the thing named.
    pub message: Text,
    /// What to do about it.
    pub help: Text,
}
