//! What a branch may bring in: by role, by the policy of the base, with owners and control files named.

use serde_json::json;

use super::rig::{branch, change, clone, cordon_at, gate, line, team, team_with};

#[test]
fn the_role_that_claims_the_branch_judges() {
    let sandbox = team();
    branch(&sandbox, "docs/guide");
    change(&sandbox, "docs/new.md", "one\ntwo\n");
    let verdict = gate(&sandbox, &["--base", "main"]).ok().json();
    assert_eq!(verdict["role"], "docs");
    assert_eq!(verdict["base"], line(&sandbox, &["rev-parse", "main"]));
    assert_eq!(verdict["head"], line(&sandbox, &["rev-parse", "HEAD"]));
    assert_eq!(verdict["changed_files"], json!(["docs/new.md"]));
    assert_eq!(verdict["changes"][0]["layers"], json!(["commit", "head"]));
    assert_eq!((&verdict["metrics"]["files"], &verdict["metrics"]["added_lines"]), (&json!(1), &json!(2)));
    change(&sandbox, "src/app.py", "x\n");
    let rejected = gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: src/app.py"]);
    rejected.says(&["Roles `core`, `all` own it", "docs/**"]);
    gate(&sandbox, &["--base", "main", "--role", "core"])
        .violates(&["path outside policy: docs/new.md"])
        .says(&["ask Jane"]);
    gate(&sandbox, &["--base", "main", "--role", "all"]).ok();
}

#[test]
fn a_head_that_no_role_claims_is_refused_unless_the_gate_names_one() {
    let sandbox = team();
    branch(&sandbox, "feature");
    change(&sandbox, "docs/new.md", "one\n");
    gate(&sandbox, &["--base", "main"]).refused().says(&["no role", "feature", "[gate]"]);
    sandbox.git(&["switch", "-q", "--detach"]).ok();
    gate(&sandbox, &["--base", "main"]).refused().says(&["not known which branch", "--role"]);
    gate(&sandbox, &["--base", "main", "--role", "dosc"]).refused().says(&["Did you mean `docs`"]);
    let sandbox = team_with(&format!("{}\n[gate]\nrole = \"docs\"\n", super::rig::TEAM));
    branch(&sandbox, "feature");
    change(&sandbox, "docs/new.md", "one\n");
    gate(&sandbox, &["--base", "main"]).ok();
    sandbox.git(&["switch", "-q", "--detach"]).ok();
    assert_eq!(gate(&sandbox, &["--base", "main"]).ok().json()["role"], "docs");
}

#[test]
fn the_policy_is_that_of_the_base_and_a_change_of_it_is_named() {
    let sandbox = team();
    branch(&sandbox, "docs/loose");
    change(&sandbox, "cordon.toml", &super::rig::TEAM.replace("\"docs/**\", ", "\"**\", "));
    change(&sandbox, "src/app.py", "x\n");
    gate(&sandbox, &["--base", "main"]).violates(&[
        "path outside policy: src/app.py",
        "control file changed: cordon.toml",
        "protected path changed: cordon.toml",
    ]);
    // Also where a later commit takes it back.
    sandbox.git(&["checkout", "-q", "main", "--", "cordon.toml", "src/app.py"]).ok();
    sandbox.commit("back");
    gate(&sandbox, &["--base", "main"])
        .violates(&["control file changed: cordon.toml"])
        .says(&["Only history has this"]);
    // An older commit of the base with another policy decides nothing.
    sandbox.git(&["switch", "-q", "main"]).ok();
    change(&sandbox, "cordon.toml", &super::rig::TEAM.replace("\"docs/**\", ", "\"docs/a/**\", "));
    sandbox.git(&["switch", "-q", "-c", "docs/old", "main~1"]).ok();
    change(&sandbox, "docs/b.txt", "x\n");
    gate(&sandbox, &["--base", "main"]).violates(&["path outside policy: docs/b.txt"]);
}

#[test]
fn control_files_are_named_unless_the_role_owns_them_by_name() {
    for path in [
        "cordon.toml",
        ".github/workflows/ci.yml",
        ".github/CODEOWNERS",
        ".gitlab-ci.yml",
        ".husky/pre-commit",
        ".gitmodules",
        "ci/check.sh",
    ] {
        let sandbox = team();
        branch(&sandbox, "x");
        change(&sandbox, path, "# changed\n");
        let named =
            gate(&sandbox, &["--base", "main", "--role", "all"]).violates(&[&format!("control file changed: {path}")]);
        let codes: Vec<String> =
            named.json()["findings"].as_array().unwrap().iter().map(|f| f["code"].to_string()).collect();
        assert!(codes.contains(&"\"control-file\"".to_owned()), "{path}: {codes:?}");
    }
    let sandbox = team();
    branch(&sandbox, "ci/new");
    change(&sandbox, ".github/workflows/ci.yml", "on: push\n");
    change(&sandbox, "cordon.toml", &super::rig::TEAM.replace("Jane", "John"));
    let verdict = gate(&sandbox, &["--base", "main"]).ok().json();
    assert!(
        verdict["notes"].to_string().contains("control file(s) changed, which role ci owns"),
        "{}",
        verdict["notes"]
    );
}

