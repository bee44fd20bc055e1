//! A temporary repository in which nothing of the surrounding system shows: no configuration, no environment, no clock.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::outcome::Outcome;
use super::run::{PATIENCE, Running, run, start};

/// The files of [`Sandbox::project`].
const PROJECT: &[(&str, &[u8])] = &[
    ("src/app.py", b"def add(a, b):\n    return a + b\n"),
    ("src/util.py", b"LIMIT = 10\n"),
    ("docs/guide.md", b"# Guide\n\nline one\nline two\nline three\n"),
    ("infra/deploy.tf", b"resource \"x\" {}\n"),
    ("config/prod.yml", b"mode: safe\n"),
    ("README.md", b"# Demo\n"),
    (".gitignore", b"build/\ndata/\n*.log\n.env\n"),
];

/// A directory that goes away with the test; the repository is its child `repo`.
pub struct Sandbox {
    base: TempDir,
    /// The work tree.
    pub root: PathBuf,
    /// Whether the test damages the trail of checks.
    damaged: AtomicBool,
}

impl Sandbox {
    /// An empty directory where the repository may be.
    pub fn empty() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// The same in a given directory, such as a file system of one's own.
    pub fn below(parent: &Path) -> Self {
        let base = tempfile::Builder::new().prefix("cordon-test-").tempdir_in(parent).unwrap();
        let root = base.path().canonicalize().unwrap().join("repo");
        fs::create_dir(root.parent().unwrap().join("home")).unwrap();
        fs::create_dir(&root).unwrap();
        Sandbox { base, root, damaged: AtomicBool::new(false) }
    }

    /// A repository without a commit.
    pub fn unborn() -> Self {
        let sandbox = Self::empty();
        sandbox.git(&["init", "-q", "-b", "main", "."]).ok();
        sandbox
    }

    /// A repository with one commit of a small project: code, documentation, infrastructure, ignore rules.
    pub fn project() -> Self {
        let sandbox = Self::unborn();
        for (path, content) in PROJECT {
            sandbox.write(path, content);
        }
        sandbox.commit("base");
        sandbox
    }

    /// A project that is armed for `src/**`.
    pub fn armed() -> Self {
        let sandbox = Self::project();
        sandbox.arm(&["--allow", "src/**"]).ok();
        sandbox
    }

    /// Says that what stands in `.stone/` at the end is not what Cordon wrote there.
    pub fn damages_the_trail(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// The directory that holds the repository, and nothing else of this machine.
    pub fn outside(&self) -> &Path {
        self.root.parent().unwrap()
    }

    /// The raw directory handle, whose end is the end of all of it.
    pub fn path(&self) -> &Path {
        self.base.path()
    }

    /// The absolute form of a path in the work tree.
    pub fn at(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(path.as_ref()))
    }

