//! The anchor: only what was armed here is believed, and a re-arm does not go unseen.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::common::json;
use crate::common::sandbox::Sandbox;

fn anchor(sandbox: &Sandbox) -> String {
    sandbox.cordon(&["status"]).ok().json()["anchor"].as_str().unwrap().to_owned()
}

fn hex(bytes: &[u8]) -> String {
    cordon::snapshot::digest::hex(bytes)
}

/// Every command that believes the state is refused, and says what was expected.
#[track_caller]
fn nothing_believes_it(sandbox: &Sandbox, expected: &str) {
    for command in ["check", "status", "diff"] {
        let outcome = sandbox.cordon(&[command]).refused().says(&[expected]);
        assert!(!outcome.text().contains("nothing is armed"), "{outcome:?}");
    }
    sandbox.cordon(&["explain", "src/app.py"]).refused();
}

#[test]
fn it_is_kept_in_the_git_directory_and_names_nothing_after_a_clean_finish() {
    let sandbox = Sandbox::project();
    let armed = sandbox.arm(&["--allow", "src/**"]).ok().json();
    let kept = json::parse(&fs::read(sandbox.at(".git/cordon.anchor")).unwrap()).unwrap();
    assert_eq!(kept["armed"]["anchor"], armed["anchor"]);
    assert_eq!(anchor(&sandbox), armed["anchor"].as_str().unwrap());
    sandbox.check().ok();
    sandbox.cordon(&["reset"]).ok();
    let kept = json::parse(&fs::read(sandbox.at(".git/cordon.anchor")).unwrap()).unwrap();
    assert_eq!((&kept["armed"], &kept["resets"]), (&Value::Null, &0.into()));
    sandbox.check().refused().says(&["cordon arm"]);
}

/// Case 53, by hand: the policy is widened and every digest in the state is computed anew.
#[test]
fn a_rehashed_policy_is_refused() {
    let sandbox = Sandbox::armed();
    let before = anchor(&sandbox);
    sandbox.append("README.md", "more\n");
    let mut config: Value = json::parse(&fs::read(sandbox.at(".cordon/config.json")).unwrap()).unwrap();
    config["policy"]["allow"] = serde_json::json!(["**"]);
    let bytes = serde_json::to_vec(&config).unwrap();
    let mut state: Value = json::parse(&fs::read(sandbox.at(".cordon/state.json")).unwrap()).unwrap();
    state["config_sha256"] = hex(&Sha256::digest(&bytes)).into();
    sandbox.write(".cordon/config.json", bytes);
    sandbox.write(".cordon/state.json", serde_json::to_vec(&state).unwrap());
    nothing_believes_it(&sandbox, &before);
}

#[test]
fn a_removed_or_replaced_state_is_never_taken_for_not_armed() {
    let damages: &[fn(&Sandbox, &Path)] = &[
        |_, state| fs::remove_dir_all(state).unwrap(),
        |sandbox, state| fs::rename(state, sandbox.outside().join("moved")).unwrap(),
        |_, state| {
            // A whole, consistent state of the same repository and commit, wider than what was armed.
            let other = Sandbox::project();
            other.arm(&["--allow", "**"]).ok();
            for file in ["config.json", "state.json", "fingerprint"] {
                fs::copy(other.at(".cordon").join(file), state.join(file)).unwrap();
            }
        },
    ];
    for damage in damages {
        let sandbox = Sandbox::armed();
        let before = anchor(&sandbox);
        damage(&sandbox, &sandbox.at(".cordon"));
        nothing_believes_it(&sandbox, &before);
        sandbox.cordon(&["arm", "again", "--allow", "**"]).refused();
        sandbox.cordon(&["reset"]).ok();
        sandbox.check().refused().says(&["cordon arm"]);
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.check().ok();
    }
}

#[test]
fn a_swapped_fingerprint_is_refused() {
    let sandbox = Sandbox::armed();
    let before = anchor(&sandbox);
    let kept = fs::read(sandbox.at(".cordon/config.json")).unwrap();
    sandbox.append("README.md", "evil\n");
    // The agent arms a copy of the repository whose baseline holds the change, and takes that fingerprint.
    let git_anchor = fs::read(sandbox.at(".git/cordon.anchor")).unwrap();
    fs::rename(sandbox.at(".cordon"), sandbox.outside().join("old")).unwrap();
    fs::remove_file(sandbox.at(".git/cordon.anchor")).unwrap();
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok();
    fs::write(sandbox.at(".git/cordon.anchor"), git_anchor).unwrap();
    let mut state: Value = json::parse(&fs::read(sandbox.at(".cordon/state.json")).unwrap()).unwrap();
    state["config_sha256"] = hex(&Sha256::digest(&kept)).into();
    sandbox.write(".cordon/config.json", kept);
    sandbox.write(".cordon/state.json", serde_json::to_vec(&state).unwrap());
    nothing_believes_it(&sandbox, &before);
}

