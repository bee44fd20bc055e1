//! Packs, their indexes, and the index over several of them: which object lies where.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::hash::Kind;
use gix::odb::pack::{self, Bundle};
use rustix::fs::{AtFlags, CWD, FileType};
use serde::{Deserialize, Serialize};

use super::super::files;
use super::baseline::Baseline;
use super::check::Forged;
use super::loose;
use crate::error::{Error, Result};
use crate::policy::text::Text;
use crate::snapshot::digest;
use crate::snapshot::entry::Time;
use crate::snapshot::parallel;

/// The name of the index over several packs.
const MULTI: &str = "multi-pack-index";

/// How much of a file is read at a time.
const CHUNK: usize = 256 * 1024;

/// One file of a pack directory as it stood at arm: its own checksum, which Git writes at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// The file.
    pub file: Text,
    /// The checksum over the rest of it, in hex.
    pub sum: String,
}

/// What the packs of one store show.
#[derive(Default)]
pub struct Packed {
    /// Files that cannot be believed.
    pub forged: Vec<Forged>,
    /// Whether packs came or went since arm.
    pub changed: bool,
}

/// What is kept of the packs of one store.
pub fn seal(directory: &Path, hash: Kind) -> Result<Vec<Sealed>> {
    let mut sealed = Vec::new();
    for file in list(directory) {
        if let Some(sum) = trailer(&file, hash)? {
            sealed.push(Sealed { file: Text::from_bytes(file.as_os_str().as_encoded_bytes()), sum });
        }
    }
    Ok(sealed)
}

/// Looks at all packs, and reads those that were written or touched in the clock tick `tick` or later. A pack of arm that
/// was only touched has its old content; of any other each object of the baseline is hashed again.
pub fn check(
    directory: &Path,
    hash: Kind,
    tick: Time,
    sealed: &[Sealed],
    baseline: &mut Baseline<'_>,
) -> Result<Packed> {
    let mut packed = Packed { changed: loose::changed(&directory.join("pack"), tick), ..Packed::default() };
    let (mut new, mut multi) = (Vec::new(), None);
    for file in list(directory).into_iter().filter(|file| is_young(file, tick)) {
        let known = sealed.iter().find(|known| known.file.as_bytes() == file.as_os_str().as_encoded_bytes());
        let same = match known {
            Some(known) => whole_sum(&file, hash)?.as_ref() == Some(&known.sum),
            None => false,
        };
        match (same, file.extension().and_then(|extension| extension.to_str())) {
            (true, _) => {}
            // A pack is named for what is in it, so nobody writes another content under an old name.
            (false, Some("pack")) if known.is_some() => {
                packed.forged.push(Forged { file, id: None, what: "a pack of arm was overwritten".to_owned() });
            }
            (false, Some("pack")) => new.push(file.with_extension("idx")),
            (false, Some("idx")) => new.push(file),
            (false, _) => multi = Some(file),
        }
    }
    new.sort();
    new.dedup();
    // A pack that is still being written has no index yet, and nobody reads it.
    for index in new.into_iter().filter(|index| index.is_file()) {
        packed.forged.extend(pack(&index, hash, baseline)?);
    }
    if let Some(multi) = multi {
        packed.forged.extend(over_several(&multi, hash, baseline)?);
    }
    Ok(packed)
}

/// The files of a pack directory that decide where objects are found.
fn list(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory.join("pack")) else { return Vec::new() };
    let wanted = |file: &PathBuf| {
        file.extension().is_some_and(|extension| extension == "pack" || extension == "idx")
            || file.file_name().is_some_and(|name| name == MULTI)
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(wanted).collect();
    files.sort();
    files
}

fn is_young(file: &Path, tick: Time) -> bool {
    rustix::fs::statat(CWD, file, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || loose::time(&stat) >= tick)
}

