//! What CI services tell a job about the change: a table of the variables in which base, head and branch stand. Their
//! values are names and ids, never options or expressions.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::git::revision::{Named, Revisions};
use crate::policy::escape::plain;
use crate::policy::shell;

/// Where a commit or a branch can be had.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// A variable that somebody set for Cordon: whatever `--base` takes.
    Revision(&'static str),
    /// A variable with an id.
    Id(&'static str),
    /// A variable with the name of a branch.
    Branch(&'static str),
    /// A string of the event that GitHub wrote down, by its JSON pointer; an id.
    Event(&'static str),
    /// The first parent of a commit in one variable, if the ref in the other is the merge that GitHub makes.
    MergedInto(&'static str, &'static str),
    /// HEAD.
    Head,
}

/// What one service tells on one kind of event.
struct Service {
    /// Its name, for messages.
    name: &'static str,
    /// The variables by which it is known, each with its value where that matters.
    known_by: &'static [(&'static str, Option<&'static str>)],
    /// Where the base is, best first.
    base: &'static [Source],
    /// Where the head is, best first.
    head: &'static [Source],
    /// The variable with the name of the branch.
    branch: &'static str,
}

use Source::{Branch, Event, Head, Id as Commit, MergedInto, Revision};

/// The first row whose variables are set counts.
const SERVICES: &[Service] = &[
    Service {
        name: "CORDON_BASE",
        known_by: &[("CORDON_BASE", None)],
        base: &[Revision("CORDON_BASE")],
        head: &[Revision("CORDON_HEAD"), Head],
        branch: "CORDON_BRANCH",
    },
    Service {
        name: "GitHub (merge queue)",
        known_by: &[("GITHUB_EVENT_NAME", Some("merge_group"))],
        base: &[Event("/merge_group/base_sha")],
        head: &[Commit("GITHUB_SHA"), Event("/merge_group/head_sha")],
        branch: "GITHUB_REF_NAME",
    },
    // The job of this event runs on the base, so that GITHUB_SHA is not the change.
    Service {
        name: "GitHub (pull_request_target)",
        known_by: &[("GITHUB_EVENT_NAME", Some("pull_request_target"))],
        base: &[Branch("GITHUB_BASE_REF"), Event("/pull_request/base/sha")],
        head: &[Event("/pull_request/head/sha")],
        branch: "GITHUB_HEAD_REF",
    },
    Service {
        name: "GitHub (pull request)",
        known_by: &[("GITHUB_BASE_REF", None)],
        base: &[MergedInto("GITHUB_SHA", "GITHUB_REF"), Branch("GITHUB_BASE_REF"), Event("/pull_request/base/sha")],
        head: &[Commit("GITHUB_SHA"), Event("/pull_request/head/sha")],
        branch: "GITHUB_HEAD_REF",
    },
    Service {
        name: "GitHub (push)",
        known_by: &[("GITHUB_EVENT_NAME", Some("push"))],
        base: &[Event("/before")],
        head: &[Commit("GITHUB_SHA")],
        branch: "GITHUB_REF_NAME",
    },
    Service {
        name: "GitLab (merge request)",
        known_by: &[("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", None)],
        base: &[
            Commit("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"),
            Branch("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
            Commit("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        ],
        head: &[Commit("CI_COMMIT_SHA")],
        branch: "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    },
    Service {
        name: "GitLab (merge request)",
        known_by: &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", None)],
        base: &[Commit("CI_MERGE_REQUEST_DIFF_BASE_SHA")],
        head: &[Commit("CI_COMMIT_SHA")],
        branch: "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    },
    Service {
        name: "GitLab (push)",
        known_by: &[("CI_COMMIT_BEFORE_SHA", None)],
        base: &[Commit("CI_COMMIT_BEFORE_SHA")],
        head: &[Commit("CI_COMMIT_SHA")],
        branch: "CI_COMMIT_BRANCH",
    },
    Service {
        name: "Buildkite",
        known_by: &[("BUILDKITE_PULL_REQUEST_BASE_BRANCH", None)],
        base: &[Branch("BUILDKITE_PULL_REQUEST_BASE_BRANCH")],
        // Buildkite says HEAD in a build that nobody gave a commit.
        head: &[Commit("BUILDKITE_COMMIT"), Head],
        branch: "BUILDKITE_BRANCH",
    },
];

/// The environment, or what stands in for it.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The change that a CI service tells of.
pub struct Told {
    service: &'static Service,
}

impl Told {
    /// What the environment tells, if a service set it up.
    pub fn by(variables: Variables<'_>) -> Option<Told> {
        let holds = |(name, value): &(&str, Option<&str>)| match (text(variables, name), value) {
            (Some(found), Some(value)) => found == value.as_bytes(),
            (found, None) => found.is_some(),
            (None, Some(_)) => false,
        };
        let service = SERVICES.iter().find(|service| service.known_by.iter().all(holds))?;
        Some(Told { service })
    }

    /// The base.
    pub fn base(&self, variables: Variables<'_>, revisions: &mut Revisions<'_>) -> Result<Named> {
        self.first("base", self.service.base, variables, revisions)
    }

    /// The head, with its branch.
    pub fn head(&self, variables: Variables<'_>, revisions: &mut Revisions<'_>) -> Result<Named> {
        let head = self.first("head", self.service.head, variables, revisions)?;
        let branch = text(variables, self.service.branch).or(head.branch);
        Ok(Named { branch, ..head })
    }

    fn first(
        &self,
        what: &str,
        from: &[Source],
        variables: Variables<'_>,
        revisions: &mut Revisions<'_>,
    ) -> Result<Named> {
        for source in from {
            if let Some(named) = source.named(variables, revisions)? {
                return Ok(named);
            }
        }
        let tried: Vec<String> = from.iter().filter_map(|source| source.tried(variables)).collect();
        let error = Error::repository(format!(
            "the {what} that {} tells of is not here: {}",
            self.service.name,
            if tried.is_empty() { "nothing is told".to_owned() } else { tried.join(", ") }
        ));
        let branch = from.iter().find_map(|source| match source {
            Branch(name) => text(variables, name),
            _ => None,
        });
        let fetch = branch.map(|name| {
            let (from, to) =
                ([b"refs/heads/".as_slice(), &name].concat(), [b"refs/remotes/origin/".as_slice(), &name].concat());
            shell::word(&[b"+".as_slice(), &from, b":", &to].concat())
        });
        Err(match fetch {
            Some(refspec) => error.hint(format!("Fetch it: git fetch --no-tags origin {refspec}")),
            None => error.hint(format!("Fetch it with git fetch, or name it with --{what}.")),
        }
        .hint("In a CI job, have the checkout fetch the whole history (GitHub: fetch-depth: 0, GitLab: GIT_DEPTH: 0)."))
    }
}

impl Source {
    /// The commit, if it is told and here.
    fn named(self, variables: Variables<'_>, revisions: &mut Revisions<'_>) -> Result<Option<Named>> {
        let commit = match self {
            Revision(name) => return text(variables, name).map(|value| revisions.resolve(&value)).transpose(),
            Head => return revisions.head().map(Some),
            Commit(name) => text(variables, name).and_then(|value| revisions.id(&value)),
            Branch(name) => text(variables, name).and_then(|value| revisions.branch(&value)),
            Event(pointer) => event(variables, pointer)?.and_then(|value| revisions.id(value.as_bytes())),
            MergedInto(commit, name) => {
                let is_merge = text(variables, name)
                    .is_some_and(|name| name.starts_with(b"refs/pull/") && name.ends_with(b"/merge"));
                let merge = text(variables, commit).filter(|_| is_merge).and_then(|value| revisions.id(&value));
                // Only a merge has a second parent.
                merge.filter(|merge| revisions.parent(*merge, 2).is_some()).and_then(|merge| revisions.parent(merge, 1))
            }
        };
        Ok(commit.map(|commit| Named { commit, branch: None }))
    }

    /// What was tried, for a message.
    fn tried(self, variables: Variables<'_>) -> Option<String> {
        match self {
            Revision(name) | Commit(name) | Branch(name) => {
                text(variables, name).map(|value| format!("{name}={}", plain(&value)))
            }
            Event(pointer) => {
                let value = event(variables, pointer).ok().flatten()?;
                Some(format!(
                    "{} of the event, {}",
                    pointer.trim_start_matches('/').replace('/', "."),
                    plain(value.as_bytes())
                ))
            }
            MergedInto(..) | Head => None,
        }
    }
}

/// The value of a variable that says anything.
fn text(variables: Variables<'_>, name: &str) -> Option<Vec<u8>> {
    variables(name).map(|value| value.as_bytes().to_vec()).filter(|value| !value.is_empty())
}

/// A string of the event that GitHub wrote into a file.
fn event(variables: Variables<'_>, pointer: &str) -> Result<Option<String>> {
    let Some(path) = variables("GITHUB_EVENT_PATH").filter(|path| !path.is_empty()) else { return Ok(None) };
    let bytes = std::fs::read(&path)
        .map_err(|error| Error::io(format!("cannot read the event in {}", plain(path.as_bytes())), error))?;
    let event: Value = serde_json::from_slice(&bytes).map_err(|error| {
        Error::usage("the event that GITHUB_EVENT_PATH names is no JSON")
            .caused_by(error)
            .hint("Give --base and --head.")
    })?;
    Ok(event.pointer(pointer).and_then(Value::as_str).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(set: &[(&str, &str)]) -> Option<&'static str> {
        let variables =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        Told::by(&variables).map(|told| told.service.name)
    }

    #[test]
    fn a_service_is_known_by_what_it_sets_and_an_empty_value_is_none() {
        for (set, name) in [
            (&[("CORDON_BASE", "main"), ("GITHUB_BASE_REF", "main")][..], Some("CORDON_BASE")),
            (&[("GITHUB_BASE_REF", "main"), ("GITHUB_EVENT_NAME", "pull_request")], Some("GitHub (pull request)")),
            (
                &[("GITHUB_BASE_REF", "main"), ("GITHUB_EVENT_NAME", "pull_request_target")],
                Some("GitHub (pull_request_target)"),
            ),
            (&[("GITHUB_BASE_REF", ""), ("GITHUB_EVENT_NAME", "push")], Some("GitHub (push)")),
            (&[("CI_MERGE_REQUEST_DIFF_BASE_SHA", "aa")], Some("GitLab (merge request)")),
            (&[("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "")], None),
            (&[("CI", "true")], None),
        ] {
            assert_eq!(told(set), name, "{set:?}");
        }
    }
}
