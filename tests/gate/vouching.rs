//! What the index says about a file counts at arm only where it agrees with the file to the nanosecond, and a rehash
//! believes none of it. The index is forged here byte by byte.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

use crate::common::sandbox::Sandbox;

/// Where the fields of the first entry stand, behind twelve bytes of header: numbers of four bytes, big end first.
const CTIME: usize = 12;
const CTIME_NANOS: usize = 16;
const MTIME: usize = 20;
const MTIME_NANOS: usize = 24;
const INODE: usize = 32;
const SIZE: usize = 48;

/// What is done to the index.
type Forge = fn(&mut Vec<u8>);

/// A repository with one file that was edited, with an index that says that it was not.
fn forged(content: &str, forge: Forge) -> Sandbox {
    let sandbox = Sandbox::unborn();
    sandbox.write("config.yml", "mode: safe\n");
    sandbox.commit("base");
    sandbox.write("config.yml", content);
    let old = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
    File::options().write(true).open(sandbox.at("config.yml")).unwrap().set_modified(old).unwrap();
    // The clock moves on, so that nothing is racy.
    std::thread::sleep(Duration::from_millis(1100));
    let stat = fs::metadata(sandbox.at("config.yml")).unwrap();
    let path = sandbox.at(".git/index");
    let mut index = fs::read(&path).unwrap();
    assert_eq!((&index[..4], index[11]), (&b"DIRC"[..], 1), "one entry, where these tests look for it");
    for (at, value) in [
        (CTIME, stat.ctime()),
        (CTIME_NANOS, stat.ctime_nsec()),
        (MTIME, stat.mtime()),
        (MTIME_NANOS, stat.mtime_nsec()),
        (INODE, stat.ino().cast_signed()),
        (SIZE, stat.size().cast_signed()),
    ] {
        put(&mut index, at, value);
    }
    forge(&mut index);
    // No checksum is one that Git and Cordon take as it is.
    let end = index.len() - 20;
    index[end..].fill(0);
    fs::write(path, index).unwrap();
    sandbox
}

fn put(index: &mut [u8], at: usize, value: i64) {
    let low = u32::try_from(value & 0xffff_ffff).unwrap();
    index[at..at + 4].copy_from_slice(&low.to_be_bytes());
}

fn add(index: &mut [u8], at: usize) {
    let old = u32::from_be_bytes(index[at..at + 4].try_into().unwrap());
    index[at..at + 4].copy_from_slice(&old.wrapping_add(1).to_be_bytes());
}

#[test]
fn an_entry_that_does_not_agree_to_the_nanosecond_is_read() {
    let forgeries: &[(&str, Forge)] = &[
        ("mtime by a nanosecond", |index| add(index, MTIME_NANOS)),
        ("ctime by a nanosecond", |index| add(index, CTIME_NANOS)),
        ("ctime by a second", |index| add(index, CTIME)),
        ("inode", |index| add(index, INODE)),
        ("size", |index| add(index, SIZE)),
        ("size of a racy entry", |index| put(index, SIZE, 0)),
        ("no nanoseconds at all", |index| {
            put(index, MTIME_NANOS, 0);
            put(index, CTIME_NANOS, 0);
        }),
    ];
    for (what, forge) in forgeries {
        eprintln!("{what}");
        forged("mode: evil\n", *forge).arm(&["--allow", "src/**"]).refused().says(&["dirty", "config.yml"]);
        // The twin: the content is the committed one, whatever the entry says.
        let sandbox = forged("mode: safe\n", *forge);
        let armed = sandbox.arm(&["--allow", "src/**"]).ok().json();
        assert_eq!(armed["fingerprint"]["hashed"], 1, "{what}");
        sandbox.cordon(&["check", "--rehash"]).ok();
    }
}

#[test]
fn a_rehash_believes_no_stat_even_where_the_index_was_forged_to_the_nanosecond() {
    let sandbox = forged("mode: evil\n", |_| ());
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.cordon(&["check", "--rehash"]).violates(&["path outside policy: config.yml"]);
    let sandbox = forged("mode: safe\n", |_| ());
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.cordon(&["check", "--rehash"]).ok();
}
