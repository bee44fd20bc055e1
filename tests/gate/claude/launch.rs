//! The command line of an attempt: the real program takes every flag, and what was asked for arrives.

use std::time::{Duration, Instant};

use serde_json::json;

use super::rig::{attempt, claude, command, launch};
use super::service::{Service, Turn, text, tool};
use crate::common::run::start;
use crate::common::sandbox::Sandbox;
use cordon::agent::effort::Effort;
use cordon::agent::launch::Asked;
use cordon::agent::preset::Agent;

#[test]
fn every_option_is_taken_and_arrives() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    for effort in Effort::ALL {
        let service = Service::new(Vec::new());
        let asked = Asked {
            max_turns: Some(3),
            max_budget_usd: Some(5.0),
            model: Some("claude-opus-4-8".into()),
            effort: Some(effort),
        };
        let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &asked);
        let outcome = outcome.ok();
        assert_eq!(report.failure(Agent::Claude), None, "{outcome:?}");
        let request = &service.requests()[0];
        assert_eq!(request["model"], "claude-opus-4-8", "{effort:?}");
        // To the service `ultracode` is `xhigh`; the rest of it is up to the program.
        let name = if effort == Effort::Ultracode { "xhigh" } else { effort.name() };
        assert_eq!(request["output_config"]["effort"], name, "{outcome:?}");
        // The program warns about the effort that is a setting to it, and about nothing else.
        let warned = String::from_utf8_lossy(&outcome.stderr).contains("Unknown");
        assert!(!warned || effort == Effort::Ultracode, "{effort:?} {outcome:?}");
    }
}

#[test]
fn a_turn_limit_and_a_spent_budget_are_failures() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let read = || tool("Read", &json!({"file_path": sandbox.at("README.md")}));
    for (asked, subtype) in [
        (Asked { max_turns: Some(1), ..Asked::default() }, "error_max_turns"),
        (Asked { max_budget_usd: Some(0.000_001), ..Asked::default() }, "error_max_budget_usd"),
    ] {
        let service = Service::new(vec![read(), read(), read()]);
        let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &asked);
        assert_eq!(report.subtype, Some(subtype.into()), "{outcome:?}");
        assert!(report.failure(Agent::Claude).unwrap().contains(subtype));
        assert!(service.requests().len() <= 2, "{}", service.requests().len());
    }
}

#[test]
fn an_error_of_the_service_is_a_failure() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    for status in [400, 500, 529] {
        let service = Service::new(vec![Turn::Error(status)]);
        let (outcome, report) = attempt(&sandbox, &service, &program, "Work.", &Asked::default());
        let why = report.failure(Agent::Claude);
        assert!(outcome.code() != 0 || why.is_some(), "{status} {outcome:?}");
        assert!(why.unwrap().contains(&status.to_string()), "{outcome:?}");
    }
}

#[test]
fn a_killed_program_leaves_no_result() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let service = Service::new(vec![tool("Bash", &json!({"command": "sleep 60", "description": "wait"}))]);
    let launch = launch(&sandbox, &program, "Work.", &Asked::default());
    let mut running = start(command(&sandbox, &service, &launch), b"");
    let began = Instant::now();
    while service.requests().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(120), "the program asks nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.kill();
    let outcome = running.finish(Duration::from_secs(120));
    assert_ne!(outcome.code(), 0);
    assert!(cordon::agent::result::Reported::read(Agent::Claude, &outcome.stdout).failure(Agent::Claude).is_some());
}

#[test]
fn hostile_prompts_arrive_as_they_are() {
    let Some(program) = claude() else { return };
    let sandbox = Sandbox::armed();
    let long = format!("Begin {} end.", "0123456789abcdef".repeat(200 * 64));
    for prompt in
        ["--version", "-p\n--help", "Line one\n\nLine $(two) `x` \"quoted\" 'q' \\ \u{e9}\u{1f600}", long.as_str()]
    {
        let service = Service::new(vec![text("ok")]);
        let (outcome, _) = attempt(&sandbox, &service, &program, prompt, &Asked::default());
        let outcome = outcome.ok();
        let requests = service.requests();
        let messages = requests[0]["messages"].as_array().unwrap();
        let blocks = messages.iter().flat_map(|message| match message["content"].as_array() {
            Some(blocks) => blocks.iter().map(|block| block["text"].as_str().unwrap_or_default()).collect::<Vec<_>>(),
            None => vec![message["content"].as_str().unwrap_or_default()],
        });
        let heard: Vec<&str> = blocks.collect();
        assert!(heard.iter().any(|text| text.trim_end() == prompt), "{} bytes {outcome:?}", prompt.len());
    }
}
