//! A hook's event, as far as it is understood. What is odd about it makes it no event: a hook that fails must not stand in
//! the way.

use super::scan::{Object, only};
use super::shell::{self, Act, Effect, Place};

/// The longest event that is read, in bytes.
pub const MAX_EVENT: u64 = 32 * 1024 * 1024;

/// Tools that write one file, and where their input names it.
const WRITERS: [(&str, &str); 4] =
    [("Edit", "file_path"), ("Write", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")];

/// One event.
#[derive(Debug)]
pub struct Event(Object);

impl Event {
    /// The event of this name; `None` for everything else. An event that does not say what it is counts as the one that
    /// the hook was called for.
    pub fn read(bytes: &[u8], name: &str) -> Option<Event> {
        let event = Event(only(bytes)?);
        let named =
            event.0.raw("hook_event_name").is_none_or(|_| event.text("hook_event_name").as_deref() == Some(name));
        named.then_some(event)
    }

    /// Where the agent works, absolute.
    pub fn cwd(&self) -> Option<String> {
        self.text("cwd").filter(|cwd| cwd.starts_with('/') && !cwd.contains('\0'))
    }

    /// Whether the agent goes on only because a hook has kept it from stopping.
    pub fn stop_hook_active(&self) -> bool {
        self.0.raw("stop_hook_active").is_some_and(|value| value != "false")
    }

    /// What the tool call would do to files, for an agent that works in `cwd`.
    pub fn acts(&self, cwd: &str) -> Vec<Act> {
        let (Some(tool), Some(input)) = (self.text("tool_name"), self.0.object("tool_input")) else {
            return Vec::new();
        };
        if tool == "Bash" {
            return input.text("command").map(|command| shell::read(&command, cwd)).unwrap_or_default();
        }
        let Some((by, key)) = WRITERS.iter().find(|(name, _)| *name == tool) else { return Vec::new() };
        let path = input.text(key).filter(|path| !path.is_empty() && !path.contains('\0'));
        let path = path.map(|path| if path.starts_with('/') { path } else { format!("{cwd}/{path}") });
        let place = |path| Act::Place(Place { by: (*by).to_owned(), path, names: Vec::new(), effect: Effect::Write });
        path.map(place).into_iter().collect()
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0.text(key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn acts(event: &str) -> Vec<Act> {
        Event::read(event.as_bytes(), "PreToolUse").map(|event| event.acts("/r")).unwrap_or_default()
    }

    fn path(act: &Act) -> &str {
        match act {
            Act::Place(place) => &place.path,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_tool_names_its_file() {
        for (event, expected) in [
            (r#"{"tool_name":"Edit","tool_input":{"file_path":"/r/a"}}"#, "/r/a"),
            (r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a/b"}}"#, "/r/a/b"),
            (r#"{"tool_name":"MultiEdit","tool_input":{"edits":[],"file_path":"/r/a"},"more":1e999}"#, "/r/a"),
            (r#"{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/r/a.ipynb"}}"#, "/r/a.ipynb"),
            (r#"{"tool_name":"Bash","tool_input":{"command":"echo > b"}}"#, "/r/b"),
        ] {
            assert_eq!(path(&acts(event)[0]), expected);
        }
    }

    #[test]
    fn anything_else_is_no_event() {
        for event in [
            "",
            "null",
            "[]",
            "{",
            "{}",
            "\u{feff}{}",
            "not json",
            "{}{}",
            r#"{"tool_name":"Read","tool_input":{"file_path":"/r/a"}}"#,
            r#"{"tool_name":"Edit"}"#,
            r#"{"tool_name":"Edit","tool_input":"/r/a"}"#,
            r#"{"tool_name":"Edit","tool_input":{"file_path":7}}"#,
            r#"{"tool_name":"Edit","tool_input":{"file_path":""}}"#,
            r#"{"tool_name":"Edit","tool_input":{"file_path":"a\u0000b"}}"#,
            r#"{"tool_name":7,"tool_input":{"file_path":"/r/a"}}"#,
            r#"{"tool_name":"Bash","tool_input":{"command":["rm","a"]}}"#,
            r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/r/a"}}"#,
        ] {
            assert_eq!(acts(event), Vec::new(), "{event}");
        }
    }

    #[test]
    fn a_second_stop_is_known_by_anything_but_false() {
        let active = |text: &str| Event::read(text.as_bytes(), "Stop").unwrap().stop_hook_active();
        assert!(active(r#"{"stop_hook_active":true}"#) && active(r#"{"stop_hook_active":"yes"}"#));
        assert!(!active(r#"{"stop_hook_active":false}"#) && !active("{}"));
    }

    proptest! {
        #[test]
        fn no_event_is_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Event::read(&bytes, "PreToolUse").map(|event| event.acts("/r"));
        }
    }
}
