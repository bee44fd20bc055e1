//! Reads the control plane of a repository, of its submodules and of the repositories that lie in its work tree.

use serde::{Deserialize, Serialize};

use super::super::baseline::open_submodule;
use super::super::control::{self, Control};
use super::super::files::below;
use super::super::open::Repository;
use super::config::Setting;
use super::files::{Seen, Watched};
use super::hooks::Hook;
use super::refs::Refs;
use super::{config, declared, files, hooks, refs};
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::Snapshot;

/// The control plane at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// The repository's own settings and files first, then those of the repositories inside.
    pub parts: Vec<Part>,
    /// The repository's own refs.
    pub refs: Refs,
}

/// The settings and files of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Where its work tree lies; the root for the repository's own.
    pub prefix: RepoPath,
    /// Why it could not be opened; `null` when it could.
    pub broken: Option<Text>,
    /// What stands at its `.git`.
    pub dot_git: Option<Seen>,
    /// The configuration.
    pub config: Vec<Setting>,
    /// What `git submodule init` may write: the keys and values that `.gitmodules` declares.
    pub declared: Vec<(Text, Text)>,
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// Files that lead elsewhere, lend objects or cut history.
    pub files: Vec<Watched>,
}

impl Plane {
    /// The control plane at arm: submodules are those of `control`, other repositories inside those of `snapshot`.
    pub fn at_arm(repository: &Repository, control: &Control, snapshot: &Snapshot) -> Result<Plane> {
        let submodules = control.checkouts.iter().skip(1).map(|frozen| frozen.prefix.clone());
        let nested = snapshot
            .listings()
            .iter()
            .filter(|listing| !listing.path.is_root() && listing.position(b".git").is_some())
            .map(|listing| listing.path.clone());
        let mut inside: Vec<RepoPath> = submodules.chain(nested).collect();
        inside.sort();
        inside.dedup();
        let own = part(repository, RepoPath::new(""))?;
        let refs = refs::read(repository, &refs::destinations(&own.config))?;
        Ok(Plane::with(repository, own, &inside, refs))
    }

    /// The control plane now, of the same repositories as at arm.
    pub fn now(repository: &Repository, armed: &Plane) -> Result<Plane> {
        let inside: Vec<RepoPath> = armed.parts.iter().skip(1).map(|part| part.prefix.clone()).collect();
        let own = part(repository, RepoPath::new(""))?;
        let fetched = armed.parts.first().map(|own| refs::destinations(&own.config)).unwrap_or_default();
        let refs = refs::read(repository, &fetched)?;
        Ok(Plane::with(repository, own, &inside, refs))
    }

    fn with(repository: &Repository, own: Part, inside: &[RepoPath], refs: Refs) -> Plane {
        let mut parts = vec![own];
        parts.extend(inside.iter().map(|prefix| {
            let opened = open_submodule(repository, prefix.as_bytes());
            let read = opened.and_then(|inner| part(&inner, prefix.clone()));
            read.unwrap_or_else(|error| Part {
                prefix: prefix.clone(),
                broken: Some(Text::from(error.message)),
                dot_git: files::look(&below(&repository.location.root, prefix.as_bytes()).join(".git")),
                config: Vec::new(),
                declared: Vec::new(),
                hooks: Vec::new(),
                files: Vec::new(),
            })
        }));
        Plane { parts, refs }
    }
}

fn part(repository: &Repository, prefix: RepoPath) -> Result<Part> {
    Ok(Part {
        prefix,
        broken: None,
        dot_git: files::look(&repository.location.root.join(".git")),
        config: config::read(repository),
        declared: declared::read(repository)?,
        hooks: hooks::read(repository),
        files: files::read(repository, control::attribute_paths(repository)?.into_iter()),
    })
}
