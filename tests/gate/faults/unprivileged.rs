//! Files and directories that an ordinary user may not read. Root reads everything, so the tests step down.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program, privileged};

/// A project that belongs to an ordinary user, and a way to run `cordon` as that user.
struct Ordinary(Sandbox);

impl Ordinary {
    fn project() -> Self {
        let sandbox = Sandbox::project();
        fs::create_dir(sandbox.at("build")).unwrap();
        sandbox.write("build/secret.o", "1");
        sandbox.write("src/sub/deep.py", "x\n");
        sandbox.commit("more");
        // Not by this process: whatever another test starts meanwhile would hold the copy open for writing, and a program
        // that somebody may write cannot be started.
        let mut copy = sandbox.command("cp");
        copy.arg(cordon_program()).arg(sandbox.outside().join("cordon"));
        run(copy, b"", PATIENCE).ok();
        let open = Permissions::from_mode(0o755);
        for dir in [sandbox.path(), sandbox.outside(), &sandbox.outside().join("cordon")] {
            fs::set_permissions(dir, open.clone()).unwrap();
        }
        let mut chown = sandbox.command("chown");
        chown.args(["-R", "65534:65534"]).arg(&sandbox.root).arg(sandbox.outside().join("home"));
        run(chown, b"", PATIENCE).ok();
        Ordinary(sandbox)
    }

    fn cordon(&self, args: &[&str]) -> Outcome {
        let mut command = self.0.command("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.arg(self.0.outside().join("cordon")).args(args);
        run(command, b"", PATIENCE).orderly()
    }

    fn close(&self, path: &str) {
        fs::set_permissions(self.0.at(path), Permissions::from_mode(0o000)).unwrap();
    }
}

#[test]
fn what_cannot_be_read_is_never_vouched_for() {
    if !privileged() {
        return;
    }
    // The permissions change the stat, so the check has to look, and it may not.
    for path in ["README.md", "src/app.py", "src", "src/sub", "docs", ".git/index", ".git/objects", ".git/HEAD"] {
        let place = Ordinary::project();
        place.cordon(&["arm", "test", "--allow", "**"]).ok();
        place.cordon(&["check"]).ok();
        place.close(path);
        eprintln!("{path}");
        place.0.write_raw(b"src/new.py", "x\n");
        place.cordon(&["check"]).never_accepts();
        place.cordon(&["check", "--rehash"]).never_accepts();
        let _ = place.cordon(&["status"]);
        let _ = place.cordon(&["diff"]);
    }
}

#[test]
fn an_unreadable_file_is_named() {
    if !privileged() {
        return;
    }
    let place = Ordinary::project();
    place.cordon(&["arm", "test", "--allow", "**"]).ok();
    place.close("README.md");
    place.cordon(&["check"]).never_accepts().says(&["README.md"]);
    fs::set_permissions(place.0.at("README.md"), Permissions::from_mode(0o644)).unwrap();
    place.cordon(&["check"]).ok();
}

#[test]
fn an_untracked_directory_that_cannot_be_listed_is_no_accept() {
    if !privileged() {
        return;
    }
    let place = Ordinary::project();
    place.cordon(&["arm", "test", "--allow", "src/**"]).ok();
    place.0.write("drop/payload.sh", "x\n");
    place.close("drop");
    place.cordon(&["check"]).never_accepts().says(&["drop"]);
}

#[test]
fn arming_over_something_unreadable_is_refused_and_leaves_nothing() {
    if !privileged() {
        return;
    }
    for path in ["README.md", "docs"] {
        let place = Ordinary::project();
        place.close(path);
        place.cordon(&["arm", "test", "--allow", "**"]).refused();
        assert!(!place.0.at(".cordon").exists());
    }
}

#[test]
fn a_work_tree_that_cannot_be_written_is_refused() {
    if !privileged() {
        return;
    }
    let place = Ordinary::project();
    fs::set_permissions(&place.0.root, Permissions::from_mode(0o555)).unwrap();
    place.cordon(&["arm", "test", "--allow", "**"]).refused();
}
