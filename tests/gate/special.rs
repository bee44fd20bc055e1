//! What neither content nor permissions show: capabilities, devices, mounts, memory that is shared, second names.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, XattrFlags, makedev, mknodat, setxattr};

use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program, privileged};

/// Version 2 of the attribute: the effective bit, and `cap_net_raw` permitted.
const CAPABILITY: [u8; 20] = [1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn grant(path: &Path) {
    setxattr(path, "security.capability", &CAPABILITY, XattrFlags::empty()).unwrap();
}

#[test]
fn capabilities_that_a_program_did_not_have_are_found() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    for path in ["src/tool", "src/old"] {
        sandbox.write(path, "#!/bin/sh\n");
        fs::set_permissions(sandbox.at(path), Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.commit("tools");
    grant(&sandbox.at("src/old"));
    sandbox.arm(&["--allow", "src/**"]).ok();
    // What was there at arm stays, also with other times.
    fs::File::open(sandbox.at("src/old")).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    sandbox.check().ok();
    grant(&sandbox.at("src/tool"));
    sandbox.write("src/new", "x");
    fs::set_permissions(sandbox.at("src/new"), Permissions::from_mode(0o755)).unwrap();
    grant(&sandbox.at("src/new"));
    // Build output may have them.
    sandbox.write("build/ping", "x");
    fs::set_permissions(sandbox.at("build/ping"), Permissions::from_mode(0o755)).unwrap();
    grant(&sandbox.at("build/ping"));
    let verdict = sandbox.check().violates(&["new file capabilities: src/tool", "new file capabilities: src/new"]);
    assert!(!verdict.text().contains("build/ping"), "{verdict:?}");
    let mut shell = sandbox.command("bash");
    shell.args(["-c", "for p in src/tool src/new; do cp -p -- $p $p.copy && mv -f -- $p.copy $p; done"]);
    run(shell, b"", PATIENCE).ok();
    sandbox.check().ok();
}

#[test]
fn a_device_node_is_found_and_a_fifo_is_noted() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::armed();
    let make = |path: &str, kind: FileType, device| {
        mknodat(CWD, sandbox.at(path), kind, Mode::from_raw_mode(0o644), device).unwrap();
    };
    make("src/fifo", FileType::Fifo, 0);
    fs::create_dir(sandbox.at("build")).unwrap();
    make("build/whiteout", FileType::CharacterDevice, 0);
    sandbox.check().ok().says(&["src/fifo"]);
    make("src/null", FileType::CharacterDevice, makedev(1, 3));
    assert!(fs::metadata(sandbox.at("src/null")).unwrap().file_type().is_char_device());
    sandbox.check().violates(&["new device node: src/null"]);
}

#[test]
fn a_clean_tree_mounted_over_a_changed_one_is_found() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    fs::create_dir(sandbox.at("data")).unwrap();
    let copy = sandbox.outside().join("copy");
    fs::create_dir(&copy).unwrap();
    let (cordon, copy) = (cordon_program(), copy.to_str().unwrap().to_owned());
    let script = format!(
        "set -e; mount -t tmpfs none data; cordon arm test --allow 'src/**'; cordon check; \
         mount -t tmpfs none data; cordon check && exit 8; umount data; cordon check; \
         cp -a docs/. '{copy}'; echo evil >> docs/guide.md; mount --bind '{copy}' docs; cordon check && exit 9; umount docs"
    );
    let mut command = sandbox.command("unshare");
    command.args(["-m", "bash", "-c", &format!("cordon() {{ '{}' \"$@\"; }}; {script}", cordon.to_str().unwrap())]);
    let outcome = run(command, b"", PATIENCE).ok().says(&["mount: ", "docs", "umount -- "]);
    assert!(!String::from_utf8_lossy(&outcome.stdout).contains("guide.md"), "the mount hides the change: {outcome:?}");
}

/// A process has dirtied a shared mapping before arm, and writes through it afterwards: on tmpfs no time changes.
#[test]
fn a_write_through_memory_that_was_shared_at_arm_is_found() {
    let memory = Path::new("/dev/shm");
    let sandbox = if memory.is_dir() { Sandbox::below(memory) } else { Sandbox::empty() };
    sandbox.git(&["init", "-q", "-b", "main", "."]).ok();
    sandbox.write("config.yml", "mode: safe\n");
    sandbox.write("other.yml", "mode: safe\n");
    sandbox.write(".gitignore", ".env\n");
    sandbox.commit("base");
    sandbox.write(".env", "KEY=0\n");
    let mut command = sandbox.command("python3");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).args([
        "-c",
        "import mmap, os, sys\n\
         maps = [mmap.mmap(os.open(name, os.O_RDWR), 0) for name in ('config.yml', 'other.yml', '.env')]\n\
         for m in maps: m[0:1] = m[0:1]\n\
         print('mapped', flush=True)\n\
         sys.stdin.readline()\n\
         maps[0][6:10] = b'evil'\n\
         maps[2][4:5] = b'1'\n\
         print('written', flush=True)\n\
         sys.stdin.readline()\n",
    ]);
    let mut python = command.spawn().unwrap();
    let (mut input, mut output) = (python.stdin.take().unwrap(), python.stdout.take().unwrap());
    let mut expect = |word: &str| {
        let mut line = vec![0; word.len()];
        output.read_exact(&mut line).unwrap();
        assert_eq!(line, word.as_bytes());
    };
    expect("mapped\n");
    // The clock moves on, so that nothing is racy.
    std::thread::sleep(std::time::Duration::from_millis(50));
    sandbox.git(&["update-index", "-q", "--refresh"]).ok();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    std::io::Write::write_all(&mut input, b"go\n").unwrap();
    expect("written\n");
    let outcome = sandbox.check().violates(&["path outside policy: config.yml", "ignored file changed: .env"]);
    assert!(!outcome.text().contains("other.yml"), "{outcome:?}");
    drop(input);
    python.wait().unwrap();
}

