//! Files inside the repository that the configuration names: programs, templates and keys. The key may stand as it did
//! while what it names became something else.
//!
//! Looked at are those that nothing else tells of: files of a Git directory, and files that the exclude rules hide. A path
//! that Git lists is judged as a path, by the envelope, so that it is only noted here.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::config::path::interpolate::Context;
use serde::{Deserialize, Serialize};

use super::super::locate::Location;
use super::super::open::Repository;
use super::files::{Seen, look, names, quoted};
use super::past::Past;
use super::read::Part;
use super::{config, hooks, shadows};
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::config_keys;
use crate::policy::text::Text;

/// So many files of a directory that a value names are looked at, and so deep.
const MOST: usize = 500;
const DEPTH: usize = 6;

/// A file that the configuration names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The key that names it, the first of them.
    pub key: Text,
    /// Where it lies: from the top of the work tree, or from the root of the system.
    pub path: Text,
    /// Whether it lies in a Git directory.
    pub in_git: bool,
    /// What stands there.
    pub seen: Seen,
}

/// The directories that count as inside of the repository.
struct Inside<'a> {
    /// The work tree that was armed.
    root: &'a Path,
    /// The Git directories: its own, and those of the repository whose configuration is read.
    git: Vec<&'a Path>,
    /// The repository whose configuration is read.
    location: &'a Location,
}

/// The files that the configuration of `repository` names, sorted by path. `outer` is the repository that was armed.
pub fn read(repository: &Repository, outer: &Location) -> Vec<Named> {
    let location = &repository.location;
    let git = [outer, location].into_iter().flat_map(|location| [&*location.git_dir, &*location.common_dir]).collect();
    let inside = Inside { root: &outer.root, git, location };
    let mut found: BTreeMap<PathBuf, Text> = BTreeMap::new();
    config::each_value(repository.gix.config_snapshot().plumbing(), &mut |key, value| {
        if !config_keys::brings_in_files(key) {
            return;
        }
        for path in inside.paths(value) {
            found.entry(path).or_insert_with(|| config::shown_key(key));
        }
    });
    let mut named = Vec::new();
    for (path, key) in found {
        inside.see(&path, &key, DEPTH, &mut MOST.clone(), &mut named);
    }
    named.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    named.dedup_by(|a, b| a.path == b.path);
    named
}

impl Inside<'_> {
    /// The paths inside of the repository that a value may name, whether or not anything stands there.
    fn paths(&self, value: &[u8]) -> BTreeSet<PathBuf> {
        let home = std::env::home_dir();
        let context = Context { home_dir: home.as_deref(), ..Context::default() };
        let mut paths = BTreeSet::new();
        for word in config_keys::paths(&self.expanded(value)) {
            // Git runs what it runs at the top of the work tree.
            let Ok(path) = gix::config::Path::from(std::borrow::Cow::Owned(word.into())).interpolate(context) else {
                continue;
            };
            let path = lexical(&self.location.root.join(path));
            if self.is_inside(&path) {
                paths.insert(path);
            }
        }
        paths
    }

    /// The value with the ways in which people write where the repository is.
    fn expanded(&self, value: &[u8]) -> Vec<u8> {
        let (root, git) = (&self.location.root, &self.location.git_dir);
        let ways: [(&[u8], &Path); 8] = [
            (b"$(git rev-parse --git-dir)", git),
            (b"$(git rev-parse --absolute-git-dir)", git),
            (b"$(git rev-parse --git-common-dir)", &self.location.common_dir),
            (b"$(git rev-parse --show-toplevel)", root),
            (b"${GIT_DIR}", git),
            (b"$GIT_DIR", git),
            (b"$(pwd)", root),
            (b"$PWD", root),
        ];
        let mut out = value.to_vec();
        for (way, place) in ways {
            while let Some(at) = out.windows(way.len()).position(|part| part == way) {
                out.splice(at..at + way.len(), place.as_os_str().as_bytes().iter().copied());
            }
        }
        out
    }

    fn is_inside(&self, path: &Path) -> bool {
        match self.within_git(path) {
            Some(inner) => !is_gits_own(inner),
            None => path.starts_with(self.root) && path != self.root,
        }
    }

    /// The path as seen from the Git directory in which it lies.
    fn within_git<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let inner = self.git.iter().filter_map(|git| path.strip_prefix(git).ok());
        inner.min_by_key(|inner| inner.as_os_str().len())
    }

    /// Adds what stands at a path. Of directories only those count that somebody made in a Git directory.
    fn see(&self, path: &Path, key: &Text, depth: usize, left: &mut usize, named: &mut Vec<Named>) {
        let Some(seen) = look(path) else { return };
        let in_git = self.within_git(path).is_some();
        if seen == Seen::Directory {
            let Some(depth) = depth.checked_sub(1).filter(|_| in_git) else { return };
            for path in names(path) {
                self.see(&path, key, depth, left, named);
            }
            return;
        }
        let Some(less) = left.checked_sub(1) else { return };
        *left = less;
        let shown = path.strip_prefix(self.root).unwrap_or(path);
        named.push(Named { key: key.clone(), path: Text::from_bytes(shown.as_os_str().as_bytes()), in_git, seen });
    }
}

