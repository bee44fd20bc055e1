//! The files under `.cordon/`: read without trust, written so that a crash leaves the old or the new, never a half.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde::de::DeserializeOwned;

use super::anchor::{Anchor, Undo};
use super::config::{self, Config};
use super::durable::{Prepared, TEMPORARY, Writer};
use super::register::Registration;
use super::running::Running;
use super::state::{self, State};
use crate::audit::verdict::Verdict;
use crate::error::{Error, Result};
use crate::json;
use crate::policy::escape;
use crate::snapshot::entry::Stat;
use crate::snapshot::fingerprint::{self, Fingerprint};
use crate::snapshot::{digest, open};

/// The directory at the top of the work tree.
pub const DIRECTORY: &str = ".cordon";

const CONFIG: &str = "config.json";
const STATE: &str = "state.json";
const FINGERPRINT: &str = "fingerprint";
const AUDIT: &str = "audit.json";
const KEPT: &str = "kept";
const RUNNING: &str = "running";
/// The file in which hooks count what they denied.
pub const DENIALS: &str = "denials.jsonl";
const TEMPORARY_RUNNING: &str = ".tmp-running";

/// No state file of this program is longer; what is longer is damaged or a trap.
const MAX_JSON: u64 = 256 * 1024 * 1024;

/// `.cordon/` of one work tree.
#[derive(Clone)]
pub struct Store {
    directory: PathBuf,
    writer: Writer,
}

/// What `arm` has recorded.
#[derive(Debug, Clone)]
pub struct Record {
    /// The envelope.
    pub config: Config,
    /// Where the attempt stands.
    pub state: State,
    /// SHA-256 over envelope and fingerprint.
    pub anchor: String,
}

impl Store {
    /// The store of the work tree at `root`.
    pub fn at(root: &Path) -> Store {
        Store::with(root, Writer::at_once())
    }

    /// The same, with a writer of the caller's choice.
    pub fn with(root: &Path, writer: Writer) -> Store {
        Store { directory: root.join(DIRECTORY), writer }
    }

    /// Whoever writes the files.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Waits until everything that was written is on disk.
    pub fn settle(&self) -> Result<()> {
        self.writer.settle().end().map_err(|error| self.cannot_write(error))
    }

    /// Whether anything stands in the directory's place.
    pub fn exists(&self) -> bool {
        std::fs::symlink_metadata(&self.directory).is_ok()
    }

    /// Whether an arm came to its end here: the state is written last.
    pub fn is_armed(&self) -> bool {
        std::fs::symlink_metadata(self.directory.join(STATE)).is_ok()
    }

    /// Refuses to arm over anything that stands in the directory's place but an empty directory: a file of the user, a
    /// link that leads elsewhere, or what is left of an envelope.
    pub fn require_free(&self) -> Result<()> {
        let Ok(metadata) = std::fs::symlink_metadata(&self.directory) else { return Ok(()) };
        let name = plain(&self.directory);
        if !metadata.is_dir() {
            return Err(Error::refused(format!("{name} is no directory"))
                .hint("Cordon keeps its state there: move away what stands in its place."));
        }
        let is_empty = std::fs::read_dir(&self.directory).is_ok_and(|mut entries| entries.next().is_none());
        if is_empty {
            return Ok(());
        }
        Err(Error::state(format!("{name} holds no whole state: an arm did not finish, or its state.json was removed"))
            .hint("cordon reset clears it; arm again afterwards."))
    }

    /// The envelope and the state, checked against each other.
    pub fn record(&self) -> Result<Record> {
        let directory = self.open()?;
        let (state, state_bytes): (State, _) = self.json(&directory, STATE, "schema_version", state::SCHEMA_VERSION)?;
        if !state.is_written_as(&state_bytes) {
            return Err(self.damaged(STATE, "is damaged: its checksum does not match"));
        }
        let (config, bytes): (Config, _) = self.json(&directory, CONFIG, "schema_version", config::SCHEMA_VERSION)?;
        let config_sha256 = digest::sha256(&bytes);
        if digest::hex(&config_sha256) != state.config_sha256 {
            return Err(self.damaged(CONFIG, "is not the one that was armed: its digest differs"));
        }
        if json::pretty(&config) != bytes {
            return Err(self.damaged(CONFIG, "does not have the form that Cordon writes"));
        }
        config.validate().map_err(|error| self.damaged(CONFIG, "holds a policy that is not valid").caused_by(error))?;
        let anchor = anchor(&config_sha256, &state.fingerprint_sha256);
        Ok(Record { config, state, anchor })
    }

    /// The file of the fingerprint.
    pub fn fingerprint_path(&self) -> PathBuf {
        self.directory.join(FINGERPRINT)
    }

    /// The size of the fingerprint file, 0 when there is none.
    pub fn fingerprint_size(&self) -> u64 {
        std::fs::symlink_metadata(self.fingerprint_path()).map_or(0, |metadata| metadata.len())
    }

