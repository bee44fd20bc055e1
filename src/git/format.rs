//! Which repository formats can be audited: a format that is not understood is refused, never guessed at.

use crate::error::{Error, Result};
use crate::policy::escape;

/// Extensions whose meaning is known and does not change what a check reads.
const KNOWN_EXTENSIONS: &[&str] = &[
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// The only ref storage that can be read.
const REF_STORAGE: &str = "files";

/// Refuses formats that this program cannot read, naming what stands in the way.
pub fn check(config: &gix::config::File) -> Result<()> {
    let version = config.integer("core.repositoryFormatVersion").map_err(unreadable)?.unwrap_or(0);
    if !(0..=1).contains(&version) {
        return Err(unsupported(&format!("repository format version {version}")));
    }
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        // Extensions count where the repository says them, not where a user's own configuration does.
        if !matches!(section.meta().source, gix::config::Source::Local | gix::config::Source::Worktree) {
            continue;
        }
        for name in section.body().value_names() {
            let known = KNOWN_EXTENSIONS.iter().any(|known| name.eq_ignore_ascii_case(known));
            if version >= 1 && !known {
                return Err(unsupported(&format!("the extension {}", escape::plain(name.as_bytes()))));
            }
        }
    }
    match config.string("extensions.refStorage") {
        Some(storage) if !storage.eq_ignore_ascii_case(REF_STORAGE.as_bytes()) => {
            Err(unsupported(&format!("the ref storage {}", escape::plain(&storage))))
        }
        _ => Ok(()),
    }
}

fn unreadable(error: gix::Error) -> Error {
    Error::repository("core.repositoryFormatVersion is no number").caused_by(error)
}

fn unsupported(what: &str) -> Error {
    Error::repository(format!("this repository uses {what}, which Cordon cannot read"))
        .hint("Arm a clone that uses Git's default formats (for refs: git clone --ref-format=files).")
}
