//! FIFOs, huge files and deep directories: nothing may hang, and memory stays bounded.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, mkfifoat, open, openat};

use crate::common::sandbox::Sandbox;

fn fifo(path: &Path) {
    if fs::symlink_metadata(path).is_ok() {
        fs::remove_file(path).unwrap();
    }
    mkfifoat(CWD, path, Mode::from_raw_mode(0o644)).unwrap();
}

#[test]
fn a_fifo_that_git_does_not_list_is_no_violation() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    fifo(&sandbox.at("src/pipe.py"));
    fifo(&sandbox.at("run.pipe"));
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));
    sandbox.cordon(&["check", "--rehash"]).ok();
    sandbox.cordon(&["diff"]).ok();
}

#[test]
fn a_fifo_in_place_of_a_tracked_file_is_a_violation() {
    for path in ["README.md", "src/app.py"] {
        let sandbox = Sandbox::armed();
        fifo(&sandbox.at(path));
        sandbox.check().violates(&[path]);
        sandbox.cordon(&["check", "--rehash"]).violates(&[path]);
        let _ = sandbox.cordon(&["diff"]).orderly();
    }
}

#[test]
fn a_fifo_in_an_ignored_directory_hangs_nothing() {
    let sandbox = Sandbox::project();
    fs::create_dir(sandbox.at("build")).unwrap();
    fifo(&sandbox.at("build/pipe"));
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
    sandbox.cordon(&["check", "--rehash"]).ok();
}

#[test]
fn a_fifo_in_place_of_a_file_that_cordon_reads_hangs_nothing_and_accepts_nothing() {
    let own = [".cordon/config.json", ".cordon/state.json", ".cordon/fingerprint", ".cordon/audit.json"];
    let of_git = [".git/index", ".git/HEAD", ".gitignore", ".git/config", ".git/refs/heads/main"];
    for path in own.iter().chain(&of_git) {
        let sandbox = Sandbox::armed();
        sandbox.append("README.md", "more\n");
        sandbox.check().rejected();
        fifo(&sandbox.at(path));
        eprintln!("{path}");
        for args in [&["check"][..], &["check", "--rehash"]] {
            sandbox.cordon(args).never_accepts();
        }
        for args in [&["status"][..], &["diff"], &["arm", "again", "--allow", "**"], &["reset"]] {
            let _ = sandbox.cordon(args).orderly();
        }
    }
}

#[test]
fn a_fifo_in_place_of_attributes_or_excludes_hangs_nothing() {
    for path in [".gitattributes", "src/.gitattributes", ".git/info/attributes", ".git/info/exclude", "src/.gitignore"]
    {
        eprintln!("{path}");
        let sandbox = Sandbox::armed();
        sandbox.append("src/app.py", "X = 1\n");
        fs::create_dir_all(sandbox.at(path).parent().unwrap()).unwrap();
        fifo(&sandbox.at(path));
        let _ = sandbox.check().orderly();
        sandbox.append("README.md", "more\n");
        sandbox.check().never_accepts();

        let sandbox = Sandbox::project();
        fs::create_dir_all(sandbox.at(path).parent().unwrap()).unwrap();
        fifo(&sandbox.at(path));
        let _ = sandbox.arm(&["--allow", "**"]).orderly();
    }
}

#[test]
fn a_file_of_3_gib_is_read_in_bounded_memory() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**", "--max-working-bytes", "10000000000"]).ok();
    File::create(sandbox.at("src/huge.bin")).unwrap().set_len(3 << 30).unwrap();
    let mut child = sandbox.cordon_command(&["check"]).stdout(Stdio::null()).spawn().unwrap();
    // The usage that a parent is told begins with the memory of the parent itself, so the process is asked while it runs.
    let (mut peak, mut looks) = (0, 0);
    let status = loop {
        let now = peak_of(child.id());
        (peak, looks) = (peak.max(now.unwrap_or(0)), looks + u32::from(now.is_some()));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    assert!(status.success() && looks > 20, "{status:?} after {looks} looks");
    assert!(peak < 300 * 1024, "the check took {peak} KiB");
    sandbox.cordon(&["reset"]).ok();
    fs::remove_file(sandbox.at("src/huge.bin")).unwrap();
}

#[test]
fn names_of_one_mebibyte_depth_end_in_a_verdict_or_a_refusal() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    let name = "d".repeat(250);
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut dir = open(sandbox.at("src"), flags, Mode::empty()).unwrap();
    for _ in 0..(1 << 20) / 251 {
        mkdirat(&dir, &name, Mode::from_raw_mode(0o755)).unwrap();
        dir = openat(&dir, &name, flags, Mode::empty()).unwrap();
    }
    // Nothing but directories: git lists nothing, so this is no change.
    let _ = sandbox.check().orderly();
    let file = openat(&dir, "bottom", OFlags::CREATE | OFlags::WRONLY, Mode::from_raw_mode(0o644)).unwrap();
    drop((file, dir));
    let _ = sandbox.check().orderly();
    sandbox.append("README.md", "more\n");
    sandbox.check().never_accepts();
    // The standard library's own removal would run out of descriptors or stack at this depth.
    let mut remove = sandbox.command("rm");
    remove.args(["-rf", "src"]);
    crate::common::run::run(remove, b"", std::time::Duration::from_secs(60)).ok();
}

/// The largest resident memory that a process has had, in KiB.
fn peak_of(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}
