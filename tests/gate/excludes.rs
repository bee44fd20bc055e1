//! Exclude rules that changed since arm, judged by what they hide.

use std::fs;

use crate::common::json;
use crate::common::sandbox::Sandbox;

const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";

fn exclude(sandbox: &Sandbox, lines: &str) {
    let path = sandbox.at(".git/info/exclude");
    let old = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, old + lines).unwrap();
}

/// Case 29: a rule is appended to `info/exclude`, and a file that it hides is dropped.
#[test]
fn what_info_exclude_newly_hides_is_audited_and_named() {
    let sandbox = Sandbox::armed();
    exclude(&sandbox, "# block\ntools/\n");
    for file in ["a.sh", "b.sh"] {
        sandbox.write(format!("tools/{file}"), "x\n");
    }
    assert!(sandbox.git(&["status", "--porcelain"]).ok().stdout.is_empty());
    sandbox.check().violates(&[
        "path outside policy: tools/a.sh",
        "newly hidden: tools/a.sh and 1 more in tools: by the rule tools/ in info/exclude, line",
    ]);
}

#[test]
fn something_newly_hidden_inside_is_a_violation_as_well() {
    let sandbox = Sandbox::armed();
    exclude(&sandbox, "src/hidden.py\n");
    sandbox.write("src/hidden.py", "x\n");
    let verdict = sandbox.check().violates(&["newly hidden: src/hidden.py"]).json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/hidden.py"]));
}

#[test]
fn every_kind_of_source_counts() {
    let sandbox = Sandbox::armed();
    sandbox.write("docs/.gitignore", "*.bin\n");
    sandbox.write("docs/x.bin", "x");
    sandbox.check().violates(&[
        "path outside policy: docs/.gitignore",
        "newly hidden: docs/x.bin",
        "docs/.gitignore, line 1",
    ]);

    let sandbox = Sandbox::armed();
    sandbox.append(".gitignore", "*.bin\n");
    sandbox.write("src/x.bin", "x");
    sandbox.check().violates(&["path outside policy: .gitignore", "newly hidden: src/x.bin"]);

    let sandbox = Sandbox::armed();
    sandbox.write("../rules", "*.bin\n");
    sandbox.git(&["config", "core.excludesFile", sandbox.outside().join("rules").to_str().unwrap()]).ok();
    sandbox.write("src/x.bin", "x");
    sandbox.check().violates(&["newly hidden: src/x.bin"]);

    let sandbox = Sandbox::armed();
    sandbox.write("../home/.config/git/ignore", "*.bin\n");
    sandbox.write("src/x.bin", "x");
    sandbox.check().violates(&["newly hidden: src/x.bin"]);
}

/// Case 81: an agent appends a block of its own, which hides nothing that exists.
#[test]
fn a_change_that_hides_nothing_is_noted() {
    let sandbox = Sandbox::armed();
    exclude(&sandbox, "\n# agent-runtime\n**/.agent/worktrees/\n");
    sandbox.append("src/app.py", "X = 1\n");
    sandbox.write("src/new.py", "x\n");
    let verdict = sandbox.check().ok().json();
    let findings = json::array(&verdict["findings"]);
    assert_eq!(findings.len(), 1);
    assert_eq!(
        (findings[0]["code"].as_str(), findings[0]["severity"].as_str()),
        (Some("exclude-source"), Some("note"))
    );
}

#[test]
fn what_a_rule_hides_no_more_is_audited() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", ".gitignore"]).ok();
    sandbox.write(".gitignore", "build/\n");
    sandbox.write("data/x", "x");
    assert!(!sandbox.git(&["status", "--porcelain", "data"]).ok().stdout.is_empty());
    sandbox.check().violates(&["path outside policy: data/x"]);
}

/// pytest, mypy and ruff mark their caches and write an exclude file into them; so do `python -m venv` and cargo projects.
#[test]
fn a_tool_may_hide_what_it_made_for_itself() {
    let sandbox = Sandbox::armed();
    for cache in [".pytest_cache", "tests/.mypy_cache"] {
        sandbox.write(format!("{cache}/.gitignore"), "# Created by a tool.\n*\n");
        sandbox.write(format!("{cache}/CACHEDIR.TAG"), TAG);
        sandbox.write(format!("{cache}/v/cache/lastfailed"), "{}");
    }
    sandbox.write(".venv/.gitignore", "*\n");
    sandbox.write(".venv/lib/site.py", "x\n");
    sandbox.append("src/app.py", "X = 1\n");
    let verdict = sandbox.check().ok().json();
    assert_eq!(verdict["changed_files"], serde_json::json!(["src/app.py"]));

    let sandbox = Sandbox::armed();
    sandbox.write("src/tool/.gitignore", "/target\n");
    sandbox.write("src/tool/target/CACHEDIR.TAG", TAG);
    for n in 0..40 {
        sandbox.write(format!("src/tool/target/debug/{n}"), "x");
    }
    sandbox.check().ok();
}

