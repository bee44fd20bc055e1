//! What a judge can find: a table of codes with their meaning, and one finding.

use serde::{Deserialize, Serialize};

use crate::policy::escape;
use crate::policy::file::territory::Ownership;
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
    /// A protected path changed: a file that steers agents, editors, hooks or Cordon itself.
    ProtectedPath,
    /// A file changed that decides how changes are judged, built or checked out, and that the role does not own by name.
    ControlFile,
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
    /// HEAD stands on another branch, or was detached.
    HeadSwitched,
    /// The baseline is no ancestor of HEAD any more.
    BaselineLost,
    /// There is more new history than can be looked at.
    HistoryTooLong,
    /// A local branch was created, moved or deleted.
    BranchChanged,
    /// A tag was created, moved or deleted.
    TagChanged,
    /// A ref that is neither branch nor tag was created, moved or deleted.
    RefChanged,
    /// Something answers in the place of a ref.
    RefShadowed,
    /// The stash grew, shrank or was dropped.
    StashChanged,
    /// A flag of the index hides a tracked path from Git.
    HiddenEntry,
    /// Sparse settings of the index changed.
    SparseChanged,
    /// Something that the exclude rules of arm did not hide is hidden now.
    NewlyHidden,
    /// An exclude source changed and hides nothing new.
    ExcludeSource,
    /// An ignored file that existed at arm changed.
    IgnoredChanged,
    /// An ignored file that existed at arm is gone.
    IgnoredDeleted,
    /// An installed dependency that existed at arm changed or is gone; verifiers run this code.
    DependencyChanged,
    /// A new or changed ignored file steers what verifiers run.
    IgnoredSteers,
    /// Configuration changed that runs programs, redirects transport or changes what Git sees.
    ConfigChanged,
    /// A file that the configuration names is not what it was.
    NamedFileChanged,
    /// A hook was created, changed or deleted, or hooks are looked up elsewhere.
    HookChanged,
    /// An attribute source outside of the tree changed.
    AttributesChanged,
    /// Objects are borrowed from elsewhere.
    AlternatesChanged,
    /// Grafts or the shallow boundary changed in a way that rewrites history.
    GraftChanged,
    /// An object is replaced by another.
    ReplaceRef,
    /// The work tree's .git, or a file that leads from it, leads elsewhere.
    GitDirectoryChanged,
    /// A control file of a submodule or a nested repository changed.
    SubmoduleControl,
    /// A ref of a submodule or a nested repository changed.
    SubmoduleRef,
    /// A repository that appeared since arm runs programs, leads elsewhere or hides something.
    NestedRepository,
    /// A directory called .git is no repository, so that Git looks away from what is in it.
    FalseGitDirectory,
    /// A merge, rebase, cherry-pick or revert is under way that was not at arm.
    OperationPending,
    /// A linked work tree appeared.
    LinkedWorktree,
    /// Something was mounted over a part of the work tree or of its Git directory.
    Mounted,
    /// A symbolic link leads out of the repository or into its Git directory.
    SymlinkEscapes,
    /// A file has set-user-id, set-group-id or sticky bits, or capabilities, that it did not have.
    SpecialPermissions,
    /// A tracked file became a hard link to something outside of the change.
    HardLinked,
    /// Two names would be one on a file system that ignores case or normalises Unicode.
    NameTwin,
    /// A name that Git, or another file system, takes for .git, . or ..
    UnsafeName,
    /// An object of Git's store is not what its id says, or is missing.
    ObjectDamaged,
    /// Uncommitted work that existed at arm was changed or lost.
    LostWork,
    /// A path could not be read, so it cannot be vouched for.
    Unreadable,
    /// Something that is no file stands where a tracked file was, or a device node appeared.
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
            Code::ProtectedPath => "protected-path",
            Code::ControlFile => "control-file",
            Code::BudgetFiles => "budget-files",
            Code::BudgetAddedLines => "budget-added-lines",
            Code::BudgetDeletedLines => "budget-deleted-lines",
            Code::BudgetWorkingBytes => "budget-working-bytes",
            Code::BudgetBinaryFiles => "budget-binary-files",
            Code::HeadChanged => "head-changed",
            Code::HeadSwitched => "head-switched",
            Code::BaselineLost => "baseline-lost",
            Code::HistoryTooLong => "history-too-long",
            Code::BranchChanged => "branch-changed",
            Code::TagChanged => "tag-changed",
            Code::RefChanged => "ref-changed",
            Code::RefShadowed => "ref-shadowed",
            Code::StashChanged => "stash-changed",
            Code::HiddenEntry => "hidden-entry",
            Code::SparseChanged => "sparse-changed",
            Code::NewlyHidden => "newly-hidden",
            Code::ExcludeSource => "exclude-source",
            Code::IgnoredChanged => "ignored-changed",
            Code::IgnoredDeleted => "ignored-deleted",
            Code::DependencyChanged => "dependency-changed",
            Code::IgnoredSteers => "ignored-steers",
            Code::ConfigChanged => "config-changed",
            Code::NamedFileChanged => "named-file-changed",
            Code::HookChanged => "hook-changed",
            Code::AttributesChanged => "attributes-changed",
            Code::AlternatesChanged => "alternates-changed",
            Code::GraftChanged => "graft-changed",
            Code::ReplaceRef => "replace-ref",
            Code::GitDirectoryChanged => "git-directory-changed",
            Code::SubmoduleControl => "submodule-control",
            Code::SubmoduleRef => "submodule-ref",
            Code::NestedRepository => "nested-repository",
            Code::FalseGitDirectory => "false-git-directory",
            Code::OperationPending => "operation-pending",
            Code::LinkedWorktree => "linked-worktree",
            Code::Mounted => "mounted",
            Code::SymlinkEscapes => "symlink-escapes",
            Code::SpecialPermissions => "special-permissions",
            Code::HardLinked => "hard-linked",
            Code::NameTwin => "name-twin",
            Code::UnsafeName => "unsafe-name",
            Code::ObjectDamaged => "object-damaged",
            Code::LostWork => "lost-work",
            Code::Unreadable => "unreadable",
            Code::SpecialFile => "special-file",
            Code::Unsteady => "unsteady",
            Code::VerifierFailed => "verifier-failed",
            Code::ChangedDuringVerification => "changed-during-verification",
        }
    }

    /// Whether one path is at fault, of which there may be thousands, and not the change as a whole.
    pub fn is_about_one_path(self) -> bool {
        use Code::{ControlFile, PathDenied, PathOutside, SpecialFile, Unreadable, Unsteady};
        matches!(self, ControlFile | PathOutside | PathDenied | Unreadable | SpecialFile | Unsteady)
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
    /// The command that undoes it, to be run in the root of the repository; `null` where no single one does.
    pub undo: Option<Text>,
    /// Who owns the path, by the policy file of the armed commit; `null` without one, and where no path is at fault.
    #[serde(default)]
    pub owners: Option<Ownership>,
}

impl Finding {
    /// The help, safe to show. It quotes patterns as they were typed, and names as words of a shell.
    pub fn advice(&self) -> String {
        escape::typed(self.help.as_bytes())
    }
}

/// The message of a finding, safe to show. The one about a verifier quotes its command as it was typed, the others name
/// files.
pub fn sentence(message: &Text) -> String {
    if message.as_bytes().starts_with(b"verifier failed (") {
        escape::typed(message.as_bytes())
    } else {
        message.plain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_as_typed_and_a_name_without_ambiguity() {
        assert_eq!(sentence(&r"verifier failed (exit 1): grep \d".into()), r"verifier failed (exit 1): grep \d");
        assert_eq!(sentence(&r"path outside policy: a\d".into()), r"path outside policy: a\\d");
    }
}
