//! A stand-in for the model service: it plays a list of turns and takes down what it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// One answer to a request that offers tools.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Blocks of a message.
    Message(Vec<Value>),
    /// An error with this status.
    Error(u16),
}

/// A turn that says something.
pub fn text(words: &str) -> Turn {
    Turn::Message(vec![json!({"type": "text", "text": words})])
}

/// A turn that calls a tool.
pub fn tool(name: &str, input: &Value) -> Turn {
    Turn::Message(vec![json!({"type": "tool_use", "name": name, "input": input})])
}

/// What was asked, and what is still to be played.
#[derive(Default)]
struct Play {
    turns: Vec<Turn>,
    played: usize,
    requests: Vec<Value>,
}

/// A running service; it ends with the test's process.
pub struct Service {
    /// Where it listens.
    pub url: String,
    play: Arc<Mutex<Play>>,
}

impl Service {
    /// A service that plays these turns and then says `done`. An error that comes last is given for ever.
    pub fn new(turns: Vec<Turn>) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let play = Arc::new(Mutex::new(Play { turns, ..Play::default() }));
        let shared = Arc::clone(&play);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let play = Arc::clone(&shared);
                // A client that goes away ends its connection and nothing else.
                thread::spawn(move || while answer(&stream, &play).unwrap_or(false) {});
            }
        });
        Service { url, play }
    }

    /// The requests that offered tools, in order: those of the agent itself.
    pub fn requests(&self) -> Vec<Value> {
        self.play.lock().unwrap().requests.clone()
    }

    /// Everything that was said to the model, as one text.
    pub fn heard(&self) -> String {
        let requests = self.requests();
        requests.last().map(|request| format!("{}\n{}", request["system"], request["messages"])).unwrap_or_default()
    }
}

/// Reads one request and answers it; `false` when there is none.
fn answer(stream: &TcpStream, play: &Mutex<Play>) -> std::io::Result<bool> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(false);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, kind, content) = respond(&path, &request, &mut play.lock().unwrap());
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", content.len());
    let mut out = stream;
    out.write_all(head.as_bytes())?;
    out.write_all(content.as_bytes())?;
    out.flush()?;
    Ok(true)
}

fn respond(path: &str, request: &Value, play: &mut Play) -> (u16, &'static str, String) {
    let json = "application/json";
    if path.contains("count_tokens") {
        return (200, json, json!({"input_tokens": 10}).to_string());
    }
    if !path.contains("/messages") {
        return (200, json, "{}".to_owned());
    }
    let offers_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let turn = if offers_tools { next(play, request) } else { text("ok") };
    let blocks = match turn {
        Turn::Message(blocks) => blocks,
        Turn::Error(status) => {
            let error = json!({"type": "error", "error": {"type": "api_error", "message": "the stand-in says no"}});
            return (status, json, error.to_string());
        }
    };
    let blocks = named(blocks, play.played);
    if request["stream"].as_bool() == Some(true) {
        (200, "text/event-stream", stream(request, &blocks))
    } else {
        (200, json, message(request, &blocks, Some(stop_reason(&blocks))).to_string())
    }
}

fn next(play: &mut Play, request: &Value) -> Turn {
    play.requests.push(request.clone());
    let last = play.turns.last().filter(|turn| matches!(turn, Turn::Error(_))).cloned();
    let turn = play.turns.get(play.played).cloned().or(last).unwrap_or_else(|| text("done"));
    play.played += 1;
    turn
}

/// Tool calls need names of their own.
fn named(blocks: Vec<Value>, turn: usize) -> Vec<Value> {
    let name = |(at, mut block): (usize, Value)| {
        if block["type"] == "tool_use" {
            block["id"] = json!(format!("toolu_{turn:04}{at:04}"));
        }
        block
    };
    blocks.into_iter().enumerate().map(name).collect()
}

fn stop_reason(blocks: &[Value]) -> &'static str {
    if blocks.iter().any(|block| block["type"] == "tool_use") { "tool_use" } else { "end_turn" }
}

fn usage() -> Value {
    json!({"input_tokens": 1000, "output_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0})
}

fn message(request: &Value, content: &[Value], stop_reason: Option<&str>) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": content,
        "stop_reason": stop_reason, "stop_sequence": null, "usage": usage(),
    })
}

/// The message as server-sent events.
fn stream(request: &Value, blocks: &[Value]) -> String {
    let mut events = vec![json!({"type": "message_start", "message": message(request, &[], None)})];
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop_reason(blocks), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": usage()}));
    events.push(json!({"type": "message_stop"}));
    let written = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(written).collect::<Vec<_>>().concat()
}
