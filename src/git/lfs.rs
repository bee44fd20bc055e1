//! Git LFS: what its clean filter would store for a file, worked out without running it.
//!
//! The filter stores a pointer, three lines that name the content by its SHA-256, and leaves alone what is a pointer
//! already (<https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>).

use super::open::Repository;
use crate::snapshot::digest;

/// The name of the filter driver.
pub const DRIVER: &[u8] = b"lfs";

/// The first line of a pointer.
const VERSION: &str = "version https://git-lfs.github.com/spec/v1\n";

/// A pointer is shorter than this; the filter takes nothing longer for one.
const LONGEST: u64 = 1024;

/// The pointer to content with this digest and size.
pub fn pointer(sha256: &[u8; 32], size: u64) -> Vec<u8> {
    format!("{VERSION}oid sha256:{}\nsize {size}\n", digest::hex(sha256)).into_bytes()
}

/// The size of the content that a pointer stands for; `None` for what is no pointer.
pub fn stated_size(bytes: &[u8]) -> Option<u64> {
    let is_pointer = (bytes.len() as u64) < LONGEST && bytes.starts_with(VERSION.as_bytes());
    let mut lines = std::str::from_utf8(bytes).ok().filter(|_| is_pointer)?.lines();
    lines.find_map(|line| line.strip_prefix("size "))?.parse().ok()
}

/// How a pointer begins, for a file of this size; `None` where it is none whatever it holds.
pub fn beginning(size: u64) -> Option<&'static [u8]> {
    (size < LONGEST).then_some(VERSION.as_bytes())
}

/// Whether Git would run the filter; without it the file itself is what Git stores.
pub fn is_configured(repository: &Repository) -> bool {
    let config = repository.gix.config_snapshot();
    ["filter.lfs.clean", "filter.lfs.process"].iter().any(|key| config.plumbing().string(*key).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_what_the_specification_shows() {
        let sum = digest::sha256(b"hello\n");
        let expected = "version https://git-lfs.github.com/spec/v1\n\
                        oid sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\nsize 6\n";
        assert_eq!(pointer(&sum, 6), expected.as_bytes());
        assert_eq!(stated_size(&pointer(&sum, 6)), Some(6));
        assert_eq!(stated_size(b"size 6\n"), None);
        assert!(beginning(1023).is_some() && beginning(1024).is_none());
    }
}
