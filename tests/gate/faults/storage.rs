//! A full disk while state is written: the old state stays, and works again once there is room.

use std::fs;

use crate::common::disk::Small;
use crate::common::sandbox::{Sandbox, privileged};

#[test]
fn a_full_disk_keeps_the_old_state() {
    if !privileged() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let disk = Small::mount(place.path(), "512k");
    let sandbox = Sandbox::below(place.path());
    sandbox.git(&["init", "-q", "-b", "main", "."]).ok();
    fs::remove_dir_all(sandbox.at(".git/hooks")).ok();
    sandbox.write("README.md", "# Demo\n");
    sandbox.write("src/app.py", "X = 1\n");
    sandbox.commit("base");

    for spare in [0, 4096, 8192, 12_288, 16_384] {
        let filler = disk.fill(spare);
        let outcome = sandbox.arm(&["--allow", "src/**"]);
        fs::remove_file(filler).unwrap();
        if outcome.code() != 0 {
            let outcome = outcome.refused();
            assert!(!sandbox.at(".cordon/state.json").exists(), "half armed with {spare} bytes: {outcome:?}");
            sandbox.check().refused();
        }
        sandbox.cordon(&["reset"]).ok();
    }

    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("src/app.py", "X = 2\n");
    sandbox.check().ok();
    fs::write(sandbox.at("README.md"), "# Evil\n").unwrap();
    for spare in [0, 4096, 8192, 12_288] {
        let filler = disk.fill(spare);
        sandbox.check().never_accepts();
        assert_eq!(sandbox.cordon(&["status"]).ok().json()["label"], "test");
        fs::remove_file(filler).unwrap();
        sandbox.check().violates(&["path outside policy: README.md"]);
    }
    fs::write(sandbox.at("README.md"), "# Demo\n").unwrap();
    sandbox.check().ok();
    let _filler = disk.fill(0);
    sandbox.cordon(&["reset"]).ok();
    drop(sandbox);
}
