//! Every hook that Git would find: in its own directory, and where `core.hooksPath` points.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::open::Repository;
use super::files::{self, Seen, quoted};
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::text::Text;

/// What Git's templates end with: examples, which Git never runs.
const SAMPLE: &[u8] = b".sample";

/// One file in a directory of hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Where it stands.
    pub path: Text,
    /// What stands there.
    pub seen: Seen,
}

/// The hooks of a repository, sorted by path.
pub fn read(repository: &Repository) -> Vec<Hook> {
    let mut directories = vec![repository.location.common_dir.join("hooks")];
    directories.extend(elsewhere(repository));
    directories.dedup();
    let mut hooks: Vec<Hook> = directories
        .iter()
        .flat_map(|directory| files::names(directory))
        .filter(|path| path.file_name().is_some_and(|name| is_hook(name.as_encoded_bytes())))
        .filter_map(|path| {
            let seen = files::look(&path)?;
            Some(Hook { path: Text::from_bytes(path.into_os_string().into_encoded_bytes()), seen })
        })
        // Git runs files only; what lies deeper is found by name from a hook, if at all.
        .filter(|hook| hook.seen != Seen::Directory)
        .collect();
    hooks.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    hooks
}

/// Whether Git may run a file of this name in a directory of hooks.
pub fn is_hook(name: &[u8]) -> bool {
    !name.contains(&b'/') && !name.ends_with(SAMPLE)
}

/// The directory that `core.hooksPath` names; a relative one is looked for from the top of the work tree.
fn elsewhere(repository: &Repository) -> Option<PathBuf> {
    let config = repository.gix.config_snapshot();
    let named = config.plumbing().path("core.hooksPath")?;
    let home = std::env::home_dir();
    let context = gix::config::path::interpolate::Context { home_dir: home.as_deref(), ..Default::default() };
    let path = named.interpolate(context).ok()?;
    Some(repository.location.root.join(path))
}

/// How the hooks differ.
pub fn compare(armed: &[Hook], now: &[Hook]) -> Vec<Drift> {
    let find =
        |hooks: &[Hook], path: &Text| hooks.binary_search_by(|hook| hook.path.as_bytes().cmp(path.as_bytes())).ok();
    let drift = |path: &Text, what: &str, undo: Option<&str>| Drift {
        kind: DriftKind::Hook,
        subject: path.clone(),
        what: Text::from(what),
        undo: undo.map(|undo| Text::from(undo).raw(&quoted(path.as_bytes()))),
    };
    let mut drifts = Vec::new();
    for old in armed {
        match (&old.seen, find(now, &old.path).map(|at| &now[at].seen)) {
            (_, None) => drifts.push(drift(&old.path, "deleted", None)),
            (seen, Some(new)) if seen == new => {}
            (Seen::File(before, _), Some(Seen::File(after, true))) if before == after => {
                drifts.push(drift(&old.path, "made executable, so that Git runs it now", Some("chmod -x ")));
            }
            (Seen::File(before, _), Some(Seen::File(after, false))) if before == after => {
                drifts.push(drift(&old.path, "made not executable, so that Git skips it now", Some("chmod +x ")));
            }
            _ => drifts.push(drift(&old.path, "has other content", None)),
        }
    }
    let news = now.iter().filter(|new| find(armed, &new.path).is_none());
    drifts.extend(news.map(|new| drift(&new.path, "created", Some("rm "))));
    drifts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(path: &str, content: &str, executable: bool) -> Hook {
        Hook { path: Text::from(path), seen: Seen::File(content.to_owned(), executable) }
    }

    #[test]
    fn each_way_to_differ_is_told() {
        let armed = [hook("a", "1", true), hook("b", "1", false), hook("c", "1", true), hook("d", "1", true)];
        let now = [hook("b", "1", true), hook("c", "2", true), hook("d", "1", false), hook("e e", "1", false)];
        let told: Vec<_> = compare(&armed, &now)
            .into_iter()
            .map(|drift| (drift.subject.plain(), drift.what.plain(), drift.undo.map(|undo| undo.plain())))
            .collect();
        let row =
            |path: &str, what: &str, undo: Option<&str>| (path.to_owned(), what.to_owned(), undo.map(str::to_owned));
        assert_eq!(
            told,
            [
                row("a", "deleted", None),
                row("b", "made executable, so that Git runs it now", Some("chmod -x b")),
                row("c", "has other content", None),
                row("d", "made not executable, so that Git skips it now", Some("chmod +x d")),
                row("e e", "created", Some("rm 'e e'")),
            ]
        );
        assert!(compare(&armed, &armed).is_empty());
    }
}
