//! The object store: what was overwritten under its old id, doubled in a pack, or lost. Git hashes nothing again when it
//! reads, so each of these would come back with the next checkout.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// The id that a revision has.
#[track_caller]
fn id(sandbox: &Sandbox, revision: &str) -> String {
    String::from_utf8(sandbox.git(&["rev-parse", revision]).ok().stdout).unwrap().trim().to_owned()
}

fn loose(sandbox: &Sandbox, id: &str) -> PathBuf {
    sandbox.at(format!(".git/objects/{}/{}", &id[..2], &id[2..]))
}

/// Stores a blob and gives back its id.
#[track_caller]
fn store(sandbox: &Sandbox, content: &str) -> String {
    let command = sandbox.git_command(&["hash-object", "-w", "--stdin"]);
    String::from_utf8(run(command, content.as_bytes(), PATIENCE).ok().stdout).unwrap().trim().to_owned()
}

/// Overwrites the loose object `id` with that of other content.
#[track_caller]
fn overwrite(sandbox: &Sandbox, id: &str, content: &str) {
    let other = fs::read(loose(sandbox, &store(sandbox, content))).unwrap();
    let file = loose(sandbox, id);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, other).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(before).unwrap();
}

/// The only pack.
#[track_caller]
fn pack(sandbox: &Sandbox, extension: &str) -> PathBuf {
    let files = fs::read_dir(sandbox.at(".git/objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|found| found == extension)).max().unwrap()
}

#[test]
fn a_loose_object_with_other_content_is_found() {
    for (what, path) in [("HEAD:infra/deploy.tf", Some("infra/deploy.tf")), ("HEAD:infra", None)] {
        let sandbox = Sandbox::armed();
        let victim = id(&sandbox, what);
        overwrite(&sandbox, &victim, "evil\n");
        if path.is_some() {
            // This is what Git would bring back with the next checkout.
            assert_eq!(sandbox.git(&["cat-file", "-p", &victim]).stdout, b"evil\n");
        }
        let outcome = sandbox.check().violates(&["object is not what its id says", "its content has another hash"]);
        assert!(outcome.text().contains(path.unwrap_or(&victim[2..])), "{outcome:?}");
    }
}

#[test]
fn an_object_that_is_no_file_any_more_is_found() {
    let sandbox = Sandbox::armed();
    let file = loose(&sandbox, &id(&sandbox, "HEAD:README.md"));
    let elsewhere = sandbox.outside().join("object");
    fs::rename(&file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    sandbox.check().violates(&["is no regular file"]);
}

#[test]
fn a_missing_object_of_the_baseline_is_found_with_the_way_back() {
    let sandbox = Sandbox::armed();
    fs::remove_file(loose(&sandbox, &id(&sandbox, "HEAD:README.md"))).unwrap();
    let outcome = sandbox.check().violates(&["object of the baseline is missing", "README.md"]);
    assert!(outcome.text().contains("git hash-object -w -- README.md"), "{outcome:?}");
    sandbox.git(&["hash-object", "-w", "--", "README.md"]).ok();
    sandbox.check().ok();
}

/// A pack whose index says that other content is the object, which Git then prefers.
#[test]
fn a_pack_that_doubles_an_object_with_other_content_is_found() {
    let sandbox = Sandbox::armed();
    let victim = id(&sandbox, "HEAD:README.md");
    let other = store(&sandbox, "# Evil\n");
    forge_pack(&sandbox, &victim, &other);
    fs::remove_file(loose(&sandbox, &victim)).unwrap();
    assert_eq!(sandbox.git(&["cat-file", "-p", &victim]).stdout, b"# Evil\n");
    sandbox.check().violates(&["object is not what its id says", "has another hash"]);
}

/// Packs `other` alone and gives its index the name `victim`.
fn forge_pack(sandbox: &Sandbox, victim: &str, other: &str) {
    let command = sandbox.git_command(&["pack-objects", "-q", ".git/objects/pack/pack"]);
    run(command, format!("{other}\n").as_bytes(), PATIENCE).ok();
    let index = pack(sandbox, "idx");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o644)).unwrap();
    let mut bytes = fs::read(&index).unwrap();
    let hex =
        |id: &str| (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect::<Vec<u8>>();
    let at = bytes.windows(20).position(|window| window == hex(other)).unwrap();
    bytes[at..at + 20].copy_from_slice(&hex(victim));
    // The table of first bytes: how many ids begin with that byte or a smaller one.
    for byte in 0..256_usize {
        let count = u32::from(byte >= usize::from(hex(victim)[0]));
        bytes[8 + 4 * byte..12 + 4 * byte].copy_from_slice(&count.to_be_bytes());
    }
    let body = bytes.len() - 20;
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(&bytes[..body]);
    let sum = hasher.try_finalize().unwrap();
    bytes[body..].copy_from_slice(sum.as_bytes());
    fs::write(&index, bytes).unwrap();
}

/// The packed form of arm: overwritten in place, with its size and time as they were.
#[test]
fn a_pack_of_arm_that_was_overwritten_is_found() {
    for extension in ["pack", "idx"] {
        let sandbox = Sandbox::project();
        sandbox.git(&["gc", "-q"]).ok();
        std::thread::sleep(std::time::Duration::from_millis(50));
        sandbox.arm(&["--allow", "src/**"]).ok();
        let file = pack(&sandbox, extension);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        fs::write(&file, bytes).unwrap();
        sandbox.check().never_accepts();
    }
}

#[test]
fn housekeeping_is_nothing() {
    let works: &[&[&[&str]]] = &[
        &[&["gc", "-q"]],
        &[&["repack", "-q", "-a", "-d"], &["prune-packed"]],
        &[&["repack", "-q", "-d"], &["multi-pack-index", "write"], &["commit-graph", "write", "--reachable"]],
        &[&["maintenance", "run", "-q"]],
        &[&["gc", "-q"], &["repack", "-q", "-a", "-d", "-f"], &["pack-refs", "--all"]],
        &[&["repack", "-q", "-a", "-d"], &["unpack-objects", "-q"]],
        &[&["fsck", "--no-progress"], &["count-objects"]],
    ];
    for packed in [false, true] {
        for work in works {
            let sandbox = Sandbox::project();
            if packed {
                sandbox.git(&["gc", "-q"]).ok();
            }
            sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
            sandbox.append("src/app.py", "x\n");
            sandbox.commit("x");
            for command in *work {
                let _ = sandbox.git(command);
            }
            sandbox.check().ok();
        }
    }
}

/// Git touches an object or its pack when somebody stores the same content again.
#[test]
fn storing_what_is_there_already_is_nothing() {
    for packed in [false, true] {
        let sandbox = Sandbox::project();
        if packed {
            sandbox.git(&["gc", "-q"]).ok();
        }
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.git(&["hash-object", "-w", "README.md", "docs/guide.md"]).ok();
        sandbox.append("src/app.py", "x\n");
        sandbox.git(&["stash", "-q"]).ok();
        sandbox.git(&["stash", "pop", "-q"]).ok();
        sandbox.check().ok();
    }
}

#[test]
fn fetching_and_borrowing_are_nothing() {
    let upstream = Sandbox::project();
    let url = upstream.root.to_str().unwrap();
    for args in [&["clone", "-q"][..], &["clone", "-q", "--shared"], &["clone", "-q", "--no-local"]] {
        let sandbox = Sandbox::empty();
        sandbox.git(&[args, &[url, "."]].concat()).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        upstream.append("docs/guide.md", "more\n");
        upstream.commit("more");
        sandbox.git(&["fetch", "-q"]).ok();
        sandbox.check().ok();
    }
    // What somebody else's store lends is held against arm as well.
    let sandbox = Sandbox::empty();
    sandbox.git(&["clone", "-q", "--shared", url, "."]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    overwrite(&upstream, &id(&upstream, "HEAD:README.md"), "# Evil\n");
    sandbox.check().violates(&["object is not what its id says"]);
}

/// An index over several packs is asked first, and may lead anywhere.
#[test]
fn a_forged_index_over_packs_is_found() {
    let sandbox = Sandbox::project();
    sandbox.git(&["repack", "-q", "-a", "-d"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["multi-pack-index", "write"]).ok();
    sandbox.check().ok();
    let file = sandbox.at(".git/objects/pack/multi-pack-index");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.windows(4).position(|window| window == b"OOFF").unwrap() + 4;
    let from = usize::try_from(u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap();
    // The first two objects change places.
    let (first, second) = (bytes[from..from + 8].to_vec(), bytes[from + 8..from + 16].to_vec());
    bytes[from..from + 8].copy_from_slice(&second);
    bytes[from + 8..from + 16].copy_from_slice(&first);
    let body = bytes.len() - 20;
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(&bytes[..body]);
    let sum = hasher.try_finalize().unwrap();
    bytes[body..].copy_from_slice(sum.as_bytes());
    fs::write(&file, bytes).unwrap();
    sandbox.check().never_accepts();
}
