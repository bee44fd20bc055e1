//! The proposal: roles with their patterns, budgets, verifiers and owners, and what it would have meant for the past.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::budgets;
use super::clusters::{Cluster, clusters};
use super::replay::{Bench, Replay, replay};
use super::tables::{Kind, LOCKFILES, VERIFIERS};
use super::units::{Unit, units};
use crate::audit::evidence::Change;
use crate::audit::verdict::Metrics;
use crate::error::Result;
use crate::policy::envelope::MAX_PATTERNS;
use crate::policy::file::keys::{Key, MAX_TEXT};
use crate::policy::file::settings::{Settings, Value};
use crate::policy::fold;
use crate::policy::options::AuditOptions;
use crate::policy::path::RepoPath;
use crate::policy::pattern::{Pattern, PatternSet};
use crate::policy::text::Text;

/// The longest name that is given to a role.
const MAX_NAME: usize = 40;

/// What a repository has now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Every tracked path.
    pub paths: Vec<RepoPath>,
    /// The files at the top that say which commands there are.
    pub contents: BTreeMap<RepoPath, Vec<u8>>,
}

/// What one commit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// The commit, in hex.
    pub id: String,
    /// The name of its author.
    pub author: Text,
    /// Its changes against its parent.
    pub changes: Vec<Change>,
}

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The roles, that of the most commits first.
    pub roles: Vec<Proposed>,
    /// What would have become of the past commits.
    pub replay: Replay,
}

/// One role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Its name.
    pub name: String,
    /// What it says.
    pub settings: Settings,
    /// How many past commits touched its paths and no others.
    pub commits: u64,
    /// How many of these it would have refused.
    pub refused: u64,
    /// How many of these are by the owner whom it names.
    pub by_owner: u64,
}

/// Proposes roles for what a repository has, by what was done to it.
pub fn propose(layout: &Layout, past: &[Past]) -> Result<Proposal> {
    let guarded = AuditOptions::default().compile()?;
    let open = layout.paths.iter().filter(|path| guarded.protected(path.as_bytes()).is_none());
    let units = units(open);
    let touched: Vec<BTreeSet<Unit>> = past.iter().map(|commit| touched(commit, &units)).collect();
    let clusters = clusters(&units.keys().cloned().collect(), &touched);
    let kinds = [Kind::Docs, Kind::Ci, Kind::Infra].map(Unit::Kind);
    let kinds = kinds.iter().filter(|kind| units.contains_key(kind));
    let verifiers = verifiers(layout);
    let mut names = HashSet::new();
    let mut roles = Vec::new();
    for cluster in &clusters {
        let name = unique(&cluster_name(cluster, clusters.len(), names.is_empty()), &mut names);
        roles.push(role(name, &cluster.units, &units, layout, &verifiers));
    }
    for kind in kinds {
        let Unit::Kind(kind_of) = kind else { continue };
        let name = unique(kind_of.name(), &mut names);
        roles.push(role(name, std::slice::from_ref(kind), &units, layout, &[]));
    }
    let mut benches = Vec::new();
    for role in &mut roles {
        learn(role, past)?;
        benches.push(Bench::of(role)?);
    }
    let replay = replay(&benches, past)?;
    Ok(Proposal { roles, replay })
}

/// The parts that are still there and that a commit touched.
fn touched(commit: &Past, units: &BTreeMap<Unit, Vec<Pattern>>) -> BTreeSet<Unit> {
    let all = commit.changes.iter().map(|change| Unit::of(change.path.as_bytes()));
    all.filter(|unit| units.contains_key(unit)).collect()
}

/// A role of these parts, with what is known without its past.
fn role(
    name: String,
    parts: &[Unit],
    units: &BTreeMap<Unit, Vec<Pattern>>,
    layout: &Layout,
    verifiers: &[String],
) -> Proposed {
    let allow: Vec<Pattern> = parts.iter().flat_map(|part| units[part].clone()).take(MAX_PATTERNS).collect();
    let made = |lockfile: &&&str| {
        let of_role =
            |path: &&RepoPath| path.name() == lockfile.as_bytes() && parts.contains(&Unit::of(path.as_bytes()));
        layout.paths.iter().any(|path| of_role(&path))
    };
    let uncounted = LOCKFILES.iter().filter(made).filter_map(|name| Pattern::parse(&format!("**/{name}")).ok());
    let mut settings =
        Settings::default().with_globs(Key::Allow, allow).with_globs(Key::Uncounted, uncounted.collect());
    settings.set(Key::Verify, Value::Commands(verifiers.to_vec()));
    Proposed { name, settings, commits: 0, refused: 0, by_owner: 0 }
}

