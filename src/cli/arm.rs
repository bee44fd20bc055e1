//! `cordon arm`.

use std::path::Path;

use super::args::Arm;
use super::options::{CacheChoice, IgnoredChoice, Options};
use super::progress::Progress;
use super::terminal::{Terminal, talk};
use crate::error::Result;
use crate::exit::Exit;
use crate::policy::caches::CacheRule;
use crate::policy::escape;
use crate::policy::file::keys::Key;
use crate::policy::file::settings::{Settings, Value};
use crate::policy::options::{AuditOptions, IgnoredRule};
use crate::policy::pattern::Pattern;
use crate::session::api::{self, ArmRequest};
use crate::{json, report};

/// Arms the envelope that the arguments describe.
pub fn run(repo: &Path, arguments: &Arm, terminal: &mut Terminal) -> Result<Exit> {
    let request = request(repo, &arguments.label, &arguments.options)?;
    let progress = Progress::start();
    let armed = api::arm(repo, &request, &|phrase, done| progress.report(phrase, done));
    progress.stop();
    let armed = armed?;
    warn(&armed.warnings);
    terminal.answer(|| report::armed::human(&armed), || json::pretty(&armed))?;
    Ok(Exit::Accepted)
}

/// What is to be armed: what the options say, over the role that they name.
pub fn request(repo: &Path, label: &str, options: &Options) -> Result<ArmRequest> {
    let given = settings(options)?;
    let role = options.role.as_deref().map(|name| api::role_at_head(repo, name)).transpose()?;
    let settings = role.as_ref().map_or_else(|| given.clone(), |role| role.settings.with(&given));
    Ok(ArmRequest {
        label: label.to_owned(),
        envelope: settings.envelope(),
        audit: AuditOptions {
            ignored: match options.ignored {
                IgnoredChoice::Deny => IgnoredRule::Deny,
                IgnoredChoice::Report => IgnoredRule::Report,
            },
            verifier_caches: match options.verifier_caches {
                CacheChoice::Private => CacheRule::Private,
                CacheChoice::Keep => CacheRule::Keep,
            },
            default_scratch: !options.no_default_scratch,
            ..settings.audit()
        },
        verify: settings.verify().to_vec(),
        verify_timeout: settings.verify_timeout(),
        max_attempts: settings.max_attempts(),
        allow_dirty: options.allow_dirty,
        role: role.map(|role| role.reference),
    })
}

/// Warns on standard error of what is worth a second look.
pub fn warn(warnings: &[String]) {
    for warning in warnings {
        talk(&report::error::warning(&escape::typed(warning.as_bytes())));
    }
}

/// What the options say, by the keys of a role.
fn settings(options: &Options) -> Result<Settings> {
    let lists = [
        (Key::Allow, &options.allow),
        (Key::Deny, &options.deny),
        (Key::Protect, &options.protect),
        (Key::AllowProtected, &options.allow_protected),
        (Key::Scratch, &options.scratch),
        (Key::AllowIgnored, &options.allow_ignored),
        (Key::Uncounted, &options.uncounted),
    ];
    let numbers = [
        (Key::MaxFiles, options.max_files),
        (Key::MaxAddedLines, options.max_added_lines),
        (Key::MaxDeletedLines, options.max_deleted_lines),
        (Key::MaxWorkingBytes, options.max_working_bytes),
        (Key::MaxBinaryFiles, options.max_binary_files),
        (Key::MaxAttempts, options.max_attempts),
        (Key::VerifyTimeout, options.verify_timeout),
    ];
    let mut settings = Settings::default();
    for (key, globs) in lists {
        settings = settings.with_globs(key, patterns(globs)?);
    }
    for (key, number) in numbers {
        settings = settings.with_number(key, number);
    }
    if options.allow_commits {
        settings.set(Key::AllowCommits, Value::Flag(true));
    }
    if !options.verify.is_empty() {
        settings.set(Key::Verify, Value::Commands(options.verify.clone()));
    }
    Ok(settings)
}

/// The patterns that were given, or what is wrong with the first bad one.
pub fn patterns(texts: &[String]) -> Result<Vec<Pattern>> {
    texts.iter().map(|text| Pattern::parse(text)).collect()
}
