//! What `packed-refs` says that tags peel to, held against the objects: Git believes these lines.

use gix::ObjectId;

use super::super::open::Repository;
use super::past::History;
use crate::audit::evidence::{Drift, DriftKind};
use crate::error::Result;
use crate::policy::text::Text;

/// The lines that lie.
pub fn lies(repository: &Repository, history: &History<'_>) -> Result<Vec<Drift>> {
    let refs = repository.refs()?;
    let mut drifts = Vec::new();
    for line in &refs.peeled {
        let is = ObjectId::from_hex(&line.packed).ok().and_then(|id| history.peel(id));
        let Some(is) = is.filter(|is| Some(*is) != ObjectId::from_hex(&line.to).ok()) else { continue };
        let what = Text::from("packed-refs says that it peels to ").raw(&Text::from_bytes(line.to.clone()));
        drifts.push(Drift {
            kind: DriftKind::RefShadow,
            subject: Text::from_bytes(line.name.clone()),
            what: what.word(", and it peels to ").word(is.to_string()),
            undo: None,
        });
    }
    Ok(drifts)
}
