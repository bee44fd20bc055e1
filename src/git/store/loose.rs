//! Loose objects: each a file that is named for the hash of its content.

use std::path::Path;

use gix::ObjectId;
use gix::hash::Kind;
use gix::odb::loose::Store;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use super::check::Forged;
use crate::snapshot::entry::Time;
use crate::snapshot::parallel;

/// What the loose objects of one store show.
#[derive(Default)]
pub struct Loose {
    /// Those that are not what their names say.
    pub forged: Vec<Forged>,
    /// Whether names came or went since arm.
    pub changed: bool,
}

/// Looks at all loose objects, and reads those that were written or touched in the clock tick `tick` or later.
pub fn check(directory: &Path, hash: Kind, tick: Time) -> Loose {
    let fans: Vec<String> = (0..=255_u8).map(|byte| format!("{byte:02x}")).collect();
    let present: Vec<String> = match names(directory) {
        Some(names) => fans.into_iter().filter(|fan| names.binary_search(&fan.clone().into_bytes()).is_ok()).collect(),
        None => fans,
    };
    let store = Store::at(directory, hash);
    let looked = parallel::map(&present, &mut (), || (), |(), fan| fan_out(directory, fan, &store, tick));
    let mut all = Loose { changed: changed(directory, tick), ..Loose::default() };
    for looked in looked {
        all.changed |= looked.changed;
        all.forged.extend(looked.forged);
    }
    all
}

/// One of the 256 directories.
fn fan_out(directory: &Path, fan: &str, store: &Store, tick: Time) -> Loose {
    let below = directory.join(fan);
    let mut loose = Loose { changed: changed(&below, tick), ..Loose::default() };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(CWD, &below, flags, Mode::empty()) else { return loose };
    let Ok(entries) = Dir::read_from(&fd) else { return loose };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().ok().and_then(|rest| ObjectId::from_hex(format!("{fan}{rest}").as_bytes()).ok())
        else {
            continue;
        };
        let Ok(stat) = rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if regular && time(&stat) < tick {
            continue;
        }
        let what = if regular { damage(store, id) } else { Some("is no regular file".to_owned()) };
        let file = below.join(name.to_str().unwrap_or_default());
        loose.forged.extend(what.map(|what| Forged { file, id: Some(id), what }));
    }
    loose
}

/// What is wrong with the content of a loose object, if anything is.
fn damage(store: &Store, id: ObjectId) -> Option<String> {
    let mut buffer = Vec::new();
    match store.try_find(&id, &mut buffer) {
        // It went away meanwhile, as in a gc.
        Ok(None) => None,
        Ok(Some(object)) => object.verify_checksum(&id).err().map(|_| "its content has another hash".to_owned()),
        Err(error) => Some(format!("it cannot be read ({error})")),
    }
}

/// The names in a directory, sorted; `None` where it cannot be listed.
fn names(directory: &Path) -> Option<Vec<Vec<u8>>> {
    let entries = std::fs::read_dir(directory).ok()?;
    let mut names: Vec<Vec<u8>> = entries.flatten().map(|entry| entry.file_name().into_encoded_bytes()).collect();
    names.sort_unstable();
    Some(names)
}

/// Whether names came to a directory or went from it in the clock tick `tick` or later, or it is gone.
pub fn changed(directory: &Path, tick: Time) -> bool {
    rustix::fs::statat(CWD, directory, AtFlags::SYMLINK_NOFOLLOW).map_or(true, |stat| time(&stat) >= tick)
}

/// The time of the last change, which no program can set.
pub fn time(stat: &rustix::fs::Stat) -> Time {
    Time { secs: stat.st_ctime, nanos: u32::try_from(stat.st_ctime_nsec).unwrap_or(u32::MAX) }
}
