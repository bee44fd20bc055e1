//! The files of one attempt under `.cordon/attempts/N/`: what the agent was told, what it wrote, how it ended.
//!
//! An agent that had the run of the place before may have put anything there, so every step is relative to a descriptor
//! and follows no link.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use super::store::Store;
use crate::error::{Error, Result};
use crate::policy::escape;
use crate::snapshot::open;

/// The directory of all attempts.
const DIRECTORY: &str = "attempts";

const PROMPT: &str = "prompt";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";
const AGENT: &str = "agent.json";

/// For the user alone: agents print secrets.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const DIRECTORY_MODE: Mode = Mode::RWXU;

/// The files of one attempt.
pub struct AttemptFiles {
    directory: OwnedFd,
    path: PathBuf,
}

impl AttemptFiles {
    /// Makes the directory of attempt `number`. What an attempt of that number left that did not begin is replaced.
    pub fn create(store: &Store, number: u32) -> Result<AttemptFiles> {
        let path = store.directory().join(DIRECTORY).join(number.to_string());
        let made = (|| {
            let root = open::root(store.directory())?;
            let all = directory_at(&root, DIRECTORY)?;
            directory_at(&all, &number.to_string())
        })();
        let directory = made.map_err(|errno| cannot_write(&path, errno.into()))?;
        Ok(AttemptFiles { directory, path })
    }

    /// Where the prompt stands.
    pub fn prompt_path(&self) -> PathBuf {
        self.path.join(PROMPT)
    }

    /// Writes the prompt and gives it back, to be read from its beginning.
    pub fn prompt(&self, text: &str) -> Result<File> {
        let mut file = self.file(PROMPT)?;
        file.write_all(text.as_bytes()).and_then(|()| file.rewind()).map_err(|error| self.cannot_write(error))?;
        Ok(file)
    }

    /// The file of what the agent writes to standard output.
    pub fn stdout(&self) -> Result<File> {
        self.file(STDOUT)
    }

    /// The file of what the agent writes to standard error.
    pub fn stderr(&self) -> Result<File> {
        self.file(STDERR)
    }

    /// Whether the directory is still where it was made, with the files of this attempt in it and no others.
    pub fn are_alone(&self) -> bool {
        let held = rustix::fs::fstat(&self.directory);
        let found = rustix::fs::statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        let same =
            held.is_ok_and(|held| found.is_ok_and(|found| (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)));
        let names = std::fs::read_dir(&self.path).into_iter().flatten().flatten().map(|entry| entry.file_name());
        same && names.into_iter().all(|name| [PROMPT, STDOUT, STDERR].iter().any(|known| name == *known))
    }

    /// Writes down how the agent ended.
    pub fn ended(&self, json: &[u8]) -> Result<()> {
        self.file(AGENT)?.write_all(json).map_err(|error| self.cannot_write(error))
    }

    /// A new file in place of whatever stands there.
    fn file(&self, name: &str) -> Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match openat(&self.directory, name, flags, FILE_MODE) {
            Err(Errno::EXIST) => unlinkat(&self.directory, name, AtFlags::empty())
                .and_then(|()| openat(&self.directory, name, flags, FILE_MODE)),
            other => other,
        };
        opened.map(File::from).map_err(|errno| self.cannot_write(errno.into()))
    }

    fn cannot_write(&self, error: std::io::Error) -> Error {
        cannot_write(&self.path, error)
    }
}

/// All that was written to a file of an attempt, at most `cap` bytes of it.
pub fn read_back(file: &mut File, cap: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn directory_at(parent: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    match mkdirat(parent, name, DIRECTORY_MODE) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot write into {}", escape::plain(path.as_os_str().as_encoded_bytes())), error)
        .hint("Make room or mend the permissions. Was the directory replaced? cordon reset clears it.")
}
