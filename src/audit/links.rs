//! Entries whose content is not all that matters: links that lead away, bits that grant rights, inodes with two names,
//! names that another file system takes for one.

use super::evidence::{Evidence, Place};
use super::finding::{Code, Finding, Severity};
use super::undo;
use crate::policy::envelope::Rules;
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::text::Text;

/// As many links are followed on the way to a target.
const MAX_LINKS: usize = 40;

/// Where a symbolic link leads that should not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Escape {
    /// To an absolute path. Also one that lies inside of the repository counts: in any other clone it leads out.
    Absolute,
    /// Above the root of the repository.
    Outside,
    /// Into a directory called `.git`, or into Cordon's own.
    Control,
}

impl Escape {
    /// Where it leads, in words.
    pub fn words(self) -> &'static str {
        match self {
            Escape::Absolute => "to an absolute path",
            Escape::Outside => "out of the repository",
            Escape::Control => "into a control directory",
        }
    }
}

/// Something about one path of the change that deserves a finding of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The path.
    pub path: RepoPath,
    /// What it is.
    pub kind: MarkKind,
    /// Where it stands.
    pub place: Place,
}

impl Mark {
    /// A mark of a file on disk.
    pub fn on_disk(path: RepoPath, kind: MarkKind) -> Mark {
        Mark { path, kind, place: Place::Worktree }
    }
}

/// The kinds of [`Mark`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkKind {
    /// A new or retargeted symbolic link leads away.
    Link {
        /// The link's own text.
        target: Text,
        /// Where it leads.
        to: Escape,
    },
    /// What a tracked link leads to, outside of the repository, is not what it was.
    TargetChanged {
        /// The link's own text.
        target: Text,
    },
    /// A file has set-user-id, set-group-id or sticky bits that it did not have.
    SpecialBits {
        /// All of its permission bits.
        bits: u16,
        /// Whether Git tracks it or lists it, and no option speaks of ignored ones.
        listed: bool,
    },
    /// A program has file capabilities that it did not have.
    Capabilities,
    /// A device node appeared.
    Device,
    /// A file shares its inode with other names that it did not share it with.
    HardLink {
        /// Those of the other names that lie in the work tree, but for ignored ones that are new.
        peers: Vec<Peer>,
        /// How many more of them lie elsewhere than at arm.
        elsewhere: u32,
    },
    /// Another name in the same directory differs from it in case or Unicode form only.
    Twin(RepoPath),
    /// A part of its name is one that Git, or another file system, takes for `.git`, `.` or `..`.
    UnsafeName(Text),
}

/// Another name of an inode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// The path.
    pub path: RepoPath,
    /// Whether Git ignored it at arm.
    pub ignored: bool,
}

impl Peer {
    /// Whether a change of it would be no violation, so that a change by way of another name is none.
    fn may_change(&self, rules: &Rules) -> bool {
        let path = self.path.as_bytes();
        let opened = rules.audit.allows_ignored(path) || rules.audit.scratch(path).is_some();
        let installed = self.ignored && rules.audit.dependency(path).is_some();
        (self.ignored && opened) || (rules.decide(path).is_allowed() && !installed)
    }
}

/// Where the link at `path` with this target leads, if that is away. `link` tells the target of other links of the tree.
pub fn escape(path: &[u8], target: &[u8], link: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>) -> Option<Escape> {
    let mut at: Vec<Vec<u8>> = components(path).map(<[u8]>::to_vec).collect();
    at.pop();
    let Some(mut rest) = reversed(target) else { return Some(Escape::Absolute) };
    let mut links = 0;
    while let Some(component) = rest.pop() {
        match component.as_slice() {
            b"." => continue,
            b".." => {
                if at.pop().is_none() {
                    return Some(Escape::Outside);
                }
                continue;
            }
            _ => at.push(component),
        }
        if is_control(&at) {
            return Some(Escape::Control);
        }
        if let Some(target) = link(&at.join(&b'/')) {
            links += 1;
            if links > MAX_LINKS {
                return None;
            }
            at.pop();
            match reversed(&target) {
                Some(more) => rest.extend(more),
                None => return Some(Escape::Absolute),
            }
        }
    }
    None
}

