//! The trail of checks in `.stone/`, read without trust: one session with all that stands beside its ledger, and the chain
//! that ties each check to the one before.

use std::path::Path;

use super::audit_file::{AUDIT, Audit, STATEMENT, sha256};
use super::recording::exit_code;
use super::store;
use crate::error::{Error, Kind, Result};
use crate::git::locate;
use crate::json;
use crate::ledger::index::{Index, Row};
use crate::ledger::record::Ledger;
use crate::ledger::store::{EVENTS, Store};
use crate::ledger::verify::opening;
use crate::policy::escape::plain;
use crate::policy::text::Text;

/// The name of the session that began last.
const LATEST: &str = "latest";

/// What is wrong with a trail: where first, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The session; `None` for the index.
    pub session: Option<String>,
    /// The record of its ledger, from 1.
    pub record: Option<usize>,
    /// Why, in words that are safe to show.
    pub reason: String,
}

/// A session that is whole.
#[derive(Debug)]
pub struct Whole {
    /// Its ledger.
    pub ledger: Ledger,
    /// The verdict beside it; sessions of `stone` have none.
    pub audit: Option<Audit>,
    /// The statement beside it.
    pub statement: Option<Vec<u8>>,
}

/// One line of the list of sessions.
#[derive(Debug)]
pub struct Listed {
    /// What the index says.
    pub row: Row,
    /// Who says to have run it, if its ledger tells.
    pub actor: Option<Text>,
    /// What its verdict says, if there is one.
    pub passed: Option<bool>,
}

/// The trail of one work tree.
pub struct Trail {
    /// Where the sessions are.
    pub store: Store,
    index: Index,
    last: Option<String>,
}

impl Trail {
    /// The trail of the work tree that holds `start`.
    pub fn open(start: &Path) -> Result<Trail> {
        let root = locate::locate(start)?.root;
        let none = || Error::refused("no check is recorded here").hint("cordon check leaves a record.");
        let store = Store::open(&root)?.ok_or_else(none)?;
        let index = store.index()?;
        let last = store::Store::at(&root).last_verdict().and_then(|verdict| verdict.session);
        Ok(Trail { store, index, last })
    }

    /// The id of the session called `name`, an id or `latest`.
    pub fn resolve(&self, name: &str) -> Result<String> {
        let none = || Error::refused("no check is recorded here").hint("cordon check leaves a record.");
        if name == LATEST {
            return Ok(self.index.latest().ok_or_else(none)?.id.clone());
        }
        let known = self.index.rows.iter().any(|row| row.id == name);
        let missing = || {
            Error::new(Kind::Usage, format!("there is no session {}", plain(name.as_bytes())))
                .hint("cordon ledger list names the sessions of this repository.")
        };
        if known { Ok(name.to_owned()) } else { Err(missing()) }
    }

    /// Each session, the one that began last first, and the lines of the index that name none.
    pub fn list(&self) -> (Vec<Listed>, &[usize]) {
        let listed = |row: &Row| {
            let read = |name| self.store.file(&row.id, name).ok().flatten();
            let actor = read(EVENTS).and_then(|bytes| opening(&bytes)).map(|started| started.actor);
            let audit = read(AUDIT).and_then(|bytes| serde_json::from_slice::<Audit>(&bytes).ok());
            Listed { row: row.clone(), actor, passed: audit.map(|audit| audit.verdict.passed) }
        };
        (self.index.newest_first().into_iter().map(listed).collect(), &self.index.broken)
    }

    /// Reads a session and all that is bound to it.
    pub fn whole(&self, id: &str) -> Result<Whole, Fault> {
        let fault = |reason: String| Fault { session: Some(id.to_owned()), record: None, reason };
        let unreadable = |error: Error| fault(error.message);
        let (bytes, read) =
            self.store.ledger(id).map_err(unreadable)?.ok_or_else(|| fault("its ledger is missing".into()))?;
        let ledger = read.map_err(|broken| Fault {
            session: Some(id.to_owned()),
            record: Some(broken.record),
            reason: broken.to_string(),
        })?;
        let rows: Vec<&Row> = self.index.rows.iter().filter(|row| row.id == id).collect();
        match rows[..] {
            [row] if *row == Row::of(&ledger) => {}
            [_] => return Err(fault("the index says something else of it than its ledger".into())),
            _ => return Err(fault(format!("the index names it {} times", rows.len()))),
        }
        let statement = self.store.file(id, STATEMENT).map_err(unreadable)?;
        let Some(own) = self.store.file(id, AUDIT).map_err(unreadable)? else {
            return match statement {
                None => Ok(Whole { ledger, audit: None, statement }),
                Some(_) => Err(fault(format!("its {AUDIT} is missing"))),
            };
        };
        let audit = bound(id, &own, &ledger, &bytes).map_err(fault)?;
        let expected = audit.statement(&own, &ledger, &bytes);
        if statement.as_ref() != Some(&expected) {
            return Err(fault(format!(
                "its {STATEMENT} is missing or does not follow from its verdict and its ledger"
            )));
        }
        Ok(Whole { ledger, audit: Some(audit), statement })
    }

    /// Verifies every session and the chain of checks, in the order in which they were written. Gives back how many there
    /// are.
    pub fn verify(&self) -> Result<usize, Fault> {
        if let Some(line) = self.index.broken.first() {
            return Err(Fault {
                session: None,
                record: None,
                reason: format!("line {line} of the index names no session"),
            });
        }
        let mut before: Option<(String, String)> = None;
        for row in &self.index.rows {
            let whole = self.whole(&row.id)?;
            let Some(audit) = whole.audit else { continue };
            let previous = audit.previous.as_ref().map(|previous| (previous.session.clone(), previous.sha256.clone()));
            if previous != before {
                return Err(Fault {
                    session: Some(row.id.clone()),
                    record: None,
                    reason: broken_chain(previous, before),
                });
            }
            before = Some((row.id.clone(), sha256(&json::pretty(&audit))));
        }
        match self.last.as_ref().filter(|last| !self.index.rows.iter().any(|row| row.id == **last)) {
            None => Ok(self.index.rows.len()),
            Some(last) => Err(Fault {
                session: Some(plain(last.as_bytes())),
                record: None,
                reason: "it holds the last check, and it is missing".into(),
            }),
        }
    }
}

fn broken_chain(named: Option<(String, String)>, before: Option<(String, String)>) -> String {
    let told = |session: Option<(String, String)>| {
        session.map_or_else(|| "no check".to_owned(), |(id, _)| plain(id.as_bytes()))
    };
    let (named, before) = (told(named), told(before));
    if named == before {
        return format!("the verdict of {named}, the check before, was changed");
    }
    format!("it follows {named}, and {before} stands before it: a check was removed, copied or moved")
}

/// The verdict beside a ledger, if the two belong together.
fn bound(id: &str, own: &[u8], ledger: &Ledger, bytes: &[u8]) -> Result<Audit, String> {
    let malformed = || format!("its {AUDIT} does not have the form that Cordon writes");
    let audit: Audit = serde_json::from_slice(own).map_err(|_| malformed())?;
    if json::pretty(&audit) != own {
        return Err(malformed());
    }
    if audit.session != id || audit.verdict.session.as_deref() != Some(id) {
        return Err(format!("its {AUDIT} belongs to another session"));
    }
    if audit.ledger_sha256 != sha256(bytes) {
        return Err(format!("its {AUDIT} belongs to another ledger"));
    }
    if ledger.finished.exit_code != exit_code(&audit.verdict, audit.agent.as_ref()) {
        return Err("its verdict and its ledger say otherwise how it ended".to_owned());
    }
    Ok(audit)
}
