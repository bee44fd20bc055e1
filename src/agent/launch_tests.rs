//! The command lines of every agent and of commands of one's own.

use super::*;

fn words(launch: &Launch) -> Vec<&str> {
    launch.argv.iter().map(|word| word.to_str().unwrap()).collect()
}

fn known(agent: Agent) -> Worker {
    Worker::Known(agent, None)
}

fn start(worker: &Worker, prompt: &str, asked: &Asked, settings: Option<&Value>) -> Launch {
    worker.launch(prompt, OsStr::new("/p/prompt.md"), asked, settings).unwrap()
}

fn command(argv: &[&str]) -> Worker {
    Worker::Command(argv.iter().map(OsString::from).collect())
}

#[test]
fn claude_gets_what_its_contract_says_and_nothing_that_was_not_asked_for() {
    let plain = start(&known(Agent::Claude), "Work.", &Asked::default(), None);
    let expected =
        "claude -p Work. --output-format json --no-session-persistence --permission-mode acceptEdits --max-turns 30";
    assert_eq!(words(&plain), expected.split(' ').collect::<Vec<_>>());
    assert!(!plain.on_input && !plain.in_file);
    let asked = Asked {
        max_turns: Some(7),
        max_budget_usd: Some(0.5),
        model: Some("opus".into()),
        effort: Some(Effort::Ultracode),
    };
    let all = start(&Worker::Known(Agent::Claude, Some("/opt/claude".into())), "Work.", &asked, Some(&json!({})));
    let expected = "/opt/claude -p Work. --output-format json --no-session-persistence --permission-mode acceptEdits --max-turns 7 \
                    --max-budget-usd 0.5 --model opus --effort ultracode --settings {\"ultracode\":true}";
    assert_eq!(words(&all), expected.split(' ').collect::<Vec<_>>());
}

#[test]
fn hooks_and_the_greatest_effort_share_the_settings() {
    let asked = Asked { effort: Some(Effort::Ultracode), ..Asked::default() };
    let alone = start(&known(Agent::Claude), "W", &asked, None);
    assert!(words(&alone).ends_with(&["--effort", "ultracode", "--settings", "{\"ultracode\":true}"]));
    let both = start(&known(Agent::Claude), "W", &asked, Some(&json!({"hooks": {}})));
    assert!(words(&both).ends_with(&["--settings", "{\"hooks\":{},\"ultracode\":true}"]));
    let hooks = start(&known(Agent::Claude), "W", &Asked::default(), Some(&json!({"hooks": {}})));
    assert!(words(&hooks).ends_with(&["--settings", "{\"hooks\":{}}"]));
}

#[test]
fn a_prompt_that_is_no_good_argument_goes_to_standard_input() {
    for (prompt, on_input) in [
        ("x".repeat(MAX_ARGUMENT - 1), false),
        ("x".repeat(MAX_ARGUMENT), true),
        ("--version".to_owned(), true),
        ("a\n--version".to_owned(), false),
    ] {
        let launch = start(&known(Agent::Claude), &prompt, &Asked::default(), None);
        assert_eq!(launch.on_input, on_input, "{}", prompt.len());
        assert_eq!(words(&launch).contains(&prompt.as_str()), !on_input);
        let gemini = start(&known(Agent::Gemini), &prompt, &Asked::default(), None);
        assert_eq!(words(&gemini).contains(&"-p"), !on_input);
    }
}

#[test]
fn the_other_agents_are_started_as_their_documents_say() {
    let asked = Asked { model: Some("m".into()), ..Asked::default() };
    for (agent, expected, on_input, in_file) in [
        (
            Agent::Codex,
            "codex exec --json --sandbox workspace-write -c approval_policy=\"never\" --ephemeral - --model m",
            true,
            false,
        ),
        (Agent::Gemini, "gemini -p Work. --output-format json --approval-mode auto_edit --model m", false, false),
        (Agent::Opencode, "opencode run --format json Work. --model m", false, false),
        (Agent::Cursor, "cursor-agent -p --force --output-format json Work. --model m", false, false),
        (
            Agent::Aider,
            "aider --message-file /p/prompt.md --yes-always --no-auto-commits --no-dirty-commits --model m",
            false,
            true,
        ),
    ] {
        let launch = start(&known(agent), "Work.", &asked, Some(&json!({})));
        assert_eq!(words(&launch), expected.split(' ').collect::<Vec<_>>());
        assert_eq!((launch.on_input, launch.in_file), (on_input, in_file), "{}", agent.name());
    }
    let asked = Asked { effort: Some(Effort::High), ..Asked::default() };
    assert!(
        words(&start(&known(Agent::Codex), "W", &asked, None)).ends_with(&["-c", "model_reasoning_effort=\"high\""])
    );
    assert!(words(&start(&known(Agent::Opencode), "W", &asked, None)).ends_with(&["--variant", "high"]));
    assert!(words(&start(&known(Agent::Aider), "W", &asked, None)).ends_with(&["--reasoning-effort", "high"]));
}

