//! PURE. The words of a ledger: who ran what, each net effect, and how it ended.

use serde_json::Number;

use super::canonical::Object;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::digest;

/// SHA-256 of a content.
pub type Digest = [u8; 32];

/// What a ledger distinguishes among directory entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryType {
    /// A regular file.
    File,
    /// A symbolic link.
    Symlink,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The command exited with 0.
    Success,
    /// It exited with another code.
    Failed,
    /// A signal ended it, or somebody asked for its end.
    Interrupted,
    /// What it left behind could not be observed.
    Incomplete,
}

/// What kept the command away from the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Nothing.
    None,
    /// Namespaces of Linux.
    Userns,
    /// The sandbox of macOS.
    Seatbelt,
}

/// What was kept from the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Nothing.
    None,
    /// Writing below `.stone/`.
    Ledger,
}

/// Names of the variants of an enumeration, both ways.
macro_rules! names {
    ($kind:ty { $($variant:ident => $name:literal),* $(,)? }) => {
        impl $kind {
            /// The name in a ledger.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The variant with this name.
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

names!(EntryType { File => "file", Symlink => "symlink" });
names!(Outcome { Success => "success", Failed => "failed", Interrupted => "interrupted", Incomplete => "incomplete" });
names!(Backend { None => "none", Userns => "userns", Seatbelt => "seatbelt" });
names!(Profile { None => "none", Ledger => "ledger" });

/// What the version 0.2 of the format adds to the first record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// What kept the command away.
    pub backend: Backend,
    /// From what.
    pub profile: Profile,
    /// Whether it was also kept from sending signals.
    pub signal_scope: bool,
}

impl Confinement {
    /// No confinement at all.
    pub const NONE: Confinement = Confinement { backend: Backend::None, profile: Profile::None, signal_scope: false };
}

/// The first record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The session.
    pub id: String,
    /// Who says to have run it.
    pub actor: Text,
    /// The command as it was given.
    pub command: Vec<Text>,
    /// How the command was confined; `None` in a ledger of version 0.1, which does not say.
    pub confinement: Option<Confinement>,
    /// When it began.
    pub ts: String,
}

/// One side of a modified entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// What it is.
    pub entry_type: EntryType,
    /// SHA-256 of the content, of a link's target.
    pub digest: Digest,
    /// Its size.
    pub size: u64,
    /// Its twelve permission bits, where the file system has them.
    pub mode: Option<u16>,
}

/// One net effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Something stands where nothing stood.
    Created {
        /// Where.
        path: RepoPath,
        /// What.
        side: Side,
        /// Where a link leads, if that could be read.
        target: Option<Text>,
    },
    /// Nothing stands where something stood.
    Deleted {
        /// Where.
        path: RepoPath,
        /// What it was.
        entry_type: EntryType,
        /// Its content.
        digest: Digest,
    },
    /// Only the permissions changed.
    MetadataModified {
        /// Where.
        path: RepoPath,
        /// The permissions before.
        before: u16,
        /// The permissions after.
        after: u16,
    },
    /// The content changed, or what kind of entry it is.
    Modified {
        /// Where.
        path: RepoPath,
        /// What it was.
        before: Side,
        /// What it is.
        after: Side,
    },
    /// The same content stands elsewhere.
    Renamed {
        /// Where it stands.
        path: RepoPath,
        /// Where it stood.
        path_before: RepoPath,
        /// The content.
        digest: Digest,
        /// Its size.
        size: u64,
    },
}

impl Effect {
    /// The type of its record.
    pub fn name(&self) -> &'static str {
        match self {
            Effect::Created { .. } => "file.created",
            Effect::Deleted { .. } => "file.deleted",
            Effect::MetadataModified { .. } => "file.metadata_modified",
            Effect::Modified { .. } => "file.modified",
            Effect::Renamed { .. } => "file.renamed",
        }
    }

    /// The path that it is about.
    pub fn path(&self) -> &RepoPath {
        match self {
            Effect::Created { path, .. }
            | Effect::Deleted { path, .. }
            | Effect::MetadataModified { path, .. }
            | Effect::Modified { path, .. }
            | Effect::Renamed { path, .. } => path,
        }
    }

    /// Where a renamed entry stood.
    pub fn path_before(&self) -> Option<&RepoPath> {
        match self {
            Effect::Renamed { path_before, .. } => Some(path_before),
            _ => None,
        }
    }
}

