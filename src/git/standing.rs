//! What the index or a committed tree shows besides content: links that lead away, twins, names that are traps. The same
//! questions that [`super::marks`] asks of the files on disk.

use std::collections::{BTreeSet, HashMap};

use gix::bstr::BStr;
use gix::validate::path::component;

use super::baseline::within;
use super::blob;
use super::ground::Ground;
use super::objects::Objects;
use super::reader::object_id;
use super::today::Recorded;
use crate::audit::evidence::{Mode, Place};
use crate::audit::links::{self, Mark, MarkKind};
use crate::error::{Error, Result};
use crate::policy::fold;
use crate::policy::path::RepoPath;
use crate::policy::text::Text;

/// A link's text longer than this is not read. What a system makes of it ends at the first NUL, which may come soon.
const LONGEST_TARGET: u64 = 64 * 1024 * 1024;

/// The links of one checkout as its baseline, its files, its index or a commit has them.
pub trait Links {
    /// The text of the link at a path; `None` where no link is.
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>>;
}

/// The paths of one checkout as its index or a commit has them.
pub trait Tree: Links {
    /// The names in a directory.
    fn names(&mut self, directory: &[u8]) -> Result<Vec<Vec<u8>>>;
}

/// One path that is not as the baseline has it.
pub struct Standing<'a> {
    /// The path, relative to its checkout.
    pub inside: &'a RepoPath,
    /// What the baseline has there.
    pub before: Option<Recorded>,
    /// What stands there now.
    pub after: Recorded,
}

/// The marks of paths that `tree` has otherwise than the baseline. `unlinked` says that what was a link is none any more,
/// or gone: other links may lead elsewhere since.
pub fn marks<'a>(
    ground: &dyn Ground,
    place: &Place,
    tree: &mut dyn Tree,
    paths: impl Iterator<Item = Standing<'a>>,
    unlinked: bool,
) -> Result<Vec<Mark>> {
    let mut found = Vec::new();
    let mut links = unlinked;
    let mut mark = |inside: &RepoPath, kind| {
        found.push(Mark { path: ground.prefix().join(inside.as_bytes()), kind, place: place.clone() });
    };
    let mut folded: HashMap<RepoPath, HashMap<Vec<u8>, Vec<Vec<u8>>>> = HashMap::new();
    let mut looked = BTreeSet::new();
    for Standing { inside, before, after } in paths {
        if after.mode == Mode::Symlink {
            links = true;
            if let Some(kind) = link(ground, tree, inside)? {
                mark(inside, kind);
            }
        }
        if before.is_some() {
            continue;
        }
        let mut path = inside.clone();
        // The directories that came with the file have new names as well.
        while !path.is_root() && !known(ground, &path)? && looked.insert(path.clone()) {
            let (directory, name) = (path.parent(), path.name());
            if is_unsafe(name, (&path == inside).then_some(after.mode)) {
                mark(&path, MarkKind::UnsafeName(Text::from_bytes(name)));
            }
            if !folded.contains_key(&directory) {
                let mut names: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
                for name in tree.names(directory.as_bytes())? {
                    names.entry(fold::name(&name)).or_default().push(name);
                }
                folded.insert(directory.clone(), names);
            }
            let twin =
                folded[&directory].get(&fold::name(name)).and_then(|same| same.iter().find(|other| *other != name));
            if let Some(other) = twin {
                mark(&path, MarkKind::Twin(ground.prefix().join(directory.join(other).as_bytes())));
            }
            path = directory;
        }
    }
    if links {
        found.extend(led_astray(ground, place, tree)?);
    }
    Ok(found)
}

/// Links that are as the baseline has them and lead away all the same, by way of links that are new.
pub fn led_astray(ground: &dyn Ground, place: &Place, tree: &mut dyn Links) -> Result<Vec<Mark>> {
    let mut baseline = Before { ground, objects: ground.repository().objects() };
    let mut found = Vec::new();
    for path in ground.links()? {
        let inside = RepoPath::from(within(ground.prefix(), path.as_bytes()));
        if tree.link(inside.as_bytes())? != baseline.link(inside.as_bytes())? {
            continue;
        }
        if let Some(kind) = link(ground, tree, &inside)?
            && link(ground, &mut baseline, &inside)?.is_none()
        {
            found.push(Mark { path, kind, place: place.clone() });
        }
    }
    Ok(found)
}

/// The links of the baseline.
struct Before<'a> {
    ground: &'a dyn Ground,
    objects: Objects,
}

impl Links for Before<'_> {
    fn link(&mut self, inside: &[u8]) -> Result<Option<Vec<u8>>> {
        let recorded = self.ground.recorded(self.ground.prefix().join(inside).as_bytes())?;
        recorded.map_or(Ok(None), |recorded| text(&self.objects, recorded))
    }
}

/// Whether the baseline has something of this name.
fn known(ground: &dyn Ground, inside: &RepoPath) -> Result<bool> {
    ground.is_known(ground.prefix().join(inside.as_bytes()).as_bytes())
}

/// Where the link at a path leads, if it should not, also by way of other links of the same tree.
fn link(ground: &dyn Ground, tree: &mut dyn Links, inside: &RepoPath) -> Result<Option<MarkKind>> {
    let prefix = ground.prefix();
    let Some(target) = tree.link(inside.as_bytes())? else { return Ok(None) };
    let mut failure = None;
    let mut other = |at: &[u8]| {
        RepoPath::from(at).is_within(prefix.as_bytes()).then_some(())?;
        tree.link(within(prefix, at)).unwrap_or_else(|error| {
            failure = Some(error);
            None
        })
    };
    let to = links::escape(prefix.join(inside.as_bytes()).as_bytes(), &target, &mut other);
    failure.map_or(Ok(()), Err)?;
    Ok(to.map(|to| MarkKind::Link { target: Text::from_bytes(target), to }))
}

/// The text of what is recorded, if that is a link, up to where a system takes it to end: at the first NUL.
///
/// # Errors
/// Where it is too long to be read: a text of such a length is there to hide something.
pub fn text(objects: &Objects, recorded: Recorded) -> Result<Option<Vec<u8>>> {
    let id = object_id(&recorded.id);
    if recorded.mode != Mode::Symlink {
        return Ok(None);
    }
    let size = blob::stated_size(objects, &id)?;
    if size > LONGEST_TARGET {
        return Err(Error::repository(format!("the link {id} has a text of {size} bytes"))
            .hint("No system follows such a link: take it out of the change."));
    }
    let mut text = blob::read(objects, &id)?;
    text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
    Ok(Some(text))
}

/// Whether a checkout of this name would be refused by Git, or would write into a Git directory where case or certain
/// characters do not count.
pub fn is_unsafe(name: &[u8], mode: Option<Mode>) -> bool {
    let options = component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    let mode = mode.filter(|mode| *mode == Mode::Symlink).map(|_| component::Mode::Symlink);
    gix::validate::path::component(BStr::new(name), mode, options).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_file_system_takes_for_git_are_unsafe() {
        for name in [".git", ".GIT", "git~1", ".g\u{200c}it", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "..", "."] {
            assert!(is_unsafe(name.as_bytes(), None), "{name}");
        }
        for name in
            [".gitignore", "git", ".github", "git~2", "aux", "a:b", "new\nline", "\u{202e}x", ".gitmodules", "..."]
        {
            assert!(!is_unsafe(name.as_bytes(), None), "{name}");
        }
        assert!(is_unsafe(b".gitmodules", Some(Mode::Symlink)));
        assert!(!is_unsafe(b".gitmodules", Some(Mode::File)));
    }
}
