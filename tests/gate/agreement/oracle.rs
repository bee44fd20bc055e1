//! What git says, and where a verdict differs from it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use serde_json::Value;

use crate::common::json;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;

/// Added lines, deleted lines, and whether git calls it binary.
pub type Counts = (i64, i64, bool);

/// The answer of git.
pub struct Expected {
    /// Every path that changed since the baseline.
    pub paths: BTreeSet<Vec<u8>>,
    /// The counts of each of them, except those that git lists twice.
    pub counts: BTreeMap<Vec<u8>, Counts>,
}

/// Asks git what changed since `base`.
///
/// Git believes its stat cache, which is blind to an edit within one second whose time was put back. So every file gets
/// another time first, and git has to read them all.
pub fn ask_git(place: &Sandbox, base: &str) -> Expected {
    age(&place.root);
    let diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames"];
    let names = place.git(&[&diff[..], &["--name-only", "-z", base]].concat()).ok().stdout;
    let untracked = place.git(&["ls-files", "-o", "--exclude-standard", "-z"]).ok().stdout;
    let (tracked, untracked) = (split(&names), split(&untracked));
    let numstat = [&diff[..], &["--numstat", "-z", base]].concat();
    let mut counts = parse(&place.git(&numstat).ok().stdout);

    let scratch = place.outside().join("scratch-index");
    let index = place.git(&["rev-parse", "--git-path", "index"]).ok().stdout;
    fs::copy(place.at(OsStr::from_bytes(index.trim_ascii_end())), &scratch).unwrap();
    let mut add =
        place.git_command(&["--literal-pathspecs", "add", "-N", "--pathspec-from-file=-", "--pathspec-file-nul"]);
    add.env("GIT_INDEX_FILE", &scratch);
    if !untracked.is_empty() {
        let input: Vec<u8> = untracked.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
        run(add, &input, PATIENCE).ok();
    }
    let mut again = place.git_command(&numstat);
    again.env("GIT_INDEX_FILE", &scratch);
    let staged = parse(&run(again, b"", PATIENCE).ok().stdout);

    for path in tracked.union(&untracked) {
        let twice = tracked.contains(path) && untracked.contains(path);
        let source = if untracked.contains(path) { &staged } else { &counts };
        let value = source.get(path).copied().unwrap_or((0, 0, false));
        if twice {
            counts.remove(path)
        } else {
            counts.insert(path.clone(), value)
        };
    }
    let paths: BTreeSet<Vec<u8>> = tracked.union(&untracked).cloned().collect();
    counts.retain(|path, _| paths.contains(path));
    Expected { paths, counts }
}

/// The first difference between a verdict and what git says.
pub fn disagreement(place: &Sandbox, verdict: &Value, expected: &Expected) -> Option<String> {
    let listed = json::array(&verdict["changed_files"]);
    let paths = json::set(&verdict["changed_files"]);
    if paths != expected.paths {
        let show =
            |set: BTreeSet<&Vec<u8>>| set.iter().map(|path| format!("{}", path.escape_ascii())).collect::<Vec<_>>();
        return Some(format!(
            "changed paths differ: only git {:?}, only cordon {:?}",
            show(expected.paths.difference(&paths).collect()),
            show(paths.difference(&expected.paths).collect()),
        ));
    }
    if listed.len() != paths.len() {
        return Some("a changed path is listed twice".to_owned());
    }
    let mut sum = (0, 0, 0, 0);
    let mut seen = BTreeSet::new();
    for change in json::array(&verdict["changes"]) {
        let path = json::bytes(&change["path"]);
        if !paths.contains(&path) {
            continue;
        }
        let counts =
            (json::number(&change["added"]), json::number(&change["deleted"]), change["binary"].as_bool().unwrap());
        if expected.counts.get(&path).is_some_and(|expected| *expected != counts) {
            let expected = expected.counts[&path];
            return Some(format!("counts of {} differ: git {expected:?}, cordon {counts:?}", path.escape_ascii()));
        }
        sum = (sum.0 + counts.0, sum.1 + counts.1, sum.2 + i64::from(counts.2), sum.3 + size(&place.root, &path));
        seen.insert(path);
    }
    if seen != paths {
        return Some("a changed path has no entry in `changes`".to_owned());
    }
    let metrics = &verdict["metrics"];
    let told = ["added_lines", "deleted_lines", "binary_files", "working_bytes"].map(|key| json::number(&metrics[key]));
    if told != [sum.0, sum.1, sum.2, sum.3] {
        return Some(format!("the metrics are {metrics}, but the changes sum up to {sum:?}"));
    }
    let files = json::number(&metrics["files"]);
    (files != i64::try_from(paths.len()).unwrap())
        .then(|| format!("{files} files are counted, {} are listed", paths.len()))
}

/// The bytes of a changed path as it stands: of the file, or of the link itself.
fn size(root: &Path, path: &[u8]) -> i64 {
    match fs::symlink_metadata(root.join(OsStr::from_bytes(path))) {
        Ok(meta) if meta.is_file() || meta.is_symlink() => i64::try_from(meta.len()).unwrap(),
        _ => 0,
    }
}

/// Gives everything below `dir` but Git's and Cordon's own a time that no index knows.
fn age(dir: &Path) {
    let old = Timespec { tv_sec: 978_307_200, tv_nsec: 0 };
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if [".git", ".cordon", ".stone"].iter().any(|own| entry.file_name() == *own) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            age(&entry.path());
        } else {
            let times = Timestamps { last_access: old, last_modification: old };
            utimensat(CWD, entry.path(), &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
        }
    }
}

fn split(list: &[u8]) -> BTreeSet<Vec<u8>> {
    list.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}

fn parse(numstat: &[u8]) -> BTreeMap<Vec<u8>, Counts> {
    let mut all = BTreeMap::new();
    for line in numstat.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(3, |byte| *byte == b'\t');
        let [added, deleted, path] = [(); 3].map(|()| fields.next().unwrap());
        let number = |field: &[u8]| std::str::from_utf8(field).unwrap().parse().unwrap();
        let counts = if added == b"-" { (0, 0, true) } else { (number(added), number(deleted), false) };
        all.insert(path.to_vec(), counts);
    }
    all
}
