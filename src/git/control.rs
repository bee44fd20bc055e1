//! The control part of the fingerprint: what else must be known at check, for the repository and for each submodule.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::BStr;
use serde::{Deserialize, Serialize};

use super::attributes::{FrozenAttributes, Source, Sources};
use super::content::LineEndings;
use super::excludes::{self, ExcludeSources, FrozenFile};
use super::kept::Kept;
use super::lines::Drivers;
use super::objects::Objects;
use super::open::Repository;
use super::outside::OutsideLink;
use super::plane::read::Plane;
use super::rights::Capable;
use super::store::packs::Sealed;
use crate::audit::undo::Checkout;
use crate::error::{Error, Result};
use crate::json;
use crate::policy::path::RepoPath;
use crate::policy::pattern::Pattern;
use crate::policy::text::Text;
use crate::snapshot::digest;
use crate::snapshot::mounts::Mount;
use crate::snapshot::owner::Owners;

/// What was kept of all checkouts, the repository's own first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// The repository's own checkout, then those of its submodules, outer before inner.
    pub checkouts: Vec<Frozen>,
    /// What stands beside the files.
    pub plane: Plane,
    /// What was mounted over parts of the work tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
    /// Files that a process could write to through its memory, so that no stat vouches for them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub mapped: BTreeSet<RepoPath>,
    /// Programs that had file capabilities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capable: Vec<Capable>,
    /// Who owned the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<Owners>,
    /// What was not as HEAD had it, sorted by path; only `arm --allow-dirty` leaves anything here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// The files whose lines count in no budget: the index and each commit are counted where they are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<Pattern>,
}

impl Control {
    /// The form in the fingerprint file.
    pub fn encode(&self) -> Vec<u8> {
        json::line(self)
    }

    /// Reads that form back; there is always at least one checkout.
    pub fn decode(bytes: &[u8]) -> Result<Control> {
        let malformed =
            || Error::state("the fingerprint's control part is malformed").hint("cordon reset clears it; arm again.");
        let control: Control = serde_json::from_slice(bytes).map_err(|error| malformed().caused_by(error))?;
        if control.checkouts.first().is_none_or(|first| !first.prefix.is_root()) {
            return Err(malformed());
        }
        Ok(control)
    }
}

/// One checkout as it stood at arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    /// Where it lies in the work tree; the root for the repository's own.
    pub prefix: RepoPath,
    /// The inodes of the work tree and of its Git directory: state that was copied elsewhere is foreign there.
    pub inodes: (u64, u64),
    /// `sha1` or `sha256`.
    pub object_format: String,
    /// HEAD's commit, in hex.
    pub commit: String,
    /// Its tree, in hex.
    pub tree: String,
    /// HEAD's branch; `null` when it was detached.
    pub branch: Option<Text>,
    /// Every object that a ref or an entry of the stash named, in hex: history that was there.
    pub tips: Vec<String>,
    /// SHA-256 of the index file; `null` for a split index, which is always read anew.
    pub index_sha256: Option<String>,
    /// Whether Git was told to ignore the permissions on disk, so that a mode is compared with arm's instead.
    pub ignores_modes: bool,
    /// The exclude rules.
    pub excludes: ExcludeSources,
    /// The attribute sources outside of the tree, weakest first, `info/attributes` last.
    pub attributes: Vec<FrozenFile>,
    /// `core.autocrlf`.
    pub autocrlf: Option<Text>,
    /// `core.eol`.
    pub eol: Option<Text>,
    /// Each configured diff driver with its `diff.NAME.binary`, where that says anything.
    pub diff_drivers: Vec<(Text, Option<bool>)>,
    /// Ignored directories that their tools mark as caches, relative to the whole work tree.
    pub caches: Vec<RepoPath>,
    /// Tracked links that lead out of the repository.
    pub outside_links: Vec<OutsideLink>,
    /// The packs of its object stores.
    pub packs: Vec<Sealed>,
    /// Whether a sparse checkout left tracked files out of the work tree: those that the tree has and the snapshot has not.
    pub is_sparse: bool,
}

