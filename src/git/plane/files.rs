//! Files of the Git directory that lead elsewhere, lend objects or cut history: what stands there, without waiting.

use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::files;
use super::super::locate;
use super::super::open::Repository;
use crate::audit::evidence::DriftKind;
use crate::error::Result;
use crate::policy::config_keys::Origin;
use crate::policy::shell;
use crate::policy::text::Text;
use crate::snapshot::digest;

/// How much of a file is read; of a larger one the size and the time of its last change count as well.
const READ: u64 = 16 * 1024 * 1024;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// A regular file, or a link to one: the digest of its content and whether its owner may execute it.
    File(String, bool),
    /// A directory.
    Directory,
    /// A link, where none belongs: its target.
    Link(Text),
    /// A regular file that has another name as well, where Git writes into it.
    Shared,
    /// A link that leads to nothing.
    Dangling,
    /// A FIFO, a socket or a device: never opened.
    Special,
    /// Something that cannot be read, in the words of the system.
    Unreadable(String),
}

/// One thing of the Git directory that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watched {
    /// Why it is watched.
    pub rule: Rule,
    /// The path.
    pub path: Text,
    /// What stands there.
    pub seen: Seen,
}

/// Why a file is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Objects are borrowed from where it says.
    Alternates,
    /// It gives commits other parents.
    Grafts,
    /// Attributes of files, from outside of the tree.
    Attributes,
    /// It says which files stand in the work tree.
    Sparse,
    /// It leads to the Git directory or back.
    Leads,
    /// Another work tree of the repository.
    Worktree,
    /// Configuration of another work tree, or of a remote in the old form.
    Configuration,
    /// A directory that turns something on by being there.
    Rerere,
    /// A merge, rebase, cherry-pick or revert that is under way: the next commit takes up what it names.
    Operation,
    /// HEAD of another work tree.
    WorktreeHead,
    /// A link in the place of a file or directory that Git itself makes, or a way back that leads elsewhere.
    Link,
    /// It answers in the place of a ref.
    Shadow,
    /// What lies in a directory that is called `.git` and is no repository.
    FalseGit,
}

impl Rule {
    /// What kind of drift a difference is.
    pub fn kind(self) -> DriftKind {
        match self {
            Rule::Alternates => DriftKind::Alternates,
            Rule::Grafts => DriftKind::Graft,
            Rule::Attributes => DriftKind::Attributes,
            Rule::Sparse => DriftKind::Sparse,
            Rule::Leads | Rule::Link => DriftKind::GitDirectory,
            Rule::Worktree => DriftKind::LinkedWorktree,
            Rule::WorktreeHead => DriftKind::LinkedWorktreeMoved,
            Rule::Shadow => DriftKind::RefShadow,
            Rule::FalseGit => DriftKind::FalseGitDirectory,
            Rule::Configuration | Rule::Rerere => DriftKind::Config,
            Rule::Operation => DriftKind::Operation,
        }
    }
}

/// The files with fixed names in the directory that all work trees share ...
const SHARED: &[(&str, Rule)] = &[
    ("objects/info/alternates", Rule::Alternates),
    ("objects/info/http-alternates", Rule::Alternates),
    ("info/grafts", Rule::Grafts),
    ("info/attributes", Rule::Attributes),
];

/// ... and in the Git directory of this work tree.
const OWN: &[(&str, Rule)] = &[
    ("info/sparse-checkout", Rule::Sparse),
    ("commondir", Rule::Leads),
    ("gitdir", Rule::Leads),
    ("MERGE_HEAD", Rule::Operation),
    ("MERGE_MODE", Rule::Operation),
    ("MERGE_MSG", Rule::Operation),
    ("SQUASH_MSG", Rule::Operation),
    ("CHERRY_PICK_HEAD", Rule::Operation),
    ("REVERT_HEAD", Rule::Operation),
    ("MERGE_AUTOSTASH", Rule::Operation),
    ("BISECT_START", Rule::Operation),
    ("rebase-merge", Rule::Operation),
    ("rebase-merge/git-rebase-todo", Rule::Operation),
    ("rebase-merge/autostash", Rule::Operation),
    ("rebase-merge/head-name", Rule::Operation),
    ("rebase-merge/onto", Rule::Operation),
    ("rebase-apply", Rule::Operation),
    ("rebase-apply/applying", Rule::Operation),
    ("rebase-apply/next", Rule::Operation),
    ("rebase-apply/head-name", Rule::Operation),
    ("rebase-apply/autostash", Rule::Operation),
    ("sequencer", Rule::Operation),
    ("sequencer/todo", Rule::Operation),
];

