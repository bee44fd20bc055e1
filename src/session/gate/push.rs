//! `gate --pre-receive`: what a push would change, judged on the server before any of it is there for others.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use super::judging::{Judging, Policy};
use crate::audit::push::{Pushed, Trespass, Updated};
use crate::audit::verdict::SCHEMA_VERSION;
use crate::error::{Error, Result};
use crate::git::gate;
use crate::git::graph::Id;
use crate::git::open::Repository;
use crate::git::quarantine;
use crate::policy::escape::{plain, typed};
use crate::policy::text::Text;

/// One line of what Git tells a hook.
struct Update {
    old: Id,
    new: Id,
    name: Vec<u8>,
}

impl Update {
    fn parse(line: &[u8]) -> Result<Update> {
        let malformed = || {
            Error::usage(format!("`{}` is no line of a pre-receive hook", plain(line))).hint(
                "Git writes `OLD NEW REF` lines on the standard input of its pre-receive hook; call it from there.",
            )
        };
        let mut words = line.splitn(3, |byte| *byte == b' ');
        let mut id = || words.next().and_then(|word| Id::from_hex(word).ok()).ok_or_else(malformed);
        let (old, new) = (id()?, id()?);
        let name = words.next().filter(|name| name.starts_with(b"refs/")).ok_or_else(malformed)?.to_vec();
        Ok(Update { old, new, name })
    }

    fn shown(&self) -> Text {
        Text::from_bytes(self.name.clone())
    }

    fn ids(&self) -> (String, String) {
        (self.old.to_string(), self.new.to_string())
    }

    fn branch(&self) -> Option<&[u8]> {
        self.name.strip_prefix(b"refs/heads/")
    }
}

/// The repository before the push.
struct Server<'a> {
    repository: &'a Repository,
    /// The default branch and its commit.
    default: (Vec<u8>, Id),
    policy: Policy,
    /// The role that judges every branch, if one was named.
    role: Option<&'a str>,
    /// The commits of all branches, those that the push brings included: each of these is judged for itself.
    branches: Vec<Id>,
}

/// Judges the push that `input` tells of, in the repository that holds `start`.
pub fn pre_receive(start: &Path, input: &[u8], role: Option<&str>) -> Result<Pushed> {
    let began = Instant::now();
    let mut repository = Repository::discover_any(start)?;
    repository.stores = quarantine::stores(&repository, &|name| std::env::var_os(name))?;
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let updates = lines.map(Update::parse).collect::<Result<Vec<_>>>()?;
    let server = Server::of(&repository, &updates, role)?;
    let mut judged = Vec::with_capacity(updates.len());
    for update in &updates {
        judged.push(server.judge(update).map_err(|error| {
            error.hint(format!("This is about {}; nothing of the push was taken over.", typed(&update.name)))
        })?);
    }
    Ok(Pushed {
        schema_version: SCHEMA_VERSION,
        passed: judged.iter().all(|update| update.passed),
        updates: judged,
        duration_s: began.elapsed().as_secs_f64(),
    })
}

impl<'a> Server<'a> {
    fn of(repository: &'a Repository, updates: &[Update], role: Option<&'a str>) -> Result<Server<'a>> {
        let refs = repository.refs()?;
        let branch = repository.head()?.branch.map(|name| name.as_bytes().to_vec());
        if let Some(name) = branch.as_ref().filter(|name| refs.is_alias(name)) {
            let told =
                format!("HEAD of this repository leads to {}, which is another name of another ref", plain(name));
            return Err(Error::refused(told).hint("Set it to the branch itself: git symbolic-ref HEAD refs/heads/NAME"));
        }
        let default = branch.and_then(|name| refs.object(&name).map(|id| (name, id))).ok_or_else(|| {
            Error::refused("HEAD of this repository names no branch that exists, so there is no policy to judge by")
                .hint("Set it: git symbolic-ref HEAD refs/heads/NAME; a first push has to come before the hook.")
        })?;
        let policy = Policy::at(repository, default.1)?;
        let there =
            refs.all.keys().filter(|name| name.starts_with(b"refs/heads/")).filter_map(|name| refs.object(name));
        let brought = updates.iter().filter(|update| update.branch().is_some()).map(|update| update.new);
        let branches: BTreeSet<Id> = there.chain(brought).filter(|id| !id.is_null()).collect();
        Ok(Server { repository, default, policy, role, branches: branches.into_iter().collect() })
    }

    fn judge(&self, update: &Update) -> Result<Updated> {
        if self.repository.refs()?.is_alias(&update.name) {
            return Ok(trespass(update, Trespass::Alias));
        }
        match update.branch() {
            Some(branch) if update.new.is_null() => self.deletion(update, branch),
            Some(branch) => self.branch(update, branch),
            None if update.name.starts_with(b"refs/tags/") => self.tag(update),
            None => Ok(trespass(update, Trespass::OtherRef)),
        }
    }

    /// A branch may go where a role claims it, unless it is the default one.
    fn deletion(&self, update: &Update, branch: &[u8]) -> Result<Updated> {
        if update.name == self.default.0 {
            return Ok(trespass(update, Trespass::DeletesDefault));
        }
        let role = self.policy.role(self.role, Some(branch))?;
        let note = Text::from(format!("branch deleted, which role {} may", role.name));
        Ok(Updated::without_role(update.shown(), update.ids(), None, Some(note)))
    }

    /// The default branch is compared with what it was. Any other is compared with where it left the default branch, or
    /// with what it was where it only went on.
    fn branch(&self, update: &Update, branch: &[u8]) -> Result<Updated> {
        let role = self.policy.role(self.role, Some(branch))?;
        let is_default = update.name == self.default.0;
        let known = if is_default || update.old.is_null() { None } else { Some(update.old) };
        let judging = Judging {
            repository: self.repository,
            policy: &self.policy,
            role,
            label: update.shown(),
            base: self.default.1,
            known: known.as_slice(),
            head: update.new,
        };
        let mut judged = judging.judge()?;
        let before = self.default.1.to_string();
        if is_default && judged.start() != before {
            judged.judgement.findings.insert(0, Trespass::Rewrites.finding(&update.shown()));
        }
        Ok(Updated::judged(update.shown(), update.ids(), judged.verdict(Vec::new())))
    }

    /// A new tag may name what a branch has.
    fn tag(&self, update: &Update) -> Result<Updated> {
        if !update.old.is_null() {
            return Ok(trespass(update, Trespass::TagMoved));
        }
        if gate::is_reached(self.repository, update.new, &self.branches)? {
            return Ok(Updated::without_role(
                update.shown(),
                update.ids(),
                None,
                Some("new tag on a commit of a branch".into()),
            ));
        }
        Ok(trespass(update, Trespass::TagBrings))
    }
}

fn trespass(update: &Update, what: Trespass) -> Updated {
    let finding = what.finding(&update.shown());
    Updated::without_role(update.shown(), update.ids(), Some(finding), None)
}
