//! `cordon explain`.

use std::path::Path;

use super::args::Explain;
use super::arm::{patterns, warn};
use super::paths;
use super::terminal::Terminal;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::envelope::Envelope;
use crate::policy::limits::Limits;
use crate::policy::pattern::Pattern;
use crate::report;
use crate::session::api;

/// Tells for each path on which side it is.
pub fn run(repo: &Path, arguments: &Explain, terminal: &mut Terminal) -> Result<Exit> {
    let paths = paths::named(&arguments.paths, arguments.nul)?;
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
