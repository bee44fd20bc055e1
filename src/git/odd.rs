//! What is odd about ignored entries that are not as they were at arm: files that steer verifiers, links that lead away,
//! files that have another name elsewhere.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;

use super::marks;
use super::outside;
use super::reader::Reader;
use super::steers::Steers;
use super::today::Today;
use crate::audit::ignored::IgnoredKind;
use crate::audit::links::Escape;
use crate::audit::odd::Oddity;
use crate::error::Result;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;
use crate::snapshot::entry::{Entry, Kind, Snapshot};

/// Answers for the ignored entries of one checkout.
pub struct Odd<'a> {
    today: &'a Today<'a>,
    now: &'a Snapshot,
    steers: Steers<'a>,
    /// How many names the inodes of new files have in the work tree.
    names: HashMap<(u64, u64), usize>,
}

impl<'a> Odd<'a> {
    /// For the entries of `ignored`.
    pub fn new(today: &'a Today<'a>, now: &'a Snapshot, ignored: &[(RepoPath, IgnoredKind)]) -> Self {
        let mut odd = Odd { today, now, steers: Steers::new(today, now), names: HashMap::new() };
        let shared = ignored.iter().filter_map(|(path, _)| odd.new_inode(path)).filter(|entry| entry.stat.links > 1);
        let inodes: HashSet<(u64, u64)> = shared.map(marks::inode).collect();
        if !inodes.is_empty() {
            odd.names = marks::names(now, &inodes).into_iter().map(|(inode, names)| (inode, names.len())).collect();
        }
        odd
    }

    /// What is odd about the entry at `path`.
    pub fn of(&mut self, reader: &mut Reader, path: &RepoPath, kind: IgnoredKind) -> Result<Vec<Oddity>> {
        if kind == IgnoredKind::Deleted {
            return Ok(Vec::new());
        }
        let steers = self.steers.of(path)?.map(Oddity::Steers);
        let leads = self.leads(reader, path)?;
        let has_more = |entry: &&Entry| {
            let links = usize::try_from(entry.stat.links).unwrap_or(usize::MAX);
            links > 1 && self.names.get(&marks::inode(entry)).is_none_or(|seen| *seen < links)
        };
        let shared = self.new_inode(path).filter(has_more).map(|_| Oddity::Shared);
        Ok([steers, leads, shared].into_iter().flatten().collect())
    }

    /// A link that leads away. In the place where it is, an absolute path of the repository leads nowhere else; nobody will
    /// have an ignored link in another clone.
    fn leads(&self, reader: &mut Reader, path: &RepoPath) -> Result<Option<Oddity>> {
        let prefix = &self.today.frozen.prefix;
        let Some(target) = outside::link_text(reader, prefix, self.now, path.as_bytes())? else { return Ok(None) };
        let to = match self.below_the_root(&target) {
            Some(inside) => outside::escape(reader, prefix, self.now, &RepoPath::from(&b"link"[..]), inside)?,
            None => outside::escape(reader, prefix, self.now, path, &target)?,
        };
        let leads = |to: Escape| Oddity::Leads { to, target: Text::from_bytes(target) };
        Ok(to.map(leads))
    }

    /// The rest of an absolute target that begins with the root of the whole work tree.
    fn below_the_root<'t>(&self, target: &'t [u8]) -> Option<&'t [u8]> {
        let root = self.today.repository.location.root.as_os_str().as_bytes();
        let prefix = self.today.frozen.prefix.as_bytes();
        let root = root.strip_suffix(prefix).map_or(root, |root| root.strip_suffix(b"/").unwrap_or(root));
        target.strip_prefix(root)?.strip_prefix(b"/")
    }

    /// The file at `path`, where no file with its inode was at arm.
    fn new_inode(&self, path: &RepoPath) -> Option<&'a Entry> {
        let now = self.now.entry(path.as_bytes()).filter(|entry| entry.stat.kind == Kind::File)?;
        let same = self.today.entry_at_arm(path.as_bytes()).is_some_and(|old| marks::inode(old) == marks::inode(now));
        (!same).then_some(now)
    }
}
