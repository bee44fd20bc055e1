//! Drifts of the control plane, the rules and the history: which finding each kind is, and how it is said.

use super::evidence::{Drift, DriftKind, Evidence};
use super::finding::{Code, Finding, Severity};
use crate::policy::envelope::Envelope;
use crate::policy::text::Text;

/// One kind of drift: its code, its gravity, the words that name it, and what to do where no command undoes it.
struct Rule {
    kind: DriftKind,
    code: Code,
    severity: Severity,
    words: &'static str,
    help: &'static str,
}

const fn rule(kind: DriftKind, code: Code, words: &'static str, help: &'static str) -> Rule {
    Rule { kind, code, severity: Severity::Violation, words, help }
}

const fn noted(kind: DriftKind, code: Code, words: &'static str) -> Rule {
    Rule { kind, code, severity: Severity::Note, words, help: "Nothing needs to be done." }
}

const RULES: &[Rule] = &[
    rule(DriftKind::Config, Code::ConfigChanged, "configuration changed", "Set the key back to what it was."),
    noted(DriftKind::ConfigUnknown, Code::ConfigChanged, "configuration changed"),
    rule(
        DriftKind::NamedFile,
        Code::NamedFileChanged,
        "file that the configuration names changed",
        "Put back what was there, or remove it.",
    ),
    noted(DriftKind::NamedFileListed, Code::NamedFileChanged, "file that the configuration names changed"),
    rule(DriftKind::Hook, Code::HookChanged, "hook changed", "Remove the hook, or put back what was there."),
    rule(DriftKind::Attributes, Code::AttributesChanged, "attribute source changed", "Put back what the file said."),
    rule(DriftKind::Alternates, Code::AlternatesChanged, "alternates changed", "Put back what the file said."),
    rule(DriftKind::Graft, Code::GraftChanged, "history boundary changed", "Put back what the file said."),
    rule(DriftKind::ReplaceRef, Code::ReplaceRef, "replace ref", "Delete it: git replace -d the object."),
    rule(
        DriftKind::ObjectForged,
        Code::ObjectDamaged,
        "object is not what its id says",
        "Remove that file and fetch the object again; git fsck checks all of them.",
    ),
    rule(
        DriftKind::ObjectMissing,
        Code::ObjectDamaged,
        "object of the baseline is missing",
        "Fetch it again; git fsck tells what is missing.",
    ),
    rule(DriftKind::OtherRef, Code::RefChanged, "ref changed", "Put it back with git update-ref."),
    noted(DriftKind::ForgeRef, Code::RefChanged, "ref of a forge changed"),
    rule(DriftKind::RefShadow, Code::RefShadowed, "something stands in for a ref", "Put back what was there."),
    rule(DriftKind::BranchCreated, Code::BranchChanged, "branch created", "Delete it: git branch -D the branch."),
    rule(DriftKind::BranchMoved, Code::BranchChanged, "branch moved", "Move it back with git update-ref."),
    rule(DriftKind::BranchDeleted, Code::BranchChanged, "branch deleted", "Create it again with git update-ref."),
    rule(DriftKind::Tag, Code::TagChanged, "tag changed", "Put the tag back with git update-ref."),
    noted(DriftKind::TagOnKnownHistory, Code::TagChanged, "new tag on known history"),
    rule(DriftKind::Stash, Code::StashChanged, "stash changed", "Look at git stash list and git reflog show stash."),
    rule(DriftKind::HeadSwitched, Code::HeadSwitched, "HEAD changed its branch", "Switch back with git switch."),
    rule(
        DriftKind::BaselineLost,
        Code::BaselineLost,
        "baseline is no ancestor of HEAD",
        "Go back to it with git reset --soft.",
    ),
    rule(
        DriftKind::HistoryTooLong,
        Code::HistoryTooLong,
        "new history is too long",
        "Check after fewer commits, or squash them.",
    ),
    noted(DriftKind::LinkedWorktree, Code::LinkedWorktree, "new linked work tree"),
    noted(DriftKind::LinkedWorktreeMoved, Code::LinkedWorktree, "HEAD of another work tree moved"),
    rule(
        DriftKind::GitDirectory,
        Code::GitDirectoryChanged,
        "Git directory leads elsewhere",
        "Put back what was there.",
    ),
    rule(DriftKind::Sparse, Code::SparseChanged, "sparse settings changed", "git sparse-checkout disable"),
    rule(DriftKind::SubmoduleControl, Code::SubmoduleControl, "control file changed", "Put back what was there."),
    rule(
        DriftKind::InnerRef,
        Code::SubmoduleRef,
        "ref of a repository inside changed",
        "Put it back with git update-ref.",
    ),
    rule(
        DriftKind::InnerCommit,
        Code::SubmoduleRef,
        "branch of a repository inside changed",
        "Put it back with git update-ref.",
    ),
    rule(
        DriftKind::NestedRepository,
        Code::NestedRepository,
        "new repository inside",
        "Remove it, or what it brings along.",
    ),
    noted(DriftKind::ScratchRepository, Code::NestedRepository, "new repository in a scratch zone"),
    rule(DriftKind::FalseGitDirectory, Code::FalseGitDirectory, "directory called .git is no repository", "Remove it."),
    rule(
        DriftKind::Operation,
        Code::OperationPending,
        "Git is in the middle of an operation",
        "Finish it, or take it back with git merge, rebase, cherry-pick or revert --abort.",
    ),
    rule(DriftKind::Mount, Code::Mounted, "mount", "Unmount it."),
    noted(DriftKind::ExcludeSource, Code::ExcludeSource, "exclude source changed"),
    rule(DriftKind::NewlyHidden, Code::NewlyHidden, "newly hidden", "Take back the exclude rule that hides it."),
];

