//! A damaged repository: the index and the objects that a verdict stands on.

use std::fs;
use std::path::PathBuf;

use crate::common::sandbox::Sandbox;

/// Expects that neither an edit inside nor one outside is accepted while the repository is damaged like this.
fn never_accepts(damage: impl Fn(&Sandbox)) {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    damage(&sandbox);
    sandbox.check().never_accepts();
    let _ = sandbox.cordon(&["status"]).orderly();
    sandbox.cordon(&["reset"]).ok();
}

#[test]
fn a_corrupt_truncated_or_missing_index_is_never_an_accept() {
    let index = |sandbox: &Sandbox| sandbox.at(".git/index");
    never_accepts(|s| fs::write(index(s), "garbage").unwrap());
    never_accepts(|s| fs::write(index(s), "").unwrap());
    never_accepts(|s| fs::remove_file(index(s)).unwrap());
    let length = fs::read(index(&Sandbox::project())).unwrap().len();
    for end in (1..length).step_by(length / 10) {
        never_accepts(|s| {
            let bytes = fs::read(index(s)).unwrap();
            fs::write(index(s), &bytes[..end]).unwrap();
        });
        never_accepts(|s| {
            let mut bytes = fs::read(index(s)).unwrap();
            bytes[end] ^= 0x41;
            fs::write(index(s), bytes).unwrap();
        });
    }
}

#[test]
fn an_index_that_cannot_be_read_gives_no_verdict_even_on_a_good_change() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    fs::write(sandbox.at(".git/index"), "garbage").unwrap();
    sandbox.check().refused().says(&["index"]);
}

#[test]
fn missing_and_garbled_objects_are_never_an_accept() {
    for name in ["HEAD", "HEAD^{tree}", "HEAD:src/app.py", "HEAD:src"] {
        let damages: &[fn(PathBuf)] = &[
            |path| fs::remove_file(path).unwrap(),
            |path| garble(path, |bytes| bytes.truncate(5)),
            |path| garble(path, |bytes| bytes.iter_mut().for_each(|byte| *byte ^= 0x55)),
        ];
        for damage in damages {
            let sandbox = Sandbox::armed();
            sandbox.append("src/app.py", "X = 1\n");
            let id = String::from_utf8(sandbox.git(&["rev-parse", name]).ok().stdout).unwrap();
            damage(sandbox.at(".git/objects").join(&id[..2]).join(id[2..].trim()));
            // The check may need none of it but the blob, which the count of lines stands on.
            let outcome = sandbox.check().orderly();
            assert!(name != "HEAD:src/app.py" || outcome.code() != 0, "{name}: {outcome:?}");
            sandbox.append("README.md", "more\n");
            sandbox.check().never_accepts();
        }
    }
}

#[test]
fn a_blob_whose_bytes_were_exchanged_is_never_believed() {
    let sandbox = Sandbox::armed();
    let path_of = |name: &str| {
        let id = String::from_utf8(sandbox.git(&["rev-parse", name]).ok().stdout).unwrap();
        sandbox.at(".git/objects").join(&id[..2]).join(id[2..].trim())
    };
    sandbox.write("README.md", "# Evil\n");
    sandbox.git(&["hash-object", "-w", "README.md"]).ok();
    let evil = String::from_utf8(sandbox.git(&["hash-object", "README.md"]).ok().stdout).unwrap();
    let evil = sandbox.at(".git/objects").join(&evil[..2]).join(evil[2..].trim());
    let good = path_of("HEAD:README.md");
    fs::remove_file(&good).unwrap();
    fs::copy(evil, good).unwrap();
    sandbox.check().never_accepts();
}

#[test]
fn head_that_is_gone_or_nonsense_is_never_an_accept() {
    never_accepts(|s| fs::write(s.at(".git/HEAD"), "nonsense").unwrap());
    never_accepts(|s| fs::write(s.at(".git/HEAD"), "").unwrap());
    never_accepts(|s| fs::write(s.at(".git/HEAD"), "ref: refs/heads/none\n").unwrap());
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    fs::write(sandbox.at(".git/HEAD"), "ref: refs/heads/none\n").unwrap();
    sandbox.check().never_accepts();
}

fn garble(path: PathBuf, how: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(&path).unwrap();
    how(&mut bytes);
    fs::remove_file(&path).unwrap();
    fs::write(path, bytes).unwrap();
}
