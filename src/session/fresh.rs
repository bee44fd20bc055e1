//! Writes files that a repository does not have yet, and never over one that it has.

use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::durable::TEMPORARY;
use crate::error::{Error, Result};
use crate::git::files::plain;

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Where, relative to the directory that all of them are written in.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Whether it is a program.
    pub executable: bool,
}

/// Writes files below `root`, all of them or, where any of them is there already, none.
pub fn write(root: &Path, files: &[NewFile]) -> Result<()> {
    let there: Vec<&str> = files.iter().map(|file| file.path.as_str()).filter(|path| is_there(root, path)).collect();
    if !there.is_empty() {
        return Err(already_there(&there));
    }
    for file in files {
        require_own_directories(root, &file.path)?;
    }
    files.iter().try_for_each(|file| create(root, file))
}

fn is_there(root: &Path, path: &str) -> bool {
    std::fs::symlink_metadata(root.join(path)).is_ok()
}

fn already_there(paths: &[&str]) -> Error {
    let verb = if paths.len() == 1 { "is" } else { "are" };
    Error::refused(format!("{} {verb} there already, and nothing was written", paths.join(", ")))
        .hint("Print what would be written with --dry-run, and merge it by hand.")
}

/// A link on the way would lead the file to a place that nobody named.
fn require_own_directories(root: &Path, path: &str) -> Result<()> {
    let above = Path::new(path).ancestors().skip(1).filter(|directory| !directory.as_os_str().is_empty());
    for directory in above {
        if let Ok(metadata) = std::fs::symlink_metadata(root.join(directory))
            && !metadata.is_dir()
        {
            return Err(Error::refused(format!("{} is a link or no directory", plain(directory)))
                .hint("Write the file by hand; --dry-run prints it."));
        }
    }
    Ok(())
}

fn create(root: &Path, file: &NewFile) -> Result<()> {
    let path = root.join(&file.path);
    let cannot = |error: std::io::Error| Error::io(format!("cannot write {}", plain(&path)), error);
    let directory = path.parent().unwrap_or(root);
    std::fs::create_dir_all(directory).map_err(cannot)?;
    let mode = if file.executable { 0o777 } else { 0o666 };
    let mut temporary = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .permissions(std::fs::Permissions::from_mode(mode))
        .tempfile_in(directory)
        .map_err(cannot)?;
    temporary.write_all(&file.bytes).and_then(|()| temporary.as_file().sync_all()).map_err(cannot)?;
    match temporary.persist_noclobber(&path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(already_there(&[&file.path])),
        Err(error) => Err(cannot(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, executable: bool) -> NewFile {
        NewFile { path: path.into(), bytes: b"x\n".to_vec(), executable }
    }

    #[test]
    fn all_are_written_or_none() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        write(root, &[file("a/b/c", false), file("hook", true)]).unwrap();
        let mode = std::fs::metadata(root.join("hook")).unwrap().permissions().mode();
        assert_eq!(mode & 0o100, 0o100);
        std::fs::write(root.join("hook"), "mine").unwrap();
        let error = write(root, &[file("new", false), file("hook", true), file("a/b/c", false)]).unwrap_err();
        assert!(error.message.starts_with("hook, a/b/c are there already"), "{error}");
        assert!(!root.join("new").exists());
        assert_eq!(std::fs::read(root.join("hook")).unwrap(), b"mine");
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), directory.path().join("a")).unwrap();
        assert!(write(directory.path(), &[file("a/b", false)]).unwrap_err().message.contains("a link"));
        std::os::unix::fs::symlink("nowhere", directory.path().join("c")).unwrap();
        assert!(write(directory.path(), &[file("c", false)]).is_err());
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
