//! A repository in a temporary directory, and a git that knows no configuration but the repository's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cordon::git::attributes::{FrozenAttributes, Source, Sources};
use cordon::git::content::{Conversion, LineEndings};
use cordon::git::lines::{self, Drivers, Lines, Side};
use cordon::git::objects::Objects;
use cordon::policy::path::RepoPath;
use gix::ObjectId;

/// Every git on the search path, at least one.
pub fn gits() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").expect("a search path");
    let mut found: Vec<PathBuf> =
        std::env::split_paths(&path).map(|dir| dir.join("git")).filter(|git| git.is_file()).collect();
    found.dedup();
    assert!(!found.is_empty(), "git is not installed");
    found
}

/// A repository and the git that works on it.
pub struct Sandbox {
    git: PathBuf,
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new(git: &Path, format: &str) -> Self {
        let sandbox = Sandbox { git: git.to_owned(), dir: tempfile::tempdir().expect("a directory") };
        sandbox.git(&["init", "-q", "--object-format", format, "-b", "main"]);
        for (key, value) in [("user.name", "T"), ("user.email", "t@example.org"), ("core.safecrlf", "false")] {
            sandbox.git(&["config", key, value]);
        }
        sandbox
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn git(&self, arguments: &[&str]) -> Vec<u8> {
        self.git_with(arguments, b"")
    }

    pub fn git_with(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        fs::create_dir_all(self.root()).expect("a directory");
        let mut command = Command::new(&self.git);
        for (key, _) in std::env::vars_os().filter(|(key, _)| key.as_bytes().starts_with(b"GIT_")) {
            command.env_remove(key);
        }
        command
            .args(arguments)
            .current_dir(self.root())
            .env("HOME", self.dir.path())
            .env("XDG_CONFIG_HOME", self.dir.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1");
        let file = self.dir.path().join("stdin");
        fs::write(&file, input).expect("a file");
        let output =
            command.stdin(fs::File::open(&file).expect("a file")).stderr(Stdio::piped()).output().expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    pub fn repo(&self) -> gix::Repository {
        gix::open_opts(self.root(), gix::open::Options::isolated()).expect("a repository")
    }

    pub fn write(&self, path: &str, content: &[u8]) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        self.remove(path);
        fs::write(file, content).expect("a file");
    }

    pub fn link(&self, path: &str, target: &[u8]) {
        self.remove(path);
        symlink(std::ffi::OsStr::from_bytes(target), self.root().join(path)).expect("a link");
    }

    pub fn remove(&self, path: &str) {
        let file = self.root().join(path);
        match fs::symlink_metadata(&file) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(file).expect("removable"),
            Ok(_) => fs::remove_file(file).expect("removable"),
            Err(_) => {}
        }
    }

    pub fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(mode)).expect("a file");
    }

    pub fn commit(&self) {
        self.git(&["add", "-A", "."]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "c"]);
    }

    /// Stages `files` with their content as it is, whatever the attributes say.
    pub fn stage_raw(&self, files: &[(String, Vec<u8>)]) {
        let (repo, mut info) = (self.repo(), Vec::new());
        for (path, content) in files {
            let id = repo.write_blob(content).expect("written");
            info.extend_from_slice(format!("100644 {id}\t{path}\n").as_bytes());
        }
        self.git_with(&["update-index", "--add", "--index-info"], &info);
    }

    fn config(&self, key: &str) -> Option<Vec<u8>> {
        let list = self.git(&["config", "--list", "-z"]);
        list.split(|byte| *byte == 0)
            .filter_map(|entry| entry.strip_prefix(format!("{key}\n").as_bytes()))
            .next_back()
            .map(<[u8]>::to_vec)
    }

    pub fn endings(&self) -> LineEndings {
        LineEndings::from_config(self.config("core.autocrlf").as_deref(), self.config("core.eol").as_deref())
    }

    pub fn attributes(&self, commit: &str) -> FrozenAttributes {
        let list = self.git(&["ls-tree", "-r", "-z", commit]);
        let files = list.split(|byte| *byte == 0).filter_map(|entry| {
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            let (head, path) = (std::str::from_utf8(&entry[..tab]).expect("text"), RepoPath::new(&entry[tab + 1..]));
            let columns: Vec<&str> = head.split(' ').collect();
            (path.name() == b".gitattributes" && columns[0].starts_with("100"))
                .then(|| (path, columns[2].parse().expect("an id")))
        });
        let source =
            |path: PathBuf| fs::read(&path).ok().map(|bytes| Source { label: path.display().to_string(), bytes });
        let sources = Sources {
            global: source(self.dir.path().join("git/attributes")).into_iter().collect(),
            info: source(self.root().join(".git/info/attributes")),
        };
        FrozenAttributes::new(Objects::of(&self.repo()), files, &sources, false).expect("attributes")
    }

    /// Writes the file that Git takes for the user's own attributes.
    pub fn global_attributes(&self, content: &[u8]) {
        fs::create_dir_all(self.dir.path().join("git")).expect("a directory");
        fs::write(self.dir.path().join("git/attributes"), content).expect("a file");
    }

    pub fn info_attributes(&self, content: &[u8]) {
        fs::create_dir_all(self.root().join(".git/info")).expect("a directory");
        fs::write(self.root().join(".git/info/attributes"), content).expect("a file");
    }

    /// What `git diff --numstat` says about the work tree.
    pub fn numstat(&self, base: &str) -> BTreeMap<RepoPath, Lines> {
        let output = self.git(&["diff", "--no-ext-diff", "--no-renames", "--numstat", "-z", base]);
        let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        records
            .map(|record| {
                let columns: Vec<&[u8]> = record.splitn(3, |byte| *byte == b'\t').collect();
                let number = |text: &[u8]| std::str::from_utf8(text).expect("text").parse().expect("a number");
                let lines = if columns[0] == b"-" {
                    Lines { binary: true, ..Lines::default() }
                } else {
                    Lines { added: number(columns[0]), deleted: number(columns[1]), binary: false }
                };
                (RepoPath::new(columns[2]), lines)
            })
            .collect()
    }

    /// Our counts for every path that git calls changed, and what `hash-object` says about each file on disk.
    pub fn ours(&self, base: &str, attributes: &mut FrozenAttributes, drivers: &Drivers) -> BTreeMap<RepoPath, Lines> {
        let raw = self.git(&["diff", "--no-ext-diff", "--no-renames", "--raw", "--abbrev=64", "-z", base]);
        let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let (repo, endings) = (self.repo(), self.endings());
        let mut counts = BTreeMap::new();
        while let Some(field) = fields.next() {
            let columns: Vec<&str> = std::str::from_utf8(&field[1..]).expect("text").split(' ').collect();
            let path = RepoPath::new(fields.next().expect("a path"));
            let old = baseline(&repo, columns[0], columns[2]);
            let new = self.on_disk(&repo, columns[1], &path, attributes, endings);
            let lines = lines::count(old.side(), new.side(), &attributes.at(&path).expect("attributes").diff, drivers);
            // Git leaves out a file that is only stat-dirty, but prints a submodule with changes of its own.
            if lines != Lines::default() || columns[0] != columns[1] || columns[0] == "160000" {
                counts.insert(path, lines);
            }
        }
        counts
    }

    fn on_disk(
        &self,
        repo: &gix::Repository,
        mode: &str,
        path: &RepoPath,
        attributes: &mut FrozenAttributes,
        endings: LineEndings,
    ) -> Content {
        let file = self.root().join(std::ffi::OsString::from_vec(path.as_bytes().to_vec()));
        match mode {
            "000000" => Content::Absent,
            "120000" => Content::Link(fs::read_link(file).expect("a link").into_os_string().into_vec()),
            "160000" => {
                let head = gix::open_opts(&file, gix::open::Options::isolated()).expect("a repository");
                Content::Gitlink(head.head_id().expect("a commit").detach())
            }
            _ => {
                let raw = fs::read(file).expect("a file");
                let found = attributes.at(path).expect("attributes");
                let conversion = Conversion::new(&found, endings);
                Content::File(
                    conversion.to_git(&raw, &mut || Ok(staged(repo, path))).expect("content").bytes.into_owned(),
                )
            }
        }
    }
}