    /// Writes a file, with its directories.
    #[track_caller]
    pub fn write(&self, path: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Writes a file whose name is any bytes.
    #[track_caller]
    pub fn write_raw(&self, path: &[u8], content: impl AsRef<[u8]>) {
        self.write(OsStr::from_bytes(path), content);
    }

    /// Appends to a file.
    #[track_caller]
    pub fn append(&self, path: &str, content: impl AsRef<[u8]>) {
        let mut all = fs::read(self.at(path)).unwrap();
        all.extend_from_slice(content.as_ref());
        self.write(path, all);
    }

    /// Commits everything.
    #[track_caller]
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]).ok();
        self.git(&["commit", "-q", "-m", message]).ok();
    }

    /// A child process with a clean environment in the work tree.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("HOME", self.outside().join("home"));
        for name in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs([
            ("LC_ALL", "C.UTF-8"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_AUTHOR_NAME", "Test"),
            ("GIT_AUTHOR_EMAIL", "test@example.invalid"),
            ("GIT_AUTHOR_DATE", "2024-01-02T03:04:05Z"),
            ("GIT_COMMITTER_NAME", "Test"),
            ("GIT_COMMITTER_EMAIL", "test@example.invalid"),
            ("GIT_COMMITTER_DATE", "2024-01-02T03:04:05Z"),
        ]);
        command
    }

    /// A `git` invocation that can still be changed.
    pub fn git_command<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        let mut command = self.command(git_program());
        command.args(["-c", "protocol.file.allow=always"]).args(args);
        command
    }

    /// Runs the git under test.
    #[track_caller]
    #[must_use]
    pub fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> Outcome {
        run(self.git_command(args), b"", PATIENCE)
    }

    /// A `cordon` invocation that can still be changed.
    pub fn cordon_command<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        let mut command = self.command(cordon_program());
        command.args(args);
        command
    }

    /// Runs `cordon`; its standard output is a pipe, so it prints JSON.
    #[track_caller]
    #[must_use]
    pub fn cordon<A: AsRef<OsStr>>(&self, args: &[A]) -> Outcome {
        run(self.cordon_command(args), b"", PATIENCE).orderly()
    }

    /// Starts `cordon` and returns at once.
    #[track_caller]
    pub fn cordon_start<A: AsRef<OsStr>>(&self, args: &[A]) -> Running {
        start(self.cordon_command(args), b"")
    }

    /// `cordon arm test ...`.
    #[track_caller]
    #[must_use]
    pub fn arm(&self, args: &[&str]) -> Outcome {
        self.cordon(&[&["arm", "test"], args].concat())
    }

    /// The tree that `git add -A` and `git write-tree` make of the work tree, with an index that is thrown away; `None`
    /// where git refuses.
    pub fn written_tree(&self) -> Option<String> {
        let scratch = self.outside().join("written-index");
        let index = self.git(&["rev-parse", "--git-path", "index"]).ok().stdout;
        let index = self.at(OsStr::from_bytes(index.trim_ascii_end()));
        fs::copy(&index, &scratch).unwrap();
        // By the time of the index git knows which of its entries it may not believe.
        let written = fs::metadata(&index).unwrap().modified().unwrap();
        fs::File::options().write(true).open(&scratch).unwrap().set_modified(written).unwrap();
        let ask = |args: &[&str]| {
            let mut command = self.git_command(args);
            command.env("GIT_INDEX_FILE", &scratch);
            run(command, b"", PATIENCE)
        };
        let added = ask(&["add", "-A"]).code() == 0;
        added.then(|| String::from_utf8(ask(&["write-tree"]).ok().stdout).unwrap().trim().to_owned())
    }

    /// `cordon check`.
    #[track_caller]
    #[must_use]
    pub fn check(&self) -> Outcome {
        self.cordon(&["check"])
    }
}

/// The trail of checks that a test leaves is whole, unless the test says that it damages one: our own program verifies it,
/// and each ledger is kept where `CORDON_TEST_LEDGERS` says, for whoever verifies them all with the older `stone`.
impl Drop for Sandbox {
    fn drop(&mut self) {
        let Some(kept) = std::env::var_os("CORDON_TEST_LEDGERS") else { return };
        let is_whole = !self.damaged.load(Ordering::Relaxed) && !std::thread::panicking();
        if !is_whole || !self.at(".stone/index.jsonl").exists() {
            return;
        }
        let kept = Path::new(&kept).join(".stone/sessions");
        for entry in fs::read_dir(self.at(".stone/sessions")).into_iter().flatten().flatten() {
            let bytes = fs::read(entry.path().join("events.jsonl")).unwrap();
            fs::create_dir_all(kept.join(entry.file_name())).unwrap();
            fs::write(kept.join(entry.file_name()).join("events.jsonl"), bytes).unwrap();
        }
        // A repository that the test has broken cannot be asked, which is another code than that of a trail that is not whole.
        let verified = self.cordon(&["ledger", "verify"]);
        assert_ne!(verified.code(), 3, "{verified:?}");
    }
}

/// The `cordon` under test.
pub fn cordon_program() -> OsString {
    std::env::var_os("CORDON_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_cordon").into())
}

/// The `git` that answers as the counterpart.
pub fn git_program() -> OsString {
    std::env::var_os("CORDON_TEST_GIT").unwrap_or_else(|| "git".into())
}

/// Whether this test may do what only root can; says so when it may not, and fails when all tests were asked for.
pub fn privileged() -> bool {
    let root = rustix::process::geteuid().is_root();
    assert!(
        root || std::env::var_os("CORDON_TEST_ALL").is_none(),
        "this test needs root, and all tests were asked for"
    );
    if !root {
        eprintln!("skipped: only root can prepare this");
    }
    root
}
