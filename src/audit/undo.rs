//! The command that undoes a change of one path, to be run in the root of the repository.

use super::evidence::{Change, ChangeKind, Evidence, HidingFlag, Layer, Mode};
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

/// The command for `path`; `None` where nothing changed there, or where no single command brings back what was.
pub fn path(evidence: &Evidence, path: &RepoPath) -> Option<Text> {
    let at = evidence.changes.binary_search_by(|change| change.path.cmp(path)).ok()?;
    change(evidence, &evidence.changes[at])
}

/// The command that clears a flag of the index.
pub fn flag(evidence: &Evidence, path: &RepoPath, flag: HidingFlag) -> Text {
    let (directory, inside) = Place::of(evidence, path)
        .map_or_else(|| (String::new(), path.clone()), |place| (place.directory, place.inside));
    shell::about(&format!("git {directory}update-index {}", flag.clearing_option()), &inside)
}

/// The command for one change.
fn change(evidence: &Evidence, change: &Change) -> Option<Text> {
    if evidence.lost.binary_search(&change.path).is_ok() {
        // HEAD does not have what stood here at arm.
        return None;
    }
    let place = Place::of(evidence, &change.path)?;
    let stands = |layer| change.layers.contains(&layer);
    let committed = stands(Layer::Commit);
    // Commits of another branch, or of a submodule, are undone there; the finding about the branch says how.
    if committed && !(place.is_root && evidence.head.moved()) {
        return None;
    }
    let staged = stands(Layer::Index) || committed;
    // A repository that appeared and holds nothing yet has no mode at all.
    let appeared = change.kind == ChangeKind::Added && change.mode_after.is_none();
    let undone = if appeared || [change.mode_before, change.mode_after].contains(&Some(Mode::Gitlink)) {
        gitlink(&place, change, staged)?
    } else {
        file(&place, change, staged)
    };
    let back = if committed { format!("git reset -q --soft {} && ", evidence.head.baseline) } else { String::new() };
    Some(Text::from(back).raw(&undone))
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
    is_root: bool,
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
        Some(Place { is_root, directory, inside, source })
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
    use crate::audit::evidence::HeadMovement;

    fn command(kind: ChangeKind, layers: &[Layer], path: &str) -> Option<String> {
        let moved = layers.contains(&Layer::Commit);
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
            ..Evidence::default()
        };
        super::path(&evidence, &path.into()).map(|command| command.plain())
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
