//! Builds the repository of a scenario and performs its operations.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::scenario::{ATTRIBUTES, AUTOCRLF, CONTENTS, Name, Op, Scenario, TARGETS};
use crate::common::sandbox::Sandbox;

/// A clean, committed repository of this kind.
pub fn prepare(scenario: &Scenario) -> Result<Sandbox, String> {
    let mut place = Sandbox::empty();
    let format = if scenario.sha256 { "sha256" } else { "sha1" };
    let init = [&format!("--object-format={format}"), "-q", "-b", "main"];
    if scenario.submodule {
        let inner = place.outside().join("inner");
        place.git(&[&["init"], &init[..], &[inner.to_str().unwrap()]].concat()).ok();
        fs::write(inner.join("lib.c"), "int one;\n").unwrap();
        let inner = inner.to_str().unwrap();
        place.git(&["-C", inner, "add", "-A"]).ok();
        place.git(&["-C", inner, "commit", "-q", "-m", "inner"]).ok();
    }
    place.git(&[&["init"], &init[..], &["."]].concat()).ok();
    place.git(&["config", "core.autocrlf", AUTOCRLF[scenario.autocrlf]]).ok();
    place.git(&["config", "core.safecrlf", "false"]).ok();
    place.write(".gitignore", "build/\nignored/\n*.log\n");
    if !ATTRIBUTES[scenario.attributes].is_empty() {
        place.write(".gitattributes", ATTRIBUTES[scenario.attributes]);
    }
    place.write("always.txt", "one\ntwo\n");
    for (name, content) in &scenario.files {
        // Names that lie below one another cannot all be files; the first one wins.
        put(&place.at(name.os()), CONTENTS[*content]).ok();
    }
    if scenario.submodule {
        let inner = place.outside().join("inner");
        place.git(&["submodule", "--quiet", "add", inner.to_str().unwrap(), "libs/dep"]).ok();
    }
    place.git(&["add", "-A", "-f"]).ok();
    place.git(&["commit", "-q", "-m", "base"]).ok();
    // What is ignored and not tracked lies about as well.
    place.write("ignored/cache/deep.bin", "\0\0");
    place.write("build/untracked.o", "\0");
    if scenario.linked {
        place.git(&["worktree", "add", "-q", "-b", "task", "../linked"]).ok();
        place.root = place.outside().join("linked");
        place.write("ignored/cache/deep.bin", "\0\0");
    }
    // An end of line that git itself would rewrite leaves the tree dirty after the commit: settle it.
    let dirty = place.git(&["status", "--porcelain"]).ok().stdout;
    if dirty.is_empty() { Ok(place) } else { Err(format!("the baseline is dirty: {}", dirty.escape_ascii())) }
}

/// Performs every operation and says what became of each.
pub fn perform(place: &Sandbox, scenario: &Scenario) -> Vec<String> {
    scenario.operations.iter().map(|op| format!("{op:?}: {}", one(place, op))).collect()
}

