//! The command that undoes a change of one path, to be run in the root of the repository.

use super::evidence::{Change, ChangeKind, DriftKind, Evidence, HidingFlag, Layer, Mode};
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::text::Text;

/// A repository whose files are looked at: the armed one, or a submodule that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Where it lies in the work tree; the root for the armed one.
    pub prefix: RepoPath,
    /// The commit at arm, in hex.
    pub commit: String,
}

/// What reaches the new commits that show a path, so that it has to go from there as well.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holders {
    /// Whether HEAD does.
    pub head: bool,
    /// The other branches that do, by their whole names.
    pub branches: Vec<Text>,
}

impl Holders {
    /// The holders as words of a sentence.
    pub fn words(&self) -> String {
        let head = self.head.then(|| "HEAD".to_owned());
        let all: Vec<String> =
            head.into_iter().chain(self.branches.iter().map(|name| shell::word(short(name)))).collect();
        all.join(", ")
    }
}

/// The command for `path`; `None` where nothing changed there, or where no single command brings back what was.
/// `may_commit` where a new branch is no finding of its own, whose command would take it away.
pub fn path(evidence: &Evidence, may_commit: bool, path: &RepoPath) -> Option<Text> {
    let at = evidence.changes.binary_search_by(|change| change.path.cmp(path)).ok()?;
    change(evidence, may_commit, &evidence.changes[at])
}

/// The command that clears a flag of the index.
pub fn flag(evidence: &Evidence, path: &RepoPath, flag: HidingFlag) -> Text {
    let (directory, inside) = Place::of(evidence, path)
        .map_or_else(|| (String::new(), path.clone()), |place| (place.directory, place.inside));
    shell::about(&format!("git {directory}update-index {}", flag.clearing_option()), &inside)
}

/// The command for one change.
fn change(evidence: &Evidence, may_commit: bool, change: &Change) -> Option<Text> {
    if evidence.lost.binary_search(&change.path).is_ok() {
        // HEAD does not have what stood here at arm.
        return None;
    }
    let place = Place::of(evidence, &change.path)?;
    let stands = |layer| change.layers.contains(&layer);
    let mut commands = Vec::new();
    let mut staged = stands(Layer::Index);
    let mut branches = None;
    if stands(Layer::Commit) {
        // Commits of a submodule are undone there.
        let holders = evidence.holders.get(&change.path)?;
        if holders.head && evidence.head.moved() {
            commands.push(Text::from(format!("git reset -q --soft {}", evidence.head.baseline)));
            staged |= stands(Layer::Worktree);
        }
        branches = Some(created(evidence, holders)).filter(|branches| may_commit && !branches.is_empty());
    }
    if stands(Layer::Worktree) || staged {
        commands.push(in_files(&place, change, staged)?);
    }
    commands.extend(branches.map(|branches| Text::from("git branch -D ").word(branches)));
    let mut commands = commands.into_iter();
    let first = commands.next()?;
    Some(commands.fold(first, |all, next| all.word(" && ").raw(&next)))
}

/// The branches among the holders that were created since arm, as words of a command. One that was there has a finding of
/// its own that says what it was.
fn created(evidence: &Evidence, holders: &Holders) -> String {
    let is_new = |name: &&Text| {
        evidence.drifts.iter().any(|drift| drift.kind == DriftKind::BranchCreated && drift.subject == **name)
    };
    let mut names = holders.branches.iter().filter(is_new).peekable();
    if names.peek().is_none() {
        return String::new();
    }
    let words = |name: &Text| shell::word(short(name));
    let dashed = holders.branches.iter().any(|name| short(name).starts_with(b"-"));
    let words: Vec<String> = dashed.then(|| "--".to_owned()).into_iter().chain(names.map(words)).collect();
    words.join(" ")
}

/// A branch as Git's commands call it.
fn short(name: &Text) -> &[u8] {
    name.as_bytes().strip_prefix(b"refs/heads/").unwrap_or(name.as_bytes())
}

/// The command that puts back what the index and the files have.
fn in_files(place: &Place, change: &Change, staged: bool) -> Option<Text> {
    // A repository that appeared and holds nothing yet has no mode at all.
    let appeared = change.kind == ChangeKind::Added && change.mode_after.is_none();
    if appeared || [change.mode_before, change.mode_after].contains(&Some(Mode::Gitlink)) {
        gitlink(place, change, staged)
    } else {
        Some(file(place, change, staged))
    }
}

