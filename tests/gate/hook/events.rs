//! Events of every kind, odd ones included, and what the answers say.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::Sandbox;
use crate::common::tree::{assert_untouched, picture};

/// The answer of a hook to an event.
fn ask(sandbox: &Sandbox, hook: &str, event: &[u8]) -> Outcome {
    let outcome = run(sandbox.cordon_command(&["hook", hook]), event, PATIENCE).ok();
    assert!(outcome.stderr.is_empty(), "{outcome:?}");
    outcome
}

fn edit(sandbox: &Sandbox, path: impl AsRef<Path>) -> Value {
    json!({"hook_event_name": "PreToolUse", "cwd": sandbox.root, "tool_name": "Edit", "tool_input": {"file_path": sandbox.at(path.as_ref())}})
}

/// Why an event is denied, if it is.
fn denial(sandbox: &Sandbox, event: &Value) -> Option<String> {
    let outcome = ask(sandbox, "pre-tool-use", event.to_string().as_bytes());
    let reason = || outcome.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    (!outcome.stdout.is_empty()).then(reason)
}

#[test]
fn a_denial_says_which_pattern_decides_and_what_is_allowed_and_left() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "tests/**", "--deny", "src/util.py", "--max-files", "7"]).ok();
    for (path, words) in [
        ("README.md", "README.md is outside of the envelope: no pattern allows it (Edit)"),
        ("src/util.py", "src/util.py is outside of the envelope: the pattern `src/util.py` denies it"),
        (".claude/settings.json", ".claude/settings.json is protected: it holds Claude Code settings"),
        (".git/config", ".git/config belongs to Git or to Cordon"),
        (".cordon/state.json", "belongs to Git or to Cordon"),
    ] {
        let reason = denial(&sandbox, &edit(&sandbox, path)).unwrap_or_else(|| panic!("{path} is not denied"));
        assert!(reason.contains(words) && reason.contains("7 files, 2000 added lines"), "{reason}");
        assert!(reason.contains("Allowed instead: src/**, tests/**.") || words.contains("belongs"), "{reason}");
    }
    for inside in ["src/app.py", "src/new.py", "tests/deep/new.py", "src/../src/app.py", "docs/../src/app.py"] {
        assert_eq!(denial(&sandbox, &edit(&sandbox, inside)), None, "{inside}");
    }
    for tool in ["Write", "MultiEdit", "NotebookEdit"] {
        let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
        let event = json!({"tool_name": tool, "cwd": sandbox.root, "tool_input": {key: sandbox.at("docs/x")}});
        assert!(denial(&sandbox, &event).unwrap().contains(tool));
    }
    sandbox.append("src/app.py", "more\n");
    sandbox.check().ok();
    assert!(denial(&sandbox, &edit(&sandbox, "README.md")).unwrap().contains("6 files, 1999 added lines"));
}

#[test]
fn a_second_denial_says_how_often_and_many_at_once_are_counted() {
    let sandbox = Sandbox::armed();
    let again = |path: &str| denial(&sandbox, &edit(&sandbox, path)).unwrap();
    assert!(!again("README.md").contains("before"));
    assert!(again("README.md").contains("denied once before"));
    assert!(again("README.md").contains("denied 2 times before"));
    assert!(!again("docs/x").contains("times before"));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..5).for_each(|_| drop(again("infra/deploy.tf"))));
        }
    });
    assert!(again("infra/deploy.tf").contains("denied 40 times before"));
    sandbox.check().ok();
    let begin = ask(&sandbox, "session-start", b"{}").json();
    let context = begin["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(
        context.contains("Denied so far: infra/deploy.tf (41 times), README.md (3 times), docs/x (1 time)."),
        "{context}"
    );
    // A new envelope begins with a clean sheet.
    sandbox.cordon(&["reset"]).ok();
    sandbox.arm(&["--allow", "src/**"]).ok();
    assert!(!again("README.md").contains("before"));
}

