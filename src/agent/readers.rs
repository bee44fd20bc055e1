//! How each agent writes its report: one object at the end, or a line for each event.

use super::preset::Agent;
use super::result::{Reported, bounded};
use super::scan::{self, Object};

/// Reads the report of an agent from its standard output.
pub fn read(agent: Agent, output: &[u8]) -> Reported {
    match agent {
        Agent::Claude | Agent::Cursor => result_object(&scan::objects(output)),
        Agent::Gemini => response_object(&scan::objects(output)),
        Agent::Codex => events(&scan::objects(output), codex),
        Agent::Opencode => events(&scan::objects(output), opencode),
        // It reports to people only.
        Agent::Aider => Reported::default(),
    }
}

/// The last object with `type: "result"`, or else the last that looks like one.
fn result_object(objects: &[Object]) -> Reported {
    let named = objects.iter().rev().find(|object| object.text("type").as_deref() == Some("result"));
    let alike = |object: &&Object| object.raw("subtype").or(object.raw("is_error")).is_some();
    let Some(object) = named.or_else(|| objects.iter().rev().find(alike)) else { return Reported::default() };
    let mut reported = Reported {
        found: true,
        subtype: object.text("subtype").as_deref().map(bounded),
        is_error: object.get("is_error"),
        turns: object.count("num_turns"),
        cost_usd: object.amount("total_cost_usd"),
        session_id: object.text("session_id").as_deref().map(bounded),
        result: object.text("result").as_deref().map(bounded),
        ..Reported::default()
    };
    for denial in object.list("permission_denials") {
        let denial = denial.object().unwrap_or_default();
        let input = denial.object("tool_input").unwrap_or_default();
        let target = ["file_path", "notebook_path", "command"].into_iter().find_map(|key| input.text(key));
        reported.deny(&denial.text("tool_name").unwrap_or_default(), target.as_deref());
    }
    for error in object.list("errors") {
        let message = error.text().or_else(|| error.object()?.text("message"));
        reported.error(&message.unwrap_or_default());
    }
    reported
}

/// The last object with a `response` or an `error`.
fn response_object(objects: &[Object]) -> Reported {
    let alike = |object: &&Object| object.raw("response").or(object.raw("error")).is_some();
    let Some(object) = objects.iter().rev().find(alike) else { return Reported::default() };
    let mut reported = Reported {
        found: true,
        is_error: Some(object.raw("error").is_some()),
        session_id: object.text("session_id").as_deref().map(bounded),
        result: object.text("response").as_deref().map(bounded),
        ..Reported::default()
    };
    if let Some(message) = message(object) {
        reported.error(&message);
    }
    reported
}

/// What an `error` member says: text, or an object with a message somewhere in it.
fn message(object: &Object) -> Option<String> {
    let error = object.object("error");
    let nested =
        error.as_ref().and_then(|error| error.text("message").or_else(|| error.object("data")?.text("message")));
    nested
        .or_else(|| object.text("error"))
        .or_else(|| object.text("message"))
        .or_else(|| object.raw("error").map(str::to_owned))
}

/// A report that is told event by event.
fn events(objects: &[Object], each: fn(&mut Reported, &str, &Object)) -> Reported {
    let mut reported = Reported::default();
    for object in objects {
        let Some(kind) = object.text("type") else { continue };
        reported.found = true;
        each(&mut reported, &kind, object);
    }
    reported
}

fn codex(reported: &mut Reported, kind: &str, event: &Object) {
    match kind {
        "thread.started" => reported.session_id = event.text("thread_id").as_deref().map(bounded),
        "turn.completed" => {
            reported.turns = Some(reported.turns.unwrap_or(0).saturating_add(1));
            reported.is_error = Some(false);
        }
        "turn.failed" => fail(reported, event),
        // It is followed by `turn.failed` unless the connection was found again.
        "error" => reported.error(&message(event).unwrap_or_default()),
        "item.completed" => {
            let item = event.object("item").unwrap_or_default();
            let is_message = [item.text("type"), item.text("item_type")].contains(&Some("agent_message".to_owned()));
            if let Some(text) = item.text("text").filter(|_| is_message) {
                reported.result = Some(bounded(&text));
            }
        }
        _ => {}
    }
}

fn opencode(reported: &mut Reported, kind: &str, event: &Object) {
    if let Some(session) = event.text("sessionID") {
        reported.session_id = Some(bounded(&session));
    }
    let part = event.object("part").unwrap_or_default();
    match kind {
        "step_finish" => {
            reported.turns = Some(reported.turns.unwrap_or(0).saturating_add(1));
            let cost = part.amount("cost").unwrap_or(0.0) + reported.cost_usd.unwrap_or(0.0);
            reported.cost_usd = Some(cost).filter(|cost| cost.is_finite());
        }
        "text" => reported.result = part.text("text").as_deref().map(bounded),
        "error" => fail(reported, event),
        _ => {}
    }
}

fn fail(reported: &mut Reported, event: &Object) {
    reported.is_error = Some(true);
    reported.error(&message(event).unwrap_or_default());
}
