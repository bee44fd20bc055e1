//! `cordon explain`.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::Explain;
use super::arm::patterns;
use super::terminal::{Terminal, talk};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::envelope::Envelope;
use crate::policy::limits::Limits;
use crate::policy::path::RepoPath;
use crate::report;
use crate::session::api;

/// Tells for each path on which side it is.
pub fn run(repo: &Path, arguments: &Explain, terminal: &mut Terminal) -> Result<Exit> {
    let rules = envelope(repo, arguments)?.rules()?;
    let mut exit = Exit::Accepted;
    for path in paths(arguments)? {
        if !is_canonical(path.as_bytes()) {
            talk(&report::error::warning(&format!(
                "`{}` is not written as Git writes paths, relative to the repository's root, such as src/main.rs",
                path.plain()
            )));
        }
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
        return api::armed_envelope(repo);
    }
    let (allow, deny) = (patterns(&arguments.allow)?, patterns(&arguments.deny)?);
    let envelope = Envelope { allow, deny, limits: Limits::default(), allow_commits: false };
    envelope.validate()?;
    Ok(envelope)
}

fn paths(arguments: &Explain) -> Result<Vec<RepoPath>> {
    if !arguments.nul {
        return Ok(arguments.paths.iter().map(|path| RepoPath::new(path.as_bytes())).collect());
    }
    let mut input = Vec::new();
    std::io::stdin()
        .read_to_end(&mut input)
        .map_err(|error| Error::io("cannot read the paths from standard input", error))?;
    Ok(input.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(RepoPath::from).collect())
}

/// Whether a path can stand for something in a repository; others are judged all the same, letter by letter.
fn is_canonical(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|component| !matches!(component, b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_spellings_are_noticed() {
        for (path, canonical) in [
            ("src/a", true),
            (".x/..y", true),
            ("/a", false),
            ("./a", false),
            ("a/../b", false),
            ("a//b", false),
            ("a/", false),
            ("", false),
        ] {
            assert_eq!(is_canonical(path.as_bytes()), canonical, "{path}");
        }
    }
}
