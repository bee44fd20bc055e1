//! `cordon arm`.

use std::path::Path;

use super::args::Arm;
use super::options::{IgnoredChoice, Options};
use super::progress::Progress;
use super::terminal::{Terminal, talk};
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::envelope::Envelope;
use crate::policy::escape;
use crate::policy::limits::Limits;
use crate::policy::options::{AuditOptions, IgnoredRule};
use crate::policy::pattern::Pattern;
use crate::session::api::{self, ArmRequest};
use crate::{json, report};

/// Arms the envelope that the arguments describe.
pub fn run(repo: &Path, arguments: &Arm, terminal: &mut Terminal) -> Result<Exit> {
    let request = request(&arguments.label, &arguments.options)?;
    let progress = Progress::start();
    let armed = api::arm(repo, &request, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let armed = armed?;
    warn(&armed.warnings);
    terminal.answer(|| report::armed::human(&armed), || json::pretty(&armed))?;
    Ok(Exit::Accepted)
}

/// What is to be armed.
pub fn request(label: &str, options: &Options) -> Result<ArmRequest> {
    Ok(ArmRequest {
        label: label.to_owned(),
        envelope: envelope(options)?,
        audit: audit(options)?,
        verify: options.verify.clone(),
        verify_timeout: options.verify_timeout,
        max_attempts: u32::try_from(options.max_attempts).unwrap_or(u32::MAX),
        allow_dirty: options.allow_dirty,
    })
}

/// Warns on standard error of what is worth a second look.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        talk(&report::error::warning(&escape::typed(warning.as_bytes())));
    }
}

fn envelope(arguments: &Options) -> Result<Envelope> {
    Ok(Envelope {
        allow: patterns(&arguments.allow)?,
        deny: patterns(&arguments.deny)?,
        limits: Limits {
            max_files: arguments.max_files,
            max_added_lines: arguments.max_added_lines,
            max_deleted_lines: arguments.max_deleted_lines,
            max_working_bytes: arguments.max_working_bytes,
            max_binary_files: arguments.max_binary_files,
        },
        allow_commits: arguments.allow_commits,
    })
}

fn audit(arguments: &Options) -> Result<AuditOptions> {
    Ok(AuditOptions {
        ignored: match arguments.ignored {
            IgnoredChoice::Deny => IgnoredRule::Deny,
            IgnoredChoice::Report => IgnoredRule::Report,
        },
        scratch: patterns(&arguments.scratch)?,
        default_scratch: !arguments.no_default_scratch,
        allow_ignored: patterns(&arguments.allow_ignored)?,
        protect: patterns(&arguments.protect)?,
        allow_protected: patterns(&arguments.allow_protected)?,
    })
}

/// The patterns that were given, or what is wrong with the first bad one.
pub fn patterns(texts: &[String]) -> Result<Vec<Pattern>> {
    texts.iter().map(|text| Pattern::parse(text)).collect()
}
