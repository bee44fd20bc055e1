//! Finds the work tree and its Git directories from the files alone: no environment variable and no configuration has
//! a say in which directory is audited.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::files::{self, plain};
use crate::error::{Error, Result};

/// Where a repository's parts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The work tree.
    pub root: PathBuf,
    /// The Git directory of this work tree: HEAD and the index are here.
    pub git_dir: PathBuf,
    /// The Git directory that all linked work trees share: configuration, refs and objects are here.
    pub common_dir: PathBuf,
}

/// Files that Git and gitoxide open by name; each must be a regular file, or opening it could wait for ever.
const OPENED_BY_NAME: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "index",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
];

/// How many alternates may stand behind each other; Git follows five.
const MAX_ALTERNATES: usize = 6;

/// Nor are there so many of them.
const MAX_STORES: usize = 1000;

/// The repository that holds `start`, by walking up to the nearest `.git`.
pub fn locate(start: &Path) -> Result<Location> {
    nearest(start, |directory| {
        Err(Error::repository(format!("{} is a bare repository", plain(directory)))
            .hint("Cordon audits a work tree; arm a clone or a linked work tree of it."))
    })
}

/// The same, for whoever needs no work tree: a bare repository, or the inside of a Git directory, will do.
pub fn locate_any(start: &Path) -> Result<Location> {
    nearest(start, without_work_tree)
}

fn nearest(start: &Path, bare: impl Fn(&Path) -> Result<Location>) -> Result<Location> {
    let start = std::fs::canonicalize(start)
        .map_err(|error| Error::io(format!("cannot find {}", plain(start)), error).hint("Give --repo a directory."))?;
    for directory in start.ancestors() {
        let dot_git = directory.join(".git");
        if let Ok(metadata) = std::fs::symlink_metadata(&dot_git) {
            return at(directory, &dot_git, &metadata);
        }
        if is_git_directory(directory) {
            return bare(directory);
        }
    }
    Err(Error::repository(format!("{} is in no Git repository", plain(&start)))
        .hint("Run cordon inside a work tree, or name one with --repo."))
}

/// The repository whose work tree is exactly `root`.
pub fn at_top(root: &Path) -> Result<Location> {
    let dot_git = root.join(".git");
    let metadata = std::fs::symlink_metadata(&dot_git)
        .map_err(|error| Error::repository(format!("{} cannot be read", plain(&dot_git))).caused_by(error))?;
    at(root, &dot_git, &metadata)
}

fn at(root: &Path, dot_git: &Path, metadata: &std::fs::Metadata) -> Result<Location> {
    from(root, if metadata.is_file() { linked_git_dir(root, dot_git)? } else { dot_git.to_path_buf() })
}

/// A Git directory that has no work tree, or whose work tree does not matter.
pub fn without_work_tree(git_dir: &Path) -> Result<Location> {
    from(git_dir, git_dir.to_path_buf())
}

fn from(root: &Path, git_dir: PathBuf) -> Result<Location> {
    if !is_git_directory(&git_dir) {
        return Err(Error::repository(format!("{} is no Git directory that can be read", plain(&git_dir)))
            .hint("Run git status there to see what Git says."));
    }
    let common_dir = match files::read(&git_dir.join("commondir"))? {
        Some(bytes) => git_dir.join(path_in(&bytes)),
        None => git_dir.clone(),
    };
    let canonical = |path: PathBuf| {
        std::fs::canonicalize(&path).map_err(|error| Error::io(format!("cannot find {}", plain(&path)), error))
    };
    let location =
        Location { root: root.to_path_buf(), git_dir: canonical(git_dir)?, common_dir: canonical(common_dir)? };
    for name in OPENED_BY_NAME {
        files::require_small(&location.git_dir.join(name))?;
        if location.common_dir != location.git_dir {
            files::require_small(&location.common_dir.join(name))?;
        }
    }
    require_regular_branch(&location)?;
    alternates(&location.common_dir.join("objects"))?;
    Ok(location)
}

/// HEAD's branch is a file that is opened by name as well.
fn require_regular_branch(location: &Location) -> Result<()> {
    let head = files::read(&location.git_dir.join("HEAD"))?.unwrap_or_default();
    match head.strip_prefix(b"ref: ") {
        Some(branch) => files::require_small(&location.common_dir.join(path_in(branch))),
        None => Ok(()),
    }
}

/// The object stores that lend objects to the one at `objects`: those that it names, and those that these name. The file
/// that names them is opened by name in each.
///
/// # Errors
/// When something else than a regular file stands in the place of one.
pub fn alternates(objects: &Path) -> Result<Vec<PathBuf>> {
    let mut stores: Vec<PathBuf> = Vec::new();
    let mut layer = vec![objects.to_path_buf()];
    for _ in 0..MAX_ALTERNATES {
        let mut further = Vec::new();
        for store in layer {
            let Some(named) = files::read(&store.join("info/alternates"))? else { continue };
            let named = gix::odb::alternate::parse(&named).map_err(|error| {
                Error::repository(format!("{} cannot be read", plain(&store.join("info/alternates")))).caused_by(error)
            })?;
            for path in named {
                // Git takes relative ones from the store that names them, gitoxide from the first.
                for path in [store.join(&path), objects.join(&path)] {
                    if path != objects && !stores.contains(&path) {
                        stores.push(path.clone());
                        further.push(path);
                    }
                }
            }
        }
        layer = further;
        if stores.len() > MAX_STORES {
            return Err(Error::repository(format!("more than {MAX_STORES} object stores lend objects to this one"))
                .hint("Look at objects/info/alternates in the Git directory."));
        }
    }
    Ok(stores)
}

/// The directory that a `.git` file names.
fn linked_git_dir(root: &Path, dot_git: &Path) -> Result<PathBuf> {
    let bytes = files::read(dot_git)?.unwrap_or_default();
    match bytes.strip_prefix(b"gitdir: ") {
        Some(path) => Ok(root.join(path_in(path))),
        None => Err(Error::repository(format!("{} does not name a Git directory", plain(dot_git)))),
    }
}

/// A path that stands alone in a file, without the line end.
fn path_in(bytes: &[u8]) -> PathBuf {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    PathBuf::from(OsStr::from_bytes(&bytes[..end]))
}

/// Whether a directory has what Git asks of one of its own: HEAD, and objects and refs or a way to them.
pub fn is_git_directory(directory: &Path) -> bool {
    let has = |name: &str| std::fs::symlink_metadata(directory.join(name)).is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// The paths of a location that are owned by neither the user nor, under sudo, the user who called it.
pub fn of_other_owners(location: &Location) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let caller = if user == 0 { sudo_user() } else { None };
    let dot_git = location.root.join(".git");
    let has_work_tree = location.root != location.git_dir;
    [Some(&location.root), Some(&location.git_dir), has_work_tree.then_some(&dot_git)]
        .into_iter()
        .flatten()
        .filter(|path| {
            std::fs::symlink_metadata(path)
                .map_or(true, |metadata| metadata.uid() != user && Some(metadata.uid()) != caller)
        })
        .cloned()
        .collect()
}

fn sudo_user() -> Option<u32> {
    std::env::var("SUDO_UID").ok()?.parse().ok()
}
