//! Links, bits and names: what the content of a path does not show.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::sandbox::Sandbox;

#[test]
fn a_new_link_that_leads_away_is_found_with_its_text() {
    for (target, words) in [
        ("../../secret", "symbolic link leads out of the repository: src/link -> ../../secret"),
        ("/etc/passwd", "symbolic link leads to an absolute path: src/link -> /etc/passwd"),
        ("../.git/hooks", "symbolic link leads into a control directory: src/link -> ../.git/hooks"),
        ("up/../x", "symbolic link leads out of the repository: src/link -> up/../x"),
    ] {
        let sandbox = Sandbox::project();
        symlink("..", sandbox.at("src/up")).unwrap();
        sandbox.commit("link");
        sandbox.arm(&["--allow", "src/**"]).ok();
        symlink(target, sandbox.at("src/link")).unwrap();
        sandbox.check().violates(&[words]);
    }
}

#[test]
fn links_that_stay_inside_or_were_there_are_fine() {
    let sandbox = Sandbox::project();
    symlink("/nowhere/at/all", sandbox.at("src/old")).unwrap();
    sandbox.commit("link");
    sandbox.arm(&["--allow", "src/**"]).ok();
    symlink("../docs/guide.md", sandbox.at("src/guide")).unwrap();
    symlink("missing", sandbox.at("src/dangling")).unwrap();
    // The old link with a new inode leads where it led.
    fs::remove_file(sandbox.at("src/old")).unwrap();
    symlink("/nowhere/at/all", sandbox.at("src/old")).unwrap();
    sandbox.check().ok();
    fs::remove_file(sandbox.at("src/old")).unwrap();
    symlink("/nowhere/else", sandbox.at("src/old")).unwrap();
    sandbox.check().violates(&["src/old -> /nowhere/else"]);
}

#[test]
fn what_a_tracked_link_leads_to_is_remembered() {
    let sandbox = Sandbox::project();
    sandbox.write("../shared.yml", "a: 1\n");
    symlink("../../shared.yml", sandbox.at("src/shared.yml")).unwrap();
    sandbox.commit("link");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("../shared.yml", "a: 1\n");
    sandbox.check().ok();
    sandbox.write("src/shared.yml", "a: 2\n");
    sandbox.check().violates(&["changed outside of the repository: src/shared.yml -> ../../shared.yml"]);
}

#[test]
fn a_directory_swapped_for_a_link_loses_every_path_below() {
    let sandbox = Sandbox::armed();
    fs::rename(sandbox.at("docs"), sandbox.outside().join("docs")).unwrap();
    symlink("../docs", sandbox.at("docs")).unwrap();
    sandbox.check().violates(&[
        "path outside policy: docs",
        "path outside policy: docs/guide.md",
        "symbolic link leads out of the repository: docs",
    ]);
}

#[test]
fn bits_that_grant_rights_are_found() {
    for bits in [0o4755, 0o2755, 0o1755] {
        let sandbox = Sandbox::armed();
        fs::set_permissions(sandbox.at("src/app.py"), fs::Permissions::from_mode(bits)).unwrap();
        sandbox.check().violates(&[&format!("({bits:04o}): src/app.py")]);
    }
    let sandbox = Sandbox::armed();
    fs::set_permissions(sandbox.at("src/app.py"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.check().ok();
}

#[test]
fn a_hard_link_to_something_outside_of_the_change_is_found() {
    let sandbox = Sandbox::armed();
    fs::hard_link(sandbox.at("README.md"), sandbox.at("src/readme_copy")).unwrap();
    sandbox.check().violates(&["hard link to something outside of the change: src/readme_copy = README.md"]);

    let sandbox = Sandbox::armed();
    fs::hard_link(sandbox.at("src/app.py"), sandbox.outside().join("kept")).unwrap();
    sandbox.check().violates(&["src/app.py = a file outside of the repository"]);
}

#[test]
fn hard_links_of_arm_among_allowed_paths_and_into_build_output_are_fine() {
    let sandbox = Sandbox::project();
    fs::hard_link(sandbox.at("README.md"), sandbox.outside().join("kept")).unwrap();
    sandbox.arm(&["--allow", "src/**"]).ok();
    fs::hard_link(sandbox.at("src/app.py"), sandbox.at("src/app2.py")).unwrap();
    fs::create_dir(sandbox.at("build")).unwrap();
    fs::hard_link(sandbox.at("docs/guide.md"), sandbox.at("build/guide.md")).unwrap();
    sandbox.check().ok();
}

#[test]
fn names_that_another_file_system_takes_for_one_are_found() {
    let sandbox = Sandbox::armed();
    sandbox.write("src/App.py", "x\n");
    sandbox.check().violates(&["case or Unicode form only: src/App.py and src/app.py"]);

    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.write("src/caf\u{e9}", "x\n");
    sandbox.write("src/cafe\u{301}", "x\n");
    sandbox.write("SRC/new", "x\n");
    sandbox.check().violates(&["src/caf\u{e9} and src/cafe\u{301}", "form only: SRC and src"]);
}

#[test]
fn a_rename_that_changes_only_the_case_is_fine() {
    let sandbox = Sandbox::armed();
    sandbox.git(&["mv", "src/app.py", "src/App.py"]).ok();
    sandbox.write("build/X", "x");
    sandbox.write("build/x", "x");
    sandbox.check().ok();
}
