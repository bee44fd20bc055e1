//! One question about one path: whether the exclude rules of arm hide it.

use super::observe::Scene;
use super::open::Repository;
use super::today::Today;
use crate::error::{Error, Result};

/// Whether the rules of arm hide a path of the repository's own checkout.
pub fn hidden_at_arm(repository: Repository, scene: &Scene<'_>, path: &[u8], is_directory: bool) -> Result<bool> {
    let frozen = scene.control.checkouts.first().ok_or_else(|| Error::state("no checkout"))?;
    Today::new(repository, frozen, scene)?.excludes()?.hide(path, is_directory)
}
