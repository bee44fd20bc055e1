//! Repositories inside the repository: what drifted in those of arm, and what those that appeared bring along.

use super::compare::{self, refs_of};
use super::files::{Rule, Seen, quoted};
use super::past::Past;
use super::read::{Part, Plane};
use super::{config, flags, hooks, named};
use crate::audit::evidence::{Drift, DriftKind};
use crate::policy::config_keys::Origin;
use crate::policy::options;
use crate::policy::text::Text;

/// What the repositories inside come to.
pub fn compare(armed: &Plane, now: &Plane, past: &dyn Past) -> Vec<Drift> {
    let mut drifts = Vec::new();
    let Some(own) = now.parts.first() else { return drifts };
    for new in now.parts.iter().skip(1) {
        let inside = armed.parts.iter().skip(1);
        let same_place = inside.clone().find(|old| old.prefix == new.prefix);
        let same_directory = || inside.clone().find(|old| !old.git_dir.is_empty() && old.git_dir == new.git_dir);
        let found = if let Some(old) = same_place.or_else(same_directory) {
            known(old, new, past)
        } else {
            let found = appeared(own, armed.parts.first().unwrap_or(own), new, now);
            if !found.is_empty() && is_scratch(new) && past.hides(new.prefix.as_bytes()) {
                // Test suites make such repositories in build output, where nothing is judged.
                found.into_iter().map(|drift| Drift { kind: DriftKind::ScratchRepository, ..drift }).collect()
            } else {
                found
            }
        };
        drifts.extend(found.into_iter().map(|drift| within(new, drift)));
    }
    drifts
}

/// A repository that was there at arm.
fn known(old: &Part, new: &Part, past: &dyn Past) -> Vec<Drift> {
    let mut drifts = Vec::new();
    for drift in compare::part(old, new).into_iter().chain(named::compare(old, new, past)) {
        // What would only be noted of the own repository is not worth a word here.
        let is_noted = matches!(
            drift.kind,
            DriftKind::ConfigUnknown
                | DriftKind::LinkedWorktree
                | DriftKind::LinkedWorktreeMoved
                | DriftKind::NamedFileListed
        );
        let kind = match drift.kind {
            DriftKind::FalseGitDirectory => DriftKind::FalseGitDirectory,
            _ => DriftKind::SubmoduleControl,
        };
        if !is_noted {
            drifts.push(Drift { kind, ..drift });
        }
    }
    for flag in new.flags.iter().filter(|flag| !old.flags.contains(flag)) {
        drifts.push(hidden(flag, DriftKind::SubmoduleControl));
    }
    // The refs of build output come and go as its files do.
    if new.broken.is_some() || old.broken.is_some() || is_scratch(new) {
        return drifts;
    }
    let own = old.refs.head.as_ref();
    drifts.extend(refs_of(&old.refs, &new.refs, past).into_iter().filter_map(|drift| {
        let kind = match drift.kind {
            DriftKind::TagOnKnownHistory | DriftKind::ForgeRef => return None,
            // `git submodule update` detaches it; the commit is told by the submodule's own path.
            DriftKind::HeadSwitched if new.refs.head.is_none() && is_submodule(new) => return None,
            DriftKind::ReplaceRef | DriftKind::RefShadow | DriftKind::Graft => DriftKind::SubmoduleControl,
            DriftKind::BranchCreated => DriftKind::InnerCommit,
            DriftKind::BranchMoved if own == Some(&drift.subject) => DriftKind::InnerCommit,
            _ => DriftKind::InnerRef,
        };
        Some(Drift { kind, ..drift })
    }));
    drifts
}

/// A repository that appeared since arm: Git itself writes configuration, sample hooks and refs, and nothing else.
fn appeared(own: &Part, armed: &Part, new: &Part, now: &Plane) -> Vec<Drift> {
    if let Some(why) = &new.broken {
        return no_repository(new, why).into_iter().collect();
    }
    match leads(new, now) {
        Leads::LinkedWorktree => return Vec::new(),
        Leads::Elsewhere => {
            let what = Text::from("leads to ").raw(&new.git_dir);
            return vec![planted(".git".into(), what, Some(Text::from("rm ").raw(&place(new, ".git"))))];
        }
        Leads::Inside => {}
    }
    let mut drifts: Vec<Drift> = config::planted(&new.config, Origin::Created);
    let from_template = |path: &Text, seen: &Seen| {
        let name = |path: &Text| path.as_bytes().rsplit(|byte| *byte == b'/').next().map(<[u8]>::to_vec);
        // Whoever has a template of his own finds its hooks in every repository.
        armed.hooks.iter().any(|hook| name(&hook.path) == name(path) && hook.seen == *seen)
    };
    let hooks: Vec<_> = new.hooks.iter().filter(|hook| !from_template(&hook.path, &hook.seen)).cloned().collect();
    drifts.extend(hooks::compare(&[], &hooks));
    let is_own = |rule: Rule| matches!(rule, Rule::Sparse | Rule::Worktree | Rule::WorktreeHead);
    let files = new.files.iter().filter(|file| !is_own(file.rule) && !own.files.contains(file));
    let files: Vec<_> = files.filter(|file| !is_its_own_way(new, file)).cloned().collect();
    drifts.extend(compare::watched(&[], &files, new));
    for drift in &mut drifts {
        drift.kind = DriftKind::NestedRepository;
    }
    let replaced = new.refs.own.iter().filter(|name| name.0.as_bytes().starts_with(b"refs/replace/"));
    drifts.extend(replaced.map(|name| {
        let undo =
            Text::from("cd ").raw(&place(new, "")).word(" && git update-ref -d ").raw(&quoted(name.0.as_bytes()));
        planted(name.0.clone(), Text::from("an object is replaced by another"), Some(undo))
    }));
    let is_sparse = new.config.iter().any(|setting| setting.key.as_bytes() == b"core.sparsecheckout");
    if !is_sparse {
        drifts.extend(new.flags.iter().map(|flag| hidden(flag, DriftKind::NestedRepository)));
    }
    drifts
}

