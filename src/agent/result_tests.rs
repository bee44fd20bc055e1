//! What is read of reports as the agents print them, and of everything that is none.

use proptest::prelude::*;

use super::*;

fn claude(output: &str) -> Reported {
    Reported::read(Agent::Claude, output.as_bytes())
}

/// As the real program prints it, shortened.
const SUCCESS: &str = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":479,"num_turns":2,"result":"done",
    "session_id":"0f0c","total_cost_usd":0.01095,"permission_denials":[
    {"tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/r/README.md","old_string":"a"}},
    {"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"rm x"}}],"uuid":"x"}"#;

#[test]
fn the_result_of_claude_is_read_whatever_stands_around_it() {
    let before_and_after = format!("warning {{odd}}\n{{\"type\":\"system\"}}\n{SUCCESS}\nbye {{");
    for output in [SUCCESS, before_and_after.as_str()] {
        let report = claude(output);
        assert!(report.found);
        assert_eq!(report.failure(Agent::Claude), None);
        assert_eq!((report.turns, report.cost_usd, report.denied), (Some(2), Some(0.01095), 2));
        let targets: Vec<_> =
            report.denials.iter().map(|denial| (denial.tool.plain(), denial.target.clone())).collect();
        assert_eq!(targets[0], ("Edit".into(), Some("/r/README.md".into())));
        assert_eq!(targets[1], ("Bash".into(), Some("rm x".into())));
        let kept = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Reported>(&kept).unwrap(), report);
    }
    let twice = format!("{SUCCESS}\n{}", SUCCESS.replace("success", "error_max_turns"));
    assert_eq!(claude(&twice).subtype, Some("error_max_turns".into()));
}

#[test]
fn a_result_that_is_no_success_is_a_failure_although_the_program_exits_with_0() {
    for (output, why) in [
        (
            r#"{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (1)"]}"#,
            "it reported error_max_turns: Reached maximum number of turns (1)",
        ),
        (
            r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500\nmore"}"#,
            "it reported an error: API Error: 500",
        ),
        (r#"{"type":"result","is_error":true}"#, "it reported an error"),
        (r#"{"type":"result","subtype":"x\u001b[2J","is_error":false}"#, "it reported x\\u{1b}[2J"),
        ("", "it exited with 0 and printed no result"),
        ("{\"type\":\"assistant\"}", "it exited with 0 and printed no result"),
        (
            r#"{"type":"result","subtype":"success","subtype":"error_during_execution"}"#,
            "it reported error_during_execution",
        ),
    ] {
        assert_eq!(claude(output).failure(Agent::Claude).as_deref(), Some(why), "{output}");
    }
    for output in [r#"{"type":"result","result":"x"}"#, r#"{"subtype":"success","is_error":"no"}"#] {
        assert_eq!(claude(output).failure(Agent::Claude), None, "{output}");
    }
}

#[test]
fn long_and_odd_values_are_cut_or_left_out() {
    let long = format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"{}\",\"num_turns\":1e999}}",
        "\u{e9}".repeat(9_000)
    );
    let report = claude(&long);
    let result = report.result.clone().unwrap();
    assert!(result.as_bytes().len() <= KEPT + 10 && result.plain().ends_with("... (cut)"));
    assert_eq!((report.turns, report.failure(Agent::Claude)), (None, None));
    let many = format!("{{\"type\":\"result\",\"permission_denials\":[{}]}}", vec!["{}"; 200].join(","));
    assert_eq!((claude(&many).denied, claude(&many).denials.len()), (200, LISTED));
}

#[test]
fn the_other_agents_are_read_as_their_documents_say() {
    let read = |agent, output: &str| Reported::read(agent, output.as_bytes());
    let codex = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"hi\"}}\n";
    let good = read(Agent::Codex, &format!("{codex}{{\"type\":\"turn.completed\",\"usage\":{{}}}}"));
    assert_eq!(
        (good.session_id.clone(), good.result.clone(), good.turns),
        (Some("t".into()), Some("hi".into()), Some(1))
    );
    assert_eq!(good.failure(Agent::Codex), None);
    let bad = read(Agent::Codex, &format!("{codex}{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"no\"}}}}"));
    assert_eq!(bad.failure(Agent::Codex).unwrap(), "it reported an error: no");
    let reconnected = read(Agent::Codex, "{\"type\":\"error\",\"message\":\"again\"}\n{\"type\":\"turn.completed\"}");
    assert_eq!(reconnected.failure(Agent::Codex), None);

    let gemini = read(Agent::Gemini, "{\n \"session_id\": \"s\", \"response\": \"hi\",\n \"stats\": {}\n}");
    assert_eq!((gemini.result.clone(), gemini.failure(Agent::Gemini)), (Some("hi".into()), None));
    let gemini = read(Agent::Gemini, "{\"error\":{\"type\":\"ApiError\",\"message\":\"quota\",\"code\":1}}");
    assert_eq!(gemini.failure(Agent::Gemini).unwrap(), "it reported an error: quota");

    let opencode = "{\"type\":\"step_finish\",\"sessionID\":\"ses\",\"part\":{\"cost\":0.5}}\n{\"type\":\"step_finish\",\"part\":{\"cost\":0.25}}\n{\"type\":\"text\",\"part\":{\"text\":\"hi\"}}\n";
    let good = read(Agent::Opencode, opencode);
    assert_eq!((good.turns, good.cost_usd, good.failure(Agent::Opencode)), (Some(2), Some(0.75), None));
    let error = "{\"type\":\"error\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"no key\"}}}";
    let bad = read(Agent::Opencode, &format!("{opencode}{error}"));
    assert_eq!(bad.failure(Agent::Opencode).unwrap(), "it reported an error: no key");

    assert_eq!(read(Agent::Cursor, SUCCESS).failure(Agent::Cursor), None);
    assert_eq!(read(Agent::Cursor, "silence").failure(Agent::Cursor), None);
    assert_eq!(read(Agent::Aider, SUCCESS), Reported::default());
}

fn any_agent() -> impl Strategy<Value = Agent> {
    prop::sample::select(Agent::all().collect::<Vec<_>>())
}

/// Pieces from which something that is almost a report may come.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"type\"",
        ":",
        ",",
        "\"result\"",
        "\"error\"",
        "\"subtype\"",
        "\"permission_denials\"",
        "\"tool_input\"",
        "\"part\"",
        "\"item\"",
        "1e999",
        "-0",
        "null",
        "true",
        "\"\\ud800\"",
        "\"a\"",
        "\\",
        "\n",
        "\"text\"",
        "\"step_finish\"",
        "\"errors\"",
        "\u{e9}",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_output_is_too_odd(agent in any_agent(), output in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Reported::read(agent, &output).failure(agent);
    }

    #[test]
    fn no_almost_report_is_too_odd(agent in any_agent(), output in pieces()) {
        let report = Reported::read(agent, output.as_bytes());
        let _ = report.failure(agent);
        let kept = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<Reported>(&kept).unwrap(), report);
    }
}
