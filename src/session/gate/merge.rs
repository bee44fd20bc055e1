//! `gate --base REV --head REV`: a change that is to be merged.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::ci::{Told, Variables};
use super::judging::{Judging, Policy};
use super::verifying;
use crate::audit::verdict::Verdict;
use crate::error::{Error, Result};
use crate::git::open::Repository;
use crate::git::revision::{Named, Revisions};
use crate::policy::text::Text;
use crate::session::api::Progress;

/// What is to be judged.
#[derive(Debug, Clone, Default)]
pub struct GateOptions {
    /// The commit that the change is to be merged into.
    pub base: Option<OsString>,
    /// The commit that is to be merged.
    pub head: Option<OsString>,
    /// The role that judges.
    pub role: Option<String>,
    /// Whether verifiers run; where nobody said so, they run where there is a work tree.
    pub verify: Option<bool>,
}

/// Judges a change of the repository that holds `start`.
pub fn gate(start: &Path, options: &GateOptions, progress: Progress<'_>) -> Result<Verdict> {
    let repository = Repository::discover_any(start)?;
    let variables: Variables<'_> = &|name| std::env::var_os(name);
    let mut revisions = Revisions::of(&repository)?;
    let (base, head) = ends(&mut revisions, options, variables)?;
    let policy = Policy::at(&repository, base.commit)?;
    let role = policy.role(options.role.as_deref(), head.branch.as_deref())?;
    progress("comparing the head with the base", 0);
    let label = match &head.branch {
        Some(branch) => Text::from(format!("role {} on ", role.name)).raw(&Text::from_bytes(branch.clone())),
        None => Text::from(format!("role {}", role.name)),
    };
    let judging = Judging {
        repository: &repository,
        policy: &policy,
        role,
        label,
        base: base.commit,
        known: &[],
        head: head.commit,
    };
    let mut judged = judging.judge()?;
    let wanted = options.verify.unwrap_or_else(|| repository.has_work_tree());
    let verification = if wanted { verifying::verify(&mut judged, &repository, progress)? } else { Vec::new() };
    Ok(judged.verdict(verification))
}

/// The two commits: as they were named, else as CI tells of them.
fn ends(revisions: &mut Revisions<'_>, options: &GateOptions, variables: Variables<'_>) -> Result<(Named, Named)> {
    let told = Told::by(variables);
    let base = match (&options.base, &told) {
        (Some(base), _) => revisions.resolve(base.as_bytes())?,
        (None, Some(told)) => told.base(variables, revisions)?,
        (None, None) => {
            return Err(Error::usage("no base is named, and no variable of a CI service tells of one")
                .hint("Name it: cordon gate --base origin/main")
                .hint("Or set CORDON_BASE, and CORDON_HEAD for a head other than HEAD."));
        }
    };
    let mut head = match (&options.head, &told) {
        (Some(head), _) => revisions.resolve(head.as_bytes())?,
        (None, Some(told)) if options.base.is_none() => told.head(variables, revisions)?,
        _ => revisions.head()?,
    };
    // A job has its branch in a variable, because its HEAD is detached.
    if let Some(told) = told.filter(|_| head.branch.is_none())
        && let Ok(told) = told.head(variables, revisions)
        && told.commit == head.commit
    {
        head.branch = told.branch;
    }
    Ok((base, head))
}
