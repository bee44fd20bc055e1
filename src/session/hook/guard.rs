//! Whether something that a tool call does would be rejected, as far as that can be told beforehand.
//!
//! A path is judged by the rows of the audit, see `audit::judge` and `audit::ignored`. Beyond them the guard knows what
//! mends: removing what was not there at arm, or bringing back what Git has, is how a finding is undone.

use std::cell::OnceCell;
use std::path::Path;

use super::armed::{Armed, Past};
use super::place::{self, Led};
use crate::agent::shell::{Act, Effect, Place};
use crate::audit::denied::Fault;
use crate::policy::envelope::Decision;
use crate::policy::options::IgnoredRule;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::session::lock::NAME as LOCK;
use crate::snapshot::entry::{Class, Kind};

/// Something that is better not done.
pub struct Objection {
    /// The tool or the program.
    pub by: String,
    /// The path; empty when it is about no single one.
    pub path: Text,
    /// Why not.
    pub fault: Fault,
}

/// Judges what tool calls do under one envelope.
pub struct Guard<'a> {
    armed: &'a Armed,
    past: OnceCell<Option<Past>>,
}

impl<'a> Guard<'a> {
    /// A guard over an envelope.
    pub fn new(armed: &'a Armed) -> Guard<'a> {
        Guard { armed, past: OnceCell::new() }
    }

    /// The first objection to one of several acts.
    pub fn objection(&self, acts: &[Act]) -> Option<Objection> {
        acts.iter().find_map(|act| match act {
            Act::Place(place) => self.place(place),
            Act::Commit(by, cwd) => (!self.armed.record.config.policy.allow_commits && self.is_here(cwd))
                .then(|| Objection { by: by.clone(), path: Text::default(), fault: Fault::Commit }),
            Act::Discard(by, cwd) => self.discards(by, cwd),
        })
    }

    /// Read at most once, and only when something is about to be denied.
    fn past(&self) -> Option<&Past> {
        self.past.get_or_init(|| self.armed.past().ok()).as_ref()
    }

    fn place(&self, place: &Place) -> Option<Objection> {
        let is_directory = place.path.ends_with('/') || Path::new(&place.path).is_dir();
        let effect = match place.effect {
            // What comes to stand in a directory under a name that nobody knows.
            Effect::Put { .. } if is_directory && place.names.is_empty() => Effect::Put { tree: true },
            effect => effect,
        };
        let targets = if is_directory { within(place) } else { vec![place.path.clone()] };
        targets.iter().find_map(|target| {
            let follow = matches!(effect, Effect::Write | Effect::Change | Effect::Restore | Effect::Directory);
            let (path, fault) = match place::lead(&self.armed.location, Path::new(target), follow) {
                Led::Elsewhere => return None,
                Led::Control(path) if effect == Effect::Remove && is_stale_lock(&path) => return None,
                Led::Control(path) => (path, Fault::Control),
                Led::Inside(path) => self.inside(&path, effect)?,
            };
            Some(Objection { by: place.by.clone(), path: Text::from_bytes(path.as_bytes()), fault })
        })
    }

    fn inside(&self, path: &RepoPath, effect: Effect) -> Option<(RepoPath, Fault)> {
        let fault = match effect {
            Effect::Write | Effect::Put { tree: false } => self.fault(path, false),
            Effect::Change => self.absolute(path).exists().then(|| self.fault(path, false))?,
            Effect::Put { tree: true } => self.tree(path),
            Effect::Directory => self.directory(path),
            Effect::Remove => return self.removed(path),
            Effect::Restore => self.restored(path),
        };
        Some((path.clone(), fault?))
    }

    /// What is wrong with a change of one path.
    fn fault(&self, path: &RepoPath, is_directory: bool) -> Option<Fault> {
        let rules = &self.armed.rules;
        let bytes = path.as_bytes();
        if rules.audit.protected(bytes).is_none() && rules.decide(bytes).is_allowed() {
            return None;
        }
        // What cannot be looked up is not denied: the gate will see it.
        let past = self.past()?;
        let entry = past.entry(bytes);
        let ignored = match entry.map(|entry| entry.class) {
            Some(Class::Tracked(_) | Class::Gitlink(_)) => false,
            Some(Class::Ignored) => true,
            _ => past.hides(&self.armed.location, path, is_directory).ok()?,
        };
        if ignored { self.ignored(bytes, entry.is_some()) } else { self.listed(bytes) }
    }

    /// A path that Git does not hide.
    fn listed(&self, path: &[u8]) -> Option<Fault> {
        let rules = &self.armed.rules;
        if let Some(reason) = rules.audit.protected(path) {
            return Some(Fault::Protected(reason.to_owned()));
        }
        match rules.decide(path) {
            Decision::Allowed(_) => None,
            Decision::Denied(pattern) => Some(Fault::Denied(pattern.as_str().to_owned())),
            Decision::Outside => Some(Fault::Outside),
        }
    }

    /// A path that Git hides: the rows of `audit::ignored`, in their order.
    fn ignored(&self, path: &[u8], was_there: bool) -> Option<Fault> {
        let rules = &self.armed.rules;
        if let Some(reason) = rules.audit.protected_ignored(path) {
            return Some(Fault::Protected(reason.to_owned()));
        }
        if rules.audit.allows_ignored(path) {
            return None;
        }
        let matters = was_there && rules.audit.ignored() == IgnoredRule::Deny;
        if rules.audit.dependency(path).is_some() {
            return matters.then_some(Fault::Outside);
        }
        if rules.audit.scratch(path).is_some() || rules.audit.is_bookkeeping(path) {
            return None;
        }
        match rules.decide(path) {
            Decision::Allowed(_) => None,
            Decision::Denied(pattern) => Some(Fault::Denied(pattern.as_str().to_owned())),
            Decision::Outside => matters.then_some(Fault::Outside),
        }
    }

    /// Something that may be a directory: only what it brings along tells, so it must be wrong whatever that is.
    fn tree(&self, path: &RepoPath) -> Option<Fault> {
        let fault = self.fault(path, false)?;
        let may_hold = fault == Fault::Outside && self.armed.rules.may_allow_below(path.as_bytes());
        (!may_hold).then_some(fault)
    }

    /// A directory that is to be made. One that is there already stays as it is.
    fn directory(&self, path: &RepoPath) -> Option<Fault> {
        if self.absolute(path).is_dir() || self.armed.rules.may_allow_below(path.as_bytes()) {
            return None;
        }
        self.fault(path, true)
    }

    /// Only what stood there at arm can be missed; the first path that would be.
    fn removed(&self, path: &RepoPath) -> Option<(RepoPath, Fault)> {
        let past = self.past()?;
        let entry = past.entry(path.as_bytes());
        if !path.is_root() && entry.is_none_or(|entry| entry.stat.kind != Kind::Directory) {
            entry?;
            return Some((path.clone(), self.fault(path, false)?));
        }
        past.below(path.as_bytes()).find_map(|(below, ignored)| {
            let fault = if ignored { self.ignored(below.as_bytes(), true) } else { self.listed(below.as_bytes()) };
            fault.map(|fault| (below, fault))
        })
    }

    /// Bringing back what Git has mends a change, unless it was somebody's work.
    fn restored(&self, path: &RepoPath) -> Option<Fault> {
        self.lost(path).map(|_| Fault::LostWork)
    }

    fn discards(&self, by: &str, cwd: &str) -> Option<Objection> {
        let lost = self.is_here(cwd).then(|| self.lost(&RepoPath::from("")))??;
        Some(Objection { by: by.to_owned(), path: Text::from_bytes(lost.as_bytes()), fault: Fault::LostWork })
    }

    /// The first path of uncommitted work at a path or below it that the agent does not own.
    fn lost(&self, path: &RepoPath) -> Option<RepoPath> {
        let foreign = |work: &&RepoPath| !self.armed.rules.decide(work.as_bytes()).is_allowed();
        self.past()?.work().filter(|work| work.is_within(path.as_bytes())).find(foreign).cloned()
    }

    /// Whether Git, started in a directory, is about the armed repository and no other.
    fn is_here(&self, cwd: &str) -> bool {
        let Some(real) = place::resolve(Path::new(cwd), true) else { return false };
        let root = &self.armed.location.root;
        let mut nearer = real.ancestors().take_while(|directory| *directory != root.as_path());
        real.starts_with(root) && !nearer.any(|directory| std::fs::symlink_metadata(directory.join(".git")).is_ok())
    }

    fn absolute(&self, path: &RepoPath) -> std::path::PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        self.armed.location.root.join(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }
}

/// The paths that are written at a directory: what comes to stand in it, or itself.
fn within(place: &Place) -> Vec<String> {
    if place.names.is_empty() {
        return vec![place.path.clone()];
    }
    place.names.iter().map(|name| format!("{}/{name}", place.path)).collect()
}

/// Whether a path is a lock that Git leaves behind when it is killed, and that its own advice is to remove.
fn is_stale_lock(path: &RepoPath) -> bool {
    path.as_bytes().ends_with(b".lock") && path.name() != LOCK.as_bytes()
}
