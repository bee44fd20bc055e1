//! What the hooks come to in the real program: denials, words at the beginning, findings at the end.

use serde_json::json;

use super::rig::{attempt, claude, edit};
use super::service::{Service, Turn, text, tool};
use crate::common::sandbox::Sandbox;
use cordon::agent::launch::Asked;
use cordon::agent::preset::Agent;

fn bash(command: &str) -> Turn {
    tool("Bash", &json!({"command": command, "description": "work"}))
}

/// An armed project whose user allows every command: by itself the program runs few without asking.
fn permissive() -> Sandbox {
    let sandbox = Sandbox::armed();
    let directory = sandbox.outside().join("home/.claude");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("settings.json"), r#"{"permissions":{"allow":["Bash"]}}"#).unwrap();
    sandbox
}

#[test]
fn an_edit_inside_is_made_and_accepted() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let service = Service::new(edit(&sandbox, "src/app.py", "a + b", "b + a"));
    let (outcome, report) = attempt(&sandbox, &service, &program, "Swap the operands.", &Asked::default());
    let outcome = outcome.ok();
    assert_eq!(report.failure(Agent::Claude), None, "{outcome:?}");
    assert_eq!((report.denied, report.turns), (0, Some(3)), "{outcome:?}");
    assert!(sandbox.check().ok().json()["passed"] == true);
    let text = std::fs::read_to_string(sandbox.at("src/app.py")).unwrap();
    assert!(text.contains("b + a"), "{text}");
}

#[test]
fn an_edit_outside_is_denied_and_told_to_the_model_and_the_file_stays() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let mut turns = edit(&sandbox, "README.md", "Demo", "Pwned");
    turns.extend([bash("echo x > docs/guide.md"), bash("cd docs && echo x >> guide.md")]);
    let service = Service::new(turns);
    let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
    let denied: Vec<_> = report.denials.iter().map(|denial| denial.tool.plain()).collect();
    assert_eq!(denied, ["Edit", "Bash", "Bash"], "{outcome:?}");
    let heard = service.heard();
    for words in [
        "README.md is outside of the envelope: no pattern allows it (Edit)",
        "docs/guide.md is outside",
        "denied once before",
    ] {
        assert!(heard.contains(words), "{words}\n{heard}");
    }
    sandbox.check().ok();
}

#[test]
fn a_write_that_no_hook_can_see_is_named_at_the_stop_and_rejected_by_the_gate() {
    let Some(program) = claude() else { return };
    let sandbox = permissive();
    let hidden = bash("python3 -c 'open(\"README.md\", \"w\").write(\"x\")'");
    let service = Service::new(vec![hidden.clone(), text("finished"), text("I leave it")]);
    let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
    assert_eq!(report.denied, 0, "{outcome:?}");
    assert!(service.heard().contains("path-outside: path outside policy: README.md"), "{}", service.heard());
    sandbox.check().rejected();
}

#[test]
fn the_stop_hook_makes_an_agent_mend_its_change() {
    let Some(program) = claude() else { return };
    let sandbox = permissive();
    let hidden = bash("python3 -c 'open(\"README.md\", \"w\").write(\"x\")'");
    let service = Service::new(vec![hidden, text("finished"), bash("git checkout -- README.md"), text("mended")]);
    let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
    assert_eq!((report.denied, report.failure(Agent::Claude)), (0, None), "{outcome:?}");
    assert_eq!(service.requests().len(), 4);
    sandbox.check().ok();
}

#[test]
fn the_model_hears_at_the_beginning_what_is_armed() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let service = Service::new(Vec::new());
    let (outcome, _) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
    let _ = outcome.ok();
    assert!(service.heard().contains("You may change only: src/**."), "{}", service.heard());
}

#[test]
fn a_directory_that_the_shell_went_to_is_where_the_next_command_runs() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let turns = vec![bash("cd docs"), bash("echo x > guide.md"), bash("cd ../src"), bash("echo x > guide.md")];
    let service = Service::new(turns);
    let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
    assert_eq!(report.denied, 1, "{outcome:?}");
    sandbox.check().ok();
}
