//! A verdict in every format that was asked for: on standard output, in files, and where GitHub Actions looks for it.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use anstream::adapter::strip_str;
use rustix::fs::OFlags;

use super::args::report::{Output, Reports};
use super::terminal::Terminal;
use crate::error::{Error, Kind, Result};
use crate::policy::escape::plain;
use crate::report::formats::report::Report;
use crate::report::formats::table::Format;
use crate::report::formats::{github, markdown};
use crate::report::json::for_a_log;

/// One answer in all its forms.
pub struct Answer<'a> {
    /// For people at a terminal, with colours.
    pub human: &'a dyn Fn() -> String,
    /// For programs.
    pub json: &'a dyn Fn() -> Vec<u8>,
    /// What the other formats are made of; `None` where there is no verdict.
    pub report: Option<Report<'a>>,
}

impl Answer<'_> {
    fn bytes(&self, format: Format) -> Result<Vec<u8>> {
        match (format.row().render, self.report.as_ref()) {
            (Some(render), Some(report)) => Ok(for_a_log_of(format, render(report))),
            (Some(_), None) => Err(Error::refused(format!(
                "there is no verdict here, so there is no report of it in the format {}",
                format.row().name
            ))
            .hint("human and json tell of a session without a verdict.")),
            (None, _) if format == Format::Human => Ok(strip_str(&(self.human)()).to_string().into_bytes()),
            (None, _) => Ok(for_a_log(&(self.json)())),
        }
    }
}

/// The report as a CI may show it in its log: of JSON no string may be a command to the runner.
fn for_a_log_of(format: Format, bytes: Vec<u8>) -> Vec<u8> {
    if matches!(format, Format::Sarif | Format::Gitlab) { for_a_log(&bytes) } else { bytes }
}

/// Refuses files that could not be written once there is a verdict, while nothing has been done yet.
pub fn prepare(reports: &Reports) -> Result<()> {
    for (at, Output { file, .. }) in reports.output.iter().enumerate() {
        let refusal = |what: &str| {
            Error::usage(format!("--output: {} {what}", shown(file)))
                .hint("Name a file that is new, or that may be replaced.")
        };
        if reports.output[..at].iter().any(|other| other.file == *file) {
            return Err(refusal("is named twice"));
        }
        if !directory(file).is_dir() || file.file_name().is_none() {
            return Err(refusal("is in no directory that exists"));
        }
        if fs::symlink_metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(refusal("is no regular file"));
        }
    }
    Ok(())
}

/// Removes the reports of an earlier run where this one ends without a verdict, so that nobody takes them for its own.
pub fn settle<T>(reports: &Reports, result: Result<T>) -> Result<T> {
    if result.is_err() {
        for Output { file, .. } in &reports.output {
            // What cannot be removed is no reason to hide the error that is on its way to the user.
            let _ = fs::remove_file(file);
        }
    }
    result
}

/// Whether any of the reports tells of the session in the ledger.
pub fn tell_session(reports: &Reports, terminal: &Terminal) -> bool {
    terminal.format().row().tells_session || reports.output.iter().any(|output| output.format.row().tells_session)
}

/// Writes all of it: the files first, so that a failure is told and no answer stands on standard output beside it.
pub fn deliver(reports: &Reports, answer: &Answer<'_>, terminal: &mut Terminal) -> Result<()> {
    for Output { format, file } in &reports.output {
        replace(file, &answer.bytes(*format)?)?;
    }
    let is_github = |format| format == Format::Github;
    if is_github(terminal.format()) || reports.output.iter().any(|output| is_github(output.format)) {
        answer.report.as_ref().map_or(Ok(()), publish)?;
    }
    match terminal.format() {
        Format::Human | Format::Json => terminal.answer(answer.human, answer.json),
        format => terminal.raw(&answer.bytes(format)?),
    }
}

/// The step summary and the outputs of a step of GitHub Actions, in the files that its runner names.
fn publish(report: &Report<'_>) -> Result<()> {
    append("GITHUB_STEP_SUMMARY", &markdown::render(report))?;
    append("GITHUB_OUTPUT", &github::outputs(report))
}

fn append(variable: &str, bytes: &[u8]) -> Result<()> {
    let Some(file) = std::env::var_os(variable).filter(|file| !file.is_empty()) else { return Ok(()) };
    let failed = |error: std::io::Error| {
        Error::io(format!("cannot append to {}, which {variable} names", shown(Path::new(&file))), error)
            .hint("The verdict is recorded: cordon ledger show prints it.")
    };
    // Neither a link nor a pipe that nobody reads stands in for the runner's file.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    let mut opened = OpenOptions::new().append(true).create(true).custom_flags(flags).open(&file).map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("it is no regular file")));
    }
    opened.write_all(bytes).map_err(failed)
}

/// Puts a file in its place as a whole, under the permissions of any new file.
fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| {
        Error::new(Kind::Io, format!("cannot write the report {}", shown(file)))
            .caused_by(error)
            .hint("The verdict is recorded: cordon ledger show prints it.")
    };
    let mut builder = tempfile::Builder::new();
    let mut temporary = builder
        .prefix(".cordon-report-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory(file))
        .map_err(failed)?;
    temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).map_err(failed)?;
    temporary.persist(file).map_err(|error| failed(error.error))?;
    Ok(())
}

fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn shown(file: &Path) -> String {
    plain(file.as_os_str().as_encoded_bytes())
}
