//! The whole way: `cordon run` and `cordon resume` around the real program.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::rig::{claude, edit, supervised};
use super::service::{Service, Turn, text, tool};
use crate::agent::common::{processes, wait_until};
use crate::common::run::{run, start};
use crate::common::sandbox::Sandbox;

/// More than an attempt takes when it works, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(240);

#[test]
fn work_inside_is_accepted_and_what_was_denied_is_told() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::project();
    let mut turns = edit(&sandbox, "src/app.py", "a + b", "b + a");
    turns.extend(edit(&sandbox, "README.md", "Demo", "Pwned"));
    let service = Service::new(turns);
    let command = supervised(&sandbox, &service, &program, &["run", "Swap the\noperands.", "--allow", "src/**"]);
    let verdict = run(command, b"", PATIENCE).ok().json();
    let reported = &verdict["agent"]["reported"];
    assert_eq!(
        (&verdict["passed"], &reported["subtype"], &reported["denied"]),
        (&json!(true), &json!("success"), &json!(1))
    );
    assert_eq!(reported["denials"][0]["tool"], "Edit");
    assert!(service.heard().contains("Swap the\\noperands."), "the task arrives");
    assert_eq!(processes(&sandbox), Vec::<String>::new());
}

#[test]
fn a_write_that_no_hook_sees_is_rejected() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::project();
    fs::create_dir(sandbox.outside().join("home/.claude")).unwrap();
    fs::write(sandbox.outside().join("home/.claude/settings.json"), r#"{"permissions":{"allow":["Bash"]}}"#).unwrap();
    let hidden = json!({"command": "python3 -c 'open(\"README.md\", \"w\").write(\"x\")'", "description": "work"});
    for hooks in [&[][..], &["--no-hook"]] {
        let service = Service::new(vec![tool("Bash", &hidden), text("finished")]);
        let args = [&["run", "Work.", "--allow", "src/**"], hooks].concat();
        let outcome = run(supervised(&sandbox, &service, &program, &args), b"", PATIENCE).rejected();
        assert_eq!(outcome.json()["findings"][0]["path"], "README.md");
        // With the hooks the agent hears of it before it stops.
        assert_eq!(service.heard().contains("Mend this before you stop"), hooks.is_empty());
        sandbox.git(&["checkout", "--", "README.md"]).ok();
        sandbox.cordon(&["reset"]).ok();
    }
}

#[test]
fn a_veto_of_a_verifier_is_told_to_the_next_attempt_which_is_accepted() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::project();
    let first = Service::new(edit(&sandbox, "src/app.py", "a + b", "a * b"));
    let args = ["run", "Keep the sum.", "--allow", "src/**", "--verify", "grep -F 'b + a' src/app.py"];
    let outcome = run(supervised(&sandbox, &first, &program, &args), b"", PATIENCE).rejected();
    assert_eq!(outcome.json()["findings"][0]["code"], "verifier-failed", "{outcome:?}");
    let second = Service::new(edit(&sandbox, "src/app.py", "a * b", "b + a"));
    let verdict = run(supervised(&sandbox, &second, &program, &["resume"]), b"", PATIENCE).ok().json();
    assert_eq!((&verdict["passed"], &verdict["attempt"]), (&json!(true), &json!(2)));
    for words in ["attempt 2 of 3", "verifier-failed", "grep -F 'b + a' src/app.py"] {
        assert!(second.heard().contains(words), "{words}");
    }
}

#[test]
fn an_agent_that_fails_is_told_apart_from_a_change_that_is_rejected() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::project();
    let read = || tool("Read", &json!({"file_path": sandbox.at("README.md")}));
    let cases = [
        (vec![read(), read(), read()], &["--max-turns", "1"][..], "error_max_turns"),
        (vec![read(), read(), read()], &["--max-budget-usd", "0.000001"], "error_max_budget_usd"),
        (vec![Turn::Error(400)], &[], "400"),
    ];
    for (turns, more, why) in cases {
        let service = Service::new(turns);
        let args = [&["run", "Work.", "--allow", "src/**"], more].concat();
        let outcome = run(supervised(&sandbox, &service, &program, &args), b"", PATIENCE).ends_with(4);
        let agent = outcome.json()["agent"].clone();
        assert!(
            agent["failure"].as_str().unwrap().contains(why) || agent.to_string().contains(why),
            "{why} {outcome:?}"
        );
        sandbox.cordon(&["reset"]).ok();
    }
}

#[test]
fn a_killed_agent_is_a_failed_one() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::project();
    let service = Service::new(vec![tool("Bash", &json!({"command": "sleep 100", "description": "wait"}))]);
    let args = ["run", "Work.", "--allow", "src/**"];
    let running = start(supervised(&sandbox, &service, &program, &args), b"");
    wait_until("the agent asks its model", || !service.requests().is_empty());
    for process in fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()) {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        let here = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == sandbox.root);
        let is_agent = line.windows(24).any(|part| part == b"--no-session-persistence");
        if let (true, true, Some(id)) = (here, is_agent, process.file_name().and_then(|id| id.to_str()?.parse().ok())) {
            let id = rustix::process::Pid::from_raw(id).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).ok();
        }
    }
    let outcome = running.finish(PATIENCE).ends_with(4);
    assert!(outcome.json()["agent"]["failure"].is_string(), "{outcome:?}");
    assert_eq!(processes(&sandbox), Vec::<String>::new());
}