#[test]
fn the_count_is_never_in_the_way() {
    let sandbox = Sandbox::armed();
    let denials = sandbox.at(".cordon/denials.jsonl");
    let again = || denial(&sandbox, &edit(&sandbox, "README.md")).unwrap();
    std::fs::write(&denials, b"\xff\n{\n{\"what\":7}\n{\"what\":\"README.md\"}\n{\"wha").unwrap();
    assert!(again().contains("once before"));
    std::fs::write(&denials, vec![b'x'; 300 * 1024]).unwrap();
    assert!(!again().contains("before") && !again().contains("before"));
    std::fs::remove_file(&denials).unwrap();
    symlink(sandbox.outside().join("elsewhere"), &denials).unwrap();
    assert!(!again().contains("before"));
    assert!(!sandbox.outside().join("elsewhere").exists());
    std::fs::remove_file(&denials).unwrap();
    std::fs::create_dir(&denials).unwrap();
    assert!(!again().contains("before"));
    sandbox.check().ok();
}

#[test]
fn links_and_detours_are_followed_as_the_system_does() {
    let sandbox = Sandbox::project();
    symlink("../docs", sandbox.at("src/docs")).unwrap();
    symlink("../README.md", sandbox.at("src/readme")).unwrap();
    symlink("loop", sandbox.at("src/loop")).unwrap();
    symlink("/tmp", sandbox.at("src/tmp")).unwrap();
    sandbox.commit("links");
    sandbox.arm(&["--allow", "src/**", "docs/inner/**"]).ok();
    for (path, expected) in [
        ("src/docs/guide.md", Some("docs/guide.md")),
        ("src/readme", Some("README.md")),
        ("src/docs/../README.md", Some("README.md")),
        ("src/docs/inner/x", None),
        ("src/tmp/x", None),
        ("src/loop", None),
        ("src/loop/x", None),
        ("../outside", None),
    ] {
        let reason = denial(&sandbox, &edit(&sandbox, path));
        assert_eq!(reason.is_some(), expected.is_some(), "{path}: {reason:?}");
        assert!(expected.is_none_or(|expected| reason.unwrap().contains(&format!("Cordon: {expected} "))), "{path}");
    }
    // The directory of the work tree may be reached through a link as well.
    let other = sandbox.outside().join("other");
    symlink(&sandbox.root, &other).unwrap();
    let event = |path: &str| json!({"cwd": other, "tool_name": "Write", "tool_input": {"file_path": other.join(path)}});
    assert!(denial(&sandbox, &event("README.md")).is_some());
    assert_eq!(denial(&sandbox, &event("src/x")), None);
}

#[test]
fn ignored_files_are_judged_as_the_audit_judges_them() {
    let sandbox = Sandbox::project();
    sandbox.write(".env", "KEY=1\n");
    sandbox.write("node_modules/a/index.js", "1\n");
    sandbox.write(".gitignore", "node_modules/\n.env\nhidden/\n*.log\n");
    sandbox.commit("ignore");
    sandbox.arm(&["--allow", "src/**", "--deny", "hidden/denied/**"]).ok();
    for (path, denied) in [
        (".env", true),
        ("hidden/new", false),
        ("a.log", false),
        ("hidden/denied/x", true),
        ("node_modules/a/index.js", true),
        ("node_modules/b/index.js", false),
        ("node_modules/b/.vscode/settings.json", false),
        ("hidden/.claude/settings.json", true),
    ] {
        assert_eq!(denial(&sandbox, &edit(&sandbox, path)).is_some(), denied, "{path}");
    }
}