fn file(place: &Place, change: &Change, staged: bool) -> Text {
    let on_disk = change.layers.contains(&Layer::Worktree);
    match (change.kind, on_disk) {
        (ChangeKind::Added, true) if staged => place.git("rm -q -f"),
        (ChangeKind::Added, true) => shell::about("rm", &change.path),
        (ChangeKind::Added, false) => place.git("rm -q -f --cached"),
        (ChangeKind::ModeChanged, true) if !staged => {
            let executable = change.mode_before == Some(Mode::Executable);
            shell::about(if executable { "chmod u+x" } else { "chmod a-x" }, &change.path)
        }
        (_, true) => {
            let restore = place.restore(if staged { " --staged --worktree" } else { "" });
            // A file whose size and times are as they were is one that Git would take for unchanged.
            let same_size = change.size_before.is_some() && change.size_before == change.size_after;
            if same_size { shell::about("touch -ch", &change.path).word(" && ").raw(&restore) } else { restore }
        }
        (_, false) => place.restore(" --staged"),
    }
}

fn gitlink(place: &Place, change: &Change, staged: bool) -> Option<Text> {
    let on_disk = change.layers.contains(&Layer::Worktree);
    let update = || place.git("submodule update -q --checkout --force");
    match (change.kind, on_disk) {
        (ChangeKind::Added, true) if staged => {
            Some(place.git("rm -q -f --cached").word(" && ").raw(&shell::about("rm -rf", &change.path)))
        }
        (ChangeKind::Added, true) => Some(shell::about("rm -rf", &change.path)),
        (ChangeKind::Added, false) => Some(place.git("rm -q -f --cached")),
        (ChangeKind::Modified, true) if staged => Some(place.restore(" --staged").word(" && ").raw(&update())),
        (ChangeKind::Modified, true) => Some(update()),
        (_, false) => Some(place.restore(" --staged")),
        // A submodule that is gone would have to be fetched anew.
        (_, true) => None,
    }
}

/// Where a path lies, and what its checkout was.
struct Place {
    /// `-C DIR ` for a submodule.
    directory: String,
    inside: RepoPath,
    source: String,
}

impl Place {
    fn of(evidence: &Evidence, path: &RepoPath) -> Option<Place> {
        let holds = |checkout: &&Checkout| path.is_within(checkout.prefix.as_bytes()) && *path != checkout.prefix;
        let checkout =
            evidence.checkouts.iter().filter(holds).max_by_key(|checkout| checkout.prefix.as_bytes().len())?;
        let is_root = checkout.prefix.is_root();
        let rest = path.as_bytes().strip_prefix(checkout.prefix.as_bytes()).unwrap_or_default();
        let inside = RepoPath::from(rest.strip_prefix(b"/").unwrap_or(rest));
        let directory =
            if is_root { String::new() } else { format!("-C {} ", shell::word(checkout.prefix.as_bytes())) };
        let source = if is_root && !evidence.head.moved() { "HEAD".to_owned() } else { checkout.commit.clone() };
        Some(Place { directory, inside, source })
    }

    fn git(&self, subcommand: &str) -> Text {
        shell::git(&self.directory, subcommand, &self.inside)
    }