#[test]
fn a_missing_or_damaged_anchor_is_refused_and_reset_clears_it() {
    let damages: &[fn(&Path)] = &[
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "{}").unwrap(),
        |path| {
            fs::remove_file(path).unwrap();
            std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        },
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
    ];
    for damage in damages {
        let sandbox = Sandbox::armed();
        damage(&sandbox.at(".git/cordon.anchor"));
        for command in ["check", "status", "diff"] {
            sandbox.cordon(&[command]).refused().says(&["anchor"]);
        }
        sandbox.cordon(&["reset"]).ok();
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox.check().ok();
    }
}

#[test]
fn the_outside_copy_is_asked_for_with_anchor() {
    let sandbox = Sandbox::armed();
    let whole = anchor(&sandbox);
    for good in [&whole[..], &whole[..12], &whole.to_uppercase()[..20]] {
        sandbox.cordon(&["check", "--anchor", good]).ok();
    }
    let other = "0123456789ab".to_owned();
    sandbox.cordon(&["check", "--anchor", &other]).refused().says(&[&other, &whole]);
    for bad in [&whole[..11], "", "not-hex-at-all!", &format!("{whole}0")] {
        let error = sandbox.cordon(&["check", "--anchor", bad]).refused().json();
        assert_eq!(error["error"]["kind"], "usage", "{bad}");
    }
    // A re-arm that is wider has another anchor, whatever it says of itself.
    sandbox.cordon(&["reset"]).ok();
    sandbox.arm(&["--allow", "**"]).ok();
    sandbox.cordon(&["check", "--anchor", &whole]).refused().says(&[&whole]);
}

#[test]
fn a_rearm_of_unaccepted_work_is_told_until_a_clean_finish() {
    let sandbox = Sandbox::armed();
    let count = |sandbox: &Sandbox| sandbox.cordon(&["status"]).ok().json()["rearmed"]["count"].as_i64().unwrap();
    assert_eq!(count(&sandbox), 0);
    sandbox.append("README.md", "more\n");
    for round in 1..=2 {
        sandbox.cordon(&["reset"]).ok();
        sandbox.commit("whatever");
        sandbox.arm(&["--allow", "**"]).ok();
        assert_eq!(count(&sandbox), round);
        sandbox.append("README.md", "more\n");
    }
    let status = sandbox.cordon(&["status"]).ok().json();
    assert!(status["rearmed"]["last"].as_str().is_some_and(|when| when.starts_with("20")), "{status}");
    sandbox.cordon(&["status", "--format", "human"]).ok().says(&["re-armed 2 times"]);
    let verdict = sandbox.check().ok().json();
    assert!(json::array(&verdict["notes"]).iter().any(|note| note.as_str().unwrap().contains("re-armed 2 times")));

    sandbox.cordon(&["reset"]).ok();
    sandbox.commit("done");
    sandbox.arm(&["--allow", "src/**"]).ok();
    assert_eq!(count(&sandbox), 0);
    let verdict = sandbox.check().ok().json();
    assert!(json::array(&verdict["notes"]).is_empty(), "{verdict}");
}

#[test]
fn the_honest_twin_of_each_command_passes() {
    let sandbox = Sandbox::armed();
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.git(&["gc", "-q"]).ok();
    sandbox.git(&["status"]).ok();
    sandbox.check().ok();
    sandbox.cordon(&["status"]).ok();
    sandbox.cordon(&["diff"]).ok();
    sandbox.cordon(&["explain", "src/app.py"]).ok();
}

/// Whatever is asked for: an envelope that is armed never reads as if none were.
#[test]
fn every_command_says_that_the_state_of_an_armed_envelope_is_gone() {
    let sandbox = Sandbox::armed();
    fs::remove_dir_all(sandbox.at(".cordon")).unwrap();
    for command in [&["check"][..], &["status"], &["diff"], &["rescue"], &["resume"]] {
        sandbox.cordon(command).refused().says(&["an envelope is armed", ".cordon/ is gone"]);
    }
    let report = sandbox.cordon(&["reset"]).ok().json();
    assert_eq!(report["removed"], true, "an envelope was ended");
    sandbox.cordon(&["rescue"]).refused().says(&["nothing is armed here"]);
    let verified = Sandbox::project();
    verified.arm(&["--allow", "src/**", "--verify", "rm -rf .cordon"]).ok();
    verified.check().refused().says(&["the state changed while the verifiers ran"]);
}

/// An accepted check of an empty or small change is no reason to widen the envelope unseen.
#[test]
fn a_rearm_over_the_same_commit_is_told_even_after_an_accepted_check() {
    let sandbox = Sandbox::armed();
    sandbox.check().ok();
    sandbox.cordon(&["reset"]).ok();
    sandbox.arm(&["--allow", "**"]).ok();
    let told = |sandbox: &Sandbox| sandbox.cordon(&["status"]).ok().json()["rearmed"]["count"].as_i64().unwrap();
    assert_eq!(told(&sandbox), 1);
    sandbox.append("README.md", "more\n");
    let verdict = sandbox.check().ok().json();
    assert!(json::array(&verdict["notes"]).iter().any(|note| note.as_str().unwrap().contains("re-armed once")));
    // The honest end: what was accepted is committed.
    sandbox.cordon(&["reset"]).ok();
    sandbox.commit("done");
    sandbox.arm(&["--allow", "src/**"]).ok();
    assert_eq!(told(&sandbox), 0);
}
