//! Sessions that are there: found by their id or as the latest, verified before anything of them is told, and listed.

use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::ledger::index::{Index, Row};
use crate::ledger::record::Ledger;
use crate::ledger::store::{EVENTS, Store};
use crate::ledger::verify::{Broken, opening};
use crate::policy::escape::plain;
use crate::policy::text::Text;

/// The name of the session that began last.
const LATEST: &str = "latest";

/// The receipt of an authority, beside a ledger.
pub const RECEIPT: &str = "receipt.json";

/// A session whose ledger was read.
#[derive(Debug)]
pub struct Found {
    /// The session.
    pub id: String,
    /// The ledger, if it is intact.
    pub ledger: std::result::Result<Ledger, Broken>,
    /// The bytes that the ledger was read from.
    pub bytes: Vec<u8>,
    /// Whether a receipt stands beside it.
    pub has_receipt: bool,
}

/// One line of the list of sessions.
#[derive(Debug)]
pub struct Listed {
    /// What the index says.
    pub row: Row,
    /// Who says to have run it, if its ledger tells.
    pub actor: Option<Text>,
}

/// The sessions of a workspace.
#[derive(Debug, Default)]
pub struct List {
    /// Each session, the one that began last first.
    pub sessions: Vec<Listed>,
    /// The lines of the index that name none, from 1.
    pub broken: Vec<usize>,
}

/// The session that is called `name`, an id or `latest`, in the workspace `root`.
pub fn find(root: &Path, name: &str) -> Result<Found> {
    let none = || Error::new(Kind::Ledger, "no session is recorded in this workspace").hint("stone run records one.");
    let store = Store::open(root)?.ok_or_else(none)?;
    let id = if name == LATEST { store.index()?.latest().ok_or_else(none)?.id.clone() } else { name.to_owned() };
    let missing = || {
        Error::new(Kind::Ledger, format!("there is no ledger of a session {}", plain(id.as_bytes())))
            .hint("stone list names the sessions of this workspace.")
    };
    let (bytes, ledger) = store.ledger(&id)?.ok_or_else(missing)?;
    let has_receipt = matches!(store.file(&id, RECEIPT), Ok(Some(_)));
    Ok(Found { id, ledger, bytes, has_receipt })
}

/// The sessions of the workspace `root`.
pub fn list(root: &Path) -> Result<List> {
    let Some(store) = Store::open(root)? else { return Ok(List::default()) };
    let index: Index = store.index()?;
    let actor = |row: &Row| {
        let bytes = store.file(&row.id, EVENTS).ok()??;
        opening(&bytes).map(|started| started.actor)
    };
    let sessions = index.newest_first().into_iter().map(|row| Listed { actor: actor(row), row: row.clone() }).collect();
    Ok(List { sessions, broken: index.broken })
}