/// Files that every linked work tree has, or may have.
const OF_WORKTREES: &[(&str, Rule)] = &[
    ("commondir", Rule::Leads),
    ("gitdir", Rule::Leads),
    ("config.worktree", Rule::Configuration),
    ("HEAD", Rule::WorktreeHead),
];

/// Directories of the shared directory whose files are configuration of remotes, in the form of old.
const REMOTES: &[&str] = &["remotes", "branches"];

/// What stands at the watched places, sorted by path; places where nothing is are left out.
///
/// # Errors
/// When a FIFO stands in the place of a file that leads elsewhere.
pub fn read(repository: &Repository, attributes: impl Iterator<Item = PathBuf>) -> Result<Vec<Watched>> {
    let location = &repository.location;
    let mut places: Vec<(PathBuf, Rule)> = Vec::new();
    places.push((location.root.join(".git"), Rule::Leads));
    places.extend(SHARED.iter().map(|(name, rule)| (location.common_dir.join(name), *rule)));
    places.extend(OWN.iter().map(|(name, rule)| (location.git_dir.join(name), *rule)));
    for store in locate::alternates(&location.common_dir.join("objects"))? {
        places.push((store.join("info/alternates"), Rule::Alternates));
    }
    // Its mere existence turns the recording and reusing of resolutions on, unless the configuration says otherwise.
    if repository.gix.config_snapshot().boolean("rerere.enabled").is_none() {
        places.push((location.common_dir.join("rr-cache"), Rule::Rerere));
    }
    places.extend(attributes.map(|path| (path, Rule::Attributes)));
    for directory in REMOTES {
        places.extend(names(&location.common_dir.join(directory)).into_iter().map(|path| (path, Rule::Configuration)));
    }
    let mut astray = Vec::new();
    for worktree in names(&location.common_dir.join("worktrees")) {
        let is_this = worktree == location.git_dir;
        places.extend(OF_WORKTREES.iter().map(|(name, rule)| (worktree.join(name), *rule)).filter(|(path, rule)| {
            // This work tree's own configuration is compared key by key, and its HEAD as such.
            !is_this && (*rule != Rule::Configuration || !is_gits_own(repository, path)) || *rule == Rule::Leads
        }));
        let back = worktree.join("commondir");
        if files::read(&back)?.is_some_and(|to| !leads_to(&worktree, &to, &location.common_dir)) {
            astray.push(back);
        }
        places.push((worktree, Rule::Worktree));
    }
    if location.git_dir != location.common_dir {
        places.push((location.common_dir.join("config.worktree"), Rule::Configuration));
    }
    places.extend(super::shadows::find(repository).into_iter().map(|path| (path, Rule::Shadow)));
    places.sort();
    places.dedup_by(|a, b| a.0 == b.0);
    let mut watched: Vec<Watched> = places.into_iter().filter_map(|(path, rule)| see(path, rule, look)).collect();
    let mut roots = vec![&location.common_dir, &location.git_dir];
    roots.dedup();
    watched.extend(super::links::find(roots));
    watched.extend(astray.into_iter().filter_map(|path| see(path, Rule::Link, look)));
    Ok(watched)
}

/// Whether the path that stands alone in a file of `directory` is `wanted`.
fn leads_to(directory: &Path, said: &[u8], wanted: &Path) -> bool {
    let said = directory.join(std::ffi::OsStr::from_bytes(said.trim_ascii_end()));
    std::fs::canonicalize(said).is_ok_and(|said| said == wanted)
}

fn see(path: PathBuf, rule: Rule, look: impl Fn(&Path) -> Option<Seen>) -> Option<Watched> {
    let seen = look(&path)?;
    Some(Watched { rule, path: Text::from_bytes(path.into_os_string().into_encoded_bytes()), seen })
}

