//! Keys and signatures: whoever holds the public key can tell a statement of the private one from any other.

use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::trail::{Fault, Trail};
use crate::error::{Error, Result};
use crate::git::files::{self, plain};
use crate::ledger::dsse::{PrivateKey, PublicKey};
use crate::ledger::statement::MEDIA_TYPE;
use crate::ledger::store::Beside;

/// The name of the signed statement beside a ledger.
const SIGNED: &str = "statement.dsse.json";

/// What the file of a public key ends with.
const PUBLIC: &str = ".pub";

/// Writes a new pair of keys: the private one to `path`, for its owner alone, and the public one beside it. Gives back
/// where that is, and the name of the key.
pub fn keygen(path: &Path) -> Result<(PathBuf, String)> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| Error::refused(format!("no random numbers: {error}")))?;
    let key = PrivateKey::new(&secret);
    let mut name = path.as_os_str().to_owned();
    name.push(PUBLIC);
    let public = PathBuf::from(name);
    if std::fs::symlink_metadata(&public).is_ok() {
        return Err(Error::refused(format!("{} is there already", plain(&public))).hint("Give another name."));
    }
    create(path, key.encode().as_bytes(), 0o600)?;
    create(&public, key.public().encode().as_bytes(), 0o644)?;
    Ok((public, key.public().id()))
}

/// Signs the statement of a session that is whole. Gives back the name of the key.
pub fn sign(trail: &Trail, id: &str, key: &Path) -> Result<String> {
    let bytes = files::read(key)?.ok_or_else(|| missing(key))?;
    let signer = PrivateKey::decode(&bytes).ok_or_else(|| no_key(key, "private"))?;
    let shared = std::fs::metadata(key).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
    if shared {
        return Err(Error::refused(format!("{} can be read by others", plain(key)))
            .hint("A private key is for its owner alone: chmod 600, or make a new one."));
    }
    let whole =
        trail.whole(id).map_err(|fault| Error::refused(format!("session {id} is not intact: {}", fault.reason)))?;
    let statement = whole
        .statement
        .ok_or_else(|| Error::refused(format!("session {id} holds no check, so there is no statement to sign")))?;
    let bytes = signer.sign(MEDIA_TYPE, &statement);
    trail.store.add(id, &Beside { name: SIGNED, bytes: &bytes, mode: 0o644 })?;
    Ok(signer.public().id())
}

/// Checks the signature of a session; `statement` is what stands beside its ledger.
pub fn check(trail: &Trail, id: &str, statement: Option<&[u8]>, key: &PublicKey) -> Result<(), Fault> {
    let fault = |reason: String| Fault { session: Some(id.to_owned()), record: None, reason };
    let signed = trail.store.file(id, SIGNED).map_err(|error| fault(error.message))?;
    let signed = signed.ok_or_else(|| fault("it is not signed".into()))?;
    let payload = key.open(MEDIA_TYPE, &signed).map_err(|why| fault(format!("its {SIGNED} {why}")))?;
    if Some(&*payload) == statement { Ok(()) } else { Err(fault("what was signed is another statement".into())) }
}

/// Reads a public key.
pub fn public_key(path: &Path) -> Result<PublicKey> {
    let bytes = files::read(path)?.ok_or_else(|| missing(path))?;
    PublicKey::decode(&bytes).ok_or_else(|| no_key(path, "public"))
}

fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    opened.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all())).map_err(|error| {
        Error::io(format!("cannot write {}", plain(path)), error).hint("Nothing that exists is written over.")
    })
}

fn missing(path: &Path) -> Error {
    Error::usage(format!("{} is missing", plain(path))).hint("cordon ledger keygen FILE makes a pair of keys.")
}

fn no_key(path: &Path, which: &str) -> Error {
    Error::usage(format!("{} is no {which} key", plain(path)))
        .hint("cordon ledger keygen FILE writes FILE and FILE.pub.")
}
