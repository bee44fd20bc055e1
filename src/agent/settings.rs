//! The hooks that Claude Code is given for one run, or that a user adds to a settings file: this very program, by its
//! absolute path.

use serde_json::{Value, json};

use crate::error::Error;

/// The tools whose calls are looked at before they are made: those that write files, and the shell.
const TOOLS: &str = "Edit|Write|MultiEdit|NotebookEdit|Bash";

/// How long Claude Code waits for a hook, in seconds. The first two only read state; the last one looks at the work tree.
const QUICK: u64 = 10;
const THOROUGH: u64 = 120;

/// The settings as an object with one key, `hooks`.
///
/// `executable` is this program, absolute. `root` is the work tree that the hooks are about; without one they are about
/// the repository that the agent works in.
///
/// # Errors
/// Of kind `Usage` when a path is no UTF-8, which JSON cannot hold, or holds a NUL.
pub fn settings(executable: &[u8], root: Option<&[u8]>) -> Result<Value, Error> {
    let mut command = quoted(executable)?;
    if let Some(root) = root {
        command = format!("{command} --repo {}", quoted(root)?);
    }
    let hook = |event: &str, timeout: u64| json!({"type": "command", "command": format!("{command} hook {event}"), "timeout": timeout});
    Ok(json!({"hooks": {
        "PreToolUse": [{"matcher": TOOLS, "hooks": [hook("pre-tool-use", QUICK)]}],
        "SessionStart": [{"hooks": [hook("session-start", QUICK)]}],
        "Stop": [{"hooks": [hook("stop", THOROUGH)]}],
    }}))
}

/// A path as one word of a POSIX shell.
fn quoted(path: &[u8]) -> Result<String, Error> {
    let text = std::str::from_utf8(path).ok();
    let word = text.and_then(|text| shlex::try_quote(text).ok());
    word.map(std::borrow::Cow::into_owned).ok_or_else(|| {
        Error::usage(format!("{} cannot stand in a settings file", crate::policy::escape::plain(path)))
            .hint("Give the program and the repository names in UTF-8, or do without hooks: --no-hook")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_this_program_in_a_form_that_a_shell_reads_as_one_word() {
        let settings = settings(b"/opt/my tools/cordon", Some(b"/home/o'neil/work")).unwrap();
        insta::assert_json_snapshot!(settings);
    }

    #[test]
    fn without_a_root_the_hooks_are_about_where_the_agent_works() {
        let settings = settings(b"/usr/bin/cordon", None).unwrap();
        let command = &settings["hooks"]["Stop"][0]["hooks"][0]["command"];
        assert_eq!(command, "/usr/bin/cordon hook stop");
        assert!(super::settings(b"/bin/\xff", None).is_err());
        assert!(super::settings(b"/bin/cordon", Some(b"/\0")).is_err());
    }
}