/// The findings about all drifts.
pub fn findings<'a>(envelope: &'a Envelope, evidence: &'a Evidence) -> impl Iterator<Item = Finding> + 'a {
    evidence.drifts.iter().filter(|drift| !is_granted(envelope, evidence, drift)).map(finding)
}

/// What the right to commit brings along: HEAD's own branch may move and new branches may appear. Without that right
/// the movement of HEAD's own branch is told by the finding about HEAD.
fn is_granted(envelope: &Envelope, evidence: &Evidence, drift: &Drift) -> bool {
    let own = evidence.head.baseline_ref.as_ref() == Some(&drift.subject);
    match drift.kind {
        DriftKind::BranchMoved if own => envelope.allow_commits || evidence.head.moved(),
        DriftKind::BranchCreated | DriftKind::InnerCommit => envelope.allow_commits,
        // Where commits are not allowed, the finding about HEAD says it.
        DriftKind::BaselineLost => !envelope.allow_commits && evidence.head.moved(),
        _ => false,
    }
}

fn finding(drift: &Drift) -> Finding {
    let rule = RULES.iter().find(|rule| rule.kind == drift.kind).expect("the table has a row for each kind");
    let message = Text::from(rule.words).word(": ").raw(&drift.subject).word(": ").raw(&drift.what);
    let help = match &drift.undo {
        Some(command) => Text::from("Undo it: ").raw(command),
        None => Text::from(rule.help),
    };
    Finding {
        code: rule.code,
        severity: rule.severity,
        path: None,
        message,
        help,
        undo: drift.undo.clone(),
        owners: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_row() {
        use DriftKind::{
            Alternates, Attributes, BaselineLost, BranchCreated, BranchDeleted, BranchMoved, Config, ConfigUnknown,
            ExcludeSource, FalseGitDirectory, ForgeRef, GitDirectory, Graft, HeadSwitched, HistoryTooLong, Hook,
            InnerCommit, InnerRef, LinkedWorktree, LinkedWorktreeMoved, Mount, NamedFile, NamedFileListed,
            NestedRepository, NewlyHidden, ObjectForged, ObjectMissing, Operation, OtherRef, RefShadow, ReplaceRef,
            ScratchRepository, Sparse, Stash, SubmoduleControl, Tag, TagOnKnownHistory,
        };
        let all = [
            Alternates,
            Attributes,
            BaselineLost,
            BranchCreated,
            BranchDeleted,
            BranchMoved,
            Config,
            ConfigUnknown,
            ExcludeSource,
            FalseGitDirectory,
            GitDirectory,
            Graft,
            HeadSwitched,
            HistoryTooLong,
            Hook,
            InnerCommit,
            InnerRef,
            ForgeRef,
            LinkedWorktree,
            LinkedWorktreeMoved,
            Mount,
            NamedFile,
            NamedFileListed,
            NestedRepository,
            NewlyHidden,
            ObjectForged,
            ObjectMissing,
            Operation,
            OtherRef,
            RefShadow,
            ReplaceRef,
            ScratchRepository,
            Sparse,
            Stash,
            SubmoduleControl,
            Tag,
            TagOnKnownHistory,
        ];
        for kind in all {
            assert_eq!(RULES.iter().filter(|rule| rule.kind == kind).count(), 1, "{kind:?}");
        }
    }
}