    /// The fingerprint that belongs to a state.
    pub fn fingerprint(&self, state: &State) -> Result<Fingerprint> {
        let directory = self.open()?;
        let bytes = self.read(&directory, FINGERPRINT)?;
        let (fingerprint, sum) =
            fingerprint::decode(&bytes).map_err(|damage| self.damaged(FINGERPRINT, &damage.describe()))?;
        if digest::hex(&sum) != state.fingerprint_sha256 {
            return Err(self.damaged(FINGERPRINT, "is not the one that was armed: its digest differs"));
        }
        Ok(fingerprint)
    }

    /// Writes everything that `arm` records; gives back how the anchor is taken back.
    pub fn arm(
        &self,
        config: &Config,
        mut state: State,
        (fingerprint, sum): (&[u8], [u8; 32]),
        at: &Anchor,
        register: &Registration,
    ) -> Result<(Record, Undo)> {
        self.create()?;
        let bytes = json::pretty(config);
        let config_sha256 = digest::sha256(&bytes);
        state.config_sha256 = digest::hex(&config_sha256);
        state.fingerprint_sha256 = digest::hex(&sum);
        let anchor = anchor(&config_sha256, &state.fingerprint_sha256);
        self.replace(&[(FINGERPRINT, fingerprint), (CONFIG, &bytes)])?;
        register.write()?;
        let undo = at.arm(&anchor, &config.label, &config.baseline)?;
        match self.update(&state) {
            Ok(state) => Ok((Record { config: config.clone(), state, anchor }, undo)),
            Err(error) => {
                at.undo(undo);
                Err(error)
            }
        }
    }

    /// Makes the directory, if it is not there.
    pub fn create(&self) -> Result<()> {
        std::fs::create_dir(&self.directory)
            .or_else(|error| if self.exists() { Ok(()) } else { Err(error) })
            .map_err(|error| self.cannot_write(error))
    }

    /// Where the content of uncommitted work is kept.
    pub fn kept(&self) -> PathBuf {
        self.directory.join(KEPT)
    }

    /// Writes the audit and the state that refers to it, not in their places yet.
    pub fn prepare_audit(&self, state: &State, verdict: &Verdict) -> Result<Prepared> {
        self.sweep()?;
        let files: [(_, &[u8]); 2] = [(AUDIT, &json::pretty(verdict)), (STATE, &state.encode())];
        self.writer.prepare(&self.directory, &files).map_err(|error| self.cannot_write(error))
    }

    /// Puts the audit, and then the state, in their places; the directory `beside` is brought to the disk with them.
    pub fn put(&self, prepared: Prepared, beside: BorrowedFd<'_>) -> Result<()> {
        self.writer.put(prepared, Some(beside)).map_err(|error| self.cannot_write(error))
    }

    /// Writes the state alone, and gives it back as it is read.
    pub fn update(&self, state: &State) -> Result<State> {
        self.replace(&[(STATE, &state.encode())])?;
        Ok(state.sealed())
    }