/// What can be said of a checkout before its files are looked at.
pub fn freeze(repository: &Repository, prefix: &RepoPath, index: Option<[u8; 32]>) -> Result<Frozen> {
    let head = repository.head()?;
    let commit = head.commit.ok_or_else(|| {
        Error::repository("HEAD has no commit yet")
            .hint("Commit something first: the baseline of an envelope is a commit.")
    })?;
    let snapshot = repository.gix.config_snapshot();
    let config = snapshot.plumbing();
    let text = |key: &str| config.string(key).map(|value| Text::from_bytes(value.to_vec()));
    let mut attributes = attribute_paths(repository)?.into_iter().map(FrozenFile::read).collect::<Result<Vec<_>>>()?;
    attributes.push(FrozenFile::read(repository.location.common_dir.join("info/attributes"))?);
    Ok(Frozen {
        prefix: prefix.clone(),
        inodes: repository.inodes()?,
        object_format: repository.object_format(),
        commit: commit.to_string(),
        tree: repository.tree_of(commit)?.to_string(),
        branch: head.branch,
        tips: super::tips::all(repository)?,
        index_sha256: index.map(|sum| digest::hex(&sum)),
        ignores_modes: ignores_modes(config),
        excludes: excludes::sources(repository)?,
        attributes,
        autocrlf: text("core.autocrlf"),
        eol: text("core.eol"),
        diff_drivers: diff_drivers(config),
        caches: Vec::new(),
        outside_links: Vec::new(),
        packs: super::store::check::seal(repository)?,
        is_sparse: false,
    })
}

/// Where attributes are looked for outside of the repository, weakest first.
pub fn attribute_paths(repository: &Repository) -> Result<Vec<PathBuf>> {
    let globals = repository.gix.attribute_global_paths().map_err(|error| {
        Error::repository("the attribute files of the configuration cannot be found out").caused_by(error)
    })?;
    // The last of them is the user's; gitoxide drops it where only the repository's own configuration names it.
    let user = excludes::user_file(repository, "core.attributesFile", "attributes")?;
    Ok(globals.into_iter().filter(|path| Some(path) != user.as_ref()).chain(user.clone()).collect())
}

/// What the repository's own configuration says about modes: the pinned value hides it from an ordinary look-up.
fn ignores_modes(config: &gix::config::File) -> bool {
    let theirs = |metadata: &gix::config::file::Metadata| metadata.source != gix::config::Source::Api;
    config.boolean_filter("core.fileMode", theirs).ok().flatten() == Some(false)
}

fn diff_drivers(config: &gix::config::File) -> Vec<(Text, Option<bool>)> {
    let sections = config.sections_by_name("diff").into_iter().flatten();
    let names: BTreeSet<Vec<u8>> =
        sections.filter_map(|section| section.header().subsection_name().map(|name| name.to_vec())).collect();
    let binary = |name: &[u8]| config.boolean_by("diff", Some(BStr::new(name)), "binary").ok().flatten();
    names.into_iter().map(|name| (Text::from_bytes(name.clone()), binary(&name))).collect()
}

impl Frozen {
    /// What an undo has to know of it.
    pub fn checkout(&self) -> Checkout {
        Checkout { prefix: self.prefix.clone(), commit: self.commit.clone() }
    }

    /// The attribute sources in the form that [`super::attributes`] takes.
    pub fn attribute_sources(&self) -> Sources {
        let source = |file: &FrozenFile| {
            let bytes = file.content.as_ref()?.as_bytes().to_vec();
            Some(Source { label: excludes::place(file), bytes })
        };
        let (info, global) = self.attributes.split_last().map_or((None, &[][..]), |(info, rest)| (Some(info), rest));
        Sources { global: global.iter().filter_map(source).collect(), info: info.and_then(source) }
    }

    /// The attributes as they stood at arm; `tree` are the baseline's `.gitattributes` files.
    pub fn attributes_of(&self, objects: Objects, tree: &[(RepoPath, ObjectId)]) -> Result<FrozenAttributes> {
        FrozenAttributes::new(objects, tree.iter().cloned(), &self.attribute_sources(), self.excludes.ignore_case)
    }

    /// The line end rules.
    pub fn line_endings(&self) -> LineEndings {
        let bytes = |value: &Option<Text>| value.as_ref().map(|text| text.as_bytes().to_vec());
        LineEndings::from_config(bytes(&self.autocrlf).as_deref(), bytes(&self.eol).as_deref())
    }

    /// The diff drivers in the form that [`super::lines`] takes.
    pub fn drivers(&self) -> Drivers {
        self.diff_drivers.iter().map(|(name, binary)| (name.as_bytes().to_vec(), *binary)).collect()
    }

    /// Refuses state that was recorded for another work tree, such as one that was copied together with its files.
    pub fn require_place(&self, repository: &Repository) -> Result<()> {
        if repository.inodes()? == self.inodes {
            return Ok(());
        }
        Err(Error::state("this envelope was armed in another work tree: the state is a copy")
            .hint("cordon reset clears it here; arm again."))
    }

    /// Whether an attribute source outside of the tree says anything.
    pub fn has_attribute_sources(&self) -> bool {
        self.attributes.iter().any(|file| file.content.as_ref().is_some_and(|content| !content.is_empty()))
    }
}
