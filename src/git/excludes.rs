//! The exclude rules as they stood at arm: what they do not hide is audited, whatever today's rules say.
//!
//! The rules come from the `.gitignore` files of the baseline, from those that lay untracked in the work tree at arm
//! (tools write them into their own caches), from `info/exclude` and from the user's own file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice as _};
use gix::glob::pattern::Case;
use gix::index::entry::Mode;
use gix::objs::{self, Find};
use gix::worktree::Stack;
use gix::worktree::stack::State;
use gix::worktree::stack::state::Ignore;
use gix::worktree::stack::state::ignore::{ParseIgnore, Source as IgnoreSource};
use gix::{ObjectId, oid};
use serde::{Deserialize, Serialize};

use super::files::{self, plain};
use super::objects::Objects;
use super::open::Repository;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// The name of the exclude files in the tree.
pub const FILE_NAME: &[u8] = b".gitignore";

/// A file outside of the tree that has a say, as it stood at arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenFile {
    /// Where it was looked for.
    pub path: Text,
    /// Its bytes; `null` when it was not there.
    pub content: Option<Text>,
}

impl FrozenFile {
    /// Reads a file as it stands.
    pub fn read(path: PathBuf) -> Result<FrozenFile> {
        let content = files::read(&path)?.map(Text::from_bytes);
        Ok(FrozenFile { path: Text::from_bytes(path.into_os_string().into_encoded_bytes()), content })
    }
}

/// Everything that decides what is hidden, apart from the baseline's own files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludeSources {
    /// What `core.excludesFile` or its default names; weakest.
    pub user: Option<FrozenFile>,
    /// `info/exclude`.
    pub info: FrozenFile,
    /// Untracked `.gitignore` files of the work tree, with their repository-relative paths.
    pub untracked: Vec<FrozenFile>,
    /// Whether names are compared without regard to case.
    pub ignore_case: bool,
}

/// The sources as they stand now, without untracked files of the tree.
pub fn sources(repository: &Repository) -> Result<ExcludeSources> {
    let config = repository.gix.config_snapshot();
    let user = user_file(repository, "core.excludesFile", "ignore")?.map(FrozenFile::read).transpose()?;
    let info = FrozenFile::read(repository.location.common_dir.join("info/exclude"))?;
    let ignore_case = config.boolean("core.ignoreCase").unwrap_or(false);
    Ok(ExcludeSources { user, info, untracked: Vec::new(), ignore_case })
}

/// The file that a configuration key names, or the default file of that kind in the user's configuration directory.
pub fn user_file(repository: &Repository, key: &str, default: &str) -> Result<Option<PathBuf>> {
    let config = repository.gix.config_snapshot();
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let Some(named) = config.plumbing().path(key) else {
        let configuration = std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        let base = configuration.or_else(|| home.map(|home| home.join(".config")));
        return Ok(base.map(|base| base.join("git").join(default)));
    };
    if named.value.is_empty() {
        return Ok(None);
    }
    let context = gix::config::path::interpolate::Context { home_dir: home.as_deref(), ..Default::default() };
    let path = named
        .interpolate(context)
        .map_err(|error| Error::repository(format!("{key} names a file that cannot be found out")).caused_by(error))?;
    // Git resolves a relative value against the top of the work tree, where it runs.
    Ok(Some(repository.location.root.join(path)))
}

/// Answers what the frozen rules hide.
pub struct Excludes {
    stack: Stack,
    objects: Rules,
    root: PathBuf,
    /// The files outside of the tree.
    globals: Vec<PathBuf>,
}