/// Files that Git itself writes, or that are compared in another way; by their path in a Git directory.
fn is_gits_own(inner: &Path) -> bool {
    const OTHERS: &[&[u8]] = &[b"config", b"config.worktree", b"index", b"description", b"gc.log", b"gc.pid"];
    let bytes = inner.as_os_str().as_bytes();
    let first = bytes.split(|byte| *byte == b'/').next().unwrap_or_default();
    // Hooks are compared as such, and what lies deeper or is an example is none.
    let is_hook = bytes.strip_prefix(b"hooks/").is_some_and(hooks::is_hook);
    let own_directory = !matches!(first, b"info" | b"hooks") && shadows::is_gits_own_directory(first);
    let in_info = [b"info/exclude".as_slice(), b"info/attributes", b"info/sparse-checkout", b"info"].contains(&bytes);
    let at_top = shadows::is_pseudo_ref(bytes) || OTHERS.contains(&bytes);
    bytes.is_empty()
        || bytes == b"hooks"
        || is_hook
        || own_directory
        || in_info
        || at_top
        || first.ends_with(b"_HEAD")
        || first.ends_with(b"MSG")
}

/// The path without `.` and `..`, as it is written and whatever links are on the way.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.as_os_str().as_bytes().split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(out.pop()),
            name => out.push(OsStr::from_bytes(name)),
        }
        if out.as_os_str().is_empty() {
            out.push("/");
        }
    }
    out
}

/// How the named files differ. One that only a new key names is told by the key.
pub fn compare(armed: &Part, now: &Part, past: &dyn Past) -> Vec<Drift> {
    let find =
        |named: &[Named], path: &Text| named.binary_search_by(|named| named.path.as_bytes().cmp(path.as_bytes())).ok();
    let mut drifts = Vec::new();
    let mut push = |named: &Named, what: &str, undo: Option<Text>| {
        let is_seen = |path: &[u8]| !past.hides(path) || config_keys::is_asked_for(named.key.as_bytes());
        let is_noted = !named.in_git && is_seen(named.path.as_bytes());
        let kind = if is_noted { DriftKind::NamedFileListed } else { DriftKind::NamedFile };
        let subject = named.key.clone().word(" names ").raw(&named.path);
        drifts.push(Drift { kind, subject, what: Text::from(what), undo });
    };
    for old in &armed.named {
        match (&old.seen, find(&now.named, &old.path).map(|at| &now.named[at].seen)) {
            (before, Some(after)) if before == after => {}
            // The key itself may be gone, which is told by the key.
            (_, None) if now.config.iter().any(|setting| setting.key == old.key) => push(old, "deleted", None),
            (_, None) => {}
            (Seen::File(before, _), Some(Seen::File(after, executable))) if before == after => {
                let what = if *executable { "made executable" } else { "made not executable" };
                push(old, what, None);
            }
            _ => push(old, "has other content", None),
        }
    }
    for new in now.named.iter().filter(|new| find(&armed.named, &new.path).is_none()) {
        let was_named = armed.config.iter().any(|setting| setting.key == new.key);
        if was_named && matches!(new.seen, Seen::File(..) | Seen::Dangling | Seen::Link(_)) {
            push(new, "created", Some(Text::from("rm ").raw(&quoted(new.path.as_bytes()))));
        }
    }
    drifts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_itself_is_left_alone() {
        for own in
            ["HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "MERGE_MSG", "logs/HEAD", "hooks/x", "config", "info/exclude", ""]
        {
            assert!(is_gits_own(Path::new(own)), "{own}");
        }
        for other in ["helper.sh", "hooks/lib/x", "hooks/x.sample", "info/signers", "tools/x", "key.pub"] {
            assert!(!is_gits_own(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn dots_are_taken_off() {
        assert_eq!(lexical(Path::new("/a/./b/../c//d")), Path::new("/a/c/d"));
        assert_eq!(lexical(Path::new("/a/../../..")), Path::new("/"));
    }
}
