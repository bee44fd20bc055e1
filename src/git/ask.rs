//! One question about one path: whether the exclude rules of arm hide it.

use super::baseline::{open_submodule, within};
use super::observe::Scene;
use super::open::Repository;
use super::today::Today;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;

/// Whether the rules of arm hide a path, by those of the checkout that it lies in.
pub fn hidden_at_arm(repository: Repository, scene: &Scene<'_>, path: &RepoPath, is_directory: bool) -> Result<bool> {
    let holds = |prefix: &RepoPath| path.is_within(prefix.as_bytes()) && path != prefix;
    let inner = scene.control.checkouts.iter().rev().find(|checkout| holds(&checkout.prefix));
    let frozen = inner.ok_or_else(|| Error::state("no checkout"))?;
    let prefix = &frozen.prefix;
    let repository = if prefix.is_root() { repository } else { open_submodule(&repository, prefix.as_bytes())? };
    Today::new(repository, frozen, scene)?.excludes()?.hide(within(prefix, path.as_bytes()), is_directory)
}
