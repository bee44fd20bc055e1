//! Uncommitted work that was there at arm: its content, kept so that it can be compared with and brought back.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::{ObjectId, oid};
use serde::{Deserialize, Serialize};

use super::control::Control;
use super::files::{self, plain};
use super::locate::{self, Location};
use super::open::Repository;
use super::today::Recorded;
use super::tree;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::snapshot::digest;
use crate::snapshot::entry::BlobId;

/// The largest file that is kept.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;
/// How much is kept together.
const MAX_TOTAL: u64 = 1024 * 1024 * 1024;

/// One path that was not as HEAD had it at arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The path, relative to the whole work tree.
    pub path: RepoPath,
    /// What stood on disk; `null` when nothing did, or a submodule at another commit.
    pub work: Option<Work>,
    /// What the index had.
    pub index: Option<Staged>,
    /// Whether the index was not as HEAD's tree there.
    pub staged: bool,
}

/// The content of a file or a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// How Git would record it.
    pub mode: Mode,
    /// The blob that Git would store, in hex.
    pub blob: String,
    /// SHA-256 of the bytes on disk (of a link: of its target), which is also the name of the kept file.
    pub sha256: String,
    /// SHA-256 of the blob's bytes, where a conversion makes them others than those on disk.
    pub stored_sha256: Option<String>,
    /// How many bytes stood on disk.
    pub size: u64,
    /// The permission bits.
    pub permissions: u16,
}

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staged {
    /// The mode.
    pub mode: Mode,
    /// The object, in hex.
    pub id: String,
}

impl Staged {
    /// The form in the fingerprint of an entry of the index.
    pub fn of(recorded: Recorded) -> Staged {
        Staged { mode: recorded.mode, id: format!("{:?}", recorded.id) }
    }

    fn recorded(&self) -> Option<Recorded> {
        let id = ObjectId::from_hex(self.id.as_bytes()).ok()?;
        Some(Recorded { id: BlobId::from_bytes(id.as_bytes())?, mode: self.mode })
    }
}

/// Finds a path among the kept ones, which are sorted.
pub fn find<'a>(kept: &'a [Kept], path: &[u8]) -> Option<&'a Kept> {
    kept.binary_search_by(|entry| entry.path.as_bytes().cmp(path)).ok().map(|at| &kept[at])
}

impl Kept {
    /// What the index had.
    pub fn in_index(&self) -> Option<Recorded> {
        self.index.as_ref().and_then(Staged::recorded)
    }
}

/// Writes contents into the directory of kept files.
pub struct Keeper {
    directory: PathBuf,
    total: u64,
}

impl Keeper {
    /// Makes the directory anew: what a killed arm left there is of no use.
    pub fn new(directory: PathBuf) -> Result<Keeper> {
        use std::os::unix::fs::DirBuilderExt as _;
        let made = match std::fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::DirBuilder::new().mode(0o700).create(&directory),
        };
        made.map_err(|error| cannot_keep(&directory, error))?;
        Ok(Keeper { directory, total: 0 })
    }

    /// Refuses what is too large to be kept.
    pub fn admit(&self, path: &RepoPath, size: u64) -> Result<()> {
        if size <= MAX_FILE && self.total.saturating_add(size) <= MAX_TOTAL {
            return Ok(());
        }
        Err(Error::refused(format!("{} is too large to be kept: {size} bytes", path.plain())).hint(format!(
            "At most {} MiB a file and {} MiB together are kept. Commit it, move it away, or exclude it: add it to .git/info/exclude",
            MAX_FILE >> 20,
            MAX_TOTAL >> 20
        )))
    }

    /// Keeps bytes under their digest; gives it back in hex.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<String> {
        let name = digest::hex(&digest::sha256(bytes));
        let path = self.directory.join(&name);
        if path.exists() {
            return Ok(name);
        }
        // A temporary file of this kind is readable by its owner alone.
        let written = tempfile::NamedTempFile::new_in(&self.directory).and_then(|mut file| {
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)
        });
        written.map_err(|error| cannot_keep(&path, error))?;
        self.total = self.total.saturating_add(bytes.len() as u64);
        Ok(name)
    }

    /// Makes sure that the names are on disk as the contents are.
    pub fn finish(&self) -> Result<()> {
        File::open(&self.directory)
            .and_then(|directory| directory.sync_all())
            .map_err(|error| cannot_keep(&self.directory, error))
    }
}

