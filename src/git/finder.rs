//! Finds entries of a snapshot by path, in the order of the index.

use crate::snapshot::entry::{Listing, Snapshot, Stat};
use crate::snapshot::open;

/// Where an entry stands in the snapshot: the listing, and the entry in it.
pub type Place = (usize, usize);

/// Finds entries by path; cheap when one path after another lies in the same directory.
pub struct Finder<'a> {
    snapshot: &'a Snapshot,
    last: Option<(usize, &'a Listing)>,
}

impl<'a> Finder<'a> {
    /// A finder in `snapshot`.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Finder { snapshot, last: None }
    }

    /// Where the entry at `path` stands, and its stat fields.
    pub fn find(&mut self, path: &[u8]) -> Option<(Place, Stat)> {
        let (directory, name) = open::split(path);
        if self.last.is_none_or(|(_, listing)| listing.path.as_bytes() != directory) {
            let at = self.snapshot.listing_position(directory)?;
            self.last = Some((at, &self.snapshot.listings()[at]));
        }
        let (at, listing) = self.last?;
        let entry = listing.position(name)?;
        Some(((at, entry), listing.entries()[entry].stat))
    }
}
