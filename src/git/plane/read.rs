//! Reads the control plane of a repository, and of all repositories that lie in it.

use serde::{Deserialize, Serialize};

use super::super::control::{self, Control};
use super::super::locate::{self, Location};
use super::super::open::Repository;
use super::config::Setting;
use super::dormant::Dormant;
use super::files::{Seen, Watched};
use super::hooks::Hook;
use super::named::Named;
use super::places::{self, Home, Place};
use super::refs::Refs;
use super::{config, declared, dormant, files, flags, hooks, named, refs};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::Snapshot;

/// The control plane at one moment: the repository's own part first, then those of the repositories inside.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// The parts.
    pub parts: Vec<Part>,
}

/// What stands beside the files of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Where it lies: its work tree, or its Git directory where it has none; the root for the repository's own.
    pub prefix: RepoPath,
    /// Its Git directory, without links; empty where it could not be opened.
    pub git_dir: Text,
    /// Why it could not be opened; `null` when it could.
    pub broken: Option<Text>,
    /// Whether it has what Git asks of a repository, although it could not be opened.
    pub resembles: bool,
    /// What stands at its `.git`.
    pub dot_git: Option<Seen>,
    /// The configuration.
    pub config: Vec<Setting>,
    /// What the configuration includes once something else happens.
    pub dormant: Vec<Dormant>,
    /// What `git submodule init` may write: the keys and values that `.gitmodules` declares.
    pub declared: Vec<(Text, Text)>,
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// Files that the configuration names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Named>,
    /// Files that lead elsewhere, lend objects or cut history.
    pub files: Vec<Watched>,
    /// Hidden paths of the index, where no checkout answers for it.
    pub flags: Vec<Text>,
    /// The refs.
    pub refs: Refs,
}

impl Plane {
    /// The control plane at arm.
    pub fn at_arm(repository: &Repository, control: &Control, snapshot: &Snapshot) -> Result<Plane> {
        Plane::read(repository, control, snapshot, None)
    }

    /// The control plane now: of the repositories of arm, and of those that appeared.
    pub fn now(repository: &Repository, control: &Control, snapshot: &Snapshot) -> Result<Plane> {
        Plane::read(repository, control, snapshot, control.plane.parts.first())
    }

    fn read(repository: &Repository, control: &Control, snapshot: &Snapshot, armed: Option<&Part>) -> Result<Plane> {
        let mut own = part(repository, &repository.location, RepoPath::new(""), Home::WorkTree)?;
        // Which refs a fetch writes is for the configuration of arm to say.
        let fetched = refs::destinations(armed.map_or(&own.config, |armed| &armed.config));
        own.refs = refs::read(repository, &fetched)?;
        let checkouts: Vec<&RepoPath> = control.checkouts.iter().map(|frozen| &frozen.prefix).collect();
        let mut parts = vec![own];
        for place in places::all(repository, snapshot) {
            let found = inside(repository, &place, checkouts.contains(&&place.path));
            // The Git directory of a checked out submodule is told by its work tree.
            let known = |part: &Part| !found.git_dir.is_empty() && part.git_dir == found.git_dir;
            match parts.iter().position(known) {
                None => parts.push(found),
                Some(at) if at > 0 && place.home == Home::WorkTree => parts[at] = found,
                Some(_) if place.home == Home::WorkTree => parts.push(found),
                Some(_) => {}
            }
        }
        Ok(Plane { parts })
    }
}

fn inside(repository: &Repository, place: &Place, is_checkout: bool) -> Part {
    let read = || -> Result<Part> {
        let inner = Repository::open(place.locate(repository)?)?;
        let mut part = part(&inner, &repository.location, place.path.clone(), place.home)?;
        part.refs = refs::read(&inner, &refs::destinations(&part.config))?;
        if !is_checkout && place.home == Home::WorkTree {
            part.flags = flags::read(&inner)?;
        }
        Ok(part)
    };
    read().unwrap_or_else(|error| {
        let dot_git = place.directory(repository).join(".git");
        Part {
            prefix: place.path.clone(),
            broken: Some(Text::from(error.message)),
            resembles: place.home != Home::WorkTree || locate::is_git_directory(&dot_git),
            dot_git: files::look(&dot_git),
            files: files::contents(&dot_git).into_iter().collect(),
            ..Part::default()
        }
    })
}

fn part(repository: &Repository, outer: &Location, prefix: RepoPath, home: Home) -> Result<Part> {
    let mut config = config::read(repository);
    if home == Home::Module {
        // It leads to where the submodule is checked out, which is nowhere now; Git writes it anew with the checkout.
        config.retain(|setting| setting.key.as_bytes() != b"core.worktree");
    }
    Ok(Part {
        prefix,
        git_dir: Text::from_bytes(repository.location.git_dir.as_os_str().as_encoded_bytes()),
        broken: None,
        resembles: true,
        dot_git: files::look(&repository.location.root.join(".git")),
        config,
        dormant: dormant::read(repository)?,
        declared: declared::read(repository)?,
        hooks: hooks::read(repository),
        named: named::read(repository, outer),
        files: files::read(repository, control::attribute_paths(repository)?.into_iter())?,
        flags: Vec::new(),
        refs: Refs::default(),
    })
}
