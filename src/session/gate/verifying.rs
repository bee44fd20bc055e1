//! The verifiers of a gate: they run in the work tree, and only where that is the head as it would be merged.

use std::path::Path;

use super::judging::Judged;
use crate::audit::gate::unsettled;
use crate::audit::verdict::Verification;
use crate::error::{Error, Kind, Result};
use crate::git::baseline;
use crate::git::graph::Id;
use crate::git::open::Repository;
use crate::policy::caches::CacheRule;
use crate::policy::options::AuditOptions;
use crate::process::supervisor::Supervisor;
use crate::session::api::Progress;
use crate::session::look;
use crate::session::verify::{self, Verifiers};
use crate::snapshot::mapped;

/// Runs the verifiers of the role that judged, unless something rejects the change already.
///
/// # Errors
/// Where the head is not what lies in the work tree: what passes there would say nothing about the head.
pub fn verify(judged: &mut Judged<'_>, repository: &Repository, progress: Progress<'_>) -> Result<Vec<Verification>> {
    let (commands, timeout) = judged.verifiers()?;
    if commands.is_empty() || judged.judgement.rejects() {
        return Ok(Vec::new());
    }
    let (root, head) = (&repository.location.root, judged.head());
    if !repository.has_work_tree() {
        return Err(Error::refused("there is no work tree here in which verifiers could run")
            .hint(format!("Run it in a clone that has the head checked out: git switch --detach {head}"))
            .hint("Or leave the verifiers to another job: --no-verify"));
    }
    require_head(root, head, progress)
        .map_err(|error| error.hint("Or leave the verifiers to another job: --no-verify"))?;
    let mut supervisor = Supervisor::new().map_err(|error| Error::io("cannot watch over programs", error))?;
    let mut findings = Vec::new();
    let verifiers = Verifiers { commands: &commands, timeout, caches: CacheRule::Private };
    let verification = verify::run(&verifiers, root, &mut supervisor, progress, &mut |command| {
        match require_head(root, head, progress) {
            Err(error) if error.kind == Kind::Refused => findings.push(unsettled(command, &error.message)),
            other => other?,
        }
        Ok(())
    })?;
    judged.judgement.findings.extend(findings);
    Ok(verification)
}

/// Refuses a work tree that is not exactly this commit.
fn require_head(root: &Path, head: Id, progress: Progress<'_>) -> Result<()> {
    let repository = Repository::discover(root)?;
    if repository.head()?.commit != Some(head) {
        return Err(Error::refused(format!("the work tree does not have the head {head} checked out"))
            .hint(format!("Check it out: git switch --detach {head}")));
    }
    let tick = look::tick(root)?;
    let (mapped, snapshot) = look::beside(true, || mapped::writable(root), || look::walk(root, progress));
    let rules = AuditOptions::default().compile()?;
    baseline::take(&repository, &mut snapshot?, tick, &rules, mapped, None).map(drop)
}