/// The checksum at the end of a file, in hex; `None` where the file is gone or too short.
fn trailer(file: &Path, hash: Kind) -> Result<Option<String>> {
    let Some(mut open) = files::open(file)? else { return Ok(None) };
    let mut sum = vec![0; hash.len_in_bytes()];
    let from = -i64::try_from(sum.len()).expect("a hash is short");
    Ok(open.seek(SeekFrom::End(from)).and_then(|_| open.read_exact(&mut sum)).ok().map(|()| digest::hex(&sum)))
}

/// The checksum at the end of a file where it is that of the rest of the file, in hex.
fn whole_sum(file: &Path, hash: Kind) -> Result<Option<String>> {
    let Some(open) = files::open(file)? else { return Ok(None) };
    let io = |error: std::io::Error| Error::io(format!("cannot read {}", files::plain(file)), error);
    let length = open.metadata().map_err(io)?.len();
    let Some(mut left) = length.checked_sub(hash.len_in_bytes() as u64) else { return Ok(None) };
    let mut hasher = gix::hash::hasher(hash);
    let mut rest: File = open;
    let mut buffer = vec![0; CHUNK];
    while left > 0 {
        let wanted = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
        rest.read_exact(&mut buffer[..wanted]).map_err(io)?;
        hasher.update(&buffer[..wanted]);
        left -= wanted as u64;
    }
    let sum = hasher.try_finalize().ok().map(|sum| digest::hex(sum.as_bytes()));
    Ok(if sum == trailer(file, hash)? { sum } else { None })
}

/// Hashes the objects of the baseline again that a new pack holds.
fn pack(index: &Path, hash: Kind, baseline: &mut Baseline<'_>) -> Result<Vec<Forged>> {
    let regular = files::require_regular(&index.with_extension("pack")).is_ok();
    let Some(bundle) = regular.then(|| Bundle::at(index, hash).ok()).flatten() else {
        let what = "a new pack cannot be read".to_owned();
        return Ok(vec![Forged { file: index.to_path_buf(), id: None, what }]);
    };
    let held: Vec<ObjectId> = baseline.ids()?.iter().filter(|id| bundle.index.lookup(id).is_some()).copied().collect();
    let worker = || (gix::zlib::Inflate::default(), Vec::new());
    let verified = parallel::map(&held, &mut worker(), worker, |(inflate, buffer), id| {
        let mut cache = pack::cache::Never;
        let found = bundle.find(id, buffer, inflate, &mut cache);
        found.is_ok_and(|found| found.is_some_and(|(object, _)| object.verify_checksum(id).is_ok()))
    });
    let forged = held.into_iter().zip(verified).filter(|(_, good)| !good).map(|(id, _)| Forged {
        file: index.with_extension("pack"),
        id: Some(id),
        what: format!("what it holds as {id} has another hash"),
    });
    Ok(forged.take(1).collect())
}

/// Whether an index over several packs finds the objects of the baseline where the packs' own indexes find them.
fn over_several(file: &Path, hash: Kind, baseline: &mut Baseline<'_>) -> Result<Vec<Forged>> {
    let forged = |what: String| Ok(vec![Forged { file: file.to_path_buf(), id: None, what }]);
    let regular = files::require_regular(file).is_ok();
    let Some(multi) = regular.then(|| pack::multi_index::File::at(file, None).ok()).flatten() else {
        return forged("it cannot be read".to_owned());
    };
    let mut indexes: HashMap<PathBuf, Option<pack::index::File>> = HashMap::new();
    for id in baseline.ids()? {
        let Some(entry) = multi.lookup(id) else { continue };
        let place = multi.pack_id_and_pack_offset_at_index(entry).ok().and_then(|(pack, offset)| {
            let name = multi.index_names().get(usize::try_from(pack).ok()?)?;
            Some((file.with_file_name(name), offset))
        });
        let agreed = place.is_some_and(|(path, offset)| {
            let index = indexes.entry(path).or_insert_with_key(|path| pack::index::File::at(path, hash).ok());
            let own = index.as_ref().and_then(|index| Some(index.pack_offset_at_index(index.lookup(id)?)));
            own == Some(offset)
        });
        if !agreed {
            return forged(format!("it leads to another place for {id} than the pack's own index"));
        }
    }
    Ok(Vec::new())
}
