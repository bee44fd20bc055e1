//! Keeps Cordon's own directories out of Git's sight: two lines in `info/exclude`, once, whatever else it holds.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::git::files::{self, plain};

/// The lines that must stand in the file.
const LINES: &[&str] = &["/.cordon/", "/.stone/"];

/// The file as it must be, worked out before anything is written.
pub struct Registration {
    path: PathBuf,
    content: Vec<u8>,
    changes: bool,
}

/// Works out which lines are missing.
pub fn plan(common_dir: &Path) -> Result<Registration> {
    let named = common_dir.join("info/exclude");
    let mut content = files::read(&named)?.unwrap_or_default();
    let missing: Vec<&str> = LINES.iter().copied().filter(|line| !has_line(&content, line.as_bytes())).collect();
    let changes = !missing.is_empty();
    if changes && content.last().is_some_and(|last| *last != b'\n') {
        content.push(b'\n');
    }
    for line in missing {
        content.extend_from_slice(line.as_bytes());
        content.push(b'\n');
    }
    // A link stays a link: what it leads to is replaced.
    let path = std::fs::canonicalize(&named).unwrap_or(named);
    Ok(Registration { path, content, changes })
}

impl Registration {
    /// The bytes of the file once it is written.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Writes the file if a line was missing.
    pub fn write(&self) -> Result<()> {
        if !self.changes {
            return Ok(());
        }
        write(&self.path, &self.content).map_err(|error| {
            Error::io(format!("cannot register /.cordon/ in {}", plain(&self.path)), error)
                .hint("Check that the Git directory is writable and has room.")
        })
    }
}

/// Whether a line stands where no later line that takes an exclusion back can undo it.
fn has_line(content: &[u8], wanted: &[u8]) -> bool {
    let lines: Vec<&[u8]> =
        content.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    let after_negations = lines.iter().rposition(|line| line.starts_with(b"!")).map_or(0, |last| last + 1);
    lines[after_negations..].contains(&wanted)
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