fn cannot_keep(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot keep uncommitted work in {}", plain(path)), error)
        .hint("Check that the work tree is writable and has room.")
}

/// The kept contents by the ids of their blobs, for whoever compares with them.
pub struct Contents {
    directory: PathBuf,
    blobs: HashMap<ObjectId, String>,
}

impl Contents {
    /// The contents of `kept` in `directory`; `None` when nothing was kept.
    pub fn new(directory: PathBuf, kept: &[Kept]) -> Option<Arc<Contents>> {
        let blobs: HashMap<_, _> = kept
            .iter()
            .filter_map(|kept| {
                let work = kept.work.as_ref()?;
                let name = work.stored_sha256.as_ref().unwrap_or(&work.sha256);
                Some((ObjectId::from_hex(work.blob.as_bytes()).ok()?, name.clone()))
            })
            .collect();
        (!blobs.is_empty()).then(|| Arc::new(Contents { directory, blobs }))
    }

    /// The bytes of a blob, if it is one of the kept ones.
    pub fn blob(&self, id: &oid) -> Option<Result<Vec<u8>>> {
        self.blobs.get(id).map(|name| load(&self.directory, name))
    }
}

/// How many contents are kept in a directory.
pub fn count(directory: &Path) -> usize {
    std::fs::read_dir(directory).map_or(0, |entries| entries.flatten().count())
}

/// Which of `works` HEAD's commits have as they were kept: that of the repository, and those of its submodules. What
/// cannot be read is in no commit.
pub fn committed(location: &Location, control: &Control, works: &[(&RepoPath, &Work)]) -> Vec<bool> {
    let mut found = vec![false; works.len()];
    for frozen in &control.checkouts {
        let blobs = blobs_of_head(location, &frozen.prefix).unwrap_or_default();
        for (found, (path, work)) in found.iter_mut().zip(works) {
            *found |= blobs.get(*path) == Some(&work.blob);
        }
    }
    found
}

/// The files of HEAD's commit in the checkout at `prefix`, with the ids of their blobs in hex.
fn blobs_of_head(location: &Location, prefix: &RepoPath) -> Result<HashMap<RepoPath, String>> {
    let repository = if prefix.is_root() {
        Repository::open(location.clone())?
    } else {
        Repository::open(locate::at_top(&files::below(&location.root, prefix.as_bytes()))?)?
    };
    let Some(commit) = repository.head()?.commit else { return Ok(HashMap::new()) };
    let entries = tree::entries(&repository, repository.tree_of(commit)?)?;
    Ok(entries.into_iter().map(|entry| (prefix.join(entry.path.as_bytes()), format!("{:?}", entry.id))).collect())
}

/// The bytes of a kept file, hashed and found to be what its name says.
pub fn load(directory: &Path, name: &str) -> Result<Vec<u8>> {
    let path = directory.join(name);
    let damaged = |what: &str| {
        Error::state(format!("the kept content {} {what}", plain(&path)))
            .hint("Uncommitted work of arm cannot be compared or brought back without it.")
    };
    if name.len() != 64 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(damaged("has no proper name"));
    }
    let file = files::open(&path)?.ok_or_else(|| damaged("is missing"))?;
    let mut bytes = Vec::new();
    // A conversion to UTF-8 makes a file at most twice as long.
    file.take(4 * MAX_FILE)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(format!("cannot read {}", plain(&path)), error))?;
    if digest::hex(&digest::sha256(&bytes)) == name { Ok(bytes) } else { Err(damaged("is damaged")) }
}
