//! A check that cannot be recorded is none: it is refused, and the state stays as it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::common::counterpart::older_stone;
use crate::common::disk::Small;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program, privileged};

#[test]
fn a_stone_that_is_no_directory_of_ours_is_refused() {
    let spoils: &[fn(&Path)] = &[
        |path| symlink("/tmp", path).unwrap(),
        |path| fs::write(path, "x").unwrap(),
        |path| mkfifoat(CWD, path, Mode::from_raw_mode(0o644)).unwrap(),
        |path| {
            fs::create_dir(path).unwrap();
            symlink("/tmp", path.join("sessions")).unwrap();
        },
        |path| {
            fs::create_dir(path).unwrap();
            mkfifoat(CWD, path.join("index.jsonl"), Mode::from_raw_mode(0o644)).unwrap();
        },
        |path| {
            fs::create_dir(path).unwrap();
            symlink("/etc/passwd", path.join("index.jsonl")).unwrap();
        },
    ];
    for spoil in spoils {
        let sandbox = Sandbox::armed();
        spoil(&sandbox.at(".stone"));
        sandbox.append("src/app.py", "X = 1\n");
        let before = fs::read(sandbox.at(".cordon/state.json")).unwrap();
        sandbox.check().refused().says(&[".stone", "cannot be recorded"]);
        assert_eq!(fs::read(sandbox.at(".cordon/state.json")).unwrap(), before);
        assert!(!sandbox.at(".cordon/audit.json").exists());
    }
}

#[test]
fn a_stone_that_a_verifier_moves_away_is_noticed() {
    let sandbox = Sandbox::project();
    let verifier = "sh -c 'mv .stone .git/away; mkdir -p .stone/sessions'";
    sandbox.arm(&["--allow", "src/**", "--verify", verifier]).ok();
    sandbox.check().refused().says(&["moved or replaced"]);
    assert!(!sandbox.at(".cordon/audit.json").exists());
}

#[test]
fn reset_leaves_the_trail_and_the_next_envelope_goes_on_from_it() {
    let sandbox = Sandbox::armed();
    let first = sandbox.check().ok().json();
    sandbox.cordon(&["reset"]).ok();
    let session = |verdict: &serde_json::Value| verdict["session"].as_str().unwrap().to_owned();
    let audit = |id: &str| {
        let bytes = fs::read(sandbox.at(format!(".stone/sessions/{id}/audit.json"))).unwrap();
        crate::common::json::parse(&bytes).unwrap()
    };
    assert!(audit(&session(&first))["previous"].is_null());
    sandbox.arm(&["--allow", "docs/**"]).ok();
    let second = sandbox.check().ok().json();
    assert_eq!(audit(&session(&second))["previous"]["session"], first["session"]);
    assert_eq!(audit(&session(&second))["verdict"], second);
    assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
}

#[test]
fn an_unwritable_stone_is_refused() {
    if !privileged() {
        return;
    }
    let sandbox = Sandbox::armed();
    fs::create_dir_all(sandbox.at(".stone/sessions")).unwrap();
    let mut own = std::process::Command::new("chown");
    assert!(own.args(["-R", "nobody"]).arg(sandbox.path()).status().unwrap().success());
    fs::set_permissions(sandbox.at(".stone/sessions"), fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = sandbox.command("setpriv");
    command.args(["--reuid=nobody", "--clear-groups", "--"]).arg(cordon_program()).arg("check");
    run(command, b"", PATIENCE).refused().says(&["cannot write into", "cannot be recorded"]);
    assert!(!sandbox.at(".cordon/audit.json").exists());
}

#[test]
fn a_check_that_is_killed_leaves_whole_sessions_only() {
    let stone = older_stone();
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    let took = sandbox.check().ok().took;
    for round in 0..24_u32 {
        let mut running = sandbox.cordon_start(&["check"]);
        std::thread::sleep(took * round / 24 + Duration::from_micros(300));
        running.kill();
        let _ = running.finish(PATIENCE);
        for entry in fs::read_dir(sandbox.at(".stone/sessions")).unwrap() {
            let id = entry.unwrap().file_name().into_string().unwrap();
            if id.starts_with(".tmp-") {
                continue;
            }
            let bytes = fs::read(sandbox.at(format!(".stone/sessions/{id}/events.jsonl"))).unwrap();
            cordon::ledger::verify::verify(&bytes, Some(&id)).unwrap();
            assert!(sandbox.at(format!(".stone/sessions/{id}/audit.json")).exists());
        }
        let index = fs::read(sandbox.at(".stone/index.jsonl")).unwrap();
        assert!(cordon::ledger::index::Index::parse(&index).broken.is_empty());
    }
    sandbox.check().ok();
    let left = fs::read_dir(sandbox.at(".stone/sessions")).unwrap();
    assert!(left.flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with(".tmp-")), "swept");
    if let Some(stone) = stone {
        let mut verify = sandbox.command(stone);
        verify.args(["verify", "latest"]);
        run(verify, b"", PATIENCE).ok();
    }
}

#[test]
fn a_full_disk_leaves_no_session_or_a_whole_one() {
    if !privileged() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let disk = Small::mount(place.path(), "640k");
    let sandbox = Sandbox::below(place.path());
    sandbox.git(&["init", "-q", "-b", "main", "."]).ok();
    fs::remove_dir_all(sandbox.at(".git/hooks")).ok();
    sandbox.write("src/app.py", "X = 1\n");
    sandbox.commit("base");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append("src/app.py", "Y = 2\n");
    sandbox.check().ok();
    let (mut refused, mut done) = (0, 0);
    for spare in (0..14).map(|pages| pages * 4096) {
        let before = fs::read(sandbox.at(".cordon/state.json")).unwrap();
        let known = fs::read(sandbox.at(".stone/index.jsonl")).unwrap();
        let filler = disk.fill(spare);
        let outcome = sandbox.check();
        fs::remove_file(filler).unwrap();
        if outcome.code() == 0 {
            done += 1;
        } else {
            refused += 1;
            outcome.refused();
            assert_eq!(fs::read(sandbox.at(".cordon/state.json")).unwrap(), before, "{spare} bytes");
        }
        let index = fs::read(sandbox.at(".stone/index.jsonl")).unwrap();
        assert!(index.starts_with(&known) && index.ends_with(b"\n"), "{spare} bytes");
        sandbox.cordon(&["ledger", "verify"]).ok();
    }
    assert!(refused > 1 && done > 1, "{refused} refused, {done} done");
}
