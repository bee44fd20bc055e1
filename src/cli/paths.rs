//! Paths that a command is asked about, as Git writes them.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use crate::error::{Error, Result};
use crate::policy::path::RepoPath;

/// The paths that were given, or those on standard input, each ended by a NUL byte.
pub fn named(paths: &[OsString], nul: bool) -> Result<Vec<RepoPath>> {
    let paths =
        if nul { from_input()? } else { paths.iter().map(|path| RepoPath::new(path.as_bytes())).collect::<Vec<_>>() };
    paths.iter().try_for_each(require_canonical)?;
    Ok(paths)
}

fn from_input() -> Result<Vec<RepoPath>> {
    let mut input = Vec::new();
    std::io::stdin()
        .read_to_end(&mut input)
        .map_err(|error| Error::io("cannot read the paths from standard input", error))?;
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let ended = input.strip_suffix(b"\0").unwrap_or(&input);
    Ok(ended.split(|byte| *byte == 0).map(RepoPath::from).collect())
}

/// Refuses a path that can stand for nothing in a repository: a pattern could cover its letters, and the answer would be
/// about no file.
fn require_canonical(path: &RepoPath) -> Result<()> {
    let Some(what) = fault(path.as_bytes()) else { return Ok(()) };
    Err(Error::usage(format!("path `{}` {what}", path.plain())).hint(
        "A path is judged as Git writes it: relative to the repository's root, without detours, such as src/main.rs.",
    ))
}

fn fault(path: &[u8]) -> Option<&'static str> {
    let has = |wanted: &[&[u8]]| path.split(|byte| *byte == b'/').any(|component| wanted.contains(&component));
    if path.is_empty() {
        Some("is empty")
    } else if path.starts_with(b"/") {
        Some("starts with a slash")
    } else if path.ends_with(b"/") {
        Some("ends with a slash")
    } else if has(&[b".", b".."]) {
        Some("has a component `.` or `..`")
    } else if has(&[b""]) {
        Some("has an empty component")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_git_writes_it() {
        for (path, what) in [
            ("src/a", None),
            (".x/..y", None),
            ("/a", Some("starts with a slash")),
            ("./a", Some("has a component `.` or `..`")),
            ("a/../b", Some("has a component `.` or `..`")),
            ("a//b", Some("has an empty component")),
            ("a/", Some("ends with a slash")),
            ("/", Some("starts with a slash")),
            ("", Some("is empty")),
        ] {
            assert_eq!(fault(path.as_bytes()), what, "{path}");
        }
    }
}