    fn restore(&self, options: &str) -> Text {
        self.git(&format!("restore --source={}{options}", self.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::evidence::{Drift, HeadMovement};

    fn command(kind: ChangeKind, layers: &[Layer], path: &str) -> Option<String> {
        let moved = layers.contains(&Layer::Commit) && path != "libs/dep/a";
        let held = moved.then(|| (path.into(), Holders { head: true, branches: Vec::new() }));
        held_by(kind, layers, path, held, true)
    }

    fn held_by(
        kind: ChangeKind,
        layers: &[Layer],
        path: &str,
        holding: Option<(RepoPath, Holders)>,
        may_commit: bool,
    ) -> Option<String> {
        let moved = holding.as_ref().is_some_and(|(_, holders)| holders.head);
        let head = HeadMovement {
            baseline: "aa".into(),
            current: Some(if moved { "bb" } else { "aa" }.into()),
            baseline_ref: None,
            current_ref: None,
        };
        let checkout = |prefix: &str, commit: &str| Checkout { prefix: prefix.into(), commit: commit.into() };
        let (before, after) = (Some(Mode::File), Some(Mode::Executable));
        let change = Change {
            path: path.into(),
            kind,
            layers: layers.to_vec(),
            added: 0,
            deleted: 0,
            binary: false,
            size_before: Some(1),
            size_after: Some(2),
            mode_before: before.filter(|_| kind != ChangeKind::Added),
            mode_after: after.filter(|_| kind != ChangeKind::Deleted),
            commit: None,
            content: None,
        };
        let evidence = Evidence {
            head,
            changes: vec![change],
            checkouts: vec![checkout("", "aa"), checkout("libs/dep", "cc")],
            holders: holding.into_iter().collect(),
            drifts: ["new", "-x", "it's"].map(created).to_vec(),
            ..Evidence::default()
        };
        super::path(&evidence, may_commit, &path.into())
            .map(|command| String::from_utf8_lossy(command.as_bytes()).into_owned())
    }

    fn created(name: &str) -> Drift {
        let subject = Text::from(format!("refs/heads/{name}"));
        Drift { kind: DriftKind::BranchCreated, subject, what: "created".into(), undo: None }
    }

    #[test]
    fn a_commit_is_taken_off_all_that_holds_it() {
        use Layer::{Commit, Index, Worktree};
        type Case = (&'static [Layer], bool, &'static [&'static str], bool, Option<&'static str>);
        let cases: &[Case] = &[
            (&[Commit], true, &[], true, Some("git reset -q --soft aa")),
            (&[Commit], false, &["new"], true, Some("git branch -D new")),
            (&[Commit], false, &["it's", "-x"], true, Some(r"git branch -D -- 'it'\''s' -x")),
            (&[Commit], true, &["new", "old"], true, Some("git reset -q --soft aa && git branch -D new")),
            (&[Commit, Worktree], false, &["new"], true, Some("git restore --source=HEAD -- a && git branch -D new")),
            (
                &[Commit, Index, Worktree],
                true,
                &["new"],
                true,
                Some("git reset -q --soft aa && git restore --source=aa --staged --worktree -- a && git branch -D new"),
            ),
            // What was there at arm, and what no right to commit covers, is told by a finding of its own.
            (&[Commit], false, &["old"], true, None),
            (&[Commit], false, &["new"], false, None),
            (&[Commit], false, &[], true, None),
        ];
        for (layers, head, branches, may_commit, expected) in cases {
            let branches = branches.iter().map(|name| Text::from(format!("refs/heads/{name}"))).collect();
            let held = Some(("a".into(), Holders { head: *head, branches }));
            let command = held_by(ChangeKind::Modified, layers, "a", held, *may_commit);
            assert_eq!(command.as_deref(), *expected);
        }
    }

    #[test]
    fn each_place_of_a_change_has_its_command() {
        use ChangeKind::{Added, Deleted, ModeChanged, Modified};
        use Layer::{Commit, Index, Worktree};
        let cases: &[(ChangeKind, &[Layer], &str, &str)] = &[
            (Modified, &[Worktree], "a b", "git restore --source=HEAD -- 'a b'"),
            (Modified, &[Index, Worktree], "a", "git restore --source=HEAD --staged --worktree -- a"),
            (Deleted, &[Index], "a*", "git --literal-pathspecs restore --source=HEAD --staged -- 'a*'"),
            (Added, &[Worktree], "-x", "rm -- -x"),
            (Added, &[Index, Worktree], "a", "git rm -q -f -- a"),
            (Added, &[Index], "a", "git rm -q -f --cached -- a"),
            (ModeChanged, &[Worktree], "a", "chmod a-x -- a"),
            (
                Modified,
                &[Commit, Worktree],
                "a",
                "git reset -q --soft aa && git restore --source=aa --staged --worktree -- a",
            ),
            (Modified, &[Worktree], "libs/dep/a", "git -C libs/dep restore --source=cc -- a"),
        ];
        for (kind, layers, path, expected) in cases {
            assert_eq!(command(*kind, layers, path).as_deref(), Some(*expected));
        }
        assert_eq!(command(Modified, &[Commit], "libs/dep/a"), None);
    }
}
