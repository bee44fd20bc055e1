//! The codes of the findings, explained: what each means, why it matters, how to undo what it is about, and how to allow it.

use serde::Serialize;

use super::finding::Code;

/// One code, explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The code.
    pub code: Code,
    /// What was found.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to undo it.
    pub help: &'static str,
    /// How to allow it.
    pub allow: &'static str,
}

impl Explained {
    /// The code's name.
    pub fn name(&self) -> &'static str {
        self.code.name()
    }
}

const fn row(code: Code, what: &'static str, why: &'static str, help: &'static str, allow: &'static str) -> Explained {
    Explained { code, what, why, help, allow }
}

/// A row for each code, in the order of [`Code`].
#[rustfmt::skip]
pub const CODES: &[Explained] = &[
    row(Code::PathOutside, "A changed path matches no allow pattern.",
        "The envelope says where work was wanted; anything else was not asked for and not reviewed.",
        "Run the command of the finding: git restore PATH, or rm PATH for a new file. What only a commit has is taken off HEAD's \
         branch with git reset --soft, off a new branch with git branch -D.",
        "Arm again with a pattern for it: --allow GLOB."),
    row(Code::PathDenied, "A changed path matches a deny pattern.",
        "Deny wins over allow: somebody wanted exactly this path left alone.",
        "Run the command of the finding: git restore PATH, or rm PATH for a new file.",
        "Arm again without that --deny pattern."),
    row(Code::ProtectedPath, "A file that steers agents, editors, hooks or Cordon itself changed.",
        "Such a file runs programs or gives orders later, outside of any envelope.",
        "Run the command of the finding: git restore PATH, or rm PATH for a new file.",
        "Arm again with --allow GLOB and --allow-protected GLOB; both are needed."),
    row(Code::ControlFile, "A gate saw a change of the policy, of CI, of hooks, of submodule URLs or of a verifier's own script.",
        "Such a file decides how this change and the next ones are judged and built, so that a change could wave itself through.",
        "Take it out of every commit of the branch, or have whoever owns it make the change.",
        "Name it in `allow` of a role by a pattern that does not begin with a wildcard, or in its `allow_protected`."),
    row(Code::BudgetFiles, "More paths changed than --max-files allows; a rename is two.",
        "A change that is larger than what was asked for is seldom what was asked for.",
        "Make the change smaller: cordon diff shows all of it.",
        "Arm again with a larger --max-files."),
    row(Code::BudgetAddedLines, "More lines were added than --max-added-lines allows.",
        "A reviewer cannot vouch for more than was planned.",
        "Make the change smaller: cordon diff shows all of it.",
        "Arm again with a larger --max-added-lines."),
    row(Code::BudgetDeletedLines, "More lines were deleted than --max-deleted-lines allows.",
        "Lost lines are what a careless rewrite costs.",
        "Bring lines back: cordon diff shows what is gone.",
        "Arm again with a larger --max-deleted-lines."),
    row(Code::BudgetWorkingBytes, "The changed paths are larger together than --max-working-bytes allows.",
        "Large content hides much and stays in the history for ever.",
        "Remove what is large.",
        "Arm again with a larger --max-working-bytes."),
    row(Code::BudgetBinaryFiles, "More binary files changed than --max-binary-files allows.",
        "Nobody reads a binary file in a review.",
        "Remove them from the change.",
        "Arm again with a larger --max-binary-files."),
    row(Code::HeadChanged, "HEAD stands on another commit, and commits are not allowed.",
        "A commit can be published, and hides what was changed and changed back.",
        "Go back with git reset --soft BASELINE; your files stay.",
        "Arm again with --allow-commits."),
    row(Code::HeadSwitched, "HEAD stands on another branch, or was detached.",
        "Whatever is committed next lands where nobody expects it.",
        "Switch back: git switch BRANCH.",
        "Nothing allows it: switch first, then arm on that branch."),
    row(Code::BaselineLost, "The baseline is no ancestor of HEAD any more.",
        "History that existed was rewritten, so a push would need force and would drop commits.",
        "Go back with git reset --soft BASELINE; git reflog shows where HEAD was.",
        "Nothing allows it: rewrite the history first, then arm on top of it."),
    row(Code::HistoryTooLong, "There is more new history than can be looked at commit by commit.",
        "What a commit in the middle did and a later one took back would be published unseen.",
        "Push the known part first, or arm again on top of it.",
        "Nothing allows it: arm again on top of what was looked at."),
    row(Code::OperationPending, "A merge, rebase, am, cherry-pick, revert or bisection is under way that was not at arm.",
        "The next commit takes a second parent from it, and a rebase runs the commands of its list.",
        "Finish it, or take it back: git merge --abort, git rebase --abort, git am --abort, git cherry-pick --abort, git revert --abort, git bisect reset.",
        "Nothing allows it: finish the operation, or arm while it is under way."),
    row(Code::BranchChanged, "A local branch was created, moved or deleted.",
        "A branch carries commits out of sight of the one that was checked.",
        "Put it back with git update-ref, or delete it with git branch -D; with --allow-commits new branches may appear.",
        "New branches and HEAD's own may move with --allow-commits; the others may not."),
    row(Code::TagChanged, "A tag was created, moved or deleted.",
        "Releases are made from tags.",
        "Put it back with git update-ref refs/tags/NAME ID, or delete it with git tag -d NAME.",
        "Nothing allows it, but a tag on history that was there at arm is only noted."),
    row(Code::RefChanged, "A ref that is neither branch nor tag was created, moved or deleted.",
        "Such a ref keeps commits alive and out of sight, and notes are shown with every log.",
        "Put it back with git update-ref.",
        "To fetch such refs while armed, add their refspec to remote.NAME.fetch before arming; refs of forges are only noted."),
    row(Code::RefShadowed, "Something answers in the place of a ref: a file of the Git directory, a tag called like a branch, a packed line.",
        "Whoever names the branch gets another commit: .git/main comes before refs/heads/main, and a tag before a branch.",
        "Remove the file or the ref that stands in front; for packed-refs, delete the tag and fetch it again.",
        "Nothing allows it: give the ref another name."),
    row(Code::StashChanged, "The stash grew, shrank or was dropped.",
        "A stash hides changes, and a dropped one is work lost.",
        "Look at git stash list and git reflog show stash; git stash pop takes the newest one out, git stash store ID brings a dropped one back.",
        "Nothing allows it: stash before arming, or keep the work with --allow-dirty."),
    row(Code::HiddenEntry, "A flag of the index hides a tracked path from Git.",
        "Git would show no change of that file to anybody.",
        "Clear the flag: git update-index --no-assume-unchanged --no-skip-worktree -- PATH.",
        "Nothing allows it: what Git does not show cannot be reviewed."),
    row(Code::SparseChanged, "Sparse settings of the index changed.",
        "A sparse checkout makes files vanish from the work tree and from every look at it.",
        "git sparse-checkout disable.",
        "Nothing allows it: set up the sparse checkout before arming."),
    row(Code::NewlyHidden, "Something that the exclude rules of arm did not hide is hidden now.",
        "What Git ignores appears in no review.",
        "Take back the exclude rule, or remove the file that it hides.",
        "Commit the exclude rule before arming, or arm with the hidden paths in --allow and the rule's file as well."),
    row(Code::ExcludeSource, "An exclude file changed and hides nothing new.",
        "It is worth knowing, because the next file may be hidden by it.",
        "Nothing needs to be done; put the file back if the change was not wanted.",
        "It is only noted."),
    row(Code::IgnoredChanged, "An ignored file that existed at arm changed.",
        "Credentials and local settings are ignored files, and Git keeps no copy of them.",
        "Put its content back from your own copy; a touch, or the same bytes once more, are no change.",
        "Arm again with --allow-ignored GLOB, with --scratch GLOB for what tools fill by themselves, or with --ignored report."),
    row(Code::IgnoredDeleted, "An ignored file that existed at arm is gone.",
        "Git keeps no copy of it, so it cannot be had back from there.",
        "Bring it back from your own copy.",
        "Arm again with --allow-ignored GLOB, with --scratch GLOB for what tools fill by themselves, or with --ignored report."),
    row(Code::DependencyChanged, "An installed dependency that existed at arm changed or is gone.",
        "The verifiers run this code, so a change of it can make any of them pass.",
        "Install them anew from the lock file: the same bytes are no change.",
        "Arm again with --allow-ignored GLOB, or with --ignored report."),
    row(Code::IgnoredSteers, "A new or changed ignored file steers what verifiers run: settings, or code that a tool loads unasked.",
        "No diff shows it, and the verifiers run otherwise than they would in any other clone.",
        "Remove it, or let Git list it so that it can be reviewed.",
        "Arm again with --allow-ignored GLOB, or with --ignored report."),
    row(Code::ConfigChanged, "Configuration changed that runs programs, redirects transport or changes what Git sees.",
        "The next git command of anybody here would act on it.",
        "Set the key back: git config KEY VALUE, or git config --unset KEY.",
        "Nothing allows it: set the key, or add the remote, before arming (cordon reset, then arm again)."),
    row(Code::NamedFileChanged, "A file that the configuration names changed: a program, a template or a key in the Git directory or among ignored files.",
        "The configuration stands as it did, and the next git command runs or believes something else.",
        "Put back what was there; the finding names the key and the file.",
        "Nothing allows it: write the file before arming. A file that Git lists is judged as a path, and only noted here."),
    row(Code::HookChanged, "A hook was created, changed or deleted, or hooks are looked up elsewhere.",
        "A hook is a program that the next git command runs.",
        "Remove the hook, or put back what was there; see git config core.hooksPath.",
        "Nothing allows it: install hooks before arming."),
    row(Code::AttributesChanged, "An attribute source outside of the tree changed.",
        "Attributes decide what is shown as text, what is converted, and which filters run.",
        "Put back what the file said, usually info/attributes in the Git directory.",
        "Nothing allows it: write the file before arming. A .gitattributes file in the tree is a path like any other."),
    row(Code::AlternatesChanged, "Objects are borrowed from elsewhere.",
        "Whoever owns the other object store decides what this history contains.",
        "Put back what objects/info/alternates said, or remove the file.",
        "Nothing allows it: set up the object store before arming."),
    row(Code::GraftChanged, "Grafts or the shallow boundary changed in a way that rewrites history.",
        "Every look at the history would leave commits out.",
        "Remove info/grafts, or put back what the file shallow said; git fetch --unshallow completes a clone.",
        "Nothing allows it: deepen or cut the clone before arming."),
    row(Code::ReplaceRef, "An object is replaced by another.",
        "Git shows the replacement wherever the original is asked for.",
        "Delete it: git replace -d OBJECT.",
        "Nothing allows it: replace objects before arming."),
    row(Code::GitDirectoryChanged, "The work tree's .git, or a file that leads from it, leads elsewhere.",
        "Another repository would answer for this work tree.",
        "Put back what was there; git worktree repair mends linked work trees.",
        "Nothing allows it: move the repository before arming."),
    row(Code::SubmoduleControl, "A control file of a submodule or a nested repository changed.",
        "Its configuration and hooks run programs as those of this repository do.",
        "Put back what was there, or check the submodule out anew.",
        "Nothing allows it: set the submodule up before arming."),
    row(Code::SubmoduleRef, "A branch, tag, stash or HEAD of a submodule or a nested repository changed.",
        "Commits on it are published by the next push from there, and nobody looks there.",
        "Put it back with git update-ref in that directory.",
        "With --allow-commits its branches may appear, and the one that is checked out may move; the others may not."),
    row(Code::NestedRepository, "A repository that appeared since arm runs programs, leads elsewhere or hides something.",
        "Git in that directory, or a tool that looks at all repositories, would run its hooks and configuration.",
        "Remove what is named, or the repository. One as git init, clone or submodule update leave it is only its files.",
        "Nothing allows it: set the repository up before arming."),
    row(Code::FalseGitDirectory, "A directory called .git is no repository.",
        "Git looks away from what is in such a directory.",
        "Look at what is in it, then remove it.",
        "Nothing allows it."),
    row(Code::LinkedWorktree, "A linked work tree appeared.",
        "Work can go on there that this check does not see.",
        "Look at git worktree list; git worktree remove PATH ends it.",
        "It is only noted."),
    row(Code::Mounted, "Something was mounted over a part of the work tree or of its Git directory.",
        "What lies beneath a mount is out of sight, and comes back once it is gone.",
        "umount the directory.",
        "Nothing allows it: mount before arming."),
    row(Code::SymlinkEscapes, "A symbolic link leads out of the repository or into its Git directory.",
        "Whoever writes through it changes something that no envelope covers.",
        "Remove the link, or let it lead to a place inside.",
        "Nothing allows it: commit the link before arming."),
    row(Code::SpecialPermissions, "A file has set-user-id, set-group-id or sticky bits, or capabilities, that it did not have.",
        "It would run with the rights of its owner, and Git records none of these bits.",
        "chmod u-s,g-s,-t PATH; a copy of a file has no capabilities.",
        "Nothing allows it: set the bits before arming."),
    row(Code::HardLinked, "A tracked file became a hard link to something outside of the change.",
        "A write to one of them changes the other.",
        "Copy the file and put the copy in its place: cp -p PATH COPY, then mv -f COPY PATH.",
        "Nothing allows it, but links among paths that may change are fine."),
    row(Code::NameTwin, "Two names would be one on a file system that ignores case or normalises Unicode.",
        "A checkout there keeps one of them and loses the other.",
        "Rename one of the two: git mv.",
        "Nothing allows it."),
    row(Code::UnsafeName, "A part of a path is a name that Git, or another file system, takes for .git, . or ...",
        "A checkout on a system that ignores case or certain characters would write into the Git directory, and run what it finds there.",
        "Give it another name: git mv, and rewrite the commits that hold it.",
        "Nothing allows it."),
    row(Code::ObjectDamaged, "An object of Git's store is not what its id says, or an object of the baseline is missing.",
        "Git does not hash again what it reads: the next checkout, merge or clone brings the other content.",
        "Remove the file that is named; git hash-object -w PATH stores the content of an unchanged file again, git fetch brings the rest. git fsck checks all.",
        "Nothing allows it."),
    row(Code::LostWork, "Uncommitted work that existed at arm was changed or lost.",
        "No commit has it; git reset --hard, git clean and git checkout take such work for good.",
        "cordon rescue PATH writes what was kept into a new directory; copy it back from there.",
        "Arm again with the path in --allow."),
    row(Code::Unreadable, "A path could not be read, so it cannot be vouched for.",
        "What nobody can read may hold anything.",
        "Make it readable for the user who checks: chmod u+rX PATH.",
        "Nothing allows it."),
    row(Code::SpecialFile, "Something that is no file stands where a tracked file was, or a device node appeared.",
        "Git records no FIFO, socket or device, and whoever opens one may wait for ever.",
        "Remove it, and bring the file back with git checkout -- PATH.",
        "Nothing allows it."),
    row(Code::Unsteady, "A path changed while it was being read.",
        "What is judged must be what is there when the judging is over.",
        "End what still writes to it, then run cordon check again.",
        "Nothing allows it; what keeps being written belongs into an ignored scratch zone."),
    row(Code::VerifierFailed, "A verifier did not exit with 0.",
        "The envelope says that the work is done only when this command passes.",
        "Run the command yourself in the root of the repository, mend what it reports, then check again.",
        "Arm again without that --verify command, or with a larger --verify-timeout."),
    row(Code::ChangedDuringVerification, "The work tree changed while the verifiers ran, and what it became was not verified or not allowed.",
        "A verifier that writes vouches for a tree that is not the one it leaves behind.",
        "Let the verifiers leave the work tree alone, or run what they do to it yourself and check again.",
        "Arm again with the paths in --allow; a tree that a second round leaves alone is accepted."),
];