#[test]
fn what_stands_behind_a_link_is_remembered_within_bounds() {
    let sandbox = Sandbox::project();
    fs::create_dir_all(sandbox.outside().join("shared/deep")).unwrap();
    let at = |name: &str| sandbox.outside().join("shared").join(name);
    fs::write(at("deep/file"), "one\n").unwrap();
    fs::write(at("big"), vec![b'x'; 3 << 20]).unwrap();
    symlink("../shared", sandbox.at("shared")).unwrap();
    symlink("../../shared/big", sandbox.at("src/big")).unwrap();
    sandbox.commit("links");
    sandbox.arm(&["--allow", "src/**"]).ok();
    // The same bytes once more are nothing.
    fs::remove_file(at("deep/file")).unwrap();
    fs::write(at("deep/file"), "one\n").unwrap();
    fs::write(at("big"), vec![b'x'; 3 << 20]).unwrap();
    sandbox.check().ok();
    sandbox.write("shared/deep/file", "two\n");
    sandbox.check().violates(&["changed outside of the repository: shared -> ../shared"]);
    fs::write(at("deep/file"), "one\n").unwrap();
    sandbox.check().ok();
    let mut big = vec![b'x'; 3 << 20];
    big[2 << 20] = b'y';
    sandbox.write("src/big", big);
    sandbox.check().violates(&["src/big -> ../../shared/big", "shared -> ../shared"]);
}

#[test]
fn a_second_name_for_an_ignored_file_is_found() {
    let sandbox = Sandbox::project();
    sandbox.write(".env", "KEY=1\n");
    sandbox.write("build/app", "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    // Build output that shares an inode with a source is what builds do.
    fs::hard_link(sandbox.at("build/app"), sandbox.at("src/app")).unwrap();
    fs::hard_link(sandbox.at("src/util.py"), sandbox.at("build/util.py")).unwrap();
    sandbox.check().ok();
    fs::hard_link(sandbox.at(".env"), sandbox.at("src/settings")).unwrap();
    sandbox.check().violates(&["hard link to something outside of the change: src/settings = .env"]);
}

#[test]
fn names_are_bytes_also_where_they_are_mounted_or_linked() {
    let sandbox = Sandbox::armed();
    let name = std::ffi::OsStr::from_bytes(b"src/a\xff\n::error");
    symlink("/etc/\u{1b}[2Jpasswd", sandbox.at(name)).unwrap();
    let outcome = sandbox.cordon(&["check", "--format", "human"]).rejected().says(&["symlink-escapes"]);
    assert!(!outcome.text().contains("\u{1b}[2J") && !outcome.text().contains("\n::error"), "{outcome:?}");
}

/// Git records no owner: that a file or a directory was given to somebody is only noted. What was replaced is new.
#[test]
fn another_owner_is_noted() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::project();
    let chown = |owner: &str, path: &str| {
        assert!(sandbox.command("chown").args([owner, path]).status().unwrap().success());
    };
    chown("4242:4242", "docs/guide.md");
    sandbox.arm(&["--allow", "src/**"]).ok();
    let notes = || sandbox.check().ok().json()["notes"].to_string();
    assert_eq!(notes(), "[]");
    chown("4242", "src/app.py");
    chown(":4242", "src");
    assert!(notes().contains("2 with another owner, which Git does not record: src, src/app.py"), "{}", notes());
    chown("0", "docs/guide.md");
    assert!(notes().contains("3 with another owner"), "{}", notes());
    chown("4242", "docs/guide.md");
    chown("0", "src/app.py");
    chown(":0", "src");
    assert_eq!(notes(), "[]");
    chown("4242", "src/util.py");
    std::fs::copy(sandbox.at("src/util.py"), sandbox.at("src/copy")).unwrap();
    std::fs::rename(sandbox.at("src/copy"), sandbox.at("src/util.py")).unwrap();
    assert_eq!(notes(), "[]");
}
