//! The patches of `cordon diff`, given to the real `git apply`: what it makes of the old tree is the new tree.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cordon::audit::answer::FileDiff;
use cordon::audit::evidence::{Change, ChangeKind, Layer, Mode};
use cordon::git::blob;
use cordon::policy::path::RepoPath;
use cordon::report::unified::{Form, patch};

type Content<'a> = Option<(Mode, &'a [u8])>;

fn id(bytes: &[u8]) -> String {
    blob::id_of(gix::hash::Kind::Sha1, bytes).unwrap().to_string()
}

fn file(path: &[u8], before: Content<'_>, after: Content<'_>) -> FileDiff {
    FileDiff {
        change: Change {
            path: RepoPath::new(path),
            kind: ChangeKind::Modified,
            layers: vec![Layer::Worktree],
            added: 0,
            deleted: 0,
            binary: [before, after].iter().flatten().any(|(_, bytes)| bytes.contains(&0)),
            size_before: None,
            size_after: None,
            mode_before: before.map(|(mode, _)| mode),
            mode_after: after.map(|(mode, _)| mode),
            commit: None,
            content: None,
        },
        inside: true,
        id_before: before.map(|(_, bytes)| id(bytes)),
        id_after: after.map(|(_, bytes)| id(bytes)),
        too_big: false,
        before: before.map(|(_, bytes)| bytes.to_vec()),
        after: after.map(|(_, bytes)| bytes.to_vec()),
    }
}