/// Adds what the past commits of a role say: its budgets and its owner, and how many of them it would have refused.
fn learn(role: &mut Proposed, past: &[Past]) -> Result<()> {
    let bench = Bench::of(role)?;
    let own: Vec<&Past> = past.iter().filter(|commit| !commit.changes.is_empty() && bench.owns(commit)).collect();
    let uncounted = PatternSet::compile(role.settings.globs(Key::Uncounted))?;
    let metrics: Vec<Metrics> = own.iter().map(|commit| Metrics::of(commit.changes.iter(), &uncounted)).collect();
    if let Some(limits) = budgets::fitting(&metrics) {
        for (key, number) in [
            (Key::MaxFiles, limits.max_files),
            (Key::MaxAddedLines, limits.max_added_lines),
            (Key::MaxDeletedLines, limits.max_deleted_lines),
            (Key::MaxWorkingBytes, limits.max_working_bytes),
            (Key::MaxBinaryFiles, limits.max_binary_files),
        ] {
            role.settings.set(key, Value::Number(number));
        }
    }
    if let Some((owner, commits)) = owner(&own) {
        role.settings.set(Key::Owner, Value::Text(owner));
        role.by_owner = commits;
    }
    let bench = Bench::of(role)?;
    role.commits = own.len() as u64;
    role.refused = own.iter().filter(|commit| !bench.accepts(commit)).count() as u64;
    Ok(())
}

/// Who wrote most of some commits, and how many.
fn owner(commits: &[&Past]) -> Option<(String, u64)> {
    let mut by_author: BTreeMap<&[u8], u64> = BTreeMap::new();
    for commit in commits {
        *by_author.entry(commit.author.as_bytes()).or_default() += 1;
    }
    let (author, commits) = by_author.into_iter().max_by_key(|(_, commits)| *commits)?;
    let name = String::from_utf8_lossy(author).trim().chars().take(MAX_TEXT).collect::<String>();
    (!name.is_empty()).then_some((name, commits))
}

/// The commands that the files at the top suggest.
fn verifiers(layout: &Layout) -> Vec<String> {
    let content = |name: &str| layout.contents.get(&RepoPath::from(name));
    let mut tools = HashSet::new();
    let fits = |row: &&super::tables::Verifier| {
        let holds = row.files.first().and_then(|name| content(name)).is_some_and(|bytes| {
            // A target on the first line has no line before it.
            let text = [b"\n", bytes.as_slice()].concat();
            row.holding.is_empty() || text.windows(row.holding.len()).any(|window| window == row.holding.as_bytes())
        });
        holds && row.files.iter().all(|name| content(name).is_some()) && tools.insert(row.tool)
    };
    VERIFIERS.iter().filter(fits).map(|row| row.command.to_owned()).take(crate::policy::command::MAX_COMMANDS).collect()
}

/// What a group is called: by its first directory, where there are several groups and it is not the first and large one.
fn cluster_name(cluster: &Cluster, groups: usize, is_first: bool) -> String {
    let of_code = |unit: &&Unit| matches!(unit, Unit::Directory(_)) && !unit.is_of_tests();
    let is_mixed = is_first && cluster.units.iter().filter(of_code).count() > 1;
    match cluster.units.first() {
        Some(Unit::Directory(name)) if groups > 1 && !is_mixed => {
            let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            String::from_utf8_lossy(last).into_owned()
        }
        _ => "code".to_owned(),
    }
}

/// A name that a role may have and that no other role has, in whatever case.
fn unique(wanted: &str, taken: &mut HashSet<Vec<u8>>) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let plain: String = wanted.chars().map(fit).take(MAX_NAME).collect();
    let plain = plain.trim_matches(['-', '.']);
    let base = if plain.is_empty() { "role" } else { plain };
    let mut name = base.to_owned();
    let mut number = 1;
    while !taken.insert(fold::name(name.as_bytes())) {
        number += 1;
        name = format!("{base}-{number}");
    }
    name
}

#[cfg(test)]
#[path = "proposal_tests.rs"]
mod tests;
