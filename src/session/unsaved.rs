//! Kept work that a reset would be the end of: content of arm that no file and no commit has any more.

use std::path::Path;

use super::anchor::Anchor;
use super::aside::Aside;
use super::state::Phase;
use super::store::{Record, Store};
use crate::audit::evidence::Mode;
use crate::error::{Error, Result};
use crate::git::control::Control;
use crate::git::kept::{self, Work};
use crate::git::locate::Location;
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::snapshot::entry::Kind;
use crate::snapshot::{digest, open};

/// How many files a refusal names.
const NAMED: usize = 10;

/// Refuses when removing the state would drop work that is nowhere else.
pub fn refuse(location: &Location, store: &Store, anchor: &Anchor) -> Result<()> {
    let kept = kept::count(&store.kept());
    if kept == 0 {
        return refuse_aside(location);
    }
    let read = |record: Record| Ok((Control::decode(&store.fingerprint(&record.state)?.control)?, record));
    let lost = match anchor.vouch(store.record()).and_then(read) {
        Ok((control, record)) => lost(location, &control, Some(&record))?,
        Err(cause) => {
            return Err(Error::refused(format!(
                "the state is damaged, and {kept} contents of uncommitted work are kept in it"
            ))
            .caused_by(cause)
            .hint("Copy .cordon/kept elsewhere if you may need them, then: cordon reset --discard-kept"));
        }
    };
    refuse_lost(".cordon/", &lost)
}

/// The same of what stands in the Git directory, when `.cordon/` is gone.
fn refuse_aside(location: &Location) -> Result<()> {
    let aside = Aside::at(&location.git_dir);
    match aside.control() {
        Ok(None) => Ok(()),
        Ok(Some(control)) => refuse_lost("the Git directory", &lost(location, &control, None)?),
        Err(cause) => Err(Error::refused(format!(
            "{} contents of uncommitted work are kept in the Git directory, and their names cannot be read",
            aside.count()
        ))
        .caused_by(cause)
        .hint("Copy them elsewhere if you may need them, then: cordon reset --discard-kept")),
    }
}

fn refuse_lost(place: &str, lost: &[RepoPath]) -> Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = lost.iter().take(NAMED).map(RepoPath::plain).collect();
    let more = if lost.len() > NAMED { format!(", and {} more", lost.len() - NAMED) } else { String::new() };
    let words: Vec<String> = lost.iter().take(NAMED).map(|path| shell::word(path.as_bytes())).collect();
    Err(Error::refused(format!("only {place} has your uncommitted work any more: {}{more}", named.join(", ")))
        .hint(format!("Write it to a new directory: cordon rescue -- {}", words.join(" ")))
        .hint("Or drop it for good: cordon reset --discard-kept"))
}

/// The kept paths whose content of arm is neither on disk nor in HEAD's commit. What an accepted check has judged as an
/// edit inside the envelope is not lost.
fn lost(location: &Location, control: &Control, record: Option<&Record>) -> Result<Vec<RepoPath>> {
    let accepted = record.filter(|record| record.state.phase == Phase::Accepted);
    let rules = accepted.map(|record| record.config.rules()).transpose()?;
    let mut lost = Vec::new();
    for (path, work) in control.kept.iter().filter_map(|kept| Some((&kept.path, kept.work.as_ref()?))) {
        let there = on_disk(&location.root, path, work);
        let is_allowed = rules.as_ref().is_some_and(|rules| rules.decide(path.as_bytes()).is_allowed());
        let edited = there.is_some() && is_allowed;
        if there != Some(true) && !edited {
            lost.push((path, work));
        }
    }
    let committed = kept::committed(location, control, &lost);
    Ok(lost.into_iter().zip(committed).filter(|(_, committed)| !committed).map(|((path, _), _)| path.clone()).collect())
}

/// Whether the file at `path` has the kept content; `None` when there is no file.
fn on_disk(root: &Path, path: &RepoPath, work: &Work) -> Option<bool> {
    let kind = if work.mode == Mode::Symlink { Kind::Symlink } else { Kind::File };
    let (directory, name) = open::split(path.as_bytes());
    let parent = open::directory_at(&open::root(root).ok()?, directory).ok()?;
    open::stat(&parent, name).ok()?;
    let same = digest::content(&parent, name, kind).is_ok_and(|(sum, _)| digest::hex(&sum) == work.sha256);
    Some(same)
}
