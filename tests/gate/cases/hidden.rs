//! A change that Git does not show, or shows as something else, is still a change.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use crate::common::sandbox::Sandbox;

/// The time that the tricks put back.
fn old() -> FileTimes {
    FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_704_164_645))
}

/// Writes as many bytes as were there and puts the old time back.
fn disguise(sandbox: &Sandbox, path: &str, content: &str) {
    assert_eq!(fs::read(sandbox.at(path)).unwrap().len(), content.len());
    fs::write(sandbox.at(path), content).unwrap();
    File::options().write(true).open(sandbox.at(path)).unwrap().set_times(old()).unwrap();
}

/// A project whose files are all old, with this configuration, armed for `src/**`.
fn aged(config: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::project();
    for path in ["README.md", "src/app.py", "docs/guide.md", "infra/deploy.tf"] {
        File::options().write(true).open(sandbox.at(path)).unwrap().set_times(old()).unwrap();
    }
    for (key, value) in config {
        sandbox.git(&["config", key, value]).ok();
    }
    sandbox.git(&["status"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox
}

/// Case 26: the index is told to assume that nothing changes.
#[test]
fn assume_unchanged_hides_nothing() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["update-index", "--assume-unchanged", "README.md"]).ok();
    sandbox.append("README.md", "evil\n");
    assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
    sandbox.check().violates(&["path outside policy: README.md", "hidden"]);
}

/// Case 31: a setting of a big repository leaves untracked files out.
#[test]
fn untracked_files_count_whatever_status_shows() {
    let sandbox = aged(&[("status.showUntrackedFiles", "no")]);
    sandbox.write("tools/dropper.sh", "echo hi\n");
    assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
    sandbox.check().violates(&["path outside policy: tools/dropper.sh"]);
}

/// Case 39: Git trusts neither ctime nor inode, so an edit of the same length with the old time is unseen.
#[test]
fn relaxed_stat_settings_hide_nothing() {
    for pause in [0, 1_100] {
        let sandbox = aged(&[("core.trustctime", "false"), ("core.checkStat", "minimal")]);
        std::thread::sleep(Duration::from_millis(pause));
        disguise(&sandbox, "README.md", "# Evil\n");
        sandbox.check().violates(&["path outside policy: README.md"]);
    }
}

/// Case 51: the same with default settings, at once and after the clock has moved on.
#[test]
fn the_same_size_and_time_hide_nothing() {
    for pause in [0, 1_100] {
        let sandbox = aged(&[]);
        std::thread::sleep(Duration::from_millis(pause));
        disguise(&sandbox, "README.md", "# Evil\n");
        sandbox.check().violates(&["path outside policy: README.md"]);
    }
}

/// An edit within the clock tick of the arm itself, many times over.
#[test]
fn an_edit_right_after_arming_is_seen() {
    for _ in 0..20 {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "src/**"]).ok();
        let path = sandbox.at("README.md");
        let times = fs::metadata(&path).unwrap();
        let times = FileTimes::new().set_modified(times.modified().unwrap());
        fs::write(&path, "# Evil\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
        sandbox.check().violates(&["path outside policy: README.md"]);
    }
}

/// Case 41: Git is told not to look at executable bits.
#[test]
fn executable_bits_count_whatever_file_mode_says() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["config", "core.fileMode", "false"]).ok();
    fs::set_permissions(sandbox.at("infra/deploy.tf"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
    sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
}

/// Case 20: another branch is checked out, against which the tree is clean.
#[test]
fn another_branch_is_compared_with_the_armed_commit() {
    let sandbox = Sandbox::project();
    sandbox.git(&["branch", "old"]).ok();
    sandbox.append("docs/guide.md", "newer\n");
    sandbox.commit("newer");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.git(&["checkout", "-q", "old"]).ok();
    sandbox.check().violates(&["path outside policy: docs/guide.md", "HEAD changed"]);
}

/// Case 15: a rename that Git's own rename detection shows as an addition inside.
#[test]
fn a_rename_leaves_its_source_in_the_verdict() {
    for commits in [&[][..], &["--allow-commits"]] {
        let sandbox = Sandbox::project();
        sandbox.git(&["config", "diff.renames", "copies"]).ok();
        sandbox.arm(&[&["--allow", "src/**"], commits].concat()).ok();
        sandbox.git(&["mv", "infra/deploy.tf", "src/deploy.tf"]).ok();
        sandbox.git(&["commit", "-q", "-m", "move"]).ok();
        sandbox.check().violates(&["path outside policy: infra/deploy.tf"]);
    }
}

/// Case 23: a link inside leads a write to a path outside.
#[test]
fn a_write_through_a_link_is_judged_where_it_lands() {
    let sandbox = Sandbox::project();
    std::os::unix::fs::symlink("../config", sandbox.at("src/conf")).unwrap();
    sandbox.commit("link");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("src/conf/prod.yml", "mode: unsafe\n");
    sandbox.check().violates(&["path outside policy: config/prod.yml"]);
}
