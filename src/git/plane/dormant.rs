//! Configuration that is included on a condition that does not hold yet, or from a file that is not there yet: it counts
//! like what is read today, because another branch, another remote or a new file brings it in.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use gix::config::Source;
use gix::config::file::Metadata;
use gix::config::path::interpolate::Context;
use serde::{Deserialize, Serialize};

use super::super::files;
use super::super::open::Repository;
use super::config::{self, Setting};
use crate::audit::evidence::Drift;
use crate::error::{Kind, Result};
use crate::policy::text::Text;

/// As many files are followed; Git itself gives up after ten includes inside each other.
const MOST: usize = 200;

/// A file that an include names and that is not part of the configuration at the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dormant {
    /// Where it is looked for.
    pub path: Text,
    /// What it says; nothing when it is not there.
    pub settings: Vec<Setting>,
}

/// The files that are named and not read, sorted by path.
///
/// # Errors
/// When one of them claims a size that no such file has.
pub fn read(repository: &Repository) -> Result<Vec<Dormant>> {
    let snapshot = repository.gix.config_snapshot();
    let config = snapshot.plumbing();
    // Hundreds of sections may stand in one file, and finding out where it really lies costs system calls.
    let read: BTreeSet<&Path> = config.sections().filter_map(|section| section.meta().path.as_deref()).collect();
    let mut known: BTreeSet<PathBuf> = read.into_iter().map(canonical).collect();
    let mut waiting: VecDeque<PathBuf> = named(config, None).into();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop_front().filter(|_| found.len() < MOST) {
        if !known.insert(canonical(&path)) {
            continue;
        }
        let mut settings = Vec::new();
        // A file that cannot be read or parsed says nothing to Git either, but one of any size may say something.
        let bytes = match files::read(&path) {
            Err(error) if error.kind == Kind::Refused => return Err(error),
            read => read.ok().flatten().unwrap_or_default(),
        };
        let metadata = Metadata { path: Some(path.clone()), level: 1, ..Metadata::from(Source::Local) };
        let parsed =
            gix::config::File::from_bytes_no_includes(&bytes, metadata, gix::config::file::init::Options::default());
        if let Ok(parsed) = parsed {
            waiting.extend(named(&parsed, Some(&path)));
            settings = config::settings(&parsed);
        }
        found.push(Dormant { path: Text::from_bytes(path.into_os_string().into_encoded_bytes()), settings });
    }
    found.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    Ok(found)
}

/// The files that the includes of a configuration name, from the file in which each of them stands.
fn named(config: &gix::config::File, within: Option<&Path>) -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let context = Context { home_dir: home.as_deref(), ..Context::default() };
    let mut paths = Vec::new();
    for section in config.sections() {
        let name = section.header().name();
        if !name.eq_ignore_ascii_case(b"include") && !name.eq_ignore_ascii_case(b"includeIf") {
            continue;
        }
        for value in section.values("path") {
            let Some(from) = within.or(section.meta().path.as_deref()) else { continue };
            let path = gix::config::Path::from(value);
            let Ok(path) = path.interpolate(context) else { continue };
            paths.push(from.parent().unwrap_or(Path::new("")).join(path));
        }
    }
    paths
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// How the dormant files differ. One that is read today, or was at arm, is told by the configuration itself.
pub fn compare(armed: &[Dormant], now: &[Dormant]) -> Vec<Drift> {
    let mut drifts = Vec::new();
    for new in now {
        let Some(old) = armed.iter().find(|old| old.path == new.path) else { continue };
        drifts.extend(
            config::compare(&old.settings, &new.settings, &[])
                .into_iter()
                .map(|drift| Drift { subject: drift.subject.word(" in ").raw(&new.path), ..drift }),
        );
    }
    drifts
}