/// A net effect and when it was detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub effect: Effect,
    /// When it was detected, which is not when it happened.
    pub ts: String,
}

/// The last record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// The exit code of the command.
    pub exit_code: i64,
    /// How long it took, in seconds.
    pub duration_s: Number,
    /// When the effects were detected.
    pub ts: String,
}

/// A whole session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// The first record.
    pub started: Started,
    /// The net effects, in their order.
    pub events: Vec<Event>,
    /// The last record.
    pub finished: Finished,
}

impl Ledger {
    /// How many records it has.
    pub fn records(&self) -> usize {
        self.events.len() + 2
    }
}

/// A duration as a ledger has it: seconds, to the thousandth.
pub fn seconds(duration: std::time::Duration) -> Number {
    let millis = duration.as_micros().saturating_add(500) / 1000;
    #[expect(clippy::cast_precision_loss, reason = "a session of thousands of years may be off by a millisecond")]
    let seconds = millis as f64 / 1000.0;
    Number::from_f64(seconds).expect("a quotient of finite numbers is finite")
}

/// Permission bits as a ledger has them.
pub fn mode_text(mode: u16) -> String {
    format!("0{mode:03o}")
}

/// A digest as a ledger has it.
pub fn digest_text(digest: &Digest) -> String {
    digest::hex(digest)
}

/// A record that can be written down.
pub trait Record {
    /// The record without its place in the chain.
    fn object(&self) -> Object;
}

impl Record for Started {
    fn object(&self) -> Object {
        let object = Object::new()
            .text("type", "session.started")
            .text("id", &self.id)
            .text("actor", self.actor.as_bytes())
            .texts("command", self.command.iter().map(Text::as_bytes))
            .text("ts", &self.ts);
        match self.confinement {
            None => object.text("spec", "0.1"),
            Some(confinement) => object
                .text("spec", "0.2")
                .text("confinement_backend", confinement.backend.name())
                .text("confinement_profile", confinement.profile.name())
                .plain("confinement_signal_scope", &confinement.signal_scope),
        }
    }
}

impl Record for Event {
    fn object(&self) -> Object {
        let object = Object::new()
            .text("type", self.effect.name())
            .text("path", self.effect.path())
            .maybe("path_before", self.effect.path_before())
            .text("ts", &self.ts);
        match &self.effect {
            Effect::Created { side, target, .. } => object
                .text("entry_type", side.entry_type.name())
                .text("hash", digest::hex(&side.digest))
                .plain("size", &side.size)
                .maybe("mode", side.mode.map(mode_text))
                .maybe("target", target.as_ref().map(Text::as_bytes)),
            Effect::Deleted { entry_type, digest, .. } => {
                object.text("entry_type", entry_type.name()).text("hash_before", digest::hex(digest))
            }
            Effect::MetadataModified { before, after, .. } => {
                object.text("mode_before", mode_text(*before)).text("mode_after", mode_text(*after))
            }
            Effect::Modified { before, after, .. } => object
                .text("entry_type_before", before.entry_type.name())
                .text("entry_type_after", after.entry_type.name())
                .text("hash_before", digest::hex(&before.digest))
                .text("hash_after", digest::hex(&after.digest))
                .plain("size_before", &before.size)
                .plain("size_after", &after.size)
                .maybe("mode_before", before.mode.map(mode_text))
                .maybe("mode_after", after.mode.map(mode_text)),
            Effect::Renamed { digest, size, .. } => object.text("hash", digest::hex(digest)).plain("size", size),
        }
    }
}

impl Record for Finished {
    fn object(&self) -> Object {
        Object::new()
            .text("type", "session.finished")
            .text("outcome", self.outcome.name())
            .plain("exit_code", &self.exit_code)
            .plain("duration_s", &self.duration_s)
            .text("ts", &self.ts)
    }
}
