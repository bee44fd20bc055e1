//! Past commits as changes that could be judged: what each commit without a merge did, with lines as Git counts them.
//!
//! Attributes are those of HEAD's tree. Those outside of it, and the diff drivers of the configuration, have no say: what
//! is learnt here becomes numbers for everybody, not a verdict.

use gix::ObjectId;
use gix::objs::FindExt as _;

use super::attributes::{FrozenAttributes, Sources};
use super::commits::diff;
use super::graph::{Commit, Graph};
use super::layers;
use super::lines::Drivers;
use super::objects::Objects;
use super::open::Repository;
use super::reader::object_id;
use super::revision::Revisions;
use super::tree;
use crate::audit::evidence::{Change, Layer, Mode};
use crate::audit::propose::{Layout, Past};
use crate::error::{Error, Result};
use crate::policy::escape::typed;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// Where the past begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// So many commits before HEAD, those of merges included.
    Last(usize),
    /// This time, in seconds of Unix.
    Time(i64),
    /// What this revision does not reach.
    Revision(String),
}

/// More commits than these say nothing new.
const MOST: usize = 10_000;

/// The commits of HEAD's history that have exactly one parent, the newest first.
pub fn past(repository: &Repository, since: &Since) -> Result<Vec<Past>> {
    let Some(head) = repository.head()?.commit else { return Ok(Vec::new()) };
    let mut graph = Graph::of(repository)?;
    let (known, most) = match since {
        Since::Last(most) => (None, *most),
        Since::Time(_) => (None, MOST),
        Since::Revision(name) => (Some(resolve(repository, name)?), MOST),
    };
    let news = graph.news([head], known, most)?;
    let mut reader = Reader::new(repository, head)?;
    let mut found = Vec::new();
    for commit in news.commits {
        let is_late = !matches!(since, Since::Time(time) if commit.time < *time);
        if let (true, [parent]) = (is_late, commit.parents.as_slice()) {
            let before = graph.require(*parent)?.tree;
            found.push(reader.read(&commit, before)?);
        }
    }
    Ok(found)
}

/// What HEAD's tree has, with the content of the files at its top that `wanted` names.
pub fn layout(repository: &Repository, wanted: impl Fn(&[u8]) -> bool) -> Result<Layout> {
    let mut layout = Layout::default();
    let Some(head) = repository.head()?.commit else { return Ok(layout) };
    for entry in tree::entries(repository, repository.tree_of(head)?)? {
        if wanted(entry.path.as_bytes()) && matches!(entry.mode, Mode::File | Mode::Executable) {
            let content = super::blob::read(&repository.objects(), &object_id(&entry.id))?;
            layout.contents.insert(entry.path.clone(), content);
        }
        layout.paths.push(entry.path);
    }
    Ok(layout)
}

fn resolve(repository: &Repository, name: &str) -> Result<ObjectId> {
    let unknown = |error: Error| {
        Error::usage(format!("--since: `{}` is neither a date nor a revision", typed(name.as_bytes())))
            .caused_by(error)
            .hint("Give a date such as 2026-01-31, or a branch, a tag or a commit.")
    };
    let named = Revisions::of(repository)?.resolve(name.as_bytes()).map_err(unknown)?;
    Ok(named.commit)
}

/// Reads commits under the attributes of one tree.
struct Reader {
    objects: Objects,
    attributes: FrozenAttributes,
}

impl Reader {
    fn new(repository: &Repository, head: ObjectId) -> Result<Reader> {
        let entries = tree::entries(repository, repository.tree_of(head)?)?.into_iter();
        let regular = entries.filter(|entry| matches!(entry.mode, Mode::File | Mode::Executable));
        let files = regular.filter(|entry| entry.path.name() == b".gitattributes");
        let files: Vec<(RepoPath, ObjectId)> = files.map(|entry| (entry.path, object_id(&entry.id))).collect();
        let objects = repository.objects();
        let attributes = FrozenAttributes::new(objects.clone(), files, &Sources::default(), false)?;
        Ok(Reader { objects, attributes })
    }

    fn read(&mut self, commit: &Commit, before: ObjectId) -> Result<Past> {
        let mut changes = Vec::new();
        for (path, (before, after)) in diff(&self.objects, Some(before), commit.tree)? {
            let attributes = self.attributes.at(&path)?;
            let counted = layers::between(&self.objects, &attributes.diff, &Drivers::new(), (before, after))?;
            changes.push(Change {
                kind: layers::kind(before, after),
                // As if somebody had done it just now and not committed it yet.
                layers: vec![Layer::Worktree],
                added: counted.lines.added,
                deleted: counted.lines.deleted,
                binary: counted.lines.binary,
                size_before: counted.size_before,
                size_after: counted.size_after,
                mode_before: before.map(|recorded| recorded.mode),
                mode_after: after.map(|recorded| recorded.mode),
                commit: None,
                content: after.map(|recorded| recorded.id),
                path,
            });
        }
        Ok(Past { id: commit.id.to_string(), author: self.author(commit.id)?, changes })
    }

    fn author(&self, id: ObjectId) -> Result<Text> {
        let unreadable = |error: gix::Error| {
            Error::repository(format!("the commit {id} cannot be read")).caused_by(error).hint("Run git fsck.")
        };
        let mut buffer = Vec::new();
        let commit = self.objects.find_commit(&id, &mut buffer).map_err(unreadable)?;
        // A commit whose author cannot be parsed has none that could be asked.
        Ok(commit.author().map_or_else(|_| Text::default(), |author| Text::from_bytes(author.name.to_vec())))
    }
}
