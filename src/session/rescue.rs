//! `rescue`: writes uncommitted work that was kept at arm into a new directory, and over nothing.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::anchor::Anchor;
use super::aside::Aside;
use super::store::Store;
use crate::audit::answer::Rescued;
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::git::control::Control;
use crate::git::files::{below, plain};
use crate::git::kept::{self, Kept, Work};
use crate::git::locate::{self, Location};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// Writes the kept content of `paths`, or of all when there are none, into `to`.
///
/// The anchor is not asked: work must come back even where no verdict can be trusted any more. Every content is held
/// against its own digest.
pub fn rescue(start: &Path, paths: &[RepoPath], to: Option<&Path>) -> Result<Rescued> {
    let location = locate::locate(start)?;
    let root = &location.root;
    let (control, places) = source(&location)?;
    let wanted = choose(&control.kept, paths)?;
    // All of it is whole, or nothing is written.
    for (_, work) in &wanted {
        load(&places, work)?;
    }
    let directory = prepare(root, to)?;
    for (path, work) in &wanted {
        write(&load(&places, work)?, &directory, path, work)?;
    }
    Ok(Rescued {
        directory: Text::from_bytes(directory.as_os_str().as_bytes()),
        paths: wanted.into_iter().map(|(path, _)| path.clone()).collect(),
    })
}

/// What was kept, and where its contents are: in `.cordon/`, and in the Git directory in case that is gone.
fn source(location: &Location) -> Result<(Control, [PathBuf; 2])> {
    let store = Store::at(&location.root);
    let aside = Aside::at(&location.git_dir);
    let own = store.record().and_then(|record| Control::decode(&store.fingerprint(&record.state)?.control));
    let control = own.or_else(|error| match aside.control()? {
        Some(control) => Ok(control),
        None => Anchor::at(&location.git_dir).explain(error),
    })?;
    Ok((control, [store.kept(), aside.contents()]))
}

/// The bytes of a kept file from the first place that has them whole.
fn load(places: &[PathBuf], work: &Work) -> Result<Vec<u8>> {
    let mut loaded = places.iter().map(|place| kept::load(place, &work.sha256));
    let first = loaded.next().expect("there are two places");
    first.or_else(|error| loaded.find_map(Result::ok).ok_or(error))
}

/// The kept files that the paths name: each itself, or everything below it.
fn choose<'a>(kept: &'a [Kept], paths: &[RepoPath]) -> Result<Vec<(&'a RepoPath, &'a Work)>> {
    let all: Vec<_> = kept.iter().filter_map(|kept| Some((&kept.path, kept.work.as_ref()?))).collect();
    if all.is_empty() {
        return Err(Error::refused("no uncommitted work was kept")
            .hint("Only an envelope that was armed over a dirty work tree with --allow-dirty keeps any."));
    }
    let names = |wanted: &RepoPath, path: &RepoPath| path == wanted || path.is_within(wanted.as_bytes());
    for wanted in paths {
        if wanted.is_root() || !all.iter().any(|(path, _)| names(wanted, path)) {
            return Err(Error::refused(format!("nothing was kept of {}", wanted.plain()))
                .hint("Paths are relative to the repository's root. Without a path all that was kept is written."));
        }
    }
    Ok(all.into_iter().filter(|(path, _)| paths.is_empty() || paths.iter().any(|wanted| names(wanted, path))).collect())
}

/// A directory that is new or empty, and outside of the work tree.
fn prepare(root: &Path, to: Option<&Path>) -> Result<PathBuf> {
    let directory = to.map_or_else(|| beside(root), Path::to_path_buf);
    let io = |error: std::io::Error| {
        Error::io(format!("cannot write into {}", plain(&directory)), error)
            .hint("Name another directory, one that can be written: cordon rescue --to DIR")
    };
    let created = match fs::create_dir(&directory) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
        Err(error) => return Err(io(error)),
    };
    let found = fs::canonicalize(&directory).map_err(io)?;
    if found.starts_with(root) {
        if created {
            fs::remove_dir(&found).map_err(io)?;
        }
        return Err(Error::refused(format!(
            "{} lies in the work tree, where it would be a change itself",
            plain(&found)
        ))
        .hint("Name a directory elsewhere: cordon rescue --to DIR"));
    }
    if fs::read_dir(&found).map_err(io)?.next().is_some() {
        return Err(Error::refused(format!("{} is not empty, and nothing is written over", plain(&found)))
            .hint("Name a directory that is new or empty: cordon rescue --to DIR"));
    }
    Ok(found)
}

fn beside(root: &Path) -> PathBuf {
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ").to_string().replace('.', "");
    root.parent().unwrap_or(root).join(format!("cordon-rescue-{time}"))
}

fn write(bytes: &[u8], directory: &Path, path: &RepoPath, work: &Work) -> Result<()> {
    if path.as_bytes().split(|byte| *byte == b'/').any(|name| matches!(name, b"" | b"." | b"..")) {
        return Err(Error::state(format!("{} is no path that can have been kept", path.plain())));
    }
    let target = below(directory, path.as_bytes());
    let written = fs::create_dir_all(target.parent().unwrap_or(directory)).and_then(|()| {
        if work.mode == Mode::Symlink {
            return symlink(std::ffi::OsStr::from_bytes(bytes), &target);
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&target)?;
        file.write_all(bytes)?;
        // Set-user-id and its like are nothing to be carried elsewhere.
        file.set_permissions(Permissions::from_mode(u32::from(work.permissions & 0o777)))?;
        file.sync_all()
    });
    written.map_err(|error| Error::io(format!("cannot write {}", plain(&target)), error))
}
