//! The refs that are the user's own, the stash and the shallow boundary, read without opening an object.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::files;
use super::super::open::Repository;
use super::files::{Seen, look};
use crate::error::Result;
use crate::policy::text::Text;

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
    /// SHA-256 of `packed-refs`; `null` when there is none.
    pub packed_sha256: Option<String>,
}

/// Reads them. `fetched` are the prefixes of refs that the configured remotes write.
pub fn read(repository: &Repository, fetched: &[Vec<u8>]) -> Result<Refs> {
    let common = &repository.location.common_dir;
    let log = common.join("logs/refs/stash");
    let stash = files::read(&log).ok().flatten().unwrap_or_default();
    let mut shallow: Vec<Text> = files::read(&common.join("shallow"))?
        .unwrap_or_default()
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(Text::from_bytes)
        .collect();
    shallow.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    let refs = repository.refs()?;
    Ok(Refs {
        head: head(&repository.location.git_dir)?,
        own: refs
            .all
            .iter()
            .filter(|(name, _)| is_own(name, fetched))
            .map(|(name, value)| Ref(Text::from_bytes(name.clone()), Text::from_bytes(value.clone())))
            .collect(),
        stashed: u64::try_from(stash.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count())
            .unwrap_or(u64::MAX),
        stash_log: look(&log).map(|seen| match seen {
            Seen::File(digest, _) => digest,
            _ => "no file".to_owned(),
        }),
        shallow,
        packed_sha256: refs.packed_sha256.clone(),
    })
}

/// Whether a ref is the user's own, and none that a fetch or an operation under way writes.
pub fn is_own(name: &[u8], fetched: &[Vec<u8>]) -> bool {
    ALWAYS_OWN.iter().any(|prefix| name.starts_with(prefix))
        || !NOT_OWN.iter().copied().chain(fetched.iter().map(Vec::as_slice)).any(|prefix| name.starts_with(prefix))
}

/// HEAD's branch, as the file says it.
fn head(git_dir: &Path) -> Result<Option<Text>> {
    let said = files::read(&git_dir.join("HEAD"))?.unwrap_or_default();
    Ok(said.strip_prefix(b"ref:").map(|branch| Text::from_bytes(branch.trim_ascii())))
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
