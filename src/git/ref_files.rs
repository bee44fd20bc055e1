//! All refs as their files say, packed and loose: read once, relative to directory descriptors, no object opened.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use gix::ObjectId;
use rustix::fs::{FileType, RawDir};

use super::files;
use super::locate::Location;
use crate::error::Result;
use crate::snapshot::{digest, open};

/// How deep refs may lie.
const DEPTH: usize = 64;

/// How many bytes of directory entries are asked for at once.
const BUFFER: usize = 8 * 1024;

/// How a ref begins that names another one.
const SYMBOLIC: &[u8] = b"ref: ";

/// What the refs of a repository say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefFiles {
    /// Each ref with what it says: an object in hex, `ref: ` and another ref, or `link: ` and the target of a link in
    /// its place. A loose one stands for the packed one of its name.
    pub all: BTreeMap<Vec<u8>, Vec<u8>>,
    /// What `packed-refs` says that tags peel to.
    pub peeled: Vec<Peeled>,
    /// SHA-256 of `packed-refs`; `None` when there is none.
    pub packed_sha256: Option<String>,
}

/// One line of `packed-refs` that says what the tag before it peels to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peeled {
    /// The ref.
    pub name: Vec<u8>,
    /// The object that it names there, in hex.
    pub packed: Vec<u8>,
    /// What it is said to peel to, in hex.
    pub to: Vec<u8>,
}

/// Reads them.
pub fn read(location: &Location) -> Result<RefFiles> {
    let mut refs = RefFiles::default();
    if let Some(packed) = files::read(&location.common_dir.join("packed-refs"))? {
        refs.packed(&packed);
        refs.packed_sha256 = Some(digest::hex(&digest::sha256(&packed)));
    }
    refs.loose(&location.common_dir);
    if location.git_dir != location.common_dir {
        // Refs that a linked work tree has for itself, such as those of a bisection.
        refs.loose(&location.git_dir);
    }
    Ok(refs)
}

impl RefFiles {
    /// The object that a ref names, also by way of other refs; `None` when it names none.
    pub fn object(&self, name: &[u8]) -> Option<ObjectId> {
        let mut value = self.all.get(name)?;
        for _ in 0..DEPTH {
            match value.strip_prefix(SYMBOLIC) {
                Some(target) => value = self.all.get(target.trim_ascii())?,
                None => return ObjectId::from_hex(value).ok(),
            }
        }
        None
    }

    /// Whether a ref is another name of something else: a symbolic ref, or a link in the place of its file.
    pub fn is_alias(&self, name: &[u8]) -> bool {
        self.all.get(name).is_some_and(|value| ObjectId::from_hex(value.trim_ascii()).is_err())
    }

    fn packed(&mut self, bytes: &[u8]) {
        let mut last: Option<(Vec<u8>, Vec<u8>)> = None;
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Some(peeled) = line.strip_prefix(b"^") {
                let to = peeled.trim_ascii_end().to_vec();
                self.peeled.extend(last.take().map(|(name, packed)| Peeled { name, packed, to }));
                continue;
            }
            let Some(space) = line.iter().position(|byte| *byte == b' ').filter(|_| !line.starts_with(b"#")) else {
                continue;
            };
            let name = line[space + 1..].trim_ascii_end().to_vec();
            last = Some((name.clone(), line[..space].to_vec()));
            self.all.insert(name, line[..space].to_vec());
        }
    }

    fn loose(&mut self, git_dir: &Path) {
        let place = git_dir.join("refs");
        match open::root(&place) {
            Ok(fd) => self.directory(&fd, b"refs", DEPTH),
            Err(_) if std::fs::symlink_metadata(&place).is_ok() => self.unreadable(b"refs".to_vec()),
            Err(_) => {}
        }
    }

    fn directory(&mut self, fd: &OwnedFd, name: &[u8], depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return self.unreadable(name.to_vec()) };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut entries = RawDir::new(fd, &mut buffer);
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else { return self.unreadable(name.to_vec()) };
            let file_name = entry.file_name().to_bytes();
            if file_name == b"." || file_name == b".." || file_name.ends_with(b".lock") {
                continue;
            }
            let full = [name, b"/", file_name].concat();
            let kind = match entry.file_type() {
                FileType::Unknown => open::stat(fd, file_name).map_or(FileType::Unknown, |stat| file_type(stat.kind)),
                kind => kind,
            };
            match kind {
                FileType::Directory => match open::directory(fd, file_name) {
                    Ok(inner) => self.directory(&inner, &full, depth),
                    Err(_) => self.unreadable(full),
                },
                FileType::Symlink => {
                    let target = open::link(fd, file_name).unwrap_or_default();
                    self.all.insert(full, [b"link: ".as_slice(), &target].concat());
                }
                _ => match content(fd, file_name) {
                    Some(bytes) => drop(self.all.insert(full, bytes)),
                    None => self.unreadable(full),
                },
            }
        }
    }

    fn unreadable(&mut self, name: Vec<u8>) {
        self.all.insert(name, b"cannot be read".to_vec());
    }
}

fn file_type(kind: crate::snapshot::entry::Kind) -> FileType {
    use crate::snapshot::entry::Kind;
    match kind {
        Kind::Directory => FileType::Directory,
        Kind::Symlink => FileType::Symlink,
        Kind::File => FileType::RegularFile,
        Kind::Special => FileType::Fifo,
    }
}

/// What a small file says, with as few system calls as can be, because there may be thousands of them.
fn content(parent: &OwnedFd, name: &[u8]) -> Option<Vec<u8>> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(parent, name, flags, Mode::empty()).ok()?;
    let mut buffer = [0; 1024];
    // A FIFO without a writer reads as empty, and no ref is empty.
    let read = rustix::io::read(&fd, &mut buffer).ok().filter(|read| (1..buffer.len()).contains(read))?;
    Some(buffer[..read].trim_ascii_end().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_ones_stand_for_packed_ones_and_links_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("refs/heads/deep")).unwrap();
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        std::fs::write(at("packed-refs"), format!("# pack-refs\n{one} refs/heads/a\n{one} refs/tags/v\n^{two}\n"))
            .unwrap();
        std::fs::write(at("refs/heads/a"), format!("{two}\n")).unwrap();
        std::fs::write(at("refs/heads/a.lock"), "").unwrap();
        std::fs::write(at("refs/heads/deep/s"), "ref: refs/heads/a\n").unwrap();
        std::fs::write(at("refs/heads/empty"), "").unwrap();
        std::os::unix::fs::symlink("a", at("refs/heads/l")).unwrap();
        let place = directory.path().to_path_buf();
        let location = Location { root: place.clone(), git_dir: place.clone(), common_dir: place };
        let refs = read(&location).unwrap();
        let said: Vec<(String, String)> = refs
            .all
            .iter()
            .map(|(name, value)| (String::from_utf8_lossy(name).into(), String::from_utf8_lossy(value).into()))
            .collect();
        let row = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            said,
            [
                row("refs/heads/a", &two),
                row("refs/heads/deep/s", "ref: refs/heads/a"),
                row("refs/heads/empty", "cannot be read"),
                row("refs/heads/l", "link: a"),
                row("refs/tags/v", &one),
            ]
        );
        let (name, packed, to) = (b"refs/tags/v".to_vec(), one.into_bytes(), two.clone().into_bytes());
        assert_eq!(refs.peeled, [Peeled { name, packed, to }]);
        assert_eq!(refs.object(b"refs/heads/deep/s").unwrap().to_string(), two);
        assert_eq!(refs.object(b"refs/heads/l"), None);
    }
}
