//! What is left when it is killed at any moment, when the disk is full, and when something cannot be read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::common::{Random, Space, counterpart, privileged, run, setting};

/// Every session that is there is whole, and every line of the index is one.
#[track_caller]
fn assert_sound(space: &Space) {
    for id in space.sessions().iter().filter(|id| !id.starts_with('.')) {
        space.stone(&["verify", id]).exits(0);
    }
    let outcome = space.stone(&["list"]).exits(0);
    assert_eq!(outcome.stderr, "", "the index is torn");
    let index = fs::read_to_string(space.at(".stone/index.jsonl")).unwrap_or_default();
    assert!(index.is_empty() || index.ends_with('\n'), "{index}");
}

#[test]
fn a_kill_at_any_moment_leaves_whole_sessions_only() {
    let mut random = Random::new(setting("CORDON_SEED", 1));
    let space = Space::new();
    for number in 0..100 {
        space.write(&format!("files/{number}"), number.to_string());
    }
    // How long a whole session takes here, so that the moments cover all of it.
    let began = Instant::now();
    space.observe("echo 0 > changed").exits(0);
    let whole = began.elapsed();
    for number in 0..setting("CORDON_STONE_KILLS", 60) {
        let script = format!("echo {number} > changed; for i in 1 2 3 4 5 6 7 8 9; do echo {number}$i > n$i; done");
        let mut command = space.ours_command(&["run", "--capture-output", "--", "sh", "-c", &script]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let micros = usize::try_from(whole.as_micros()).unwrap() * 3 / 2;
        sleep(Duration::from_micros(u64::try_from(random.below(micros)).unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_sound(&space);
    }
    let sessions = space.sessions().len();
    assert!(sessions > 1, "some of them came to their end");
    // The command of a killed session may still be at work; then the next one sees what it does.
    let outcome = space.observe("echo x > last").exits(0);
    assert!(outcome.stdout.contains("CREATED      last\n"), "{}", outcome.stdout);
    let left: Vec<String> = space.sessions().into_iter().filter(|id| id.starts_with('.')).collect();
    assert_eq!(left, [""; 0], "the next session sweeps up");
    if let Some(real) = counterpart() {
        for id in space.sessions() {
            space.real(&real, &["verify", &id]).exits(0);
        }
        space.real(&real, &["list"]).exits(0);
    }
}

#[test]
fn a_write_that_is_cut_short_leaves_whole_sessions_only() {
    let ours = super::common::ours().into_string().unwrap();
    let space = Space::new();
    space.observe("echo 0 > a").exits(0);
    // A limit on the length of files cuts the lock, the ledger and the index short, one after the other: the process dies
    // in the middle of the write, or, where it ignores the signal, is told so.
    for (ignore, ends) in [("", [-25, 0]), ("trap '' XFSZ; ", [97, 99])] {
        let mut codes = std::collections::BTreeSet::new();
        for blocks in 0..10 {
            let script = format!(
                "{ignore}ulimit -f {blocks}; exec env -i PATH=/usr/bin:/bin {ours} run --actor {blocks} -- touch x"
            );
            codes.insert(run(space.command("sh".as_ref(), &["-c", &script])).code);
            assert_sound(&space);
        }
        assert!(ends.iter().all(|end| codes.contains(end)), "{codes:?}");
        assert!(codes.contains(&0), "the last limits cut nothing: {codes:?}");
    }
    space.observe("echo 1 > a").exits(0);
    assert_sound(&space);
}

/// A small file system that is unmounted with the test.
struct Mount(tempfile::TempDir);

impl Mount {
    fn of(size: &str) -> Mount {
        let place = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(place.path()).status();
        assert!(mounted.unwrap().success());
        Mount(place)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.0.path()).status().ok();
    }
}

#[test]
fn a_full_disk_at_any_step_leaves_whole_sessions_only() {
    if !privileged() {
        return;
    }
    let mount = Mount::of("400k");
    let space = Space::below(mount.path());
    space.observe("echo 1 > a").exits(0);
    let mut refused = 0;
    // The command itself takes up more and more, so that each write of the session is the first one that fails once.
    for left in (0..24_u32).rev() {
        let fill = "rm -f fill; dd if=/dev/zero of=fill bs=4k 2>/dev/null; true";
        let free = format!("{fill}; size=$(stat -c %s fill); truncate -s $((size - {left} * 4096)) fill");
        let events = "for i in 1 2 3 4 5 6 7 8 9; do ln -s $i$i$i l$i; done";
        let outcome = space.stone(&["run", "--capture-output", "--", "sh", "-c", &format!("{events}; {free}")]);
        assert!([0, 97, 99].contains(&outcome.code), "{} {}", outcome.code, outcome.stderr);
        refused += u32::from(outcome.code != 0);
        assert_sound(&space);
        run(space.command("sh".as_ref(), &["-c", "rm -f fill l?"])).exits(0);
    }
    assert!(refused > 0, "the disk was full at least once");
    space.observe("echo 2 > a").exits(0);
    assert_sound(&space);
    drop(space);
}

#[test]
fn an_index_that_cannot_be_replaced_leaves_a_whole_session() {
    let space = Space::new();
    space.observe("echo 1 > a").exits(0);
    let outcome = space.observe("echo 2 > a; mv .stone/index.jsonl kept; mkdir .stone/index.jsonl").exits(97);
    assert!(outcome.stderr.contains("index.jsonl is a link or of another kind"), "{}", outcome.stderr);
    assert_eq!(space.told(), ["created kept", "modified a"]);
    for id in space.sessions() {
        space.stone(&["verify", &id]).exits(0);
    }
    run(space.command("sh".as_ref(), &["-c", "rmdir .stone/index.jsonl; mv kept .stone/index.jsonl"])).exits(0);
    space.observe("echo 3 > a").exits(0);
    assert_sound(&space);
    assert_eq!((space.sessions().len(), space.stone(&["list"]).exits(0).stdout.lines().count()), (3, 3));
}

#[test]
fn what_cannot_be_read_or_written_stops_the_session_before_anything_runs() {
    if !privileged() {
        return;
    }
    let space = Space::new();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for path in [space.root.as_path(), space.root.parent().unwrap()] {
        mode(path, 0o777);
    }
    let as_nobody = |script: &str| {
        let ours = super::common::ours().into_string().unwrap();
        let args = ["--reuid=65534", "--regid=65534", "--clear-groups", &ours, "run", "--", "sh", "-c", script];
        run(space.command("setpriv".as_ref(), &args))
    };
    as_nobody("echo 1 > a").exits(0);
    space.write(".stone/config.toml", "");
    space.write(".stone/lock", "");
    let stone = space.at(".stone");
    for (name, closed, open, code) in [
        ("config.toml", 0o0, 0o644, 97),
        ("lock", 0o0, 0o0, 96),
        ("index.jsonl", 0o0, 0o644, 97),
        ("sessions", 0o555, 0o777, 97),
        ("", 0o555, 0o777, 97),
    ] {
        let path = stone.join(name);
        run(space.command("chown".as_ref(), &["root", path.to_str().unwrap()])).exits(0);
        mode(&path, closed);
        as_nobody("echo 2 > ran").exits(code);
        assert!(!space.at("ran").exists(), "{name}");
        mode(&path, open);
        if name == "lock" {
            fs::remove_file(path).unwrap();
        }
        assert_sound(&space);
    }
    as_nobody("echo 2 > ran").exits(0);
    assert_sound(&space);
    assert_eq!(space.sessions().len(), 2);
}

#[test]
fn a_store_that_the_command_removes_is_an_error_and_no_panic() {
    let space = Space::new();
    space.observe("echo 1 > a").exits(0);
    let outcome = space.observe("rm -rf .stone").exits(99);
    assert!(outcome.stderr.contains("cannot write"), "{}", outcome.stderr);
    space.observe("echo 2 > a").exits(0);
    assert_sound(&space);
}
