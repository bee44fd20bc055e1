//! What was seen: the changes since the baseline with Git's classification, before anybody judges them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ignored::Ignored;
use super::links::Mark;
use super::touched::{Omissions, Touched};
use super::undo::{Checkout, Holders};
use super::verdict::Metrics;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::BlobId;

/// Where a change stands. A change counts wherever it stands, because each of these can be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// In a commit that is new since arming.
    Commit,
    /// In the index.
    Index,
    /// In the files on disk.
    Worktree,
    /// In the tree of the commit that a gate judges as a whole.
    Head,
}

/// One state of the repository that can be published: the files, the index, or a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The files on disk.
    Worktree,
    /// The index.
    Index,
    /// A commit that is new since arming, in hex.
    Commit(String),
}

impl Place {
    /// Where something was found, as a part of a sentence; nothing is said of the files on disk.
    pub fn words(&self) -> String {
        match self {
            Place::Worktree => String::new(),
            Place::Index => "in the index".to_owned(),
            Place::Commit(id) => format!("in commit {id}"),
        }
    }
}

/// What one such state other than the files comes to against the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The state, of one checkout.
    pub place: Place,
    /// Its difference from the baseline in numbers.
    pub metrics: Metrics,
}

/// How a path differs from the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Not in the baseline.
    Added,
    /// In the baseline, gone now.
    Deleted,
    /// Other content, possibly another mode as well.
    Modified,
    /// The same content with another mode.
    ModeChanged,
    /// A file became a symbolic link, a directory or something else, or the other way round.
    TypeChanged,
}

/// One path that differs from the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path, raw.
    pub path: RepoPath,
    /// How it differs.
    pub kind: ChangeKind,
    /// Where it differs, in the order of [`Layer`].
    pub layers: Vec<Layer>,
    /// Lines that `git diff --numstat` counts as added; 0 for a binary file.
    pub added: u64,
    /// Lines that `git diff --numstat` counts as deleted; 0 for a binary file.
    pub deleted: u64,
    /// Whether either side is binary: a NUL in the first 8,000 bytes, or by the attributes as they stood at arm.
    pub binary: bool,
    /// Bytes of the baseline blob; `None` when the path is not in the baseline.
    pub size_before: Option<u64>,
    /// Bytes on disk now, or of the blob where only the index or history differs; `None` when the path is gone.
    pub size_after: Option<u64>,
    /// Git's mode in the baseline, such as `100644`.
    pub mode_before: Option<Mode>,
    /// The mode that Git would record now.
    pub mode_after: Option<Mode>,
    /// The newest of the new commits that show it, in hex; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The blob that Git would store now, to tell whether two looks saw the same; no part of the JSON form.
    #[serde(skip)]
    pub content: Option<BlobId>,
}

/// The modes that Git records, and what stands in their place when it records none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// A regular file.
    #[serde(rename = "100644")]
    File,
    /// A regular file that its owner may execute.
    #[serde(rename = "100755")]
    Executable,
    /// A symbolic link.
    #[serde(rename = "120000")]
    Symlink,
    /// A submodule.
    #[serde(rename = "160000")]
    Gitlink,
    /// A directory, FIFO, socket or device, none of which Git records.
    #[serde(rename = "other")]
    Other,
}

/// A flag of the index that hides a tracked path from Git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HidingFlag {
    /// `git update-index --assume-unchanged`.
    AssumeUnchanged,
    /// `git update-index --skip-worktree`, also set by sparse checkouts.
    SkipWorktree,
}

impl HidingFlag {
    /// The name that Git's documentation uses.
    pub fn name(self) -> &'static str {
        match self {
            HidingFlag::AssumeUnchanged => "assume-unchanged",
            HidingFlag::SkipWorktree => "skip-worktree",
        }
    }

    /// The option of `git update-index` that clears it.
    pub fn clearing_option(self) -> &'static str {
        match self {
            HidingFlag::AssumeUnchanged => "--no-assume-unchanged",
            HidingFlag::SkipWorktree => "--no-skip-worktree",
        }
    }
}

/// Why a path cannot be vouched for although it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The system refused to open or list it; the words of the system.
    Unreadable(String),
    /// A FIFO, socket, device or directory stands where a tracked file was.
    Special,
    /// It changed each time it was read.
    Unsteady,
}

