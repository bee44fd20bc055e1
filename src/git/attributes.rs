//! Git attributes as they stood when the envelope was armed.
//!
//! They come from the `.gitattributes` blobs of the baseline tree and from the captured bytes of the sources outside of
//! it, never from today's work tree or index, so that a new `-diff` hides nothing. The order of precedence is Git's:
//! `info/attributes`, then the directories from the inside out, then the global and the system file, then what is built
//! in. (The stack of `gix-worktree` puts `info/attributes` below the subdirectories, hence the levels are our own.)

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use gix::ObjectId;
use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::BStr;
use gix::glob::pattern::Case;

use super::baseline::ATTRIBUTES;
use super::blob;
use super::objects::Objects;
use super::trees::Trees;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;

/// The attributes that decide about content and counts, in the order of the fields of [`PathAttributes`].
const NAMES: [&str; 7] = ["text", "crlf", "eol", "ident", "filter", "working-tree-encoding", "diff"];

/// The macro that every Git has.
const BUILTIN: &[u8] = b"[attr]binary -diff -merge -text";

/// Git ignores attribute files of this size or more ...
const FILE_LIMIT: usize = 100 * 1024 * 1024;

/// ... and lines of this length or more.
const LINE_LIMIT: usize = 2048;

/// What is said about one attribute of one path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Value {
    /// Nothing, or `!attr`.
    #[default]
    Unspecified,
    /// `attr`.
    Set,
    /// `-attr`.
    Unset,
    /// `attr=value`.
    Is(Vec<u8>),
}

impl Value {
    /// The value of `attr=value`.
    pub fn value(&self) -> Option<&[u8]> {
        match self {
            Value::Is(value) => Some(value),
            _ => None,
        }
    }
}

impl From<StateRef<'_>> for Value {
    fn from(state: StateRef<'_>) -> Self {
        match state {
            StateRef::Unspecified => Value::Unspecified,
            StateRef::Set => Value::Set,
            StateRef::Unset => Value::Unset,
            StateRef::Value(value) => Value::Is(value.as_bstr().to_vec()),
        }
    }
}

/// What is said about one path; the default says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathAttributes {
    /// `text`
    pub text: Value,
    /// `crlf`, the old name of `text`.
    pub crlf: Value,
    /// `eol`
    pub eol: Value,
    /// `ident`
    pub ident: Value,
    /// `filter`
    pub filter: Value,
    /// `working-tree-encoding`
    pub encoding: Value,
    /// `diff`
    pub diff: Value,
}

/// The content of an attribute source outside of the tree, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where the bytes were found, for messages.
    pub label: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// The sources outside of the tree, as captured at arm.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    /// The system-wide file, then the one that `core.attributesFile` or its default names.
    pub global: Vec<Source>,
    /// `info/attributes` of the repository.
    pub info: Option<Source>,
}

/// Answers what the frozen sources say about a path.
#[derive(Clone)]
pub struct FrozenAttributes {
    objects: Objects,
    case: Case,
    names: MetadataCollection,
    base: Search,
    directories: HashMap<RepoPath, Level>,
    /// A tree whose directories are looked up when a path below is asked about, where they were not all listed.
    tree: Option<Trees>,
    info: Search,
    /// Whether no source says anything, so that nobody need be asked.
    silent: bool,
}

/// The `.gitattributes` of one directory: most of them are never asked.
#[derive(Clone)]
enum Level {
    Absent,
    Unread(ObjectId),
    Read(Search),
}

impl FrozenAttributes {
    /// Attributes from `tree`, the `.gitattributes` files of the baseline (regular files only: Git follows no link to
    /// attributes), and from `sources`.
    ///
    /// The file of the root is read at once, those of subdirectories when a path below is asked about. `ignore_case` is
    /// the frozen value of `core.ignoreCase`.
    pub fn new(
        objects: Objects,
        tree: impl IntoIterator<Item = (RepoPath, ObjectId)>,
        sources: &Sources,
        ignore_case: bool,
    ) -> Result<Self> {
        let directories = tree.into_iter().map(|(path, id)| (path.parent(), Level::Unread(id))).collect();
        let mut attributes = FrozenAttributes {
            objects,
            case: if ignore_case { Case::Fold } else { Case::Sensitive },
            names: MetadataCollection::default(),
            base: Search::default(),
            directories,
            tree: None,
            info: Search::default(),
            silent: false,
        };
        let says_nothing = |source: &Source| source.bytes.is_empty();
        attributes.silent = attributes.directories.is_empty()
            && sources.global.iter().all(says_nothing)
            && sources.info.iter().all(says_nothing);
        // The definition of a macro that is read last is the one that counts, so this is the order of precedence, upwards.
        add(&mut attributes.base, BUILTIN, "builtin", None, &mut attributes.names)?;
        for source in &sources.global {
            add(&mut attributes.base, &source.bytes, &source.label, None, &mut attributes.names)?;
        }
        attributes.load(&RepoPath::new(""))?;
        if let Some(source) = &sources.info {
            add(&mut attributes.info, &source.bytes, &source.label, None, &mut attributes.names)?;
        }
        Ok(attributes)
    }