/// The baseline's side of a change.
fn baseline(repo: &gix::Repository, mode: &str, id: &str) -> Content {
    if mode == "000000" {
        return Content::Absent;
    }
    let id: ObjectId = id.parse().expect("an id");
    let bytes = |id: &ObjectId| cordon::git::blob::read(&repo.objects, id).expect("a blob");
    match mode {
        "120000" => Content::Link(bytes(&id)),
        "160000" => Content::Gitlink(id),
        _ => Content::File(bytes(&id)),
    }
}

/// The blob that the index holds for `path`.
fn staged(repo: &gix::Repository, path: &RepoPath) -> Option<Vec<u8>> {
    let index = repo.index_or_empty().expect("an index");
    let entry = index.entry_by_path(path.as_bytes().into())?;
    Some(repo.find_blob(entry.id).expect("a blob").take_data())
}

/// One side of a change with what it owns.
enum Content {
    Absent,
    File(Vec<u8>),
    Link(Vec<u8>),
    Gitlink(ObjectId),
}

impl Content {
    fn side(&self) -> Side<'_> {
        match self {
            Content::Absent => Side::Absent,
            Content::File(bytes) => Side::File(bytes),
            Content::Link(text) => Side::Link(text),
            Content::Gitlink(id) => Side::Gitlink(id),
        }
    }
}
