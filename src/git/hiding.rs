//! What is hidden: by the rules of arm, and by those of today. Each entry that only today's rules hide is audited as if it
//! were not hidden, and named: a rule that hides work from a review is judged by what it hides.
//!
//! One thing is honest: a tool that makes its own cache directory or virtual environment writes an exclude file along with
//! it. What that hides is treated as ignored; see [`Hiding::is_own_cache`].

use std::collections::{BTreeMap, HashMap};

use super::caches::Caches;
use super::excludes::{self, ExcludeSources, Excludes, FILE_NAME, FrozenFile, Rule};
use super::reader::Reader;
use super::today::Today;
use crate::audit::evidence::{Drift, DriftKind};
use crate::error::Result;
use crate::policy::options;
use crate::policy::path::RepoPath;
use crate::policy::shell;
use crate::policy::text::Text;
use crate::snapshot::delta::Difference;
use crate::snapshot::entry::{Class, Kind, Snapshot};

/// As many directories with newly hidden entries are named.
const NAMED: usize = 10;

/// What becomes of an entry that is new since arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The rules of arm hide it, and today's do as well.
    Ignored,
    /// Git lists it, or would have listed it under the rules of arm.
    Listed,
}

/// Answers for one checkout.
pub struct Hiding<'a> {
    today: &'a Today<'a>,
    now: &'a Snapshot,
    frozen: Option<Excludes>,
    /// Today's sources; `None` when they are those of arm.
    sources: Option<ExcludeSources>,
    current: Option<Excludes>,
    /// The names of the sources outside of the tree that say something else than at arm.
    changed: Vec<&'static str>,
    /// Newly hidden entries by directory, with the rule that hides the first of them.
    newly: BTreeMap<RepoPath, (Vec<RepoPath>, Option<Rule>)>,
    /// Reads the marks of caches, once somebody asks.
    reader: Option<Reader>,
    /// The directories that were looked at for a mark.
    tagged: HashMap<RepoPath, bool>,
}

