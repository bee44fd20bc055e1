//! The anchor in the Git directory: what is armed, told a second time, where removing `.cordon/` does not reach.
//!
//! Whoever edits the envelope, swaps the fingerprint or deletes the state has to explain this file as well; and a
//! `reset` that ended no accepted work stays on record here until one does.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::aside::Aside;
use super::durable::Writer;
use super::look;
use super::state::Phase;
use super::store::Record;
use crate::audit::answer::Rearmed;
use crate::error::{Error, Kind, Result};
use crate::git::files::{self, plain};
use crate::json;
use crate::policy::text::Text;
use crate::snapshot::digest;

const NAME: &str = "cordon.anchor";
const SCHEMA_VERSION: u32 = 1;
/// The fewest digits of an anchor that are told from others with certainty enough.
const MIN_DIGITS: usize = 12;
const DIGITS: usize = 64;

/// What is armed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Armed {
    anchor: String,
    label_sha256: String,
    at: String,
}

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    schema_version: u32,
    armed: Option<Armed>,
    /// Resets that followed no accepted check, since the last one that did.
    resets: u64,
    last_reset: Option<String>,
    /// Arms that followed such a reset.
    rearmed: u64,
    last_rearmed: Option<String>,
    /// The baseline of an accepted envelope that was reset. Only on another commit is it finished: who arms the same one
    /// again may be widening what was accepted with nothing in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accepted: Option<String>,
}

impl Kept {
    fn empty() -> Kept {
        Kept {
            schema_version: SCHEMA_VERSION,
            armed: None,
            resets: 0,
            last_reset: None,
            rearmed: 0,
            last_rearmed: None,
            accepted: None,
        }
    }
}

/// The anchor file of one Git directory.
pub struct Anchor {
    path: PathBuf,
    writer: Writer,
}

/// What stood in the file before it was written, to be put back when the arm that wrote it fails.
pub struct Undo {
    before: Option<Vec<u8>>,
}

impl Anchor {
    /// The file in the Git directory of a work tree.
    pub fn at(git_dir: &Path) -> Anchor {
        Anchor::with(git_dir, Writer::at_once())
    }

    /// The same, with a writer of the caller's choice.
    pub fn with(git_dir: &Path, writer: Writer) -> Anchor {
        Anchor { path: git_dir.join(NAME), writer }
    }

    /// Fails when an envelope is armed according to this file, or when the file cannot say.
    pub fn refuse_armed(&self) -> Result<()> {
        match self.read()?.and_then(|kept| kept.armed) {
            None => Ok(()),
            Some(armed) => {
                Err(Error::refused(format!("an envelope is armed already, {}, and its state is gone", armed.words()))
                    .hint("Find out who removed .cordon/. To end that envelope: cordon reset"))
            }
        }
    }

    /// Writes down what is being armed over the commit `baseline`; the state must be written after it.
    pub fn arm(&self, anchor: &str, label: &Text, baseline: &str) -> Result<Undo> {
        let undo = Undo { before: files::read(&self.path)? };
        let mut kept = self.read()?.unwrap_or_else(Kept::empty);
        let now = look::now();
        match kept.accepted.take() {
            Some(accepted) if accepted == baseline => kept.resets = kept.resets.saturating_add(1),
            Some(_) => kept = Kept::empty(),
            None => {}
        }
        if kept.resets > 0 {
            kept.rearmed = kept.rearmed.saturating_add(1);
            kept.last_rearmed = Some(now.clone());
        }
        let label_sha256 = digest::hex(&digest::sha256(label.as_bytes()));
        kept.armed = Some(Armed { anchor: anchor.to_owned(), label_sha256, at: now });
        self.write(&json::pretty(&kept))?;
        Ok(undo)
    }

    /// The bytes of the file, to tell later whether somebody touched it.
    pub fn bytes(&self) -> Result<Option<Vec<u8>>> {
        files::read(&self.path)
    }

    /// Takes back an [`Anchor::arm`].
    pub fn undo(&self, undo: Undo) {
        // The error that made this necessary is the one to be told.
        let _ = match undo.before {
            Some(bytes) => self.write(&bytes),
            None => self.remove().map_err(|error| self.cannot_write(error)),
        };
    }

    /// Holds a record against the anchor: only what was armed here passes.
    pub fn vouch(&self, record: Result<Record>) -> Result<Record> {
        let armed = match (self.read(), &record) {
            (Ok(kept), _) => kept.and_then(|kept| kept.armed),
            (Err(error), _) => return Err(error),
        };
        match (armed, record) {
            (None, Err(error)) => Err(error),
            (None, Ok(record)) => Err(refusal(format!(
                "the envelope was not armed here: its anchor is {}, and the Git directory keeps none",
                record.anchor
            ))),
            (Some(armed), Err(error)) if error.kind == Kind::Refused => {
                let gone = refusal(format!("an envelope is armed, {}, but .cordon/ is gone", armed.words()));
                let kept = self.path.parent().map_or(0, |git_dir| Aside::at(git_dir).count());
                Err(if kept == 0 {
                    gone
                } else {
                    gone.hint(format!(
                        "The Git directory still keeps {kept} contents of uncommitted work: cordon rescue"
                    ))
                })
            }
            (Some(armed), Err(error)) => Err(error.hint(format!("What was armed here: {}.", armed.words()))),
            (Some(armed), Ok(record)) => {
                let label_sha256 = digest::hex(&digest::sha256(record.config.label.as_bytes()));
                if armed.anchor == record.anchor && armed.label_sha256 == label_sha256 {
                    return Ok(record);
                }
                Err(refusal(format!(
                    "the envelope is not the one that was armed: expected {}, found the anchor {}",
                    armed.words(),
                    record.anchor
                )))
            }
        }
    }