impl Obstacle {
    /// A phrase for a message.
    pub fn describe(&self) -> &str {
        match self {
            Obstacle::Unreadable(words) => words,
            Obstacle::Special => "no regular file stands there",
            Obstacle::Unsteady => "it kept changing while it was read",
        }
    }
}

/// Something worth telling that is no violation, with the paths that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What kind of remark: groups equal ones in a report.
    pub kind: RemarkKind,
    /// The path.
    pub path: RepoPath,
}

/// The kinds of [`Remark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// The bytes differ, but Git would commit what the baseline has (end of line, `$Id$`, encoding).
    SameForGit,
    /// Permission bits that Git does not record differ.
    Permissions,
    /// It belongs to another user or group, which Git does not record.
    Owner,
    /// A FIFO, socket or device that Git does not list.
    Special,
    /// A directory that cannot be listed, and that the exclude rules hide.
    Unreadable,
}

/// A part of the control plane, of the rules or of the history that is not as it was at arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// What kind of thing drifted; it decides the code, the severity and why it matters.
    pub kind: DriftKind,
    /// The thing: a configuration key, a ref, a file of the Git directory, a path. Never a secret's value.
    pub subject: Text,
    /// What happened to it, a phrase such as `created`, `was aa11, is bb22` or `deleted`.
    pub what: Text,
    /// The command that undoes it, where one does.
    pub undo: Option<Text>,
}

/// The kinds of [`Drift`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftKind {
    /// Configuration that runs programs, redirects transport or changes what Git sees.
    Config,
    /// Configuration of which nothing is known that it could do: only noted.
    ConfigUnknown,
    /// A file that the configuration names, and that nothing else tells of, is not what it was.
    NamedFile,
    /// A file that the configuration names and that Git lists, so that it is judged as a path: only noted.
    NamedFileListed,
    /// A hook was created, changed or deleted, or hooks are looked up elsewhere.
    Hook,
    /// An attribute source outside of the tree.
    Attributes,
    /// Objects are borrowed from elsewhere.
    Alternates,
    /// History is rewritten by grafts or by a shallow boundary that history at arm did not have.
    Graft,
    /// An object is replaced by another.
    ReplaceRef,
    /// An object of the store is not what its id says.
    ObjectForged,
    /// An object of the baseline is missing.
    ObjectMissing,
    /// A ref that is neither branch nor tag was created, moved or deleted.
    OtherRef,
    /// A ref in which a forge keeps its own books: only noted.
    ForgeRef,
    /// A repository that appeared in a scratch zone and brings more than Git writes: only noted.
    ScratchRepository,
    /// Something answers in the place of a ref: a file of the Git directory, a tag called like a branch, a packed line.
    RefShadow,
    /// A local branch was created.
    BranchCreated,
    /// A local branch stands on another commit.
    BranchMoved,
    /// A local branch was deleted.
    BranchDeleted,
    /// A tag was created, moved or deleted.
    Tag,
    /// A new tag on history that was there at arm: only noted.
    TagOnKnownHistory,
    /// The stash grew, shrank or was dropped.
    Stash,
    /// HEAD stands on another branch, or was detached.
    HeadSwitched,
    /// The baseline is no ancestor of HEAD any more.
    BaselineLost,
    /// There is more new history than can be looked at.
    HistoryTooLong,
    /// A linked work tree appeared: only noted.
    LinkedWorktree,
    /// HEAD of another work tree moved: only noted.
    LinkedWorktreeMoved,
    /// `.git` itself, `commondir` or `gitdir` lead elsewhere.
    GitDirectory,
    /// Sparse settings of the index.
    Sparse,
    /// Control files of a submodule or of a nested repository.
    SubmoduleControl,
    /// A ref of a submodule or of a nested repository.
    InnerRef,
    /// A branch of a submodule or of a nested repository was created, or the one that is checked out moved.
    InnerCommit,
    /// A repository that appeared since arm runs programs, leads elsewhere or hides something.
    NestedRepository,
    /// A directory called `.git` that is no repository, so that Git looks away from what is in it.
    FalseGitDirectory,
    /// A merge, rebase, cherry-pick or revert was begun or went on.
    Operation,
    /// Something was mounted over a part of the work tree.
    Mount,
    /// An exclude source changed and hides nothing new: only noted.
    ExcludeSource,
    /// Something that the rules of arm did not hide is hidden now.
    NewlyHidden,
}

