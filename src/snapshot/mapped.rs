//! Files that some process can write to through its memory. Such a write leaves the times of the file as they are once
//! the page was dirtied before, so no stat vouches for them.
//!
//! Linux lists the mappings of a process in `/proc/PID/maps`, see proc(5): those of the user's own processes, and for root
//! those of all. What is mapped later is no matter, because the first write to a page sets the times.

use std::collections::BTreeSet;
use std::path::Path;

use crate::policy::path::RepoPath;

/// The files below `root`, an absolute path, that are mapped shared and writable.
pub fn writable(root: &Path) -> BTreeSet<RepoPath> {
    let mut found = BTreeSet::new();
    let own = std::process::id().to_string();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = process.file_name();
        let is_process = name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        if !is_process || name.as_encoded_bytes() == own.as_bytes() {
            continue;
        }
        // A process that ended meanwhile, or that belongs to somebody else, cannot be asked.
        let maps = std::fs::read(process.path().join("maps")).unwrap_or_default();
        found.extend(
            maps.split(|byte| *byte == b'\n').filter_map(|line| mapping(line, root.as_os_str().as_encoded_bytes())),
        );
    }
    found
}

/// A line: addresses, permissions, offset, device, inode, and the path, which begins at the first slash.
fn mapping(line: &[u8], root: &[u8]) -> Option<RepoPath> {
    let permissions = line.split(|byte| *byte == b' ').nth(1)?;
    if permissions.get(1) != Some(&b'w') || permissions.get(3) != Some(&b's') {
        return None;
    }
    let slash = line.iter().position(|byte| *byte == b'/')?;
    let path = line[slash..].strip_prefix(root)?.strip_prefix(b"/")?;
    let path = unescaped(path);
    (!path.is_empty()).then(|| RepoPath::new(path))
}

/// Only a line feed is written as an escape.
fn unescaped(path: &[u8]) -> Vec<u8> {
    const ESCAPE: &[u8] = b"\\012";
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some(first) = rest.first() {
        let escape = rest.starts_with(ESCAPE);
        out.push(if escape { b'\n' } else { *first });
        rest = &rest[if escape { ESCAPE.len() } else { 1 }..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_writable_mappings_below_the_root_count() {
        let told = |line: &str| mapping(line.as_bytes(), b"/r").map(|path| path.plain());
        let line = |permissions: &str, path: &str| format!("7f0-7f1 {permissions} 00000000 08:01 42      {path}");
        assert_eq!(told(&line("rw-s", "/r/data/a b")).as_deref(), Some("data/a b"));
        assert_eq!(told(&line("rw-s", "/r/a\\012b")).as_deref(), Some("a\\nb"));
        for (permissions, path) in
            [("rw-p", "/r/a"), ("r--s", "/r/a"), ("rw-s", "/rest/a"), ("rw-s", "/r"), ("rw-s", "")]
        {
            assert_eq!(told(&line(permissions, path)), None, "{permissions} {path}");
        }
    }

    #[test]
    fn a_mapping_of_another_process_is_seen_only_while_it_is_there() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::write(root.join("data"), "12345678").unwrap();
        assert!(writable(&root).is_empty());
    }
}