#[test]
fn nobody_else_may_hide_like_a_tool() {
    // No mark, an invalid mark, no cache by its name, a directory of arm, a rule outside of the tree.
    for (directory, tag, rule_in_tree) in [
        (".pytest_cache", "", true),
        (".pytest_cache", "Signature: 0", true),
        ("tools", TAG, true),
        ("docs", TAG, true),
        (".pytest_cache", TAG, false),
    ] {
        let sandbox = Sandbox::armed();
        if rule_in_tree {
            sandbox.write(format!("{directory}/.gitignore"), "*\n");
        } else {
            exclude(&sandbox, &format!("{directory}/\n"));
        }
        sandbox.write(format!("{directory}/CACHEDIR.TAG"), tag);
        sandbox.write(format!("{directory}/evil.sh"), "x\n");
        sandbox.check().violates(&["newly hidden", &format!("path outside policy: {directory}/evil.sh")]);
    }
}

/// Negations, directories, anchors, case: what a rule newly hides is told whatever its form, and what it does not is not.
#[test]
fn every_form_of_rule_is_judged_by_its_effect() {
    let cases: &[(&str, &str, bool)] = &[
        ("*.tmp\n!keep.tmp\n", "keep.tmp", false),
        ("*.tmp\n!keep.tmp\n", "other.tmp", true),
        ("new/\n", "new/file", true),
        ("README.md/\n", "docs/README.md", false),
        ("/top\n", "docs/top", false),
        ("/top\n", "top", true),
        ("docs/**/x\n", "docs/a/b/x", true),
        ("# *.txt\n", "a.txt", false),
        ("\\#a\n", "#a", true),
        ("a b \n", "a b", true),
        ("[ab].c\n", "a.c", true),
        ("/.agent/\n**/.agent/worktrees/\n", "docs/agent", false),
    ];
    for (rules, path, hidden) in cases {
        let sandbox = Sandbox::armed();
        exclude(&sandbox, rules);
        sandbox.write(path, "x\n");
        let outcome = sandbox.check().violates(&[&format!("path outside policy: {path}")]);
        assert_eq!(outcome.text().contains("newly hidden: "), *hidden, "{rules:?} {path}: {outcome:?}");
        let git = sandbox.git(&["status", "--porcelain", "-uall"]).ok();
        assert_eq!(git.stdout.is_empty(), *hidden, "git itself: {rules:?} {path}");
    }
}

#[test]
fn an_exclude_file_in_a_new_directory_hides_nothing_from_a_check() {
    let sandbox = Sandbox::armed();
    sandbox.write("src/gen/.gitignore", "*\n");
    sandbox.write("src/gen/payload.py", "x\n");
    sandbox.check().violates(&["newly hidden: src/gen/.gitignore", "in src/gen: by the rule * in src/gen/.gitignore"]);
    // The twin names what is to be built there, and nothing is.
    let sandbox = Sandbox::armed();
    sandbox.write("src/gen/.gitignore", "*.out\n");
    sandbox.write("src/gen/make.py", "x\n");
    sandbox.check().ok();
}

#[test]
fn case_is_ignored_as_it_was_at_arm() {
    let sandbox = Sandbox::project();
    sandbox.git(&["config", "core.ignoreCase", "true"]).ok();
    sandbox.write("x.LOG", "x\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    sandbox.write("y.Log", "x\n");
    sandbox.check().ok();
    let sandbox = Sandbox::armed();
    sandbox.git(&["config", "core.ignoreCase", "true"]).ok();
    sandbox.write("y.Log", "x\n");
    sandbox.check().violates(&["path outside policy: y.Log", "newly hidden: y.Log"]);
}

/// Files of the user that did not exist at arm: the one that the configuration names, and the default one.
#[test]
fn a_file_of_the_user_that_comes_later_is_judged_by_its_effect() {
    for (key, place) in [(Some("~/rules"), "home/rules"), (None, "home/.config/git/ignore")] {
        let sandbox = Sandbox::project();
        if let Some(value) = key {
            sandbox.git(&["config", "core.excludesFile", value]).ok();
        }
        sandbox.arm(&["--allow", "src/**"]).ok();
        let rules = sandbox.outside().join(place);
        fs::create_dir_all(rules.parent().unwrap()).unwrap();
        fs::write(&rules, ".DS_Store\n*.orig\n").unwrap();
        sandbox.check().ok();
        sandbox.write("src/app.py.orig", "x\n");
        sandbox.check().violates(&["newly hidden: src/app.py.orig"]);
    }
}