/// Where HEAD pointed when the baseline was taken, and where it points now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeadMovement {
    /// The commit at arm, in hex.
    pub baseline: String,
    /// The commit now, in hex; `None` when HEAD resolves to none.
    pub current: Option<String>,
    /// The branch at arm, such as `refs/heads/main`; `None` when HEAD was detached.
    pub baseline_ref: Option<Text>,
    /// The branch now.
    pub current_ref: Option<Text>,
}

impl HeadMovement {
    /// Whether HEAD stands on another commit than at arm.
    pub fn moved(&self) -> bool {
        self.current.as_deref() != Some(self.baseline.as_str())
    }
}

/// Everything that one look at the repository showed, in path order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Where HEAD was and is.
    pub head: HeadMovement,
    /// The repositories that were looked at, the armed one first.
    pub checkouts: Vec<Checkout>,
    /// The net changes, and what stands only in the index or in history, sorted by path.
    pub changes: Vec<Change>,
    /// The tree that Git would make of the work tree, in hex; `None` where it would make none or it cannot be known.
    pub tree: Option<String>,
    /// What holds the new commits of a path of the armed repository; nothing of a path where it cannot be told.
    pub holders: BTreeMap<RepoPath, Holders>,
    /// The index of each checkout that differs from its baseline, and each new commit, in numbers.
    pub stages: Vec<Stage>,
    /// Tracked paths that a flag of the index hides.
    pub hidden: Vec<(RepoPath, HidingFlag)>,
    /// Paths that could not be vouched for.
    pub obstacles: Vec<(RepoPath, Obstacle)>,
    /// What is only noted.
    pub remarks: Vec<Remark>,
    /// Ignored entries that are not as they were, sorted by path.
    pub ignored: Vec<Ignored>,
    /// What deserves a finding of its own whatever the content is, sorted by path.
    pub marks: Vec<Mark>,
    /// What drifted beside the files.
    pub drifts: Vec<Drift>,
    /// What lies on disk otherwise than at arm, sorted by path, where the ledger was asked for.
    pub touched: Vec<Touched>,
    /// What differs and is not in `touched`.
    pub omissions: Omissions,
    /// Paths whose bytes could not be read, so that `touched` is not the whole.
    pub unread: Vec<RepoPath>,
    /// Those of the changed paths that were uncommitted work at arm, whose content was kept;
    /// sorted.
    pub lost: Vec<RepoPath>,
}

impl Evidence {
    /// The first path that only one of two looks saw, or that the two saw otherwise.
    pub fn first_difference(&self, other: &Evidence) -> Option<RepoPath> {
        first_unequal(&self.changes, &other.changes, |change| &change.path)
            .or_else(|| first_unequal(&self.ignored, &other.ignored, |ignored| &ignored.path))
            .or_else(|| first_unequal(&self.marks, &other.marks, |mark| &mark.path))
            .or_else(|| first_unequal(&self.obstacles, &other.obstacles, |(path, _)| path))
    }

    /// Whether the bytes of every path that differs were read.
    pub fn is_whole(&self) -> bool {
        let blind = |obstacle: &Obstacle| !matches!(obstacle, Obstacle::Special);
        self.unread.is_empty() && !self.obstacles.iter().any(|(_, obstacle)| blind(obstacle))
    }

    /// Whether two looks saw the same work: what is only noted may differ, because builds and tests write caches.
    pub fn shows_the_same_work(&self, other: &Evidence) -> bool {
        (&self.head, &self.changes, &self.stages, &self.hidden, &self.obstacles, &self.drifts, &self.marks)
            == (
                &other.head,
                &other.changes,
                &other.stages,
                &other.hidden,
                &other.obstacles,
                &other.drifts,
                &other.marks,
            )
    }
}

/// The path of the first item that only one of two lists has.
fn first_unequal<T: PartialEq>(a: &[T], b: &[T], path: impl Fn(&T) -> &RepoPath) -> Option<RepoPath> {
    let only =
        |some: &[T], others: &[T]| some.iter().find(|item| !others.contains(item)).map(|item| path(item).clone());
    only(a, b).or_else(|| only(b, a))
}
