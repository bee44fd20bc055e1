//! The JSON forms that are not simply the answer itself: an error, one explained path, one path of a diff.

use serde::Serialize;

use crate::audit::answer::FileDiff;
use crate::audit::evidence::Change;
use crate::audit::verdict::SCHEMA_VERSION;
use crate::error::Error;
use crate::json;
use crate::policy::envelope::Decision;
use crate::policy::escape::opens_runner_command;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// JSON for a log that a CI runner may read: no string of it begins a command to the runner. Any JSON reader gives back what
/// was there.
pub fn for_a_log(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    for byte in json {
        // Outside of strings JSON has no `#`, so this is a part of one.
        if *byte == b'[' && opens_runner_command(&out) {
            out.extend_from_slice(b"\\u005b");
        } else {
            out.push(*byte);
        }
    }
    out
}

#[derive(Serialize)]
struct ErrorForm<'a> {
    schema_version: u32,
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    kind: &'static str,
    message: &'a str,
    hints: &'a [String],
    causes: Vec<String>,
}

/// The error as an object, so that a script that reads JSON always gets JSON.
pub fn error(error: &Error) -> Vec<u8> {
    json::pretty(&ErrorForm {
        schema_version: SCHEMA_VERSION,
        error: ErrorBody {
            kind: error.kind.name(),
            message: &error.message,
            hints: &error.hints,
            causes: error.causes(),
        },
    })
}

#[derive(Serialize)]
struct Explained<'a> {
    path: &'a RepoPath,
    allowed: bool,
    decided_by: &'static str,
    pattern: Option<&'a str>,
}

/// One explained path as one line.
pub fn explained(path: &RepoPath, decision: Decision<'_>) -> Vec<u8> {
    let (allowed, decided_by, pattern) = match decision {
        Decision::Allowed(pattern) => (true, "allow", Some(pattern.as_str())),
        Decision::Denied(pattern) => (false, "deny", Some(pattern.as_str())),
        Decision::Outside => (false, "none", None),
    };
    json::line(&Explained { path, allowed, decided_by, pattern })
}

#[derive(Serialize)]
struct DiffForm<'a> {
    #[serde(flatten)]
    change: &'a Change,
    inside: bool,
    patch: Option<Text>,
}

/// One path of a diff as one line; `patch` is the raw text that `git apply` takes, and `null` when a side is too big.
pub fn diff(file: &FileDiff, patch: Vec<u8>) -> Vec<u8> {
    let patch = (!file.too_big).then(|| Text::from_bytes(patch));
    json::line(&DiffForm { change: &file.change, inside: file.inside, patch })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::evidence::{ChangeKind, Layer, Mode};
    use crate::policy::pattern::Pattern;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_string_is_no_command_to_a_runner() {
        let names = ["##[error]x", "a##vso[b]", "#[", "\\##[", "[1]"];
        let guarded = for_a_log(&crate::json::line(&names));
        assert_eq!(
            text(guarded.clone()),
            "[\"##\\u005berror]x\",\"a##vso\\u005bb]\",\"#[\",\"\\\\##\\u005b\",\"[1]\"]\n"
        );
        assert_eq!(serde_json::from_slice::<Vec<String>>(&guarded).unwrap(), names);
    }

    #[test]
    fn an_error_is_an_object() {
        let failure = Error::state("`state.json` is damaged")
            .hint("Run `cordon reset`.")
            .caused_by(anyhow::anyhow!("line 1\u{1b}").context("cannot read it"));
        insta::assert_snapshot!(text(error(&failure)), @r#"
        {
          "schema_version": 1,
          "error": {
            "kind": "state",
            "message": "`state.json` is damaged",
            "hints": [
              "Run `cordon reset`."
            ],
            "causes": [
              "cannot read it",
              "line 1\u001b"
            ]
          }
        }
        "#);
    }

    #[test]
    fn an_explained_path_is_one_line() {
        let (path, pattern) = (RepoPath::new(&b"a\n\xff"[..]), Pattern::parse("src/**").unwrap());
        let lines: Vec<u8> = [Decision::Allowed(&pattern), Decision::Denied(&pattern), Decision::Outside]
            .into_iter()
            .flat_map(|decision| explained(&path, decision))
            .collect();
        insta::assert_snapshot!(text(lines), @r#"
        {"path":"a\n\udcff","allowed":true,"decided_by":"allow","pattern":"src/**"}
        {"path":"a\n\udcff","allowed":false,"decided_by":"deny","pattern":"src/**"}
        {"path":"a\n\udcff","allowed":false,"decided_by":"none","pattern":null}
        "#);
    }

    #[test]
    fn a_path_of_a_diff_is_one_line() {
        let change = Change {
            path: RepoPath::new(&b"a\n\xff"[..]),
            kind: ChangeKind::Added,
            layers: vec![Layer::Worktree],
            added: 1,
            deleted: 0,
            binary: false,
            size_before: None,
            size_after: Some(2),
            mode_before: None,
            mode_after: Some(Mode::Executable),
            commit: None,
            content: None,
        };
        let file = FileDiff {
            change,
            inside: true,
            id_before: None,
            id_after: Some("b".repeat(40)),
            too_big: false,
            before: None,
            after: Some(b"x\n".to_vec()),
        };
        insta::assert_snapshot!(text(diff(&file, b"+x\xfe\n".to_vec())), @r#"{"path":"a\n\udcff","kind":"added","layers":["worktree"],"added":1,"deleted":0,"binary":false,"size_before":null,"size_after":2,"mode_before":null,"mode_after":"100755","inside":true,"patch":"+x\udcfe\n"}"#);
    }
}