fn at(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

fn put(root: &Path, path: &[u8], content: Content<'_>) {
    let Some((mode, bytes)) = content else { return };
    let place = at(root, path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    if mode == Mode::Symlink {
        symlink(OsStr::from_bytes(bytes), place).unwrap();
        return;
    }
    fs::write(&place, bytes).unwrap();
    let bits = if mode == Mode::Executable { 0o755 } else { 0o644 };
    fs::set_permissions(place, fs::Permissions::from_mode(bits)).unwrap();
}

fn found(root: &Path, path: &[u8]) -> Option<(Mode, Vec<u8>)> {
    let place = at(root, path);
    let metadata = fs::symlink_metadata(&place).ok()?;
    if metadata.is_symlink() {
        return Some((Mode::Symlink, fs::read_link(place).unwrap().as_os_str().as_bytes().to_vec()));
    }
    let mode = if metadata.permissions().mode() & 0o100 == 0 { Mode::File } else { Mode::Executable };
    Some((mode, fs::read(place).unwrap()))
}

fn git_apply(root: &Path, patch: &[u8], reverse: bool) {
    let mut command = Command::new("git");
    command.current_dir(root).args(["apply", "--whitespace=nowarn", "--unidiff-zero"]);
    command.args(reverse.then_some("--reverse"));
    // The directory stands in no repository, and no user's settings may decide how a patch is read.
    command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    child.stdin.take().unwrap().write_all(patch).unwrap();
    let output = child.wait_with_output().unwrap();
    let (words, patch) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(patch));
    assert!(output.status.success(), "{words}\n{patch}");
}

fn numbered(range: std::ops::RangeInclusive<u32>, changed: &[u32]) -> Vec<u8> {
    let line = |n| if changed.contains(&n) { format!("changed {n}\n") } else { format!("{n}\n") };
    range.map(line).collect::<String>().into_bytes()
}

#[test]
fn git_apply_makes_the_new_tree_of_the_old_one_and_back() {
    let (long, edited) = (numbered(1..=60, &[]), numbered(1..=55, &[2, 3, 30, 31, 50]));
    let mut state = 3;
    let noise: Vec<u8> = (0..100_000).map(|_| random(&mut state, 256).to_le_bytes()[0]).collect();
    let plain = |bytes: &'static [u8]| Some((Mode::File, bytes));
    let cases: Vec<(&[u8], Content<'_>, Content<'_>)> = vec![
        (b"src/long.rs", Some((Mode::File, &long)), Some((Mode::Executable, &edited))),
        (b"new/file", None, plain(b"one\ntwo")),
        (b"gone", plain(b"one\ntwo\n"), None),
        (b"empty", None, plain(b"")),
        (b"emptied", plain(b"x\n"), plain(b"")),
        (b"was empty", plain(b""), plain(b"x\n")),
        (b"empty gone", plain(b""), None),
        (b"mode only", plain(b"x"), Some((Mode::Executable, b"x"))),
        (b"end added", plain(b"a\nb"), plain(b"a\nb\n")),
        (b"end lost", plain(b"a\nb\n"), plain(b"a\nb")),
        (b"carriage\treturns\r", plain(b"a\rb\r\nc\r\n"), plain(b"a\rB\r\nc\n")),
        (b"\xff\xfe \"quoted\" \\ \n\x1b[31m", plain(b"\x1b[31m\xff\n"), plain(b"\x1b[32m\xfe\n\x7f")),
        ("\u{fc}ml\u{e4}ut/\u{202e}".as_bytes(), plain(b"x\n"), plain(b"y\n")),
        (b"link", Some((Mode::Symlink, b"a")), Some((Mode::Symlink, b"b\nc"))),
        (b"to link", plain(b"x\n"), Some((Mode::Symlink, b"target"))),
        (b"from link", Some((Mode::Symlink, b"target")), plain(b"x\n")),
        (b"binary new", None, plain(b"\0\x01\x02")),
        (b"binary gone", plain(b"a\0b"), None),
        (b"binary/changed", Some((Mode::File, &noise)), Some((Mode::Executable, &noise[1..70_000]))),
        (b"binary mode", plain(b"\0"), Some((Mode::Executable, b"\0"))),
        (b"binary emptied", plain(b"\0"), plain(b"")),
        (b"binary was empty", plain(b""), plain(b"\0")),
        (b"binary to text\xff", plain(b"\0"), plain(b"text\n")),
        (b"binary to link", plain(b"\0"), Some((Mode::Symlink, b"target"))),
        (b"--- a/x", plain(b"-- a\n@@ -1 +1 @@\n"), plain(b"++ b\ndiff --git a/x b/x\n")),
    ];
    let root = tempfile::tempdir().unwrap();
    let mut whole = Vec::new();
    for (path, before, after) in &cases {
        put(root.path(), path, *before);
        whole.extend(patch(&file(path, *before, *after), Form::Raw));
    }
    let owned = |content: &Content<'_>| content.map(|(mode, bytes)| (mode, bytes.to_vec()));
    git_apply(root.path(), &whole, false);
    for (path, _, after) in &cases {
        assert_eq!(found(root.path(), path), owned(after), "{:?}", RepoPath::new(*path));
    }
    // Git itself cannot take back a change of a link into a file: `git apply --reverse` of its own patch makes a file.
    let links = |content: &Content<'_>| content.is_some_and(|(mode, _)| mode == Mode::Symlink);
    let whole: Vec<&(&[u8], Content<'_>, Content<'_>)> =
        cases.iter().filter(|(_, before, after)| links(before) == links(after)).collect();
    let patches: Vec<u8> =
        whole.iter().flat_map(|(path, before, after)| patch(&file(path, *before, *after), Form::Raw)).collect();
    git_apply(root.path(), &patches, true);
    for (path, before, _) in whole {
        assert_eq!(found(root.path(), path), owned(before), "{:?}", RepoPath::new(*path));
    }
}

fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Lines from a small alphabet, so that the two sides have much in common in many places, and odd line ends.
fn random_lines(state: &mut u64) -> Vec<u8> {
    let mut next = |below: u64| random(state, below);
    let words: [&[u8]; 9] = [b"a\n", b"b\n", b"c\n", b"\n", b"a\r\n", b"\r", b"-\n", b"+\xff\n", b"\\ No newline\n"];
    (0..next(40)).flat_map(|_| words[usize::try_from(next(9)).unwrap()].to_vec()).collect()
}

#[test]
fn git_apply_agrees_on_random_content() {
    let mut state = 7;
    let cases: Vec<(String, Vec<u8>, Vec<u8>)> =
        (0..500).map(|n| (format!("f{n}"), random_lines(&mut state), random_lines(&mut state))).collect();
    let root = tempfile::tempdir().unwrap();
    let mut whole = Vec::new();
    for (path, before, after) in &cases {
        put(root.path(), path.as_bytes(), Some((Mode::File, before)));
        let (before, after) = (Some((Mode::File, &before[..])), Some((Mode::File, &after[..])));
        if before != after {
            whole.extend(patch(&file(path.as_bytes(), before, after), Form::Raw));
        }
    }
    git_apply(root.path(), &whole, false);
    for (path, _, after) in &cases {
        assert_eq!(fs::read(root.path().join(path)).unwrap(), *after, "{path}");
    }
    git_apply(root.path(), &whole, true);
    for (path, before, _) in &cases {
        assert_eq!(fs::read(root.path().join(path)).unwrap(), *before, "{path}");
    }
}
