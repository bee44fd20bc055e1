//! Damaged state: any byte of any file under `.cordon/`.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

/// The files that Cordon keeps; the last one is only there after a check.
const FILES: &[&str] = &["config.json", "state.json", "fingerprint", "audit.json"];

/// An armed project with a change outside the envelope, which no damage may turn into an accept.
fn violated() -> Sandbox {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    sandbox.check().rejected();
    for file in FILES {
        assert!(sandbox.at(".cordon").join(file).is_file(), "{file} is missing after a check");
    }
    sandbox
}

/// Puts `.cordon/` back from a copy, byte by byte.
fn copy(from: &Path, to: &Path) {
    fs::remove_dir_all(to).ok();
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Damages `file` with `damage` and expects that nothing accepts, that `status` ends, and that `reset` repairs.
fn survives(sandbox: &Sandbox, kept: &Path, file: &str, damage: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let state = sandbox.at(".cordon");
    copy(kept, &state);
    let path = state.join(file);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, damage(bytes)).unwrap();
    sandbox.check().never_accepts();
    let _ = sandbox.cordon(&["status"]).orderly();
}

#[test]
fn a_truncated_file_is_never_an_accept() {
    let sandbox = violated();
    let kept = sandbox.outside().join("kept");
    copy(&sandbox.at(".cordon"), &kept);
    for file in FILES {
        let length = fs::read(kept.join(file)).unwrap().len();
        let steps = (length / 12).max(1);
        for end in (0..length).step_by(steps).chain([1, length - 1]) {
            survives(&sandbox, &kept, file, |bytes| bytes[..end].to_vec());
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_never_an_accept() {
    let sandbox = violated();
    let kept = sandbox.outside().join("kept");
    copy(&sandbox.at(".cordon"), &kept);
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let damage = (0..FILES.len(), any::<Index>(), 0..8u8);
    runner
        .run(&damage, |(file, at, bit)| {
            survives(&sandbox, &kept, FILES[file], |mut bytes| {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
                bytes
            });
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_missing_or_replaced_file_is_refused_and_reset_clears_it() {
    for file in &FILES[..3] {
        let damages: &[fn(&Path)] = &[
            |path| fs::remove_file(path).unwrap(),
            |path| fs::write(path, "").unwrap(),
            |path| fs::write(path, "{}").unwrap(),
            |path| fs::write(path, "[".repeat(100_000)).unwrap(),
            |path| {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
            },
            |path| {
                fs::remove_file(path).unwrap();
                std::os::unix::fs::symlink("/dev/zero", path).unwrap();
            },
        ];
        for damage in damages {
            let sandbox = Sandbox::armed();
            damage(&sandbox.at(".cordon").join(file));
            sandbox.check().refused().says(&["reset"]);
            // The anchor keeps that the envelope was reset; nothing else may change.
            let picture = || {
                let mut all = picture(sandbox.outside());
                assert!(all.remove(&sandbox.at(".git/cordon.anchor")).is_some(), "the reset left no trace");
                all
            };
            let before = picture();
            sandbox.cordon(&["reset"]).ok();
            assert!(!sandbox.at(".cordon").exists(), "{file} is left");
            assert_untouched(&before, &picture());
            sandbox.arm(&["--allow", "**"]).ok();
        }
    }
}

#[test]
fn the_whole_directory_gone_or_no_directory_never_accepts() {
    let damages: &[fn(&Path)] = &[
        |path| fs::remove_dir_all(path).unwrap(),
        |path| {
            fs::remove_dir_all(path).unwrap();
            fs::write(path, "").unwrap();
        },
        |path| {
            fs::rename(path, path.with_file_name("elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", path).unwrap();
        },
    ];
    for damage in damages {
        let sandbox = Sandbox::armed();
        sandbox.append("README.md", "more\n");
        damage(&sandbox.at(".cordon"));
        sandbox.check().never_accepts();
        let _ = sandbox.cordon(&["status"]).orderly();
        sandbox.cordon(&["reset"]).ok();
    }
}

#[test]
fn reset_follows_no_link_out_of_its_directory() {
    let sandbox = Sandbox::armed();
    let treasure = sandbox.outside().join("treasure");
    fs::create_dir(&treasure).unwrap();
    fs::write(treasure.join("gold"), "1").unwrap();
    std::os::unix::fs::symlink(&treasure, sandbox.at(".cordon/link")).unwrap();
    sandbox.cordon(&["reset"]).ok();
    assert!(treasure.join("gold").exists());
    fs::rename(&treasure, sandbox.outside().join("moved")).unwrap();
    std::os::unix::fs::symlink(sandbox.outside().join("moved"), sandbox.at(".cordon")).unwrap();
    let _ = sandbox.cordon(&["reset"]);
    assert!(sandbox.outside().join("moved/gold").exists(), "reset emptied a directory behind a link");
}
