//! The refs that are the user's own, the stash and the shallow boundary, read without opening an object.

use std::collections::BTreeMap;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::super::files as git_files;
use super::super::open::Repository;
use super::files::{self, Seen};
use crate::error::Result;
use crate::policy::text::Text;

/// How deep refs may lie; a loop of links ends here.
const DEPTH: usize = 64;

/// Refs that a fetch keeps in step with elsewhere, or that a bisection and a rebase keep for themselves.
const NOT_OWN: &[&[u8]] = &[b"refs/remotes/", b"refs/prefetch/", b"refs/bisect/", b"refs/rewritten/"];

/// Refs that stay the user's own whatever a fetch is configured to write.
const ALWAYS_OWN: &[&[u8]] = &[b"refs/heads/", b"refs/tags/", b"refs/stash", b"refs/replace/"];

/// One ref and what it says: an object in hex, or `ref: ` and another ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref(pub Text, pub Text);

/// What refs said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refs {
    /// HEAD's branch; `null` when it is detached.
    pub head: Option<Text>,
    /// The user's own refs, sorted by name.
    pub own: Vec<Ref>,
    /// How many entries the stash has.
    pub stashed: u64,
    /// The digest of the stash's log; `null` when there is none.
    pub stash_log: Option<String>,
    /// The commits at which a shallow history ends, sorted.
    pub shallow: Vec<Text>,
}

/// Reads them. `fetched` are the prefixes of refs that the configured remotes write.
pub fn read(repository: &Repository, fetched: &[Vec<u8>]) -> Result<Refs> {
    let common = &repository.location.common_dir;
    let is_own = |name: &[u8]| {
        ALWAYS_OWN.iter().any(|prefix| name.starts_with(prefix))
            || !NOT_OWN.iter().copied().chain(fetched.iter().map(Vec::as_slice)).any(|prefix| name.starts_with(prefix))
    };
    let log = common.join("logs/refs/stash");
    let stash = git_files::read(&log).ok().flatten().unwrap_or_default();
    let mut shallow: Vec<Text> = git_files::read(&common.join("shallow"))?
        .unwrap_or_default()
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(Text::from_bytes)
        .collect();
    shallow.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    Ok(Refs {
        head: repository.head()?.branch,
        own: all(repository)?
            .into_iter()
            .filter(|(name, _)| is_own(name))
            .map(|(name, value)| Ref(Text::from_bytes(name), Text::from_bytes(value)))
            .collect(),
        stashed: u64::try_from(stash.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count())
            .unwrap_or(u64::MAX),
        stash_log: files::look(&log).map(|seen| match seen {
            Seen::File(digest, _) => digest,
            _ => "no file".to_owned(),
        }),
        shallow,
    })
}

/// All refs, packed and loose; a loose one stands for the packed one of its name.
pub fn all(repository: &Repository) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let common = &repository.location.common_dir;
    let mut refs = BTreeMap::new();
    for line in git_files::read(&common.join("packed-refs"))?.unwrap_or_default().split(|byte| *byte == b'\n') {
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { continue };
        if !matches!(line[0], b'#' | b'^') {
            refs.insert(line[space + 1..].trim_ascii_end().to_vec(), line[..space].to_vec());
        }
    }
    loose(&common.join("refs"), b"refs", DEPTH, &mut refs);
    Ok(refs)
}

fn loose(directory: &Path, name: &[u8], depth: usize, refs: &mut BTreeMap<Vec<u8>, Vec<u8>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let Ok(entries) = std::fs::read_dir(directory) else {
        if std::fs::symlink_metadata(directory).is_ok() {
            refs.insert(name.to_vec(), b"cannot be read".to_vec());
        }
        return;
    };
    for entry in entries.flatten() {
        let file_name = entry.file_name();
        let full = [name, b"/", file_name.as_encoded_bytes()].concat();
        if full.ends_with(b".lock") {
            continue;
        }
        let path = entry.path();
        let is_directory = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => path.is_dir(),
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        if is_directory {
            loose(&path, &full, depth, refs);
            continue;
        }
        match small(&path).map_or_else(|| git_files::read(&path), |bytes| Ok(Some(bytes))) {
            Ok(Some(bytes)) => {
                refs.insert(full, bytes.trim_ascii_end().to_vec());
            }
            Ok(None) => {}
            Err(_) => {
                refs.insert(full, b"cannot be read".to_vec());
            }
        }
    }
}

/// The bytes of a small regular file with as few system calls as can be, because there may be thousands of refs; `None`
/// for anything else, which is looked at with more care.
fn small(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?;
    let mut buffer = [0; 512];
    // A FIFO without a writer reads as empty, and no ref is empty.
    let read = rustix::io::read(&fd, &mut buffer).ok().filter(|read| (1..buffer.len()).contains(read))?;
    Some(buffer[..read].to_vec())
}

/// The prefixes that the destinations of `remote.*.fetch` share.
pub fn destinations(settings: &[super::config::Setting]) -> Vec<Vec<u8>> {
    let fetches = settings.iter().filter(|setting| {
        let key = setting.key.as_bytes();
        key.starts_with(b"remote.") && key.ends_with(b".fetch")
    });
    fetches
        .flat_map(|setting| &setting.values)
        .filter_map(|value| {
            let super::config::Value::Plain(text) = value else { return None };
            let bytes = text.as_bytes();
            let colon = bytes.iter().position(|byte| *byte == b':')?;
            let destination = bytes[colon + 1..].split(|byte| *byte == b'*').next()?;
            (destination.starts_with(b"refs/") && destination.len() > b"refs/".len()).then(|| destination.to_vec())
        })
        .collect()
}