#[test]
fn a_bare_repository_will_do_and_nothing_is_written() {
    let sandbox = team();
    branch(&sandbox, "docs/guide");
    change(&sandbox, "docs/new.md", "one\n");
    let bare = clone(&sandbox, "bare.git", &["--bare"]);
    let before = crate::common::tree::picture(&bare);
    let verdict = cordon_at(&sandbox, &bare, &["gate", "--base", "main", "--head", "docs/guide"]).ok().json();
    assert_eq!(verdict["role"], "docs");
    cordon_at(&sandbox, &bare, &["gate", "--base", "main", "--head", "docs/guide", "--role", "core"]).rejected();
    crate::common::tree::assert_untouched(&before, &crate::common::tree::picture(&bare));
    // From inside of a Git directory as well.
    cordon_at(&sandbox, &sandbox.at(".git"), &["gate", "--base", "main"]).ok();
}

#[test]
fn what_has_no_policy_or_no_base_is_refused() {
    let sandbox = crate::common::sandbox::Sandbox::project();
    branch(&sandbox, "docs/x");
    change(&sandbox, "docs/new.md", "one\n");
    gate(&sandbox, &["--base", "main"]).refused().says(&["has no cordon.toml"]);
    let sandbox = team();
    gate(&sandbox, &[]).refused().says(&["no base is named", "CORDON_BASE"]);
    for name in
        ["", "-x", "--all", "nowhere", "main..x", "HEAD:src", "main^{tree}", "main@{0}", ":/policy", "main^9", "^main"]
    {
        gate(&sandbox, &[&format!("--base={name}")]).refused();
    }
}

#[test]
fn names_are_looked_up_as_git_does_and_two_meanings_are_refused() {
    let sandbox = team();
    branch(&sandbox, "docs/guide");
    for number in 0..3 {
        change(&sandbox, "docs/new.md", &format!("{number}\n"));
    }
    sandbox.git(&["tag", "-a", "-m", "x", "v1", "main"]).ok();
    let main = line(&sandbox, &["rev-parse", "main"]);
    for name in
        ["main", "refs/heads/main", "heads/main", "v1", "v1^{commit}", "HEAD~3", "HEAD^^^", "@~3", &main, &main[..9]]
    {
        let verdict = gate(&sandbox, &["--base", name, "--role", "docs"]).ok().json();
        assert_eq!(verdict["base"], main.as_str(), "{name}");
    }
    sandbox.git(&["tag", "main", "HEAD"]).ok();
    gate(&sandbox, &["--base", "main"]).refused().says(&["could be refs/heads/main, or refs/tags/main"]);
    gate(&sandbox, &["--base", "refs/heads/main"]).ok();
    sandbox.git(&["branch", &main[..9], "HEAD"]).ok();
    gate(&sandbox, &["--base", &main[..9]]).refused().says(&["the abbreviated id"]);
}

#[test]
fn hostile_names_are_escaped_for_people_and_raw_in_json() {
    let sandbox = team();
    branch(&sandbox, "docs/x");
    sandbox.write_raw(b"src/a\x1b[31m\n\xff", "x\n");
    sandbox.commit("x");
    let human = gate(&sandbox, &["--base", "main", "--format", "human"]).rejected();
    assert!(!human.stdout.contains(&0x1b) && human.text().contains("src/a\\u{1b}[31m\\n\\xff"), "{human:?}");
    let verdict = gate(&sandbox, &["--base", "main"]).rejected().json();
    assert_eq!(crate::common::json::bytes(&verdict["changed_files"][0]), b"src/a\x1b[31m\n\xff");
}

#[test]
fn links_and_names_are_judged_against_the_tree_of_the_base() {
    let sandbox = team();
    branch(&sandbox, "x");
    std::os::unix::fs::symlink("../../etc/passwd", sandbox.at("src/out")).unwrap();
    sandbox.write("README.MD", "x\n");
    sandbox.commit("x");
    gate(&sandbox, &["--base", "main", "--role", "all"])
        .violates(&["symbolic link leads out of the repository: src/out", "name differs from another in case"]);
    // A link of the base that a new one leads astray.
    let sandbox = team();
    std::os::unix::fs::symlink("here/x", sandbox.at("src/kept")).unwrap();
    sandbox.commit("link");
    branch(&sandbox, "y");
    std::os::unix::fs::symlink("../..", sandbox.at("src/here")).unwrap();
    sandbox.commit("astray");
    gate(&sandbox, &["--base", "main", "--role", "all"]).violates(&["src/kept"]);
}
