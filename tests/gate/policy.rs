//! `cordon policy check|show|schema` and `cordon whose`, and the owners that findings name.

use serde_json::{Value, json};

use crate::common::sandbox::Sandbox;

const TEAM: &str = r#"version = 1
[defaults]
owner = "the team"
[role.core]
allow = ["src/**", "config/**"]
deny = ["src/gen/**"]
owner = "Ann"
verify = ["true"]
[role.docs]
allow = ["docs/**", "**/*.md"]
owner = "Joe"
"#;

fn team() -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write("cordon.toml", TEAM);
    sandbox.commit("policy");
    sandbox
}

#[test]
fn a_policy_file_is_checked_before_it_is_committed() {
    let sandbox = Sandbox::project();
    sandbox.cordon(&["policy", "check"]).refused().says(&["the work tree has no cordon.toml", "cordon init"]);
    sandbox.write("cordon.toml", TEAM);
    let valid = sandbox.cordon(&["policy", "check"]).ok().json();
    assert_eq!((&valid["valid"], &valid["roles"]), (&json!(true), &json!(["core", "docs"])));
    assert_eq!(valid["overlaps"][0]["roles"], json!(["core", "docs"]));
    let shared = valid["overlaps"][0]["example"].as_str().unwrap();
    let whose = |path: &str| sandbox.cordon(&["whose", path]).ok().json();
    sandbox.commit("policy");
    assert_eq!(whose(shared)["roles"].as_array().unwrap().len(), 2, "{shared}");
    sandbox.write("cordon.toml", TEAM.replace("owner = \"Joe\"", "ownr = \"Joe\"\nmax_file = 1"));
    let refused = sandbox.cordon(&["policy", "check"]).ends_with(2).json();
    assert_eq!(refused["valid"], false);
    let faults = refused["faults"].as_array().unwrap();
    assert_eq!((&faults[0]["line"], &faults[0]["key"]), (&json!(11), &json!("[role.docs] ownr")));
    assert_eq!((&faults[0]["hint"], &faults[1]["line"]), (&json!("Did you mean `owner`?"), &json!(12)));
    let told = sandbox.cordon(&["policy", "check", "--format", "human"]).ends_with(2);
    told.says(&["INVALID  cordon.toml: 2 faults", "cordon.toml:11: [role.docs] ownr", "Did you mean `max_files`?"]);
}

#[test]
fn any_file_can_be_checked_and_only_a_file() {
    let sandbox = team();
    sandbox.write("other.toml", "version = 1\n");
    sandbox.cordon(&["policy", "check", "other.toml"]).ok().says(&["there is none"]);
    sandbox.cordon(&["policy", "check", "none.toml"]).refused().says(&["cannot read none.toml"]);
    std::fs::remove_file(sandbox.at("cordon.toml")).unwrap();
    std::os::unix::fs::symlink("other.toml", sandbox.at("cordon.toml")).unwrap();
    sandbox.cordon(&["policy", "check"]).refused().says(&["is no regular file"]);
    sandbox.write("large.toml", vec![b'#'; 1024 * 1024 + 1]);
    sandbox.cordon(&["policy", "check", "large.toml"]).ends_with(2).says(&["larger than 1 MiB"]);
}

#[test]
fn a_role_is_shown_as_arm_would_take_it() {
    let sandbox = team();
    sandbox.write("cordon.toml", TEAM.replace("docs/**", "**"));
    let shown = sandbox.cordon(&["policy", "show"]).ok().json();
    assert_eq!(shown["roles"].as_array().unwrap().len(), 2);
    let docs = &sandbox.cordon(&["policy", "show", "--role", "docs"]).ok().json()["roles"][0];
    let armed = sandbox.arm(&["--role", "docs", "--allow-dirty"]).ok().json();
    for key in ["policy", "verify", "verify_timeout", "max_attempts"] {
        assert_eq!(docs[key], armed[key], "{key}");
    }
    assert_eq!(docs["owner"], "Joe");
    let own = sandbox.cordon(&["policy", "show", "cordon.toml", "--role", "docs"]).ok().json();
    assert_eq!((&own["commit"], &own["roles"][0]["policy"]["allow"][0]), (&Value::Null, &json!("**")));
    sandbox.cordon(&["policy", "show", "--role", "dosc"]).refused().says(&["Did you mean `docs`?"]);
    sandbox.cordon(&["policy", "show", "--format", "human"]).ok().says(&["of the commit", "owner        Ann"]);
}

#[test]
fn the_schema_takes_the_example_of_the_readme_and_refuses_what_check_refuses() {
    let sandbox = Sandbox::unborn();
    let schema = sandbox.cordon(&["policy", "schema"]).ok().json();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let accepts = |text: &str| {
        sandbox.write("x.toml", text);
        let own = sandbox.cordon(&["policy", "check", "x.toml"]).code() == 0;
        (own, jsonschema::is_valid(&schema, &toml::from_str::<Value>(text).unwrap()))
    };
    assert_eq!(accepts(example), (true, true), "{example}");
    for (from, to) in [
        ("version = 1", "version = \"1\""),
        ("[defaults]", "[default]"),
        ("deny =", "denny ="),
        ("max_files = 10", "max_files = \"10\""),
        ("\"docs/**\"", "\"/docs/**\""),
        ("[\"cargo test\"]", "\"cargo test\""),
    ] {
        let bad = example.replacen(from, to, 1);
        assert_ne!(bad, example, "{from}");
        assert_eq!(accepts(&bad), (false, false), "{bad}");
    }
}

#[test]
fn the_tables_are_shown_as_before() {
    let sandbox = Sandbox::empty();
    let tables = sandbox.cordon(&["policy", "--show-defaults"]).ok().json();
    assert!(tables["protected"].as_array().is_some_and(|rows| rows.len() > 10));
    assert_eq!(sandbox.cordon(&["policy"]).ok().json(), tables);
}

