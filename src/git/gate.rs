//! The evidence of a gate: what a head brings to a base, from the object database alone.

use gix::ObjectId;

use super::base::Base;
use super::commits::Commits;
use super::graph::Graph;
use super::history;
use super::holders::Tips;
use super::layers;
use super::open::Repository;
use super::span::{self, MOST, Span};
use crate::audit::evidence::{Evidence, HeadMovement};
use crate::audit::links;
use crate::error::{Error, Result};
use crate::policy::path::RepoPath;
use crate::policy::pattern::Pattern;

/// How much further the history of the base is followed than the clocks of its commits ask for. A commit of the base that is
/// missed for a clock that ran wrong is judged as if it were new, which is the stricter answer.
const FURTHER: usize = 1_000;

/// What is judged: the two commits, and how lines are counted.
pub struct Range<'a> {
    /// The commit that the change is to be merged into.
    pub base: ObjectId,
    /// Further commits whose history was there before, and is not judged again.
    pub known: &'a [ObjectId],
    /// The commit that is to be merged.
    pub head: ObjectId,
    /// The files whose lines count in no budget.
    pub uncounted: &'a [Pattern],
}

/// Collects what the head brings in: its difference from where it left the base, and each commit since then by itself.
///
/// # Errors
/// Where history or objects are missing, and where the two commits share no history or left each other at several places:
/// nobody could say what the change is.
pub fn observe(repository: &Repository, range: &Range<'_>) -> Result<Evidence> {
    let mut graph = Graph::of(repository)?.following(FURTHER);
    let (base, head) = (graph.require(range.base)?, graph.require(range.head)?);
    let span = span(&mut graph, range, base.id, head.id)?;
    let mut evidence = Evidence {
        head: HeadMovement {
            baseline: base.id.to_string(),
            current: Some(head.id.to_string()),
            baseline_ref: None,
            current_ref: None,
        },
        tree: Some(head.tree.to_string()),
        ..Evidence::default()
    };
    if span.news.too_many {
        evidence.drifts.push(history::too_long(&RepoPath::new(""), MOST));
        return Ok(evidence);
    }
    let start = start(&mut graph, &span, (base.id, head.id))?;
    let start = graph.require(start)?;
    evidence.head.baseline = start.id.to_string();
    let ground = Base::new(repository, start.tree, base.tree, range.uncounted)?;
    let tips = Tips::default();
    let mut commits = Commits::new(&ground, &tips)?;
    evidence.changes = commits.net(start.tree, head.tree)?;
    let bases = span.bases(&mut graph)?;
    if !history::collect(&mut commits, &mut graph, &span.news, &bases)? {
        evidence.drifts.push(history::too_long(&RepoPath::new(""), MOST));
    }
    let found = commits.finish();
    layers::merge(&mut evidence.changes, found.changes);
    evidence.changes.sort_by(|a, b| a.path.cmp(&b.path));
    evidence.stages = found.stages;
    evidence.marks = links::once(found.marks);
    Ok(evidence)
}

/// What lies between the base and the head, less what was known otherwise, where that leaves one place to start from.
fn span(graph: &mut Graph, range: &Range<'_>, base: ObjectId, head: ObjectId) -> Result<Span> {
    if !range.known.is_empty() {
        let known: Vec<ObjectId> = range.known.iter().copied().chain([base]).collect();
        let span = Span::between(graph, &known, head)?;
        if span.starts_of(head).len() == 1 {
            return Ok(span);
        }
    }
    Span::between(graph, &[base], head)
}

/// Where the head left the base.
fn start(graph: &mut Graph, span: &Span, (base, head): (ObjectId, ObjectId)) -> Result<ObjectId> {
    let starts = span.starts_of(head);
    let Some((first, others)) = starts.split_first() else {
        let message = format!("{base} and {head} share no history");
        return Err(if graph.is_shallow() {
            span::shallow(&format!("{message}, as far as this shallow clone goes"))
        } else {
            Error::repository(message)
                .hint("Build the change on a commit of the base, for example with git rebase --onto.")
        });
    };
    let tree = graph.require(*first)?.tree;
    for other in others {
        if graph.require(*other)?.tree != tree {
            return Err(Error::repository(format!(
                "{head} left the history of {base} at several places: {first}, {other}"
            ))
            .hint(format!(
                "Merge the base into the branch, so that there is one place to compare with: git merge {base}"
            )));
        }
    }
    Ok(*first)
}

/// Whether `known` commits reach what an object is, or is a tag of; never where that is no commit.
pub fn is_reached(repository: &Repository, id: ObjectId, known: &[ObjectId]) -> Result<bool> {
    let mut graph = Graph::of(repository)?;
    let Some(commit) = graph.commit(id)? else { return Ok(false) };
    Ok(Span::between(&mut graph, known, commit.id)?.news.commits.is_empty())
}