/// Whether a `config.worktree` says only what `git worktree add` writes there.
fn is_gits_own(repository: &Repository, path: &Path) -> bool {
    let metadata = gix::config::file::Metadata::from(gix::config::Source::Worktree);
    let bytes = files::read(path).ok().flatten().unwrap_or_default();
    let parsed =
        gix::config::File::from_bytes_no_includes(&bytes, metadata, gix::config::file::init::Options::default());
    let own = super::config::settings(repository.gix.config_snapshot().plumbing());
    parsed.is_ok_and(|parsed| {
        let mut settings = super::config::settings(&parsed);
        // It copies what the work tree says in which it was asked for.
        settings.retain(|setting| !own.iter().any(|known| known.key == setting.key && known.values == setting.values));
        super::config::planted(&settings, Origin::LinkedWorktree).is_empty()
    })
}

/// What lies in a directory that is no repository although it is called `.git`, by its stat fields.
pub fn contents(directory: &Path) -> Option<Watched> {
    if !std::fs::symlink_metadata(directory).ok()?.is_dir() {
        return None;
    }
    let snapshot = crate::snapshot::walk::walk(directory, &|_| ()).ok()?;
    let mut hasher = Sha256::new();
    for listing in snapshot.listings() {
        for entry in listing.entries() {
            let stat = entry.stat;
            hasher.update(format!("{:?} {:?} {} {}\0", stat.kind, (stat.mtime, stat.ctime), stat.size, stat.inode));
            hasher.update(listing.path_of(entry).as_bytes());
        }
    }
    let seen = Seen::File(digest::hex(&hasher.finalize()), false);
    Some(Watched { rule: Rule::FalseGit, path: Text::from_bytes(directory.as_os_str().as_encoded_bytes()), seen })
}

/// The entries of a directory, sorted; none where there is no directory that can be read.
pub fn names(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    names.sort();
    names
}

/// What stands at a path, following links as Git does; `None` when nothing does.
pub fn look(path: &Path) -> Option<Seen> {
    // Most places are empty, so the place itself is asked about first, and where it leads only if it is a link.
    let own = std::fs::symlink_metadata(path);
    let is_link = own.as_ref().is_ok_and(std::fs::Metadata::is_symlink);
    let metadata = match if is_link { std::fs::metadata(path) } else { own } {
        Ok(metadata) => metadata,
        Err(_) if is_link => return Some(Seen::Dangling),
        Err(error) => {
            use std::io::ErrorKind::{NotADirectory, NotFound};
            let absent = matches!(error.kind(), NotFound | NotADirectory);
            return (!absent).then(|| Seen::Unreadable(words(&error)));
        }
    };
    if metadata.is_dir() {
        return Some(Seen::Directory);
    }
    if !metadata.is_file() {
        return Some(Seen::Special);
    }
    let mut hasher = Sha256::new();
    if metadata.len() > READ {
        hasher.update(metadata.len().to_le_bytes());
        hasher.update(metadata.mtime().to_le_bytes());
        hasher.update(metadata.mtime_nsec().to_le_bytes());
        hasher.update(metadata.ctime().to_le_bytes());
        hasher.update(metadata.ctime_nsec().to_le_bytes());
    }
    let Ok(Some(file)) = files::open(path) else { return Some(Seen::Unreadable("cannot be opened".to_owned())) };
    let mut file = file.take(READ);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => hasher.update(&chunk[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Some(Seen::Unreadable(words(&error))),
        }
    }
    Some(Seen::File(digest::hex(&hasher.finalize()), metadata.permissions().mode() & 0o100 != 0))
}

fn words(error: &std::io::Error) -> String {
    error.to_string()
}

/// Raw bytes as one word of a shell's command line.
pub fn quoted(bytes: &[u8]) -> Text {
    Text::from(shell::word(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("gone", at("dangling")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        assert_eq!(look(&at("link")), look(&at("file")));
        assert_eq!(look(&at("fifo")), Some(Seen::Special));
        assert_eq!(look(&at("dangling")), Some(Seen::Dangling));
        assert_eq!(look(&at("absent")), None);
        assert_eq!(look(&at("file/below")), None);
        assert_eq!(look(directory.path()), Some(Seen::Directory));
        assert_eq!(names(&at("fifo")), Vec::<PathBuf>::new());
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted(b"a b;c").as_bytes(), b"'a b;c'");
        assert_eq!(quoted(b"plain/path").as_bytes(), b"plain/path");
        // What would be escaped to be shown is escaped in a way that a shell reads back.
        assert_eq!(quoted("br\u{202e}x".as_bytes()).as_bytes(), br"$'br\342\200\256x'");
    }
}