fn one(place: &Sandbox, op: &Op) -> String {
    let at = |name: &Name| place.at(name.os());
    let git = |before: &[&str], names: &[&Name]| {
        let names = names.iter().map(|name| name.os());
        let args: Vec<&OsStr> = ["--literal-pathspecs"].iter().chain(before).map(OsStr::new).chain(names).collect();
        let outcome = place.git(&args);
        format!("{} {}", outcome.code(), outcome.stderr.escape_ascii())
    };
    let done = match op {
        Op::Write(name, content) => put(&at(name), CONTENTS[*content]),
        Op::Append(name, tail) => edit(&at(name), |bytes| [bytes, tail.as_bytes()].concat()),
        Op::Insert(name, line) => edit(&at(name), |bytes| {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            lines.insert((*line).min(lines.len()), b"inserted\n");
            lines.concat()
        }),
        Op::DeleteLine(name, line) => edit(&at(name), |bytes| {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
            lines.filter(|(at, _)| at != line).map(|(_, text)| text).collect::<Vec<_>>().concat()
        }),
        Op::SameSize(name) => same_size(&at(name)),
        Op::Touch(name) => {
            times(&at(name), FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000)))
        }
        Op::FlipEnds(name) => edit(&at(name), flip_ends),
        Op::Remove(name) => remove(&at(name)),
        Op::Rename(from, to) => parents(&at(to)).and_then(|()| fs::rename(at(from), at(to))),
        Op::Chmod(name, on) => chmod(&at(name), if *on { 0o755 } else { 0o644 }),
        Op::Symlink(name, target) => {
            remove(&at(name)).ok();
            parents(&at(name)).and_then(|()| symlink(TARGETS[*target], at(name)))
        }
        Op::Directory(name, count) => {
            remove(&at(name)).ok();
            fs::create_dir_all(at(name)).and_then(|()| {
                (0..*count).try_for_each(|i| fs::write(at(name).join(format!("child {i}")), format!("child\n{i}\n")))
            })
        }
        Op::FileInPlace(name, content) => {
            remove(&at(name)).ok();
            put(&at(name), CONTENTS[*content])
        }
        Op::Stage(name) => return git(&["add", "-f", "--"], &[name]),
        Op::Intend(name) => return git(&["add", "-f", "-N", "--"], &[name]),
        Op::StageAll => return git(&["add", "-A"], &[]),
        Op::StageThenRestore(name, content) => return stage_then_restore(place, *name, *content),
        Op::GitMove(from, to) => return git(&["mv", "-f", "--"], &[from, to]),
        Op::GitRemove(name) => return git(&["rm", "-q", "-r", "-f", "--"], &[name]),
        Op::Untrack(name) => return git(&["rm", "-q", "-r", "-f", "--cached", "--"], &[name]),
        Op::Reset => return git(&["reset", "-q"], &[]),
        Op::Restore(name) => return git(&["checkout", "-q", "--"], &[name]),
        Op::StageMode(name, on) => {
            return git(&["update-index", if *on { "--chmod=+x" } else { "--chmod=-x" }, "--"], &[name]);
        }
        Op::Commit(false) => return git(&["commit", "-q", "--allow-empty", "-m", "work"], &[]),
        Op::Commit(true) => return git(&["commit", "-q", "--allow-empty", "-a", "-m", "work"], &[]),
    };
    done.map_or_else(|error| error.to_string(), |()| "done".to_owned())
}

fn stage_then_restore(place: &Sandbox, name: Name, content: usize) -> String {
    let path = place.at(name.os());
    let Ok(before) = fs::read(&path) else { return "nothing to restore".to_owned() };
    if fs::write(&path, CONTENTS[content]).is_err() {
        return "not writable".to_owned();
    }
    let code =
        place.git(&[OsStr::new("--literal-pathspecs"), "add".as_ref(), "-f".as_ref(), "--".as_ref(), name.os()]).code();
    fs::write(&path, before).unwrap();
    format!("staged with {code}")
}

fn parents(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap())
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    parents(path)?;
    fs::write(path, content)
}

fn edit(path: &Path, how: impl FnOnce(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let bytes = fs::read(path)?;
    fs::write(path, how(&bytes))
}

fn same_size(path: &Path) -> io::Result<()> {
    let meta = fs::metadata(path)?;
    edit(path, |bytes| {
        let mut bytes = bytes.to_vec();
        if let Some(byte) = bytes.iter_mut().find(|byte| byte.is_ascii_alphabetic()) {
            *byte = if *byte == b'q' { b'z' } else { b'q' };
        }
        bytes
    })?;
    times(path, FileTimes::new().set_modified(meta.modified()?).set_accessed(meta.accessed()?))
}

fn times(path: &Path, times: FileTimes) -> io::Result<()> {
    File::options().write(true).open(path)?.set_times(times)
}

fn chmod(path: &Path, mode: u32) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
}

fn flip_ends(bytes: &[u8]) -> Vec<u8> {
    let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    let mut out = Vec::new();
    for byte in bytes {
        match byte {
            b'\r' if crlf => {}
            b'\n' if !crlf => out.extend_from_slice(b"\r\n"),
            byte => out.push(*byte),
        }
    }
    out
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