/// The components of a relative target, last first; an absolute one has none.
fn reversed(target: &[u8]) -> Option<Vec<Vec<u8>>> {
    (!target.starts_with(b"/")).then(|| components(target).map(<[u8]>::to_vec).rev().collect())
}

fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|component| !component.is_empty())
}

fn is_control(at: &[Vec<u8>]) -> bool {
    let own = at.len() == 1 && (at[0] == b".cordon" || at[0] == b".stone");
    own || at.last().is_some_and(|name| name.eq_ignore_ascii_case(b".git"))
}

/// Marks sorted by path, without those that stand in a further place as well: one place is enough.
pub fn once(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort_by(|a, b| (&a.path, &a.place).cmp(&(&b.path, &b.place)));
    let mut kept: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        let mut same_path = kept.iter().rev().take_while(|known| known.path == mark.path);
        if !same_path.any(|known| known.kind == mark.kind) {
            kept.push(mark);
        }
    }
    kept
}

/// The findings about all marks of the evidence.
pub fn findings(rules: &Rules, may_commit: bool, evidence: &Evidence) -> Vec<Finding> {
    evidence.marks.iter().filter_map(|mark| finding(rules, may_commit, evidence, mark)).collect()
}

fn finding(rules: &Rules, may_commit: bool, evidence: &Evidence, mark: &Mark) -> Option<Finding> {
    let path = &mark.path;
    let (code, message, help, undo) = match &mark.kind {
        MarkKind::Link { target, to } => (
            Code::SymlinkEscapes,
            Text::from(format!("symbolic link leads {}: ", to.words())).path(path).word(" -> ").raw(target),
            "Remove the link, or let it lead to a path of the repository by a relative target.",
            undo::path(evidence, may_commit, path),
        ),
        MarkKind::TargetChanged { target } => (
            Code::SymlinkEscapes,
            Text::from("what a tracked link leads to changed outside of the repository: ")
                .path(path)
                .word(" -> ")
                .raw(target),
            "Bring back the file that the link leads to; it is in no diff.",
            None,
        ),
        MarkKind::SpecialBits { listed: false, .. } if rules.audit.allows_ignored(path.as_bytes()) => return None,
        MarkKind::SpecialBits { bits, .. } => (
            Code::SpecialPermissions,
            Text::from(format!("new set-user-id, set-group-id or sticky bits ({bits:04o}): ")).path(path),
            "Take these bits away.",
            Some(shell::about("chmod u-s,g-s,-t", path)),
        ),
        MarkKind::Capabilities => (
            Code::SpecialPermissions,
            Text::from("new file capabilities: ").path(path),
            "Take them away: a copy of the file has none.",
            Some(of_its_own(path)),
        ),
        MarkKind::Device => (
            Code::SpecialFile,
            Text::from("new device node: ").path(path),
            "Remove it: whoever opens it reaches hardware, not a file.",
            Some(shell::about("rm", path)),
        ),
        MarkKind::HardLink { peers, elsewhere } => {
            let foreign = peers.iter().find(|peer| !peer.may_change(rules));
            let other = match (foreign, elsewhere) {
                (Some(peer), _) => Text::default().path(&peer.path),
                (None, 0) => return None,
                (None, _) => Text::from("a file outside of the repository"),
            };
            (
                Code::HardLinked,
                Text::from("hard link to something outside of the change: ").path(path).word(" = ").raw(&other),
                "Make it a file of its own: copy it, and move the copy over it.",
                Some(of_its_own(path)),
            )
        }
        MarkKind::Twin(other) => (
            Code::NameTwin,
            Text::from("name differs from another in case or Unicode form only: ").path(path).word(" and ").path(other),
            "Give one of them another name: file systems that ignore case keep only one of the two.",
            None,
        ),
        MarkKind::UnsafeName(component) => (
            Code::UnsafeName,
            Text::from("name that some systems take for Git's own directory or for a way out (")
                .raw(component)
                .word("): ")
                .path(path),
            "Give it another name; git itself refuses to check such a tree out.",
            None,
        ),
    };
    let (message, help) = match &mark.place {
        Place::Worktree => (message, help.to_owned()),
        Place::Index => {
            (message.word(" (in the index)"), format!("{help} It stands in the index: git restore --staged PATH."))
        }
        Place::Commit(id) => (
            message.word(format!(" (in commit {id})")),
            format!("{help} A further commit does not take it out of history: rewrite this one, or delete its branch."),
        ),
    };
    // The commands are about the file on disk.
    let undo = undo.filter(|_| mark.place == Place::Worktree);
    let help = Text::from(help);
    Some(Finding { code, severity: Severity::Violation, path: Some(path.clone()), message, help, undo, owners: None })
}