#[test]
fn work_in_progress_is_not_thrown_away() {
    let sandbox = Sandbox::project();
    sandbox.append("README.md", "mine\n");
    sandbox.append("src/app.py", "mine\n");
    sandbox.write("notes.txt", "mine\n");
    sandbox.arm(&["--allow", "src/**", "--allow-dirty"]).ok();
    let bash = |command: &str| {
        denial(&sandbox, &json!({"tool_name": "Bash", "cwd": sandbox.root, "tool_input": {"command": command}}))
    };
    for command in [
        "git checkout -- README.md",
        "git restore README.md",
        "git restore .",
        "git reset --hard",
        "git stash",
        "git clean -fd",
        "git checkout -- .",
        "git checkout -f",
    ] {
        let reason = bash(command).unwrap_or_else(|| panic!("{command} is not denied"));
        assert!(reason.contains("uncommitted work"), "{reason}");
    }
    for command in [
        "git checkout -- src/app.py",
        "git restore docs",
        "git stash list",
        "git clean -n",
        "git reset",
        "git checkout -- docs/guide.md",
    ] {
        assert_eq!(bash(command), None, "{command}");
    }
}

#[test]
fn commits_are_denied_only_where_they_are_not_allowed() {
    let commit = |sandbox: &Sandbox| {
        denial(
            sandbox,
            &json!({"tool_name": "Bash", "cwd": sandbox.root, "tool_input": {"command": "git commit -m x"}}),
        )
    };
    let sandbox = Sandbox::armed();
    assert!(commit(&sandbox).unwrap().contains("`git commit` makes or publishes commits"));
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--allow-commits"]).ok();
    assert_eq!(commit(&sandbox), None);
}

#[test]
fn what_is_odd_is_met_with_silence() {
    let sandbox = Sandbox::armed();
    let path = sandbox.at("README.md");
    let long = json!({"tool_name": "Write", "cwd": sandbox.root, "tool_input": {"file_path": path, "content": "x".repeat(33 << 20)}}).to_string();
    for event in [
        "",
        "null",
        "[]",
        "\"x\"",
        "{",
        "{}",
        "{\"tool_name\":\"Edit\"}",
        "\u{0}",
        long.as_str(),
        "{\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":[]}}",
        "{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm \\ud800 '\"}}",
    ] {
        for hook in ["pre-tool-use", "stop"] {
            assert!(
                ask(&sandbox, hook, event.as_bytes()).stdout.is_empty(),
                "{hook} {}",
                &event[..event.len().min(60)]
            );
        }
    }
    let deep = format!("{{\"tool_input\":{}", "{\"a\":".repeat(1_000_000));
    assert!(ask(&sandbox, "pre-tool-use", deep.as_bytes()).stdout.is_empty());
    for command in [
        "(".repeat(100_000),
        "$(".repeat(100_000),
        "{ ".repeat(100_000),
        "`".repeat(99_999),
        "env ".repeat(100_000) + "rm README.md",
        "\"$(".repeat(50_000),
    ] {
        let event = json!({"tool_name": "Bash", "cwd": sandbox.root, "tool_input": {"command": command}});
        assert_eq!(denial(&sandbox, &event), None, "{}", &command[..10]);
    }
    // A long content is no reason to look away.
    let large = json!({"tool_name": "Write", "cwd": sandbox.root, "tool_input": {"content": "x".repeat(4 << 20), "file_path": path}});
    assert!(denial(&sandbox, &large).is_some());
}

#[test]
fn nothing_armed_or_nothing_to_believe_is_silence() {
    let event = |sandbox: &Sandbox| edit(sandbox, "README.md").to_string();
    let silent = |sandbox: &Sandbox| {
        for hook in ["pre-tool-use", "session-start", "stop"] {
            assert!(ask(sandbox, hook, event(sandbox).replace("PreToolUse", "").as_bytes()).stdout.is_empty());
            assert!(ask(sandbox, hook, event(sandbox).as_bytes()).stdout.is_empty(), "{hook}");
        }
    };
    silent(&Sandbox::empty());
    let project = Sandbox::project();
    let before = picture(&project.root);
    silent(&project);
    assert_untouched(&before, &picture(&project.root));
    let damaged = Sandbox::armed();
    damaged.write(".cordon/state.json", "{}");
    silent(&damaged);
    let foreign = Sandbox::armed();
    std::fs::remove_file(foreign.at(".git/cordon.anchor")).unwrap();
    silent(&foreign);
    for repo in ["/nonexistent", "/etc/passwd"] {
        let outcome = run(project.cordon_command(&["--repo", repo, "hook", "stop"]), b"{}", PATIENCE).ok();
        assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty());
    }
}