#[test]
fn what_an_agent_cannot_honour_is_refused_by_name() {
    let turns = Asked { max_turns: Some(3), ..Asked::default() };
    let budget = Asked { max_budget_usd: Some(1.0), ..Asked::default() };
    let effort = |effort| Asked { effort: Some(effort), ..Asked::default() };
    let model = Asked { model: Some("m".into()), ..Asked::default() };
    for agent in Agent::all().filter(|agent| *agent != Agent::Claude) {
        let refusal = known(agent).validate(&turns).unwrap_err();
        assert_eq!(refusal.message, format!("{} cannot be told --max-turns", agent.name()));
        assert!(known(agent).validate(&budget).unwrap_err().message.ends_with("--max-budget-usd"));
        assert!(known(agent).validate(&effort(Effort::Ultracode)).is_err());
        assert!(known(agent).validate(&model).is_ok());
    }
    let refusal = known(Agent::Codex).validate(&effort(Effort::Max)).unwrap_err();
    assert_eq!(refusal.message, "codex knows no effort `max`");
    assert_eq!(refusal.hints, ["It knows low, medium, high, xhigh."]);
    assert!(known(Agent::Cursor).validate(&effort(Effort::Low)).is_err());
    for effort_of_claude in Effort::ALL {
        assert!(known(Agent::Claude).validate(&effort(effort_of_claude)).is_ok());
    }
    assert!(command(&["x"]).validate(&Asked::default()).is_ok());
    for (asked, option) in [(turns, "--max-turns"), (model, "--model"), (effort(Effort::Low), "--effort")] {
        assert!(command(&["x"]).validate(&asked).unwrap_err().message.starts_with(option));
    }
}

#[test]
fn odd_values_are_refused_before_anything_starts() {
    let budget = |usd| Asked { max_budget_usd: Some(usd), ..Asked::default() };
    for usd in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(known(Agent::Claude).validate(&budget(usd)).is_err(), "{usd}");
    }
    assert!(known(Agent::Claude).validate(&budget(f64::MIN_POSITIVE)).is_ok());
    assert!(known(Agent::Claude).validate(&Asked { max_turns: Some(0), ..Asked::default() }).is_err());
    for model in ["", "--help", "a\0b"] {
        let asked = Asked { model: Some(model.into()), ..Asked::default() };
        assert!(known(Agent::Claude).validate(&asked).is_err(), "{model:?}");
    }
    for argv in [&[][..], &[""]] {
        assert!(command(argv).validate(&Asked::default()).is_err());
    }
}

#[test]
fn a_command_gets_the_prompt_where_it_says() {
    let hostile = "Work {prompt_file}\n{prompt} $(x)";
    for (argv, expected, on_input, in_file) in [
        (&["agent", "-q"][..], vec!["agent", "-q"], true, false),
        (&["agent", "{prompt}", "x"], vec!["agent", hostile, "x"], false, false),
        (&["agent", "--file={prompt_file}"], vec!["agent", "--file=/p/prompt.md"], false, true),
        (&["{prompt}", "{prompt_file}{}{"], vec!["{prompt}", "/p/prompt.md{}{"], false, true),
        (&["agent", "{promptx}", "{{prompt}}"], vec!["agent", "{promptx}", ""], false, false),
    ] {
        let launch = start(&command(argv), hostile, &Asked::default(), Some(&json!({})));
        let braces = format!("{{{hostile}}}");
        let expected: Vec<&str> =
            expected.into_iter().map(|word| if word.is_empty() { braces.as_str() } else { word }).collect();
        assert_eq!(words(&launch), expected);
        assert_eq!((launch.on_input, launch.in_file), (on_input, in_file), "{argv:?}");
    }
    let long = "x".repeat(MAX_ARGUMENT);
    let refused = command(&["agent", "{prompt}"]).launch(&long, OsStr::new("p"), &Asked::default(), None);
    assert!(refused.unwrap_err().hints[0].contains("{prompt_file}"));
    assert!(start(&command(&["agent"]), &long, &Asked::default(), None).on_input);
}
