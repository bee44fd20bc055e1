//! From a path as a program is given it to a path of the repository: detours and links are followed as the system would.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::git::locate::Location;
use crate::policy::path::{PATH_MAX, RepoPath};

/// How many links may lead on to each other; Linux follows forty.
const LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Led {
    /// To a path of the work tree.
    Inside(RepoPath),
    /// To what belongs to Git or to Cordon.
    Control(RepoPath),
    /// Elsewhere, or nowhere that can be known.
    Elsewhere,
}

/// Names at the top of the work tree that nobody but Git and Cordon writes.
const CONTROL: [&[u8]; 3] = [b".git", b".cordon", b".stone"];

/// Where `path` leads. `follow` says whether a link at its very end is followed.
pub fn lead(location: &Location, path: &Path, follow: bool) -> Led {
    let real = resolve(path, follow).filter(|real| real.as_os_str().len() < PATH_MAX);
    let Some(real) = real else { return Led::Elsewhere };
    for directory in [&location.git_dir, &location.common_dir] {
        if real.starts_with(directory) {
            return Led::Control(RepoPath::from(real.as_os_str().as_bytes()));
        }
    }
    let Ok(inside) = real.strip_prefix(&location.root) else { return Led::Elsewhere };
    let inside = RepoPath::from(inside.as_os_str().as_bytes());
    let mut components = inside.as_bytes().split(|byte| *byte == b'/');
    let first = components.next().unwrap_or_default();
    if CONTROL.contains(&first) || components.any(|component| component == b".git") {
        return Led::Control(inside);
    }
    Led::Inside(inside)
}

/// The path without detours and links, as far as it exists; the rest by its words alone.
pub fn resolve(path: &Path, follow: bool) -> Option<PathBuf> {
    let mut waiting: Vec<OsString> = Vec::new();
    push(&mut waiting, path);
    let (mut real, mut links) = (PathBuf::from("/"), 0);
    while let Some(name) = waiting.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        real.push(&name);
        let last = waiting.is_empty();
        if real.as_os_str().len() >= PATH_MAX {
            continue;
        }
        match std::fs::read_link(&real) {
            Ok(target) if follow || !last => {
                links += 1;
                if links > LINKS {
                    return None;
                }
                if target.is_absolute() {
                    real = PathBuf::from("/");
                } else {
                    real.pop();
                }
                push(&mut waiting, &target);
            }
            _ => {}
        }
    }
    Some(real)
}

/// Puts the components of a path on the stack, the first one on top.
fn push(waiting: &mut Vec<OsString>, path: &Path) {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        _ => None,
    });
    let names: Vec<OsString> = names.collect();
    waiting.extend(names.into_iter().rev());
}
