//! Names and trees that programs like to stumble over.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use cordon::snapshot::open;

use super::common::{Space, counterpart, run};

#[test]
fn names_that_are_no_utf_8_are_written_as_escapes() {
    let space = Space::new();
    fs::write(space.at(OsStr::from_bytes(b"old\xff")), "1").unwrap();
    fs::write(space.at(OsStr::from_bytes(b"gone\xfe")), "2").unwrap();
    std::os::unix::fs::symlink(OsStr::from_bytes(b"to\xc3"), space.at("link")).unwrap();
    let script = "mv old* \"$(printf 'new\\200')\"; rm gone*; rm link; ln -s \"$(printf 'at\\377')\" other";
    let mut command = space.ours_command(&["run", "--actor"]);
    command.arg(OsStr::from_bytes(b"me\xff")).args(["--", "sh", "-c", script]).arg(OsStr::from_bytes(b"\xe9t\xe9"));
    let shown = run(command).exits(0).stdout;
    for line in ["Declared actor: me\\xff", "DELETED      gone\\xfe", "RENAMED      old\\xff \u{2192} new\\x80"] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in {shown}");
    }
    let id = space.sessions().pop().unwrap();
    let ledger = fs::read_to_string(space.file(&id, "events.jsonl")).unwrap();
    for part in [
        r#""actor":"me\udcff""#,
        r#""\udce9t\udce9"]"#,
        r#""path":"new\udc80","path_before":"old\udcff""#,
        r#""target":"at\udcff""#,
    ] {
        assert!(ledger.contains(part), "{part} is not in {ledger}");
    }
    space.stone(&["verify", "latest"]).exits(0);
    if let Some(real) = counterpart() {
        let told = space.real(&real, &["verify", "latest"]).exits(0).stdout;
        assert!(told.starts_with("Ledger intact: 6 records"), "{told}");
        assert!(space.real(&real, &["list"]).exits(0).stdout.contains(&id));
    }
}

#[test]
fn names_that_end_lines_elsewhere_are_names_like_any_other() {
    let space = Space::new();
    for name in ["a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\nb", "a\rb", "\u{1b}[2J", "a\"b\\c", "\u{7f}"] {
        space.write(name, name);
    }
    let shown = space.observe("for f in *; do mv \"$f\" \"x$f\"; done").exits(0).stdout;
    assert_eq!(space.told().len(), 8);
    assert!(space.told().iter().all(|told| told.starts_with("renamed ")));
    assert!(!shown.contains(['\u{85}', '\u{2028}', '\u{2029}', '\r', '\u{1b}', '\u{7f}']), "{shown}");
    space.stone(&["verify", "latest"]).exits(0);
    space.stone(&["show", "latest"]).exits(0);
    if let Some(real) = counterpart() {
        for args in [&["list"][..], &["show", "latest"], &["verify", "latest"]] {
            space.real(&real, args).exits(0);
        }
        // What it writes itself of such names it cannot show any more.
        space.real(&real, &["run", "--", "sh", "-c", "for f in x*; do mv \"$f\" \"y$f\"; done"]).exits(0);
        space.real(&real, &["verify", "latest"]).exits(99);
        space.stone(&["verify", "latest"]).exits(0);
        assert_eq!(space.told().len(), 8);
        // The test ends with ledgers that the older program can read, as every test does.
        let unreadable = space.sessions().pop().unwrap();
        fs::remove_dir_all(space.at(".stone/sessions").join(unreadable)).unwrap();
    }
}

#[test]
fn a_tree_of_2000_levels_is_observed() {
    let space = Space::new();
    // Every step is one system call below the last, because the whole path is longer than one call may have.
    let mut directory = open::root(&space.root).unwrap();
    for _ in 0..2000 {
        rustix::fs::mkdirat(&directory, "dd", rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
        directory = open::directory(&directory, b"dd").unwrap();
    }
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    rustix::fs::openat(&directory, "deep", flags, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
    space.observe("find dd -name deep -execdir sh -c 'echo 22 > deep; echo 3 > other' ';'").exits(0);
    let deep = vec!["dd"; 2000].join("/");
    assert_eq!(space.told(), [format!("created {deep}/other"), format!("modified {deep}/deep")]);
    space.stone(&["verify", "latest"]).exits(0);
    run(space.command("rm".as_ref(), &["-rf", "dd"])).exits(0);
}

#[test]
fn what_is_neither_file_nor_link_is_not_observed() {
    let space = Space::new();
    space.write("file", "x");
    let script = "mkfifo pipe; mkdir empty; rm file; mkfifo file; ln -s nowhere link; ln -s . loop";
    space.observe(script).exits(0);
    assert_eq!(space.told(), ["created link", "created loop", "deleted file"]);
    space.observe("rm file; echo x > file; rmdir empty; rm pipe").exits(0);
    assert_eq!(space.told(), ["created file"]);
}
