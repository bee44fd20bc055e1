//! What is mounted over a directory: a clean tree that somebody mounts over a changed one shows none of its changes.
//!
//! Linux lists the mounts that a process sees in `/proc/self/mountinfo`, see proc(5). Those of other namespaces are out of
//! sight, and so is what lies beneath a mount.

use serde::{Deserialize, Serialize};

use super::open;
use crate::policy::path::RepoPath;

/// Where the list is.
const LIST: &str = "/proc/self/mountinfo";

/// As many bytes as the list rarely has; its own size is told as 0.
const EXPECTED: u64 = 16 * 1024;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    /// The absolute path of the mount point.
    pub point: RepoPath,
    /// What is seen there: the type of file system, its source, and the directory in it.
    pub what: RepoPath,
}

/// The mounts below `directories`, which are absolute, sorted; not those at the directories themselves. A system that
/// cannot tell has none.
pub fn below(directories: &[&[u8]]) -> Vec<Mount> {
    let list = std::fs::File::open(LIST).and_then(|mut list| open::content(&mut list, EXPECTED)).unwrap_or_default();
    let inside = |mount: &Mount| {
        let point = &mount.point;
        directories.iter().any(|directory| point.is_within(directory) && point.as_bytes() != *directory)
    };
    let mut mounts: Vec<Mount> = list.split(|byte| *byte == b'\n').filter_map(parse).filter(inside).collect();
    mounts.sort();
    mounts
}

/// Those of `now` that were not there `before`, each as often as it is new.
pub fn new<'a>(before: &[Mount], now: &'a [Mount]) -> Vec<&'a Mount> {
    let mut known = before.to_vec();
    now.iter()
        .filter(|mount| match known.iter().position(|old| old == *mount) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        })
        .collect()
}

/// A line: id, parent, device, root, mount point, options, optional fields, a dash, type, source, options.
fn parse(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let dash = fields.iter().position(|field| *field == b"-")?;
    let [root, point] = [fields.get(3)?, fields.get(4)?].map(|field| unescaped(field));
    let [kind, source] = [fields.get(dash + 1)?, fields.get(dash + 2)?].map(|field| unescaped(field));
    let what = [kind, source, root].join(&b' ');
    Some(Mount { point: RepoPath::new(point), what: RepoPath::new(what) })
}

/// Space, tab, line feed and backslash are written as three octal digits behind a backslash.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let code = (*first == b'\\').then(|| tail.get(..3)).flatten();
        let byte = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[3..] } else { tail };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_with_its_escapes() {
        let line = br"36 35 98:0 /mnt1\0402 /a\134b/c\012 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let mount = parse(line).unwrap();
        assert_eq!(mount.point, RepoPath::from("/a\\b/c\n"));
        assert_eq!(mount.what, RepoPath::from("ext3 /dev/root /mnt1 2"));
        for bad in [&b""[..], b"36 35 98:0 / /", b"1 2 3 4 5 6 - ext3", b"- - - -"] {
            assert_eq!(parse(bad), None);
        }
    }

    #[test]
    fn a_second_mount_over_the_first_is_new() {
        let mount = |point: &str| Mount { point: point.into(), what: "tmpfs tmpfs /".into() };
        let before = [mount("/r/a"), mount("/r/b")];
        assert!(new(&before, &before[1..]).is_empty());
        let now = [mount("/r/a"), mount("/r/a"), mount("/r/b")];
        assert_eq!(new(&before, &now), [&mount("/r/a")]);
    }
}
