//! Keeps Cordon's own directories out of Git's sight: two lines in `info/exclude`, once, whatever else it holds.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::git::files::{self, plain};

/// The lines that must stand in the file.
const LINES: &[&str] = &["/.cordon/", "/.stone/"];

/// What was done, to be undone when the arm that needed it fails.
pub struct Registration {
    path: PathBuf,
    before: Option<Vec<u8>>,
    changed: bool,
}

/// Adds the lines that are missing.
pub fn register(common_dir: &Path) -> Result<Registration> {
    let named = common_dir.join("info/exclude");
    let before = files::read(&named)?;
    let mut content = before.clone().unwrap_or_default();
    let missing: Vec<&str> = LINES.iter().copied().filter(|line| !has_line(&content, line.as_bytes())).collect();
    if missing.is_empty() {
        return Ok(Registration { path: named, before, changed: false });
    }
    if content.last().is_some_and(|last| *last != b'\n') {
        content.push(b'\n');
    }
    for line in missing {
        content.extend_from_slice(line.as_bytes());
        content.push(b'\n');
    }
    // A link stays a link: what it leads to is replaced.
    let path = std::fs::canonicalize(&named).unwrap_or(named);
    write(&path, &content).map_err(|error| {
        Error::io(format!("cannot register /.cordon/ in {}", plain(&path)), error)
            .hint("Check that the Git directory is writable and has room.")
    })?;
    Ok(Registration { path, before, changed: true })
}

impl Registration {
    /// Puts back what was there.
    pub fn undo(self) {
        if !self.changed {
            return;
        }
        let _ = match self.before {
            Some(before) => write(&self.path, &before),
            None => std::fs::remove_file(&self.path),
        };
    }
}

fn has_line(content: &[u8], wanted: &[u8]) -> bool {
    content.split(|byte| *byte == b'\n').any(|line| line.strip_suffix(b"\r").unwrap_or(line) == wanted)
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(content)?;
    let permissions = std::fs::metadata(path).map(|metadata| metadata.permissions());
    file.as_file().set_permissions(permissions.unwrap_or(std::os::unix::fs::PermissionsExt::from_mode(0o644)))?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    std::fs::File::open(directory)?.sync_all()
}