    /// The verdict of the last check, if there is one that can be read: it is told to an agent and decides nothing.
    pub fn last_verdict(&self) -> Option<Verdict> {
        let bytes = self.open().and_then(|directory| self.read(&directory, AUDIT)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The keeper of the operation that runs, or was killed while it did.
    pub fn running(&self) -> Option<Running> {
        let bytes = self.open().and_then(|directory| self.read(&directory, RUNNING)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes down the keeper of the operation that runs. After a crash of the system nobody of it is left, so nothing
    /// waits for the disk.
    pub fn set_running(&self, running: &Running) -> Result<()> {
        std::fs::write(self.directory.join(TEMPORARY_RUNNING), json::line(running))
            .and_then(|()| std::fs::rename(self.directory.join(TEMPORARY_RUNNING), self.directory.join(RUNNING)))
            .map_err(|error| self.cannot_write(error))
    }

    /// What stands in the directory, by name, for whoever lets an agent run beside it; without the file that hooks write.
    pub fn inventory(&self) -> Result<BTreeMap<Vec<u8>, Stat>> {
        let directory = self.open()?;
        let unreadable = |error| self.damaged(".", "cannot be listed").caused_by(error);
        let mut found = BTreeMap::new();
        for entry in rustix::fs::Dir::read_from(&directory).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_bytes().to_vec();
            if !matches!(&name[..], b"." | b"..") && name != DENIALS.as_bytes() {
                found.insert(name.clone(), open::stat(&directory, &name).map_err(unreadable)?);
            }
        }
        Ok(found)
    }

    /// Forgets the keeper.
    pub fn clear_running(&self) {
        // What cannot be removed is compared with the processes that run, by the next command.
        let _ = std::fs::remove_file(self.directory.join(RUNNING));
    }

    /// Removes the directory, whatever stands in its place. A link is removed, not what it leads to.
    pub fn remove(&self) -> Result<bool> {
        let Ok(metadata) = std::fs::symlink_metadata(&self.directory) else { return Ok(false) };
        let removed = if metadata.is_dir() {
            std::fs::remove_dir_all(&self.directory)
        } else {
            std::fs::remove_file(&self.directory)
        };
        removed.map(|()| true).map_err(|error| {
            Error::io(format!("cannot remove {}", plain(&self.directory)), error)
                .hint("Check who owns it and whether the file system is writable.")
        })
    }

    fn open(&self) -> Result<OwnedFd> {
        let parent = self.directory.parent().unwrap_or(Path::new("."));
        let opened = open::root(parent).and_then(|root| open::directory(&root, DIRECTORY.as_bytes()));
        opened.map_err(|error| match error {
            Errno::NOENT => Error::refused("nothing is armed here")
                .hint("Arm an envelope first: cordon arm \"what the agent is to do\" --allow 'src/**'"),
            _ => Error::state(format!("{} cannot be opened", plain(&self.directory)))
                .caused_by(error)
                .hint("cordon reset clears it; arm again afterwards."),
        })
    }

    fn read(&self, directory: &OwnedFd, name: &str) -> Result<Vec<u8>> {
        let (mut file, stat) = open::file(directory, name.as_bytes()).map_err(|error| match error {
            Errno::NOENT => self.damaged(name, "is missing"),
            Errno::INVAL | Errno::ISDIR | Errno::LOOP => self.damaged(name, "is no regular file"),
            _ => self.damaged(name, "cannot be opened").caused_by(error),
        })?;
        let owner = file.metadata().map_or(u32::MAX, |metadata| metadata.uid());
        if stat.permissions & 0o022 != 0 || !self.is_trusted(owner) {
            return Err(self.damaged(name, "may have been written by another user"));
        }
        if stat.size > MAX_JSON && name != FINGERPRINT {
            return Err(self.damaged(name, "is longer than anything that Cordon writes"));
        }
        open::content(&mut file, stat.size).map_err(|error| self.damaged(name, "cannot be read").caused_by(error))
    }

    /// State is believed when it belongs to the user who asks or to the owner of the work tree.
    fn is_trusted(&self, owner: u32) -> bool {
        let root = || self.directory.parent().and_then(|root| std::fs::metadata(root).ok());
        owner == rustix::process::geteuid().as_raw() || root().is_some_and(|root| root.uid() == owner)
    }

    /// A JSON file of a known version, and its bytes.
    fn json<T: DeserializeOwned>(
        &self,
        directory: &OwnedFd,
        name: &str,
        version_key: &str,
        version: u32,
    ) -> Result<(T, Vec<u8>)> {
        let bytes = self.read(directory, name)?;
        // The version first: a newer file may have any other fields.
        let found = serde_json::from_slice::<serde_json::Value>(&bytes)
            .ok()
            .and_then(|value| value.get(version_key).and_then(serde_json::Value::as_u64));
        if let Some(found) = found.filter(|found| *found != u64::from(version)) {
            let what = format!("has schema version {found}, and this program reads version {version}");
            return Err(self.damaged(name, &what));
        }
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            self.damaged(name, "is damaged: it does not have the form that Cordon writes").caused_by(error)
        })?;
        Ok((value, bytes))
    }

    fn replace(&self, files: &[(&'static str, &[u8])]) -> Result<()> {
        self.writer.replace(&self.directory, files).map_err(|error| self.cannot_write(error))
    }

    /// Removes what a killed process left half written.
    fn sweep(&self) -> Result<()> {
        let entries = std::fs::read_dir(&self.directory).map_err(|error| self.cannot_write(error))?;
        for entry in entries.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
                std::fs::remove_file(entry.path()).map_err(|error| self.cannot_write(error))?;
            }
        }
        Ok(())
    }

    fn damaged(&self, name: &str, what: &str) -> Error {
        Error::state(format!("{} {what}", plain(&self.directory.join(name))))
            .hint("The verdict cannot be known any more. cordon reset clears the state (it touches no file of yours); look at the changes with git, then arm again.")
    }

    /// The error of files that could not be written.
    pub fn cannot_write(&self, error: std::io::Error) -> Error {
        Error::io(format!("cannot write into {}", plain(&self.directory)), error).hint(
            "Nothing was lost: the state is the one from before. Make room or mend the permissions, then try again.",
        )
    }
}

/// SHA-256 over the digests of the envelope and of the fingerprint: whoever keeps it can tell any other envelope.
fn anchor(config_sha256: &[u8; 32], fingerprint_sha256: &str) -> String {
    let mut bytes = b"cordon anchor 1\n".to_vec();
    bytes.extend_from_slice(digest::hex(config_sha256).as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(fingerprint_sha256.as_bytes());
    digest::hex(&digest::sha256(&bytes))
}

fn plain(path: &Path) -> String {
    escape::plain(path.as_os_str().as_encoded_bytes())
}
