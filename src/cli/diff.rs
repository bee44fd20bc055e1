//! `cordon diff`.

use std::path::Path;

use super::args::Diff;
use super::progress::Progress;
use super::terminal::{Terminal, talk};
use crate::audit::answer::FileDiff;
use crate::error::{Error, Kind, Result};
use crate::exit::Exit;
use crate::report;
use crate::report::formats::table::Format;
use crate::report::json::for_a_log;
use crate::report::unified::{self, Form};
use crate::session::api::{self, Side};

/// Writes one patch after the other, so that no more than one changed file is held in memory.
pub fn run(repo: &Path, arguments: &Diff, terminal: &mut Terminal) -> Result<Exit> {
    let side = match (arguments.inside, arguments.outside) {
        (true, _) => Side::Inside,
        (_, true) => Side::Outside,
        _ => Side::All,
    };
    let progress = Progress::start();
    let mut shown = false;
    let mut each = |file: FileDiff| {
        progress.stop();
        shown = true;
        write(&file, terminal)
    };
    api::diff(repo, side, &|phrase, done| progress.report(phrase, done), &mut each)?;
    progress.stop();
    if !shown {
        talk(&report::error::note("no changed path to show; `git apply` has nothing to apply"));
    }
    Ok(Exit::Accepted)
}

fn write(file: &FileDiff, terminal: &mut Terminal) -> Result<()> {
    if file.too_big && !(terminal.format() == Format::Human && terminal.is_seen()) {
        let path = file.change.path.plain();
        talk(&report::error::warning(&format!("left out, because it is larger than 512 MiB: {path}")));
    }
    match terminal.format() {
        Format::Human if terminal.is_seen() => {
            let patch = unified::patch(file, Form::Terminal);
            terminal.whole_lines(&String::from_utf8_lossy(&patch))?;
        }
        Format::Human => terminal.raw(&unified::patch(file, Form::Raw))?,
        _ => terminal.raw(&for_a_log(&report::json::diff(file, unified::patch(file, Form::Raw))))?,
    }
    if terminal.is_closed() {
        return Err(Error::new(Kind::BrokenPipe, "nobody reads the patch any more"));
    }
    Ok(())
}
