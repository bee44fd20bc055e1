//! Opens a repository as evidence: read-only, without the environment, with the settings pinned that could blind.

use std::cell::OnceCell;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use gix::objs::FindExt as _;
use gix::sec::{Permission, Trust};

use super::files::plain;
use super::kept::Contents;
use super::locate::{self, Location};
use super::objects::{Objects, Store};
use super::ref_files::{self, RefFiles};
use super::{format, index};
use crate::error::{Error, Result};
use crate::policy::text::Text;

/// Settings that decide what a reader sees, pinned to the values that hide nothing.
const PINNED: &[&str] = &[
    "core.useReplaceRefs=false",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.bigFileThreshold=512m",
    "core.commitGraph=false",
    "gitoxide.core.indexFile=index",
];

/// A repository that is open for reading.
pub struct Repository {
    /// Where its parts are.
    pub location: Location,
    /// gitoxide's view of it.
    pub gix: gix::Repository,
    /// Contents that were kept at arm because no commit has them.
    pub kept: Option<Arc<Contents>>,
    /// Stores of objects beside the repository's own, such as the quarantine of a push.
    pub stores: Vec<Store>,
    refs: OnceCell<RefFiles>,
}

/// Where HEAD stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The commit, in hex; `None` when HEAD resolves to none.
    pub commit: Option<gix::ObjectId>,
    /// The branch; `None` when HEAD is detached.
    pub branch: Option<Text>,
}

impl Repository {
    /// Opens the repository that holds `start`.
    pub fn discover(start: &Path) -> Result<Repository> {
        Self::open(locate::locate(start)?)
    }

    /// The same, also where that is a bare repository, or the inside of a Git directory.
    pub fn discover_any(start: &Path) -> Result<Repository> {
        Self::open(locate::locate_any(start)?)
    }

    /// Opens a repository whose parts are known.
    pub fn open(location: Location) -> Result<Repository> {
        let mut options = gix::open::Options::default().config_overrides(PINNED.iter().copied()).with(Trust::Reduced);
        let mut permissions = gix::open::Permissions::secure();
        permissions.env = gix::open::permissions::Environment {
            xdg_config_home: Permission::Allow,
            home: Permission::Allow,
            ..gix::open::permissions::Environment::isolated()
        };
        permissions.config.env = false;
        options = options.permissions(permissions);
        let mut gix = gix::open_opts(&location.root, options).map_err(|error| cannot_open(&location, error))?;
        format::check(gix.config_snapshot().plumbing())?;
        check_owner(&location, &gix)?;
        gix.set_workdir(location.root.clone()).map_err(|error| cannot_open(&location, error))?;
        gix.object_cache_size_if_unset(4 * 1024 * 1024);
        Ok(Repository { location, gix, kept: None, stores: Vec::new(), refs: OnceCell::new() })
    }

    /// The objects of this repository, kept contents included.
    pub fn objects(&self) -> Objects {
        Objects::of(&self.gix).with_stores(&self.stores).with_kept(self.kept.clone())
    }

    /// Where HEAD stands now.
    pub fn head(&self) -> Result<Head> {
        let head = self.gix.head().map_err(|error| {
            Error::repository("HEAD cannot be read").caused_by(error).hint("Run git fsck to see what is damaged.")
        })?;
        let branch = head.referent_name().map(|name| Text::from_bytes(name.as_bstr().to_vec()));
        let commit = match head.id() {
            None => None,
            Some(id) => Some(
                head.into_peeled_id()
                    .map_err(|error| Error::repository(format!("HEAD's commit {id} cannot be read")).caused_by(error))?
                    .detach(),
            ),
        };
        Ok(Head { commit, branch })
    }

    /// The refs, as they stood when somebody asked first.
    pub fn refs(&self) -> Result<&RefFiles> {
        if let Some(refs) = self.refs.get() {
            return Ok(refs);
        }
        let refs = ref_files::read(&self.location)?;
        Ok(self.refs.get_or_init(|| refs))
    }

    /// The tree of a commit.
    pub fn tree_of(&self, commit: gix::ObjectId) -> Result<gix::ObjectId> {
        let missing = |error: gix::Error| {
            Error::repository(format!("the commit {commit} cannot be read"))
                .caused_by(error)
                .hint("Its objects may be missing: run git fsck, or fetch them again.")
        };
        let mut buffer = Vec::new();
        let objects = self.objects();
        let found = objects.find_commit(&commit, &mut buffer).map_err(missing)?;
        Ok(found.tree())
    }

    /// Makes sure that a commit and the top of its tree are there and are what their ids say.
    pub fn require_tree(&self, commit: &str) -> Result<()> {
        let commit = gix::ObjectId::from_hex(commit.as_bytes())
            .map_err(|error| Error::state("the baseline is no commit id").caused_by(error))?;
        let tree = self.tree_of(commit)?;
        self.objects().find_tree(&tree, &mut Vec::new()).map(drop).map_err(|error| {
            Error::repository(format!("the tree {tree} of the baseline cannot be read"))
                .caused_by(error)
                .hint("Its objects may be missing: run git fsck, or fetch them again.")
        })
    }

    /// The inodes of the work tree and of its Git directory.
    pub fn inodes(&self) -> Result<(u64, u64)> {
        let inode = |path: &Path| {
            std::fs::metadata(path)
                .map(|metadata| metadata.ino())
                .map_err(|error| Error::io(format!("cannot stat {}", plain(path)), error))
        };
        Ok((inode(&self.location.root)?, inode(&self.location.git_dir)?))
    }

    /// The index as it stands now.
    pub fn index(&self) -> Result<index::Index> {
        index::read(&self.location.git_dir.join("index"), self.gix.object_hash())
    }

    /// The object format's name.
    pub fn object_format(&self) -> String {
        self.gix.object_hash().to_string()
    }

    /// The work tree that the configuration names, where it is not the one that is audited.
    pub fn other_worktree(&self) -> Option<Text> {
        let config = self.gix.config_snapshot();
        let value = config.plumbing().string("core.worktree")?;
        let named = self.location.git_dir.join(gix::path::from_bstring(value.clone()).ok()?);
        let same = std::fs::canonicalize(named).is_ok_and(|named| named == self.location.root);
        (!same).then(|| Text::from_bytes(value.to_vec()))
    }

    /// Whether there is a work tree.
    pub fn has_work_tree(&self) -> bool {
        self.location.root != self.location.git_dir && !self.is_declared_bare()
    }

    /// Whether the configuration says that there is no work tree.
    pub fn is_declared_bare(&self) -> bool {
        // A linked work tree of a bare repository shares its configuration and has a work tree all the same.
        self.location.git_dir == self.location.common_dir
            && self.gix.config_snapshot().boolean("core.bare").unwrap_or(false)
    }
}

fn cannot_open(location: &Location, error: gix::Error) -> Error {
    Error::repository(format!("the repository at {} cannot be opened", plain(&location.root)))
        .caused_by(error)
        .hint("Run git status there to see what Git says.")
}

/// Another user's repository is opened only where Git itself would: its owner decides what a check reads.
fn check_owner(location: &Location, gix: &gix::Repository) -> Result<()> {
    let others = locate::of_other_owners(location);
    match others.first() {
        Some(other) if gix.git_dir_trust() != Trust::Full => {
            let root = plain(&location.root);
            Err(Error::repository(format!("{} belongs to another user", plain(other)))
                .hint(format!("If you trust it: git config --global --add safe.directory '{root}'")))
        }
        _ => Ok(()),
    }
}
