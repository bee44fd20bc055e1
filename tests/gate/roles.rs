//! Roles of `cordon.toml`: read from the commit, tightened on the command line, kept in the envelope.

use crate::common::sandbox::Sandbox;

const TEAM: &str = r#"version = 1
[defaults]
deny = ["src/secret/**"]
[role.core]
allow = ["src/**", "Cargo.lock"]
max_added_lines = 3
uncounted = ["Cargo.lock"]
allow_commits = true
[role.docs]
allow = ["docs/**"]
"#;

fn team() -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write("cordon.toml", TEAM);
    sandbox.write("Cargo.lock", "");
    sandbox.commit("policy");
    sandbox
}

#[test]
fn a_role_is_read_from_the_commit_and_shown() {
    let sandbox = team();
    sandbox.write("cordon.toml", TEAM.replace("docs/**", "**"));
    let armed = sandbox.arm(&["--role", "docs", "--allow-dirty"]).ok().json();
    assert_eq!((&armed["role"], &armed["policy"]["allow"][0]), (&"docs".into(), &"docs/**".into()));
    let status = sandbox.cordon(&["status"]).ok().json();
    assert_eq!((&status["role"], &status["policy"]["deny"][0]), (&"docs".into(), &"src/secret/**".into()));
    sandbox.cordon(&["status", "--format", "human"]).ok().says(&["role         docs"]);
    sandbox.append("src/app.py", "x\n");
    sandbox.check().violates(&["path outside policy: src/app.py"]);
}

#[test]
fn options_add_what_tightens_and_replace_the_rest() {
    let sandbox = team();
    let armed = sandbox.arm(&["--role", "core", "--deny", "src/util.py", "--max-added-lines", "9"]).ok().json();
    assert_eq!(armed["policy"]["deny"], serde_json::json!(["src/secret/**", "src/util.py"]));
    assert_eq!(armed["policy"]["limits"]["max_added_lines"], 9);
    assert_eq!(armed["policy"]["allow_commits"], true);
}

#[test]
fn lines_of_uncounted_files_count_in_no_layer() {
    let sandbox = team();
    sandbox.arm(&["--role", "core"]).ok();
    sandbox.write("Cargo.lock", "line\n".repeat(50));
    sandbox.append("src/app.py", "a\nb\nc\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!((&verdict["metrics"]["added_lines"], &verdict["metrics"]["files"]), (&3.into(), &2.into()));
    sandbox.git(&["add", "-A"]).ok();
    sandbox.check().ok();
    sandbox.commit("both");
    sandbox.check().ok();
    sandbox.append("src/app.py", "d\n");
    sandbox.check().violates(&["added-line budget exceeded: 4 > 3"]);
}

#[test]
fn what_is_no_role_is_refused_with_what_helps() {
    let sandbox = Sandbox::project();
    sandbox.write("cordon.toml", TEAM);
    sandbox.arm(&["--role", "docs"]).refused().says(&["has no cordon.toml", "commit cordon.toml first"]);
    sandbox.commit("policy");
    sandbox.arm(&["--role", "dosc"]).refused().says(&["no role `dosc`", "Did you mean `docs`?"]);
    sandbox.write("cordon.toml", TEAM.replace("allow = [\"docs/**\"]", "alow = [\"docs/**\"]"));
    sandbox.commit("typo");
    sandbox
        .arm(&["--role", "docs"])
        .refused()
        .says(&["HEAD:cordon.toml:10: [role.docs] alow", "Did you mean `allow`?"]);
    sandbox.write("cordon.toml", format!("{TEAM}{}", "#\n".repeat(1 << 19)));
    sandbox.commit("large");
    sandbox
        .arm(&["--role", "docs"])
        .refused()
        .says(&["cordon.toml of the commit", "more than the 1048576 that are read"]);
    std::fs::remove_file(sandbox.at("cordon.toml")).unwrap();
    std::os::unix::fs::symlink("README.md", sandbox.at("cordon.toml")).unwrap();
    sandbox.commit("link");
    sandbox.arm(&["--role", "docs"]).refused().says(&["is no regular file"]);
    assert!(!sandbox.at(".cordon").exists());
}
