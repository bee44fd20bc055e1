//! Blob ids, and objects that were tampered with.

use std::io::{Cursor, Write};

use cordon::error::Kind;
use cordon::git::blob;
use cordon::git::objects::Objects;
use gix::hash::Kind as HashKind;

use crate::sandbox::{Sandbox, gits};

const FORMATS: [(&str, HashKind); 2] = [("sha1", HashKind::Sha1), ("sha256", HashKind::Sha256)];

#[test]
fn ids_equal_gits() {
    for git in gits() {
        for (format, hash) in FORMATS {
            let sandbox = Sandbox::new(&git, format);
            for content in [b"".as_slice(), b"x", &vec![7; 200_000]] {
                let theirs = sandbox.git_with(&["hash-object", "-w", "--stdin"], content);
                let theirs = std::str::from_utf8(&theirs).expect("text").trim_end().to_owned();
                let ours = blob::id_of(hash, content).expect("an id");
                assert_eq!(ours.to_string(), theirs);
                let streamed = blob::id_of_reader(hash, &mut Cursor::new(content), content.len() as u64);
                assert_eq!(streamed.expect("an id"), ours);
                let objects = Objects::of(&sandbox.repo());
                assert_eq!(blob::read(&objects, &ours).expect("a blob"), content);
                assert_eq!(blob::stated_size(&objects, &ours).expect("a size"), content.len() as u64);
            }
        }
    }
}

#[test]
fn a_file_that_moves_is_an_error() {
    for (size, word) in [(4, "shrank"), (2, "grew")] {
        for error in [
            blob::id_of_reader(HashKind::Sha1, &mut Cursor::new(b"abc"), size).expect_err("another size"),
            blob::read_sized(&mut Cursor::new(b"abc"), size).expect_err("another size"),
        ] {
            assert_eq!(error.kind, Kind::Io);
            assert!(error.message.contains(word), "{}", error.message);
        }
    }
    assert_eq!(blob::read_sized(&mut Cursor::new(b"abc"), 3).expect("the bytes"), b"abc");
    assert!(blob::read_sized(&mut Cursor::new(b"abc"), u64::MAX).is_err());
}

#[test]
fn tampered_missing_and_foreign_objects_are_errors() {
    for git in gits() {
        for (format, _) in FORMATS {
            let sandbox = Sandbox::new(&git, format);
            sandbox.write("file", b"honest\n");
            sandbox.commit();
            let resolve = |name: &str| {
                let id = sandbox.git(&["rev-parse", name]);
                std::str::from_utf8(&id).expect("text").trim_end().parse::<gix::ObjectId>().expect("an id")
            };
            let (id, tree) = (resolve("HEAD:file"), resolve("HEAD^{tree}"));
            let hex = id.to_string();
            let evil = sandbox.git_with(&["hash-object", "-w", "--stdin"], b"forged\n");
            let evil = std::str::from_utf8(&evil).expect("text").trim_end();
            let loose = |hex: &str| sandbox.root().join(".git/objects").join(&hex[..2]).join(&hex[2..]);
            let honest = std::fs::read(loose(&hex)).expect("a loose object");

            let wrong_kind = blob::read(&sandbox.repo().objects, &tree).expect_err("a tree is no blob");
            assert!(wrong_kind.message.contains("not a blob"), "{}", wrong_kind.message);
            assert!(blob::stated_size(&sandbox.repo().objects, &tree).is_err());

            std::fs::remove_file(loose(&hex)).expect("removable");
            assert!(blob::read(&sandbox.repo().objects, &id).expect_err("gone").message.contains("missing"));
            assert!(blob::stated_size(&sandbox.repo().objects, &id).is_err());

            std::fs::copy(loose(evil), loose(&hex)).expect("copied");
            // Git itself does not notice.
            assert_eq!(sandbox.git(&["cat-file", "blob", &hex]), b"forged\n");
            let tampered = blob::read(&sandbox.repo().objects, &id).expect_err("forged");
            assert!(tampered.message.contains("damaged"), "{}", tampered.message);

            std::fs::remove_file(loose(&hex)).expect("removable");
            let mut file = std::fs::File::create(loose(&hex)).expect("a file");
            file.write_all(&honest[..honest.len() / 2]).expect("written");
            assert!(blob::read(&sandbox.repo().objects, &id).is_err());
        }
    }
}
