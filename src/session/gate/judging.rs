//! One change between two commits, judged by a role of a committed policy.

use std::time::Instant;

use crate::audit::evidence::Evidence;
use crate::audit::gate::{self, Terms};
use crate::audit::judge::Judgement;
use crate::audit::verdict::{Gated, Verdict, Verification};
use crate::error::{Error, Result};
use crate::git::committed;
use crate::git::gate::{self as between, Range};
use crate::git::graph::Id;
use crate::git::open::Repository;
use crate::policy::command::Command;
use crate::policy::control_files::ControlFiles;
use crate::policy::envelope::Envelope;
use crate::policy::file::read::{self, MAX_BYTES, NAME};
use crate::policy::file::role::{PolicyFile, Role};
use crate::policy::file::territory::{Claims, Territory};
use crate::policy::text::Text;
use crate::session::closing::Closing;

/// A policy as a commit has it.
pub struct Policy {
    /// What it says.
    pub file: PolicyFile,
    territory: Territory,
}

impl Policy {
    /// The policy of a commit.
    ///
    /// # Errors
    /// Where it has none: nobody said by which rules to judge.
    pub fn at(repository: &Repository, commit: Id) -> Result<Policy> {
        let bytes = committed::file(repository, commit, NAME.as_bytes(), MAX_BYTES)?.ok_or_else(|| {
            Error::refused(format!("the base commit {commit} has no {NAME}")).hint(format!(
                "The gate goes by the policy of the base: bring {NAME} there first, by somebody whom no gate judges."
            ))
        })?;
        let file = read::read(NAME, &bytes)?;
        let territory = Territory::of(&Claims::of(&file))?;
        Ok(Policy { file, territory })
    }

    /// The role of this name, or the one that judges a branch; `None` where it is not known which branch it is.
    pub fn role(&self, name: Option<&str>, branch: Option<&[u8]>) -> Result<&Role> {
        match (name, branch, self.file.gate_role.as_deref()) {
            (Some(name), ..) | (None, None, Some(name)) => self.file.role(name),
            (None, Some(branch), _) => self.file.role_of_branch(branch),
            (None, None, None) => Err(Error::refused("it is not known which branch the head is, so no role claims it")
                .hint("Give --role NAME, or name one for such heads with `role` in `[gate]` of cordon.toml.")),
        }
    }
}

/// A change to be judged.
pub struct Judging<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The policy.
    pub policy: &'a Policy,
    /// The role that judges.
    pub role: &'a Role,
    /// What the change is called.
    pub label: Text,
    /// The commit that it is to be merged into.
    pub base: Id,
    /// Further commits whose history was there before.
    pub known: &'a [Id],
    /// The commit that is to be merged.
    pub head: Id,
}

/// A change that was judged and may still be verified.
pub struct Judged<'a> {
    judging: Judging<'a>,
    evidence: Evidence,
    /// What was found so far.
    pub judgement: Judgement,
    began: Instant,
}

impl<'a> Judging<'a> {
    /// Collects the evidence and judges it.
    pub fn judge(self) -> Result<Judged<'a>> {
        let began = Instant::now();
        let settings = &self.role.settings;
        // A change that comes as commits may have them; `allow_commits` is about work under way.
        let envelope = Envelope { allow_commits: true, ..settings.envelope() };
        let audit = settings.audit();
        let rules = envelope.rules()?.under(&audit)?;
        let control = ControlFiles::of(&envelope, &audit, settings.verify())?;
        let range = Range { base: self.base, known: self.known, head: self.head, uncounted: &audit.uncounted };
        let evidence = between::observe(self.repository, &range)?;
        let terms = Terms {
            role: &self.role.name,
            envelope: &envelope,
            rules: &rules,
            territory: &self.policy.territory,
            control: &control,
        };
        let judgement = gate::judge(&terms, &evidence);
        Ok(Judged { judging: self, evidence, judgement, began })
    }
}

impl Judged<'_> {
    /// The commit that is to be merged.
    pub fn head(&self) -> Id {
        self.judging.head
    }

    /// Where the head left the base, in hex.
    pub fn start(&self) -> &str {
        &self.evidence.head.baseline
    }

    /// The verifiers of the role, and how many seconds each of them has.
    pub fn verifiers(&self) -> Result<(Vec<Command>, u64)> {
        let settings = &self.judging.role.settings;
        let commands = settings.verify().iter().map(|source| Command::parse(source)).collect::<Result<_>>()?;
        Ok((commands, settings.verify_timeout()))
    }

    /// The verdict, with the verifiers that ran.
    pub fn verdict(mut self, verification: Vec<Verification>) -> Verdict {
        let verifiers = self.judging.role.settings.verify().len();
        if verifiers > 0 && verification.is_empty() && !self.judgement.rejects() {
            self.judgement.notes.insert(0, gate::unverified(verifiers));
        }
        let Judging { role, label, base, head, .. } = self.judging;
        let closing = Closing {
            label,
            role: Some(role.name.clone()),
            baseline: self.evidence.head.baseline.clone(),
            limits: role.settings.envelope().limits,
            verifiers,
            verify_timeout: role.settings.verify_timeout(),
            anchor: String::new(),
            gate: Some(Gated { base: base.to_string(), head: head.to_string() }),
        };
        closing.verdict(&self.evidence, self.judgement, verification, self.began.elapsed().as_secs_f64())
    }
}