/// The command that gives a file an inode of its own, by way of a copy that stands in nobody's way.
pub(super) fn of_its_own(path: &RepoPath) -> Text {
    let name = shell::word(path.as_bytes());
    Text::from(format!("t=$(mktemp) && cp -p -- {name} \"$t\" && mv -f -- \"$t\" {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::pattern::Pattern;

    fn led(path: &str, target: &str) -> Option<Escape> {
        let mut link = |at: &[u8]| match at {
            b"up" | b"src/up" => Some(b"..".to_vec()),
            b"abs" => Some(b"/etc".to_vec()),
            b"loop" => Some(b"loop".to_vec()),
            _ => None,
        };
        escape(path.as_bytes(), target.as_bytes(), &mut link)
    }

    #[test]
    fn links_that_stay_inside_are_fine() {
        for (path, target) in [
            ("a", "b"),
            ("src/a", "../docs/x"),
            ("src/a", "./b/../c"),
            ("a/b/c", "../.."),
            ("src/a", "up/docs"),
            ("a", "loop"),
            ("a", "missing/x"),
            ("a", ".gitignore"),
        ] {
            assert_eq!(led(path, target), None, "{path} -> {target}");
        }
    }

    #[test]
    fn links_that_lead_away_are_told_with_where_to() {
        for (path, target, to) in [
            ("a", "..", Escape::Outside),
            ("src/a", "../../x", Escape::Outside),
            ("a", "up/x", Escape::Outside),
            ("src/a", "up/../x", Escape::Outside),
            ("a", "src/../../x", Escape::Outside),
            ("a", "/etc/passwd", Escape::Absolute),
            ("a", "abs/x", Escape::Absolute),
            ("a", ".git/hooks", Escape::Control),
            ("src/a", "../.GIT/config", Escape::Control),
            ("src/a", "../libs/dep/.git", Escape::Control),
            ("a", ".cordon/config.json", Escape::Control),
        ] {
            assert_eq!(led(path, target), Some(to), "{path} -> {target}");
        }
    }

    #[test]
    fn hard_links_among_allowed_paths_are_fine() {
        let allow = [Pattern::parse("src/**").unwrap()];
        let rules = Rules::compile(&allow, &[]).unwrap();
        let told = |peers: &[&str], elsewhere| {
            let peer =
                |path: &&str| Peer { path: RepoPath::from(path.trim_end_matches('!')), ignored: path.ends_with('!') };
            let peers = peers.iter().map(peer).collect();
            let mark = Mark::on_disk("src/a".into(), MarkKind::HardLink { peers, elsewhere });
            findings(&rules, false, &Evidence { marks: vec![mark], ..Evidence::default() }).len()
        };
        assert_eq!((told(&["src/b"], 0), told(&["README.md"], 0), told(&[], 1)), (0, 1, 1));
        // Ignored ones, marked here, are held to the rules of ignored files.
        assert_eq!((told(&["target/app!"], 0), told(&["target/app"], 0)), (0, 1));
        assert_eq!((told(&[".env!"], 0), told(&["src/node_modules/a/i.js!"], 0)), (1, 1));
    }
}
