//! Includes that do not apply yet, and files that are not there yet.

use std::fs;

use crate::common::sandbox::Sandbox;

const EVIL: &str = "[core]\n\tsshCommand = evil\n";

/// Each include is there at arm; then its file changes or appears.
#[test]
fn the_files_of_includes_count_before_they_apply() {
    for condition in [
        "include",
        "includeIf.onbranch:release",
        "includeIf.gitdir:/nowhere/",
        "includeIf.hasconfig:remote.*.url:https://x.invalid/**",
    ] {
        for there in [false, true] {
            for file in ["more.config", "~/more.config"] {
                let sandbox = Sandbox::project();
                sandbox.git(&["config", &format!("{condition}.path"), file]).ok();
                let home = sandbox.outside().join("home");
                let path =
                    if file.starts_with('~') { home.join("more.config") } else { sandbox.at(".git/more.config") };
                if there {
                    fs::write(&path, "[user]\n\tname = me\n").unwrap();
                }
                sandbox.arm(&["--allow", "src/**"]).ok();
                sandbox.check().ok();
                fs::write(&path, EVIL).unwrap();
                sandbox.check().violates(&["core.sshcommand"]);
                // Taste stays taste.
                fs::write(&path, "[user]\n\tname = you\n").unwrap();
                sandbox.check().ok();
            }
        }
    }
}

#[test]
fn chains_of_includes_are_followed() {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "includeIf.onbranch:release.path", "a.config"]).ok();
    sandbox.write(".git/a.config", "[include]\n\tpath = deep/b.config\n");
    sandbox.write(".git/deep/b.config", "[include]\n\tpath = ../c.config\n[include]\n\tpath = b.config\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.check().ok();
    sandbox.write(".git/c.config", EVIL);
    let outcome = sandbox.check().violates(&["core.sshcommand", "c.config"]).says(&["git config --file"]);
    let help = outcome.json()["findings"][0]["help"].as_str().unwrap().strip_prefix("Undo it: ").unwrap().to_owned();
    assert!(sandbox.command("sh").args(["-c", &help]).status().unwrap().success(), "{help}");
    sandbox.check().ok();
}

#[test]
fn includes_of_submodules_count() {
    let inner = Sandbox::project();
    let sandbox = Sandbox::project();
    sandbox.git(&["submodule", "add", "-q", inner.root.to_str().unwrap(), "libs/dep"]).ok();
    sandbox.commit("submodule");
    sandbox.git(&["-C", "libs/dep", "config", "includeIf.onbranch:x.path", "more"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write(".git/modules/libs/dep/more", EVIL);
    sandbox.check().violates(&["libs/dep: core.sshcommand"]);
}
