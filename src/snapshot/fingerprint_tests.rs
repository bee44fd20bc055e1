//! The fingerprint file read back, flipped, cut short and made up.

use proptest::prelude::*;

use super::*;
use crate::policy::path::RepoPath;

fn time() -> impl Strategy<Value = Time> {
    (any::<i64>(), 0_u32..1_000_000_000).prop_map(|(secs, nanos)| Time { secs, nanos })
}

fn stat() -> impl Strategy<Value = Stat> {
    let kind = prop_oneof![Just(Kind::File), Just(Kind::Symlink), Just(Kind::Directory), Just(Kind::Special)];
    (kind, 0_u16..0o10000, 1_u32..4, any::<u64>(), time(), time(), any::<u64>(), any::<u64>()).prop_map(
        |(kind, permissions, links, size, mtime, ctime, inode, device)| {
            if kind == Kind::Directory {
                let none = Time::default();
                Stat { kind, permissions, links: 1, size: 0, mtime: none, ctime: none, inode, device }
            } else {
                Stat { kind, permissions, links, size, mtime, ctime, inode, device }
            }
        },
    )
}

fn class() -> impl Strategy<Value = Class> {
    let id = prop_oneof![prop::collection::vec(any::<u8>(), 20), prop::collection::vec(any::<u8>(), 32)]
        .prop_map(|bytes| BlobId::from_bytes(&bytes).unwrap());
    prop_oneof![
        Just(Class::Unclassified),
        Just(Class::Ignored),
        id.clone().prop_map(Class::Tracked),
        id.prop_map(Class::Gitlink)
    ]
}

fn listing() -> impl Strategy<Value = Listing> {
    let name = prop::collection::vec(1_u8..=255, 1..12);
    let entries = prop::collection::btree_map(name, (stat(), class(), any::<Option<[u8; 32]>>()), 0..8);
    (prop::collection::vec(any::<u8>(), 0..20), any::<Option<String>>(), entries).prop_map(|(path, error, entries)| {
        let mut listing = Listing::new(RepoPath::new(path));
        listing.error = error;
        for (name, (stat, class, digest)) in entries {
            listing.push(&name, stat, class, digest);
        }
        listing
    })
}

fn fingerprint() -> impl Strategy<Value = Fingerprint> {
    (prop::collection::vec(any::<u8>(), 0..40), time(), prop::collection::vec(listing(), 0..6)).prop_map(
        |(control, tick, mut listings)| {
            listings.sort_by(|a, b| a.path.cmp(&b.path));
            listings.dedup_by(|a, b| a.path == b.path);
            Fingerprint { control, tick, snapshot: Snapshot::new(listings) }
        },
    )
}

/// The same content, whatever the capacity and the order in memory.
fn same(a: &Fingerprint, b: &Fingerprint) -> bool {
    encode(a).0 == encode(b).0
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(fingerprint in fingerprint()) {
        let (bytes, sum) = encode(&fingerprint);
        let (read, read_sum) = decode(&bytes).unwrap();
        prop_assert_eq!(&read.control, &fingerprint.control);
        prop_assert_eq!(read.tick, fingerprint.tick);
        prop_assert_eq!(read_sum, sum);
        prop_assert!(same(&read, &fingerprint));
        for (a, b) in read.snapshot.listings().iter().zip(fingerprint.snapshot.listings()) {
            prop_assert_eq!((&a.path, &a.error), (&b.path, &b.error));
            for (x, y) in a.entries().iter().zip(b.entries()) {
                prop_assert_eq!((a.name(x), x.stat, x.class, x.digest), (b.name(y), y.stat, y.class, y.digest));
            }
        }
    }

    #[test]
    fn any_flipped_or_missing_byte_is_noticed(fingerprint in fingerprint(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let (bytes, _) = encode(&fingerprint);
        let mut flipped = bytes.clone();
        flipped[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(decode(&flipped).is_err());
        prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
    }

    #[test]
    fn a_body_that_nobody_wrote_never_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = MAGIC.to_vec();
        bytes.push(1);
        bytes.extend_from_slice(&body);
        let sum = digest::sha256(&bytes);
        bytes.extend_from_slice(&sum);
        let _ = decode(&bytes);
    }
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = MAGIC.to_vec();
    bytes.push(2);
    assert_eq!(decode(&bytes), Err(Damage::Version(2)));
    assert_eq!(decode(b"something else"), Err(Damage::Foreign));
}