impl Excludes {
    /// Rules from `tree` (the baseline's `.gitignore` files, relative to this repository) and from `sources`.
    pub fn new(
        repository: &Repository,
        tree: impl IntoIterator<Item = (RepoPath, ObjectId)>,
        sources: &ExcludeSources,
    ) -> Result<Self> {
        let parse = ParseIgnore { support_precious: false };
        let mut globals = gix::ignore::Search::default();
        for file in sources.user.iter().chain([&sources.info]) {
            let content = file.content.as_ref().map_or(&[][..], Text::as_bytes);
            globals.add_patterns_buffer(content, label(&file.path), None, parse).map_err(cannot_parse)?;
        }
        let mut objects = Rules { objects: repository.objects(), memory: HashMap::new() };
        let mut mapping: Vec<(BString, ObjectId)> =
            tree.into_iter().map(|(path, id)| (path.as_bytes().into(), id)).collect();
        for file in &sources.untracked {
            let content = file.content.as_ref().map_or(&[][..], Text::as_bytes);
            let id = objs::compute_hash(repository.gix.object_hash(), objs::Kind::Blob, content)
                .map_err(|error| Error::repository("an exclude file cannot be hashed").caused_by(error))?;
            objects.memory.insert(id, content.to_vec());
            mapping.push((file.path.as_bytes().into(), id));
        }
        mapping.sort();
        let ignore = Ignore::new(gix::ignore::Search::default(), globals, None, IgnoreSource::IdMapping, parse);
        let case = if sources.ignore_case { Case::Fold } else { Case::Sensitive };
        let stack = Stack::new(repository.location.root.clone(), State::IgnoreStack(ignore), case, Vec::new(), mapping);
        let outside = sources.user.iter().chain([&sources.info]).map(|file| label(&file.path)).collect();
        Ok(Excludes { stack, objects, root: repository.location.root.clone(), globals: outside })
    }

    /// The rule that hides `path`, if one does.
    pub fn rule(&mut self, path: &[u8], is_directory: bool) -> Result<Option<Rule>> {
        if !self.hide(path, is_directory)? {
            return Ok(None);
        }
        let mode = if is_directory { Mode::DIR } else { Mode::FILE };
        let (root, globals) = (self.root.clone(), self.globals.clone());
        let platform = self.stack.at_entry(path.as_bstr(), Some(mode), &self.objects).map_err(|error| {
            Error::repository(format!("the exclude rules for {} cannot be read", crate::policy::escape::plain(path)))
                .caused_by(error)
        })?;
        let found = platform.matching_exclude_pattern();
        Ok(found.map(|found| {
            let source = found.source.unwrap_or_else(|| Path::new(""));
            let in_tree = !globals.iter().any(|global| global == source);
            let shown = if source.ends_with("info/exclude") && !in_tree {
                Path::new("info/exclude")
            } else {
                source.strip_prefix(&root).unwrap_or(source)
            };
            Rule {
                source: Text::from_bytes(shown.as_os_str().as_bytes()),
                line: found.sequence_number,
                pattern: Text::from_bytes(found.pattern.to_string().into_bytes()),
                in_tree,
            }
        }))
    }

    /// Whether the rules hide `path`, a directory or anything else, itself or by way of a directory above it.
    pub fn hide(&mut self, path: &[u8], is_directory: bool) -> Result<bool> {
        let mode = if is_directory { Mode::DIR } else { Mode::FILE };
        let platform = self.stack.at_entry(path.as_bstr(), Some(mode), &self.objects).map_err(|error| {
            Error::repository(format!("the exclude rules for {} cannot be read", crate::policy::escape::plain(path)))
                .caused_by(error)
        })?;
        Ok(platform.is_excluded())
    }
}

/// The rule that hides a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The file that it stands in: its path in the checkout, or its place outside of the tree.
    pub source: Text,
    /// Its line there.
    pub line: usize,
    /// What it says.
    pub pattern: Text,
    /// Whether it stands in an exclude file of the work tree.
    pub in_tree: bool,
}

fn label(path: &Text) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

fn cannot_parse(error: std::io::Error) -> Error {
    Error::repository("an exclude file cannot be read").caused_by(error)
}

/// Exclude files of the baseline, and those that exist only in the fingerprint.
struct Rules {
    objects: Objects,
    memory: HashMap<ObjectId, Vec<u8>>,
}

impl Find for Rules {
    fn try_find<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<objs::Data<'a>>> {
        if let Some(content) = self.memory.get(id) {
            buffer.clear();
            buffer.extend_from_slice(content);
            return Ok(Some(objs::Data::new(buffer, objs::Kind::Blob, id.kind())));
        }
        self.objects.try_find(id, buffer)
    }
}

/// The display form of a frozen file's place.
pub fn place(file: &FrozenFile) -> String {
    plain(&label(&file.path))
}