/// The row of a code's name.
pub fn find(name: &str) -> Option<&'static Explained> {
    CODES.iter().find(|row| row.name() == name)
}

/// The rows whose names are the most like `name`.
pub fn nearest(name: &str) -> Vec<&'static Explained> {
    let mut rows: Vec<_> = CODES.iter().map(|row| (unlikeness(name, row.name()), row)).collect();
    rows.sort_by_key(|(distance, _)| *distance);
    rows.into_iter().take(3).map(|(_, row)| row).collect()
}

/// How many pairs of neighbouring letters only one of the two has, against those of both.
fn unlikeness(a: &str, b: &str) -> usize {
    let pairs = |text: &str| -> Vec<[char; 2]> {
        let letters: Vec<char> = std::iter::once(' ').chain(text.chars().take(64)).chain([' ']).collect();
        letters.windows(2).map(|pair| [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()]).collect()
    };
    let (ours, mut theirs) = (pairs(a), pairs(b));
    let all = ours.len() + theirs.len();
    let common = ours
        .iter()
        .filter(|pair| theirs.iter().position(|other| other == *pair).map(|at| theirs.swap_remove(at)).is_some())
        .count();
    all - 2 * common
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_code_has_one_row_and_each_row_says_something() {
        let source = include_str!("finding.rs");
        let body = source.split("pub enum Code {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
        let variants = body.lines().filter(|line| line.trim_end().ends_with(',') && !line.contains("//")).count();
        assert!(variants > 40, "the enum is found");
        assert_eq!(CODES.iter().map(|row| row.code).collect::<BTreeSet<_>>().len(), variants);
        assert_eq!(CODES.len(), variants);
        for row in CODES {
            for text in [row.what, row.why, row.help, row.allow] {
                assert!(text.len() > 15 && text.ends_with('.'), "{}: {text:?}", row.name());
            }
        }
    }

    #[test]
    fn each_code_is_one_that_a_judge_can_give() {
        let judges = [
            include_str!("judge.rs"),
            include_str!("budgets.rs"),
            include_str!("drift.rs"),
            include_str!("links.rs"),
            include_str!("ignored.rs"),
            include_str!("gate.rs"),
        ];
        for row in CODES {
            let name = format!("Code::{:?}", row.code);
            let is_given = |text: &&str| {
                text.match_indices(&name)
                    .any(|(at, _)| !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric()))
            };
            assert!(judges.iter().any(is_given), "{name} is never given");
        }
    }

    #[test]
    fn names_are_found_and_the_nearest_is_told() {
        assert_eq!(find("lost-work").map(|row| row.code), Some(Code::LostWork));
        assert!(find("lost work").is_none());
        for (typed, meant) in [("lostwork", "lost-work"), ("Path-Outsid", "path-outside"), ("hook", "hook-changed")] {
            assert!(nearest(typed).iter().any(|row| row.name() == meant), "{typed}");
        }
    }
}
