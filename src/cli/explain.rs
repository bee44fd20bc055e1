//! `cordon explain`.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::Explain;
use super::arm::{patterns, warn};
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::envelope::Envelope;
use crate::policy::limits::Limits;
use crate::policy::path::RepoPath;
use crate::policy::pattern::Pattern;
use crate::report;
use crate::session::api;

/// Tells for each path on which side it is.
pub fn run(repo: &Path, arguments: &Explain, terminal: &mut Terminal) -> Result<Exit> {
    let paths = paths(arguments)?;
    paths.iter().try_for_each(require_canonical)?;
    let envelope = envelope(repo, arguments)?;
    let rules = envelope.rules()?;
    warn(&futile(&envelope));
    let mut exit = Exit::Accepted;
    for path in paths {
        let decision = rules.decide(path.as_bytes());
        if !decision.is_allowed() {
            exit = Exit::Rejected;
        }
        terminal.answer(|| report::explain::human(&path, decision), || report::json::explained(&path, decision))?;
    }
    Ok(exit)
}

/// The envelope of the patterns that were given, or else the armed one.
fn envelope(repo: &Path, arguments: &Explain) -> Result<Envelope> {
    if arguments.allow.is_empty() {
        if !arguments.deny.is_empty() {
            return Err(Error::usage("--deny needs --allow, for example --allow '**'"));
        }
        return api::armed_envelope(repo);
    }
    let (allow, deny) = (patterns(&arguments.allow)?, patterns(&arguments.deny)?);
    let envelope = Envelope { allow, deny, limits: Limits::default(), allow_commits: false };
    envelope.validate()?;
    Ok(envelope)
}

/// A sentence for each pattern that decides about no path whatever.
fn futile(envelope: &Envelope) -> Vec<String> {
    let told = |option: &str, pattern: &Pattern| Some(format!("{option} {} {}", pattern.as_str(), pattern.futility()?));
    let lists = envelope.lists();
    lists.iter().flat_map(|(option, patterns)| patterns.iter().filter_map(|pattern| told(option, pattern))).collect()
}

fn paths(arguments: &Explain) -> Result<Vec<RepoPath>> {
    if !arguments.nul {
        return Ok(arguments.paths.iter().map(|path| RepoPath::new(path.as_bytes())).collect());
    }
    let mut input = Vec::new();
    std::io::stdin()
        .read_to_end(&mut input)
        .map_err(|error| Error::io("cannot read the paths from standard input", error))?;
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let ended = input.strip_suffix(b"\0").unwrap_or(&input);
    Ok(ended.split(|byte| *byte == 0).map(RepoPath::from).collect())
}

/// Refuses a path that can stand for nothing in a repository: a pattern could cover its letters, and the answer would be
/// about no file.
fn require_canonical(path: &RepoPath) -> Result<()> {
    let Some(what) = fault(path.as_bytes()) else { return Ok(()) };
    Err(Error::usage(format!("path `{}` {what}", path.plain())).hint(
        "A path is judged as Git writes it: relative to the repository's root, without detours, such as src/main.rs.",
    ))
}

fn fault(path: &[u8]) -> Option<&'static str> {
    let has = |wanted: &[&[u8]]| path.split(|byte| *byte == b'/').any(|component| wanted.contains(&component));
    if path.is_empty() {
        Some("is empty")
    } else if path.starts_with(b"/") {
        Some("starts with a slash")
    } else if path.ends_with(b"/") {
        Some("ends with a slash")
    } else if has(&[b".", b".."]) {
        Some("has a component `.` or `..`")
    } else if has(&[b""]) {
        Some("has an empty component")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_git_writes_it() {
        for (path, what) in [
            ("src/a", None),
            (".x/..y", None),
            ("/a", Some("starts with a slash")),
            ("./a", Some("has a component `.` or `..`")),
            ("a/../b", Some("has a component `.` or `..`")),
            ("a//b", Some("has an empty component")),
            ("a/", Some("ends with a slash")),
            ("/", Some("starts with a slash")),
            ("", Some("is empty")),
        ] {
            assert_eq!(fault(path.as_bytes()), what, "{path}");
        }
    }
}
