//! Answers of the older system that must agree: globs, refused globs, split commands, names in JSON.

use cordon::json;
use cordon::policy::command::Command;
use cordon::policy::path::RepoPath;
use cordon::policy::pattern::{Pattern, PatternSet};
use cordon::policy::text::Text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The lines of a vector file, of which there must be `count`.
fn lines<T: DeserializeOwned>(name: &str, count: usize) -> Vec<T> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vectors").join(name);
    let text = std::fs::read_to_string(&file).expect("the vectors are beside the tests");
    let lines: Vec<T> = text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    assert_eq!(lines.len(), count, "{name}");
    lines
}

#[test]
fn globs() {
    #[derive(Deserialize)]
    struct Line {
        pattern: Pattern,
        path: RepoPath,
        r#match: bool,
    }
    for Line { pattern, path, r#match } in lines("globs.jsonl", 3_000) {
        let set = PatternSet::compile(std::slice::from_ref(&pattern)).unwrap();
        assert_eq!(set.is_match(path.as_bytes()), r#match, "{pattern:?} {path:?}");
    }
}

#[test]
fn bad_globs() {
    #[derive(Deserialize)]
    struct Line {
        pattern: String,
        valid: bool,
    }
    for Line { pattern, valid } in lines("bad_globs.jsonl", 36) {
        assert_eq!(Pattern::parse(&pattern).is_ok(), valid, "{pattern:?}");
    }
}

#[test]
fn commands() {
    #[derive(Deserialize)]
    struct Line {
        input: String,
        args: Option<Vec<String>>,
        #[serde(default)]
        error: bool,
    }
    for Line { input, args, error } in lines("shlex.jsonl", 1_000) {
        assert_eq!(args.is_none(), error);
        let command = Command::parse(&input).ok();
        assert_eq!(command.as_ref().map(Command::argv), args.as_deref(), "{input:?}");
    }
}

#[test]
fn names() {
    #[derive(Deserialize)]
    struct Line {
        bytes_hex: String,
        json: String,
    }
    for Line { bytes_hex, json } in lines("paths.jsonl", 300) {
        let digits = |at: usize| u8::from_str_radix(&bytes_hex[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..bytes_hex.len()).step_by(2).map(digits).collect();
        let path = RepoPath::new(bytes.as_slice());
        let text = Text::from_bytes(bytes.as_slice());
        let expected = format!("{json}\n").into_bytes();
        assert_eq!(json::line(&path), expected, "{bytes_hex}");
        assert_eq!(json::pretty(&path), expected, "{bytes_hex}");
        assert_eq!(json::line(&text), expected, "{bytes_hex}");
        assert_eq!(serde_json::from_str::<RepoPath>(&json).unwrap(), path);
        assert_eq!(serde_json::from_slice::<RepoPath>(json.as_bytes()).unwrap(), path);
        assert_eq!(serde_json::from_reader::<_, RepoPath>(json.as_bytes()).unwrap(), path);
        assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text);
    }
}
