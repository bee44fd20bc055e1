//! The paragraph "State": names, keys, phases, and how the files are tied together.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::common::json;
use crate::common::sandbox::Sandbox;

fn read(sandbox: &Sandbox, file: &str) -> Value {
    json::parse(&fs::read(sandbox.at(".cordon").join(file)).unwrap()).unwrap()
}

#[track_caller]
fn has(value: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(value.get(key).is_some(), "{key} is missing in {value}");
    }
}

#[test]
fn the_files_keep_the_names_that_scripts_read() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--deny", "x", "--verify", "true"]).ok();
    let config = read(&sandbox, "config.json");
    has(&config, "schema_version mode label baseline policy verify created_at");
    has(&config["policy"], "allow deny limits allow_commits");
    has(&config["policy"]["limits"], "max_files max_added_lines max_deleted_lines max_working_bytes max_binary_files");
    assert_eq!(config["policy"]["allow"], serde_json::json!(["src/**"]));
    assert_eq!((&config["mode"], &config["label"]), (&"manual".into(), &"test".into()));
    let state = read(&sandbox, "state.json");
    has(&state, "schema_version phase attempt max_attempts config_sha256 last_error last_audit updated_at");
    assert_eq!(state["phase"], "armed");
}

#[test]
fn the_phase_follows_the_checks() {
    let sandbox = Sandbox::armed();
    let status = || sandbox.cordon(&["status"]).ok().json();
    let armed = status();
    has(&armed, "mode label baseline phase attempt max_attempts last_error last_audit");
    assert_eq!((&armed["phase"], &armed["last_audit"]), (&"armed".into(), &Value::Null));
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.check().ok();
    assert_eq!(status()["phase"], "accepted");
    assert_eq!(status()["last_audit"]["passed"], true);
    sandbox.append("README.md", "more\n");
    sandbox.check().rejected();
    assert_eq!(status()["phase"], "rejected");
    assert_eq!(status()["last_audit"]["passed"], false);
    assert!(status()["last_error"].as_str().is_some_and(|text| text.contains("path outside policy: README.md")));
    sandbox.write("README.md", "# Demo\n");
    sandbox.check().ok();
    assert_eq!((&status()["phase"], &status()["last_error"]), (&"accepted".into(), &Value::Null));
}

#[test]
fn reset_removes_only_its_own_directory() {
    let sandbox = Sandbox::armed();
    sandbox.append("README.md", "more\n");
    sandbox.write("new.txt", "x\n");
    sandbox.cordon(&["reset"]).ok();
    assert!(!sandbox.at(".cordon").exists() && sandbox.at("new.txt").exists());
    assert_eq!(fs::read(sandbox.at("README.md")).unwrap(), b"# Demo\nmore\n");
    sandbox.check().refused();
    sandbox.cordon(&["reset"]).ok();
}

/// Spoils one field.
type Damage = fn(&mut Value);

#[test]
fn unknown_missing_and_ill_typed_fields_are_refused() {
    let damages: &[(&str, Damage)] = &[
        ("config.json", |v| v["surprise"] = true.into()),
        ("config.json", |v| v["policy"]["surprise"] = true.into()),
        ("config.json", |v| drop(v.as_object_mut().unwrap().remove("label"))),
        ("config.json", |v| v["policy"]["limits"]["max_files"] = "25".into()),
        ("config.json", |v| v["policy"]["limits"]["max_files"] = (-1).into()),
        ("config.json", |v| v["policy"]["allow"] = serde_json::json!(["**"])),
        ("config.json", |v| v["policy"]["allow_commits"] = true.into()),
        ("config.json", |v| v["schema_version"] = 99.into()),
        ("state.json", |v| v["surprise"] = true.into()),
        ("state.json", |v| drop(v.as_object_mut().unwrap().remove("phase"))),
        ("state.json", |v| v["phase"] = "delighted".into()),
        ("state.json", |v| v["attempt"] = "one".into()),
        ("state.json", |v| v["schema_version"] = 99.into()),
        ("state.json", |v| v["config_sha256"] = "0".repeat(64).into()),
    ];
    for (number, (file, damage)) in damages.iter().enumerate() {
        let sandbox = Sandbox::armed();
        let mut value = read(&sandbox, file);
        damage(&mut value);
        sandbox.write(format!(".cordon/{file}"), serde_json::to_vec(&value).unwrap());
        eprintln!("damage {number} of {file}");
        sandbox.check().refused().says(&["reset"]);
        sandbox.cordon(&["reset"]).ok();
    }
}

#[test]
fn the_state_of_another_repository_or_arm_is_refused() {
    let files = ["config.json", "state.json", "fingerprint"];
    for replaced in [&files[..], &files[..1], &files[1..2], &files[2..]] {
        let (sandbox, other) = (Sandbox::armed(), Sandbox::project());
        other.append("src/app.py", "Y = 1\n");
        other.commit("differs");
        other.arm(&["--allow", "**"]).ok();
        for file in replaced {
            fs::copy(other.at(".cordon").join(file), sandbox.at(".cordon").join(file)).unwrap();
        }
        eprintln!("{replaced:?}");
        sandbox.append("README.md", "more\n");
        sandbox.check().never_accepts();
        sandbox.cordon(&["reset"]).ok();
    }
}

#[test]
fn the_fingerprint_is_small() {
    let sandbox = Sandbox::unborn();
    for i in 0..2_000 {
        sandbox.write(format!("src/module_{}/file_{i}.py", i % 20), format!("{i}\n"));
    }
    sandbox.commit("many");
    let size = |sandbox: &Sandbox| fs::metadata(sandbox.at(".cordon/fingerprint")).unwrap().len();
    sandbox.arm(&["--allow", "**"]).ok();
    let each = size(&sandbox) / 2_000;
    assert!(each <= 120, "{each} bytes an entry");
}

#[test]
fn the_state_is_for_its_owner() {
    let sandbox = Sandbox::armed();
    let mode = fs::metadata(sandbox.at(".cordon/config.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o022, 0, "others may write the policy: {mode:o}");
}

/// A lock that lies elsewhere, or that nobody can hold, is told for what it is.
#[test]
fn what_stands_in_for_the_lock_is_refused() {
    let sandbox = Sandbox::armed();
    let lock = sandbox.at(".git/cordon.lock");
    assert!(sandbox.command("mkfifo").arg("../fifo").status().unwrap().success());
    sandbox.write("../file", "");
    for make in [
        &["ln", "-s", "../../fifo"][..],
        &["ln", "-s", "../../file"],
        &["ln", "-s", "nowhere"],
        &["ln", "-s", "/dev/null"],
        &["mkfifo"],
        &["mkdir"],
    ] {
        std::fs::remove_file(&lock).unwrap();
        assert!(sandbox.command(make[0]).args(&make[1..]).arg(&lock).status().unwrap().success());
        let refused = sandbox.check().refused().says(&["cordon.lock is no regular file", "remove it"]);
        assert!(!refused.text().contains("another Cordon operation"), "{refused:?}");
        assert!(sandbox.command("rm").arg("-rf").arg(&lock).status().unwrap().success());
        sandbox.check().ok();
    }
}