    /// The error of a state that cannot be read, told as what it means when an envelope is armed.
    pub fn explain<T>(&self, error: Error) -> Result<T> {
        let explained = self.vouch(Err(error)).err();
        Err(explained.unwrap_or_else(|| Error::state("the state cannot be read")))
    }

    /// How often this repository was armed anew since a clean finish.
    pub fn rearmed(&self) -> Result<Rearmed> {
        let kept = self.read()?.unwrap_or_else(Kept::empty);
        Ok(Rearmed { count: kept.rearmed, last: kept.last_rearmed })
    }

    /// Whether the file says that something is armed, or cannot say.
    pub fn needs_reset(&self) -> bool {
        self.read().map_or(true, |kept| kept.is_some_and(|kept| kept.armed.is_some()))
    }

    /// Writes down a reset of an envelope: the phase that it ended in, and its baseline.
    pub fn reset(&self, ended: Option<(Phase, String)>) -> Result<()> {
        let kept = match self.read() {
            Ok(None) => return Ok(()),
            Ok(Some(kept)) => kept,
            Err(_) => Kept::empty(),
        };
        let accepted = ended.and_then(|(phase, baseline)| (phase == Phase::Accepted).then_some(baseline));
        let resets = if accepted.is_some() { kept.resets } else { kept.resets.saturating_add(1) };
        let kept = Kept { armed: None, resets, last_reset: Some(look::now()), accepted, ..kept };
        self.write(&json::pretty(&kept))
    }

    fn read(&self) -> Result<Option<Kept>> {
        let damaged = |cause: Error| {
            Error::state(format!("the anchor {} cannot be read", plain(&self.path)))
                .caused_by(cause)
                .hint("Without it nobody can vouch for the envelope. cordon reset clears both; look at the changes with git, then arm again.")
        };
        let Some(bytes) = files::read(&self.path).map_err(damaged)? else { return Ok(None) };
        let kept: Kept = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(Error::state("it does not have the form that Cordon writes").caused_by(error)))?;
        if kept.schema_version != SCHEMA_VERSION {
            return Err(damaged(Error::state(format!(
                "it has schema version {}, and this program reads version {SCHEMA_VERSION}",
                kept.schema_version
            ))));
        }
        Ok(Some(kept))
    }

    fn write(&self, bytes: &[u8]) -> Result<()> {
        let cleared = if self.path.is_dir() { std::fs::remove_dir_all(&self.path) } else { Ok(()) };
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let written = cleared.and_then(|()| self.writer.replace(directory, &[(NAME, bytes)]));
        written.map_err(|error| self.cannot_write(error))
    }

    fn remove(&self) -> Result<(), std::io::Error> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn cannot_write(&self, error: std::io::Error) -> Error {
        Error::io(format!("cannot write the anchor {}", plain(&self.path)), error)
            .hint("Check that the Git directory is writable and has room, then try again.")
    }
}

impl Armed {
    fn words(&self) -> String {
        let shown = |text: &str| crate::policy::escape::plain(text.as_bytes());
        format!("anchor {} of {}", shown(&self.anchor), shown(&self.at))
    }
}

fn refusal(message: String) -> Error {
    Error::state(message).hint(
        "Find out who changed the state; no verdict can be trusted. cordon reset clears it; look at the changes with git, then arm again.",
    )
}

/// The first digits of an anchor that was kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected(String);

impl Expected {
    /// Reads what the user gave.
    pub fn parse(text: &str) -> Result<Expected> {
        let digits = text.to_ascii_lowercase();
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex && (MIN_DIGITS..=DIGITS).contains(&digits.len()) {
            return Ok(Expected(digits));
        }
        Err(Error::usage("the anchor is not one that cordon arm prints")
            .hint(format!("Give --anchor {MIN_DIGITS} to {DIGITS} hexadecimal digits: the anchor, or its beginning.")))
    }

    /// Refuses every other envelope.
    pub fn require(&self, record: &Record) -> Result<()> {
        if record.anchor.starts_with(&self.0) {
            return Ok(());
        }
        Err(refusal(format!("another envelope is armed: expected the anchor {}, found {}", self.0, record.anchor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_twelve_to_sixty_four_digits() {
        let long = "a".repeat(65);
        for bad in ["", "abc", "0123456789a", "0123456789ag", long.as_str(), " 0123456789ab"] {
            assert!(Expected::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Expected::parse("0123456789AB").unwrap(), Expected("0123456789ab".into()));
        assert!(Expected::parse(&long[1..]).is_ok());
    }
}