    /// Attributes from a committed tree alone, whatever the machine says: each file is looked up when a path below is
    /// asked about.
    pub fn of_tree(objects: Objects, tree: ObjectId) -> Result<Self> {
        let mut attributes = FrozenAttributes::new(objects.clone(), [], &Sources::default(), false)?;
        attributes.tree = Some(Trees::new(objects, Some(tree)));
        attributes.silent = false;
        Ok(attributes)
    }

    /// What is said about the file at `path`.
    ///
    /// An attribute file that is missing from the object database, or damaged, is an error.
    pub fn at(&mut self, path: &RepoPath) -> Result<PathAttributes> {
        if self.silent {
            return Ok(PathAttributes::default());
        }
        self.look_up(path)?;
        let ancestors = self.ancestors(path);
        for directory in ancestors.iter().rev() {
            self.load(directory)?;
        }
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.names, NAMES);
        let levels = ancestors.iter().filter_map(|directory| match self.directories.get(directory) {
            Some(Level::Read(search)) => Some(search),
            _ => None,
        });
        let relative: &BStr = path.as_bytes().into();
        for search in std::iter::once(&self.info).chain(levels).chain(std::iter::once(&self.base)) {
            search.pattern_matching_relative_path(relative, self.case, Some(false), &mut outcome);
            if outcome.is_done() {
                break;
            }
        }
        let mut values = outcome.iter_selected().map(|found| Value::from(found.assignment.state));
        let mut next = || values.next().unwrap_or_default();
        Ok(PathAttributes {
            text: next(),
            crlf: next(),
            eol: next(),
            ident: next(),
            filter: next(),
            encoding: next(),
            diff: next(),
        })
    }

    /// Looks up the attribute files above `path`, where that was not done before. Git follows no link to attributes.
    fn look_up(&mut self, path: &RepoPath) -> Result<()> {
        let Some(trees) = &mut self.tree else { return Ok(()) };
        for directory in above(path) {
            if let Entry::Vacant(place) = self.directories.entry(directory) {
                let found = trees.entry(place.key().join(ATTRIBUTES).as_bytes())?;
                let file = found.filter(|(mode, _)| mode.is_blob());
                place.insert(file.map_or(Level::Absent, |(_, id)| Level::Unread(id)));
            }
        }
        Ok(())
    }

    /// The directories above `path` that have an attribute file, innermost first.
    fn ancestors(&self, path: &RepoPath) -> Vec<RepoPath> {
        let has_file =
            |directory: &RepoPath| matches!(self.directories.get(directory), Some(Level::Unread(_) | Level::Read(_)));
        above(path).filter(has_file).collect()
    }

    /// Reads the attribute file of `directory` if there is one that was not read yet.
    fn load(&mut self, directory: &RepoPath) -> Result<()> {
        let Some(Level::Unread(id)) = self.directories.get(directory) else { return Ok(()) };
        let bytes = blob::read(&self.objects, id)?;
        let mut search = Search::default();
        let label = directory.join(ATTRIBUTES);
        add(&mut search, &bytes, &label, Some(directory), &mut self.names)?;
        self.directories.insert(directory.clone(), Level::Read(search));
        Ok(())
    }
}

/// The directories above `path`, innermost first.
fn above(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
    std::iter::successors(Some(path.parent()), |directory| (!directory.is_root()).then(|| directory.parent()))
}

/// Adds the patterns of one source; `directory` is where they are rooted if the source is part of the tree.
fn add(
    search: &mut Search,
    bytes: &[u8],
    label: &(impl AsRef<[u8]> + ?Sized),
    directory: Option<&RepoPath>,
    names: &mut MetadataCollection,
) -> Result<()> {
    let label = gix::path::from_bstr(<&BStr>::from(label.as_ref()))
        .map_err(|source| Error::io("an attribute file has an impossible name", source))?
        .into_owned();
    let root = directory.map(|_| Path::new(""));
    // Git reads macros everywhere but in subdirectories.
    let macros = directory.is_none_or(RepoPath::is_root);
    search
        .add_patterns_buffer(&as_git_reads(bytes), label, root, names, macros)
        .map_err(|source| Error::io("an attribute file cannot be understood", source))
}

/// The lines that Git would take from an attribute file: without byte order mark, cut at NUL, none overlong.
fn as_git_reads(bytes: &[u8]) -> Vec<u8> {
    // The leading newline keeps the parser from looking for the byte order marks of other encodings.
    let mut text = vec![b'\n'];
    if bytes.len() >= FILE_LIMIT {
        return text;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
        if line.len() < LINE_LIMIT {
            text.extend_from_slice(line);
        }
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_as_git_does() {
        let long = [b"*.x ".as_slice(), &[b'a'; LINE_LIMIT]].concat();
        let input = [b"\xEF\xBB\xBF*.a text\r\n*.b\0 diff\n".as_slice(), &long, b"\n*.c eol=lf"].concat();
        assert_eq!(as_git_reads(&input), b"\n*.a text\n*.b\n\n*.c eol=lf\n");
        assert_eq!(as_git_reads(b""), b"\n\n");
    }
}
