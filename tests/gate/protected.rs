//! Protected paths: control files of agents, editors and hooks change only when they are named.

use crate::common::json;
use crate::common::sandbox::Sandbox;

fn codes(sandbox: &Sandbox) -> Vec<String> {
    let verdict = sandbox.check().rejected().json();
    json::array(&verdict["findings"]).iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// Case 13: settings with a hook appear where Git ignores them.
#[test]
fn agent_settings_that_git_ignores_are_found() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", ".claude/settings.local.json\n");
    sandbox.commit("ignore");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write(".claude/settings.local.json", "{}");
    sandbox.check().violates(&["protected path changed: .claude/settings.local.json"]);
}

#[test]
fn an_allow_pattern_alone_opens_nothing_and_each_path_is_one_finding() {
    let sandbox = Sandbox::project();
    sandbox.write(".vscode/tasks.json", "{}\n");
    sandbox.write(".envrc", "true\n");
    sandbox.commit("settings");
    sandbox.arm(&["--allow", "src/**", ".vscode/**"]).ok();
    sandbox.append(".vscode/tasks.json", "x\n");
    std::fs::remove_file(sandbox.at(".envrc")).unwrap();
    sandbox.write("src/.cursorrules", "x\n");
    assert_eq!(codes(&sandbox), ["protected-path"; 3]);
}

#[test]
fn a_lifted_path_must_still_be_allowed() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", ".vscode/*", "--allow-protected", "**/.vscode/**"]).ok();
    sandbox.write(".vscode/settings.json", "{}\n");
    sandbox.check().ok();
    sandbox.write("web/.vscode/settings.json", "{}\n");
    assert_eq!(codes(&sandbox), ["path-outside"]);
}

#[test]
fn paths_of_the_policy_are_protected_as_well() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**", "--protect", "infra/**"]).ok();
    sandbox.append("docs/guide.md", "x\n");
    sandbox.check().ok();
    sandbox.append("infra/deploy.tf", "x\n");
    sandbox.check().violates(&["protected path changed: infra/deploy.tf"]);
}

#[test]
fn a_link_in_the_place_of_a_protected_directory_is_found() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "**"]).ok();
    std::os::unix::fs::symlink("src", sandbox.at(".claude")).unwrap();
    sandbox.check().violates(&["protected path changed: .claude"]);
}

/// An IDE that is open writes its own state all the time.
#[test]
fn the_state_of_one_user_is_not_protected() {
    let sandbox = Sandbox::project();
    sandbox.append(".gitignore", ".idea/\n");
    sandbox.commit("ignore");
    sandbox.write(".idea/workspace.xml", "<x/>\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.append(".idea/workspace.xml", "<y/>\n");
    sandbox.write(".idea/shelf/a.patch", "x\n");
    sandbox.check().ok();
    sandbox.write(".idea/watcherTasks.xml", "<evil/>\n");
    sandbox.check().violates(&["protected path changed: .idea/watcherTasks.xml"]);
}

#[test]
fn documentation_for_agents_is_documentation() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "*.md"]).ok();
    sandbox.write("AGENTS.md", "# For agents\n");
    sandbox.check().ok();
}

#[test]
fn the_defaults_can_be_read() {
    let sandbox = Sandbox::empty();
    let tables = sandbox.cordon(&["policy"]).ok().json();
    for table in ["protected", "scratch", "dependencies"] {
        let rows = json::array(&tables[table]);
        assert!(rows.iter().all(|row| !row["reason"].as_str().unwrap().is_empty()) && rows.len() > 5, "{table}");
    }
    assert_eq!(sandbox.cordon(&["policy", "--show-defaults"]).ok().json(), tables);
    for args in [&["policy", "--format", "human"][..], &["policy", "--show-defaults", "--format", "human"]] {
        sandbox.cordon(args).ok().says(&["**/.claude/**", "Claude Code"]);
    }
    sandbox.cordon(&["policy", "protected"]).refused();
}