#[test]
fn whose_answers_by_the_commit_and_by_what_was_armed() {
    let sandbox = team();
    let ask = |path: &str| sandbox.cordon(&["whose", path]).ok().json();
    assert_eq!(ask("src/a.rs")["roles"], json!([{"role": "core", "owner": "Ann"}]));
    assert_eq!((&ask("src/gen/x")["barred"], &ask("src/gen/x")["ask"]), (&json!(["core"]), &json!(["the team"])));
    assert_eq!(ask("cordon.toml")["protected"].as_str().map(|reason| !reason.is_empty()), Some(true));
    sandbox.arm(&["--role", "docs", "--allow-commits"]).ok();
    sandbox.write("cordon.toml", TEAM.replace("Ann", "Mallory"));
    assert_eq!(ask("src/a.rs")["ask"], json!(["Ann"]));
    sandbox.commit("another owner");
    assert_eq!(ask("src/a.rs")["ask"], json!(["Ann"]));
    sandbox.cordon(&["reset"]).ok();
    assert_eq!(ask("src/a.rs")["ask"], json!(["Mallory"]));
    sandbox.cordon(&["whose", "./src"]).refused().says(&["has a component `.` or `..`"]);
    let told = sandbox.cordon(&["whose", "--format", "human", "src/a.rs", "docs/x", "Makefile", ".envrc"]).ok();
    told.says(&[
        "core  src/a.rs  (ask Mallory)",
        "docs  docs/x  (ask Joe)",
        "nobody  Makefile  (ask the team)",
        "protected  .envrc",
    ]);
}

#[test]
fn a_finding_names_the_owner_of_the_path_as_it_was_at_arm() {
    let sandbox = team();
    sandbox.arm(&["--role", "docs"]).ok();
    sandbox.append("src/app.py", "x\n");
    sandbox.append("README.md", "x\n");
    sandbox.append("infra/deploy.tf", "x\n");
    sandbox.write("cordon.toml", TEAM.replace("Ann", "Mallory"));
    let verdict = sandbox.check().rejected().json();
    assert_eq!(verdict["role"], "docs");
    let finding = |path: &str| {
        let all = verdict["findings"].as_array().unwrap();
        all.iter().find(|finding| finding["path"] == path).cloned().unwrap_or_default()
    };
    let app = finding("src/app.py");
    assert_eq!((&app["owners"]["roles"][0]["role"], &app["owners"]["ask"]), (&json!("core"), &json!(["Ann"])));
    assert!(app["help"].as_str().unwrap().starts_with("Role `core` (ask Ann) owns it. "));
    assert_eq!(finding("infra/deploy.tf")["owners"]["ask"], json!(["the team"]));
    assert!(finding("cordon.toml")["owners"]["protected"].is_string());
    let told = sandbox.cordon(&["check", "--format", "human"]).rejected();
    told.says(&["role      docs", "Role `core` (ask Ann) owns it."]);
}

#[test]
fn owners_are_named_without_a_role_as_well_and_a_broken_file_only_warns() {
    let sandbox = team();
    sandbox.arm(&["--allow", "docs/**"]).ok();
    sandbox.append("src/app.py", "x\n");
    let verdict = sandbox.check().rejected().json();
    assert_eq!((&verdict["role"], &verdict["findings"][0]["owners"]["ask"]), (&Value::Null, &json!(["Ann"])));
    sandbox.cordon(&["reset"]).ok();
    sandbox.write("cordon.toml", TEAM.replace("allow", "alow"));
    sandbox.commit("broken");
    let armed = sandbox.arm(&["--allow", "docs/**"]).ok().json();
    let warning = armed["warnings"][0].as_str().unwrap();
    assert!(warning.contains("no finding can name the owner") && warning.contains("cordon.toml:5"), "{warning}");
    sandbox.append("src/app.py", "x\n");
    assert_eq!(sandbox.check().rejected().json()["findings"][0]["owners"], Value::Null);
    sandbox.cordon(&["whose", "src/app.py"]).refused().says(&["the armed commit has no cordon.toml that can be read"]);
    sandbox.cordon(&["reset"]).ok();
    std::fs::remove_file(sandbox.at("cordon.toml")).unwrap();
    std::os::unix::fs::symlink("README.md", sandbox.at("cordon.toml")).unwrap();
    sandbox.commit("link");
    sandbox.arm(&["--allow", "docs/**"]).ok().says(&["no finding can name the owner", "is no regular file"]);
}

#[test]
fn an_edited_territory_is_a_damaged_state() {
    let sandbox = team();
    sandbox.arm(&["--role", "docs"]).ok();
    let config = std::fs::read_to_string(sandbox.at(".cordon/config.json")).unwrap();
    assert!(config.contains("\"Ann\""));
    sandbox.write(".cordon/config.json", config.replace("\"Ann\"", "\"Eve\""));
    sandbox.check().refused();
}

#[test]
fn patterns_that_no_change_matched_are_noted() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "docs/**", "--deny", "src/secret/**"]).ok();
    let notes =
        |verdict: &Value| verdict["notes"].as_array().unwrap().iter().map(ToString::to_string).collect::<String>();
    assert_eq!(notes(&sandbox.check().ok().json()), "");
    sandbox.append("src/app.py", "x\n");
    let verdict = sandbox.check().ok().json();
    assert!(
        notes(&verdict).contains("patterns that no change matched: allow docs/**; deny src/secret/**"),
        "{verdict}"
    );
    sandbox.append("docs/guide.md", "x\n");
    assert!(notes(&sandbox.check().ok().json()).contains("matched: deny src/secret/**"));
}