#[test]
fn the_repository_is_the_one_that_was_named_or_where_the_agent_works() {
    let (armed, other) = (Sandbox::armed(), Sandbox::project());
    let event =
        json!({"tool_name": "Edit", "cwd": other.root, "tool_input": {"file_path": armed.at("README.md")}}).to_string();
    let ask = |args: &[&str], project: Option<&Path>| {
        let mut command = other.cordon_command(args);
        command.envs(project.map(|project| ("CLAUDE_PROJECT_DIR", project)));
        !run(command, event.as_bytes(), PATIENCE).ok().stdout.is_empty()
    };
    let root = armed.root.to_str().unwrap();
    assert!(!ask(&["hook", "pre-tool-use"], None));
    assert!(ask(&["--repo", root, "hook", "pre-tool-use"], None));
    assert!(ask(&["hook", "pre-tool-use"], Some(&armed.root)));
    assert!(!ask(&["--repo", other.root.to_str().unwrap(), "hook", "pre-tool-use"], Some(&armed.root)));
    // A subdirectory of the armed work tree is the same repository.
    let event = json!({"tool_name": "Write", "cwd": armed.at("src"), "tool_input": {"file_path": "../README.md"}});
    assert!(denial(&armed, &event).is_some());
}

#[test]
fn a_session_begins_with_what_is_armed() {
    let sandbox = Sandbox::project();
    sandbox.cordon(&["arm", "fix the\n\u{1b}parser", "--allow", "src/**", "--deny", "src/x", "--verify", "true"]).ok();
    let context = ask(&sandbox, "session-start", br#"{"hook_event_name":"SessionStart","source":"startup"}"#).json();
    assert_eq!(context["hookSpecificOutput"]["hookEventName"], "SessionStart");
    insta::assert_snapshot!(context["hookSpecificOutput"]["additionalContext"].as_str().unwrap());
}

#[test]
fn a_stop_is_answered_once_with_what_would_be_rejected() {
    let sandbox = Sandbox::armed();
    let stop = |event: &str| ask(&sandbox, "stop", event.as_bytes());
    let (first, second) = (
        r#"{"hook_event_name":"Stop","stop_hook_active":false}"#,
        r#"{"hook_event_name":"Stop","stop_hook_active":true}"#,
    );
    assert!(stop(first).stdout.is_empty());
    sandbox.append("src/app.py", "more\n");
    assert!(stop(first).stdout.is_empty());
    sandbox.append("README.md", "more\n");
    let state = std::fs::read(sandbox.at(".cordon/state.json")).unwrap();
    let answer = stop(first).json();
    assert_eq!(answer["decision"], "block");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("path-outside: path outside policy: README.md") && reason.contains("23 files"), "{reason}");
    assert!(stop(second).stdout.is_empty());
    assert_eq!(std::fs::read(sandbox.at(".cordon/state.json")).unwrap(), state, "a hook writes no state");
    // Who holds the lock does not keep the hook from looking.
    let lock = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(sandbox.at(".git/cordon.lock"))
        .unwrap();
    lock.lock().unwrap();
    assert_eq!(stop(first).json(), answer);
    drop(lock);
    sandbox.git(&["checkout", "--", "README.md"]).ok();
    assert!(stop(first).stdout.is_empty());
}

#[test]
fn the_settings_call_this_program_by_its_path() {
    let sandbox = Sandbox::empty();
    let settings = sandbox.cordon(&["hook", "settings"]).ok().json();
    for (event, word) in [("PreToolUse", "pre-tool-use"), ("SessionStart", "session-start"), ("Stop", "stop")] {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        assert!(command.starts_with('/') || command.starts_with('\''), "{command}");
        assert!(command.ends_with(&format!(" hook {word}")), "{command}");
    }
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "Edit|Write|MultiEdit|NotebookEdit|Bash");
}
