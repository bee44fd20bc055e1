//! A small disk that can be filled; only root can make one.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of its own that goes away with the test.
pub struct Small(PathBuf);

impl Small {
    /// Mounts one of this size.
    pub fn mount(at: &Path, size: &str) -> Self {
        let options = format!("size={size},nr_inodes=4096");
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "none"]).arg(at).status().unwrap();
        assert!(status.success(), "a small file system cannot be mounted");
        Small(at.to_path_buf())
    }

    /// Fills it but for about `spare` bytes.
    pub fn fill(&self, spare: usize) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = File::create(&path).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(spare as u64)).unwrap();
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}