/// `.git` and `commondir` of a repository lead to itself, which was made sure of.
fn is_its_own_way(new: &Part, file: &super::files::Watched) -> bool {
    let dot_git = new.git_dir.as_bytes() == file.path.as_bytes();
    file.rule == Rule::Leads && (dot_git || file.path.as_bytes().ends_with(b"/.git"))
}

/// Something called `.git` that is no repository hides what is in it; in build output and packages it is common.
fn no_repository(new: &Part, why: &Text) -> Option<Drift> {
    let common = is_scratch(new) || options::built_in_dependency(inner(new).as_bytes());
    if common && !new.resembles {
        return None;
    }
    let is_directory = new.dot_git == Some(Seen::Directory);
    let kind = if is_directory { DriftKind::FalseGitDirectory } else { DriftKind::NestedRepository };
    let command = if is_directory { "rm -r " } else { "rm " };
    let undo = Some(Text::from(command).raw(&place(new, ".git")));
    Some(Drift { kind, subject: Text::from(".git"), what: Text::from("cannot be opened: ").raw(why), undo })
}

/// Where the Git directory of a new repository is.
enum Leads {
    /// In its own work tree, or where another repository here keeps those of its submodules.
    Inside,
    /// It is a further work tree of a repository here, whose own control plane is watched.
    LinkedWorktree,
    /// Anywhere else.
    Elsewhere,
}

fn leads(new: &Part, now: &Plane) -> Leads {
    let git_dir = new.git_dir.as_bytes();
    let below = |directory: &str| {
        now.parts.iter().any(|part| {
            let base = [part.git_dir.as_bytes(), directory.as_bytes()].concat();
            !part.git_dir.is_empty() && git_dir.starts_with(&base)
        })
    };
    if below("/worktrees/") {
        return Leads::LinkedWorktree;
    }
    let own = [b"/", new.prefix.as_bytes()].concat();
    let ends = |tail: &[u8]| git_dir.ends_with(&[own.as_slice(), tail].concat());
    let is_bare = new.dot_git.is_none() && (ends(b"") || below("/modules/"));
    if is_bare || (new.dot_git == Some(Seen::Directory) && ends(b"/.git")) || below("/modules/") {
        return Leads::Inside;
    }
    Leads::Elsewhere
}

fn planted(subject: Text, what: Text, undo: Option<Text>) -> Drift {
    Drift { kind: DriftKind::NestedRepository, subject, what, undo }
}

fn hidden(flag: &Text, kind: DriftKind) -> Drift {
    let undo = flags::clearing(flag);
    Drift { kind, subject: flag.clone(), what: Text::from("hidden from Git by a flag of the index"), undo }
}

/// A place in the part, as one word of a shell's command line in the root of the repository.
fn place(part: &Part, name: &str) -> Text {
    quoted(part.prefix.join(name.as_bytes()).as_bytes())
}

fn inner(part: &Part) -> crate::policy::path::RepoPath {
    part.prefix.join(b".git")
}

/// Whether the Git directory lies where Git keeps those of submodules.
fn is_submodule(part: &Part) -> bool {
    part.git_dir.as_bytes().windows(9).any(|window| window == b"/modules/")
}

fn is_scratch(part: &Part) -> bool {
    options::built_in_scratch(inner(part).as_bytes())
}

/// The drift as the repository around it sees it.
fn within(part: &Part, drift: Drift) -> Drift {
    let subject = Text::default().path(&part.prefix).word(": ").raw(&drift.subject);
    let undo = drift.undo.map(|undo| {
        if undo.as_bytes().starts_with(b"git ") {
            Text::from("cd ").raw(&quoted(part.prefix.as_bytes())).word(" && ").raw(&undo)
        } else {
            undo
        }
    });
    Drift { subject, undo, ..drift }
}