impl<'a> Hiding<'a> {
    /// Compares the sources; the rules themselves are read only when somebody asks.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot, delta: &[Difference]) -> Result<Hiding<'a>> {
        let sources = excludes::sources(&today.repository)?;
        let kept = &today.frozen.excludes;
        let mut changed = Vec::new();
        if content(Some(&sources.info)) != content(Some(&kept.info)) {
            changed.push("info/exclude");
        }
        if content(sources.user.as_ref()) != content(kept.user.as_ref()) {
            changed.push("core.excludesFile");
        }
        if sources.ignore_case != kept.ignore_case {
            changed.push("core.ignoreCase");
        }
        let in_tree = delta.iter().any(|difference| difference.path.name() == FILE_NAME);
        let sources = (in_tree || !changed.is_empty()).then_some(sources);
        Ok(Hiding {
            today,
            now,
            frozen: None,
            sources,
            current: None,
            changed,
            newly: BTreeMap::new(),
            reader: None,
            tagged: HashMap::new(),
        })
    }

    /// Whether the rules of arm hide a path of this checkout.
    pub fn hidden_at_arm(&mut self, inside: &[u8], is_directory: bool) -> Result<bool> {
        if self.frozen.is_none() {
            self.frozen = Some(self.today.excludes()?);
        }
        self.frozen.as_mut().map_or(Ok(false), |excludes| excludes.hide(inside, is_directory))
    }

    /// What becomes of the new file or link at `path`, which is `inside` this checkout.
    pub fn fate(&mut self, path: &RepoPath, inside: &[u8]) -> Result<Fate> {
        let at_arm = self.hidden_at_arm(inside, false)?;
        if self.sources.is_none() {
            return Ok(if at_arm { Fate::Ignored } else { Fate::Listed });
        }
        let rule = self.hidden_today(inside)?;
        match (at_arm, rule) {
            (true, Some(_)) => Ok(Fate::Ignored),
            (false, Some(rule)) => {
                if self.is_own_cache(path, &rule)? {
                    return Ok(Fate::Ignored);
                }
                let group = self.newly.entry(path.parent()).or_insert_with(|| (Vec::new(), Some(rule)));
                group.0.push(path.clone());
                Ok(Fate::Listed)
            }
            (_, None) => Ok(Fate::Listed),
        }
    }

    /// The drifts that this comes to: what is newly hidden, or else the sources that changed to no effect.
    pub fn drifts(&self) -> Vec<Drift> {
        let mut drifts: Vec<Drift> =
            self.newly.iter().take(NAMED).map(|(directory, group)| self.drift(directory, group)).collect();
        if self.newly.len() > NAMED {
            drifts.push(Drift {
                kind: DriftKind::NewlyHidden,
                subject: Text::from("more directories"),
                what: Text::from(format!("entries of {} more are hidden", self.newly.len() - NAMED)),
                undo: None,
            });
        }
        if drifts.is_empty() {
            drifts.extend(self.changed.iter().map(|source| Drift {
                kind: DriftKind::ExcludeSource,
                subject: Text::from(*source),
                what: Text::from("hides nothing that is new"),
                undo: None,
            }));
        }
        drifts
    }

    fn drift(&self, directory: &RepoPath, (paths, rule): &(Vec<RepoPath>, Option<Rule>)) -> Drift {
        let mut subject = Text::default().path(&paths[0]);
        if paths.len() > 1 {
            let place = if directory.is_root() { "the top".to_owned() } else { directory.plain() };
            subject = subject.word(format!(" and {} more in {place}", paths.len() - 1));
        }
        let what = match rule {
            Some(rule) => Text::from("by the rule ")
                .raw(&rule.pattern)
                .word(" in ")
                .raw(&rule.source)
                .word(format!(", line {}", rule.line)),
            None => Text::from("by a rule that did not stand at arm"),
        };
        Drift { kind: DriftKind::NewlyHidden, subject, what, undo: rule.as_ref().and_then(|rule| self.undo(rule)) }
    }

    /// The command that takes back the exclude file that a rule stands in; those outside of the tree have no copy.
    fn undo(&self, rule: &Rule) -> Option<Text> {
        let prefix = &self.today.frozen.prefix;
        if !rule.in_tree || !prefix.is_root() {
            return None;
        }
        let source = RepoPath::from(rule.source.as_bytes());
        let restore = format!("restore --source={}", self.today.frozen.commit);
        Some(match self.today.in_baseline(source.as_bytes()) {
            Some(_) => shell::git("", &restore, &source),
            None => shell::about("rm", &source),
        })
    }

    fn hidden_today(&mut self, inside: &[u8]) -> Result<Option<Rule>> {
        if self.current.is_none()
            && let Some(mut sources) = self.sources.clone()
        {
            sources.untracked = self.files_of_today()?;
            self.current = Some(Excludes::new(&self.today.repository, [], &sources)?);
        }
        self.current.as_mut().map_or(Ok(None), |excludes| excludes.rule(inside, false))
    }

    /// The exclude files of the work tree as they stand, tracked or not. Git follows no link in their place.
    fn files_of_today(&self) -> Result<Vec<FrozenFile>> {
        let prefix = &self.today.frozen.prefix;
        let mut files = Vec::new();
        for listing in self.now.listings().iter().filter(|listing| listing.path.is_within(prefix.as_bytes())) {
            let Some(at) = listing.position(FILE_NAME) else { continue };
            let path = listing.path_of(&listing.entries()[at]);
            let is_file = listing.entries()[at].stat.kind == Kind::File;
            // Nothing below a directory that is hidden as a whole can be brought back.
            let hidden =
                self.today.entry_at_arm(listing.path.as_bytes()).is_some_and(|entry| entry.class == Class::Ignored);
            if !is_file || hidden || self.today.is_inner(&path) {
                continue;
            }
            let inside = super::baseline::within(prefix, path.as_bytes());
            let mut file = FrozenFile::read(super::files::below(&self.today.repository.location.root, inside))?;
            file.path = Text::from_bytes(inside);
            files.push(file);
        }
        Ok(files)
    }

    /// Whether a tool hides what it has made for itself. The rule must stand in an exclude file of the work tree, which is
    /// a path like any other and is judged as such, and the entry must lie in a directory that is new since arm and is
    /// either a built-in scratch zone with a valid `CACHEDIR.TAG`, or a place of installed dependencies that hides itself
    /// as a whole by the single rule `*`.
    fn is_own_cache(&mut self, path: &RepoPath, rule: &Rule) -> Result<bool> {
        if !rule.in_tree {
            return Ok(false);
        }
        let mut directory = path.parent();
        while !directory.is_root() && self.today.entry_at_arm(directory.as_bytes()).is_none() {
            let probe = directory.join(b"x");
            if options::built_in_scratch(probe.as_bytes()) && self.is_tagged(&directory)? {
                return Ok(true);
            }
            let inside = super::baseline::within(&self.today.frozen.prefix, directory.as_bytes());
            let own = RepoPath::from(inside).join(FILE_NAME);
            if options::built_in_dependency(probe.as_bytes())
                && rule.source.as_bytes() == own.as_bytes()
                && rule.pattern.as_bytes() == b"*"
            {
                return Ok(true);
            }
            directory = directory.parent();
        }
        Ok(false)
    }

    fn is_tagged(&mut self, directory: &RepoPath) -> Result<bool> {
        if let Some(known) = self.tagged.get(directory) {
            return Ok(*known);
        }
        let mut reader = match self.reader.take() {
            Some(reader) => reader,
            None => self.today.reader()?,
        };
        let tagged = Caches::is_tagged(&mut reader, &self.today.frozen.prefix, self.now, directory)?;
        self.reader = Some(reader);
        self.tagged.insert(directory.clone(), tagged);
        Ok(tagged)
    }
}

/// What a source says; one that is absent says as much as an empty one.
fn content(file: Option<&FrozenFile>) -> &[u8] {
    file.and_then(|file| file.content.as_ref()).map_or(&[], Text::as_bytes)
}
