//! What changes between the moment it is listed and the moment it is read, made to happen just then.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::snapshot::entry::Class;

fn workspace(root: &Path) -> Workspace<'_> {
    Workspace { root, ignored: &[], stop: &|| false }
}

/// A snapshot that has seen `sub`, a directory, and could not read the directory `failed`.
fn failing(failed: &str) -> Snapshot {
    let mut top = Listing::new(RepoPath::default());
    top.push(b"sub", Stat::unknown(EntryKind::Directory), Class::Unclassified, None);
    let mut other = Listing::new(RepoPath::from(failed));
    other.error = Some("no luck".into());
    if failed.is_empty() {
        return Snapshot::new(vec![other]);
    }
    Snapshot::new(vec![top, other])
}

#[test]
fn a_directory_that_cannot_be_read_is_an_error_as_long_as_it_is_one() {
    let root = tempfile::tempdir().unwrap();
    let excuse = |snapshot: &mut Snapshot| workspace(root.path()).excuse(snapshot).map_err(|error| error.message);
    let sub = root.path().join("sub");
    fs::create_dir(&sub).unwrap();
    assert_eq!(excuse(&mut failing("sub")), Err("cannot read sub".into()));
    assert_eq!(excuse(&mut failing("")), Err("cannot read the workspace".into()));
    fs::remove_dir(&sub).unwrap();
    assert_eq!(excuse(&mut failing("sub")), Ok(()), "it is gone");
    assert_eq!(excuse(&mut failing("sub/below")), Ok(()), "what it was in is gone");
    symlink("elsewhere", &sub).unwrap();
    let mut snapshot = failing("sub");
    assert_eq!(excuse(&mut snapshot), Ok(()), "it is a link now");
    assert_eq!(snapshot.entry(b"sub").unwrap().stat.kind, EntryKind::Symlink);
    assert_eq!(excuse(&mut failing("")), Err("cannot read the workspace".into()));
}

#[test]
fn an_entry_is_read_as_what_it_is_by_now() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir(at("directory")).unwrap();
    fs::write(at("directory/file"), "abc").unwrap();
    symlink("directory", at("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let read = |directory: &str, name: &str, kind| {
        let place = Place { directory: Cow::Owned(directory.into()), name: name.as_bytes(), kind };
        let mut looks = workspace(root.path()).ask(&[place], look).unwrap();
        looks.pop().unwrap().map(|look| (look.stat.kind, look.digest, look.stat.size))
    };
    let file = Some((EntryKind::File, digest::sha256(b"abc"), 3));
    let link = Some((EntryKind::Symlink, digest::sha256(b"directory"), 9));
    assert_eq!(read("directory", "file", EntryKind::File), file);
    assert_eq!(read("", "link", EntryKind::Symlink), link);
    assert_eq!(read("", "link", EntryKind::File), link, "a file became a link");
    assert_eq!(read("directory", "file", EntryKind::Symlink), None, "a link became a file");
    for name in ["directory", "pipe", "nothing"] {
        assert_eq!(read("", name, EntryKind::File), None, "{name}");
        assert_eq!(read("", name, EntryKind::Symlink), None, "{name}");
    }
    assert_eq!(read("link", "file", EntryKind::File), None, "a directory became a link, which leads nowhere");
    assert_eq!(read("nothing/below", "file", EntryKind::File), None);
}

#[test]
fn a_look_that_is_given_up_says_so() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "abc").unwrap();
    let stopped = Workspace { stop: &|| true, ..workspace(root.path()) };
    assert!(stopped.before(Time::default()).is_err_and(|error| error.kind == Kind::Snapshot));
}

#[test]
fn what_may_have_been_written_through_memory_is_read_again() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "abc").unwrap();
    let late = Time { secs: i64::MAX, nanos: 0 };
    let mut before = workspace(root.path()).before(late).unwrap();
    let entry = before.snapshot.entry_mut(b"file").unwrap();
    // As if the content had been another one under the same stat.
    entry.digest = Some(digest::sha256(b"abd"));
    assert_eq!(workspace(root.path()).after(&before).unwrap(), [], "its stat vouches for it");
    before.mapped.insert("file".into());
    assert_eq!(workspace(root.path()).after(&before).unwrap().len(), 1);
    before.mapped.clear();
    before.tick = Time::default();
    assert_eq!(workspace(root.path()).after(&before).unwrap().len(), 1, "a racy file is read again");
}
