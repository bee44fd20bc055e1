//! A directory of its own for each test, and both programs as a user starts them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

#[path = "../shared/counterpart.rs"]
mod shared;

pub use shared::older_stone as counterpart;

/// How long a command may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command said and how it ended.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

/// A workspace that goes away with the test.
pub struct Space {
    _base: TempDir,
    pub root: PathBuf,
}

impl Space {
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    pub fn below(parent: &Path) -> Self {
        let base = tempfile::Builder::new().prefix("stone-test-").tempdir_in(parent).unwrap();
        let root = base.path().canonicalize().unwrap().join("space");
        fs::create_dir(&root).unwrap();
        Space { _base: base, root }
    }

    pub fn at(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root.join(Path::new(path.as_ref()))
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn command<A: AsRef<OsStr>>(&self, program: &OsStr, args: &[A]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root).env("LC_ALL", "C.UTF-8").env_remove("PYTHONPATH");
        command
    }

    /// A `stone` invocation of ours that can still be changed.
    pub fn ours_command<A: AsRef<OsStr>>(&self, args: &[A]) -> Command {
        self.command(&ours(), args)
    }

    /// Runs our `stone`.
    #[track_caller]
    pub fn stone<A: AsRef<OsStr>>(&self, args: &[A]) -> Outcome {
        run(self.ours_command(args))
    }

    /// Runs `sh -c SCRIPT` under our `stone`.
    #[track_caller]
    pub fn observe(&self, script: &str) -> Outcome {
        self.stone(&["run", "--", "sh", "-c", script])
    }

    /// Runs the older `stone`.
    #[track_caller]
    pub fn real<A: AsRef<OsStr>>(&self, real: &OsStr, args: &[A]) -> Outcome {
        run(self.command(real, args))
    }

    /// The ids of the sessions, in their order.
    pub fn sessions(&self) -> Vec<String> {
        let entries = fs::read_dir(self.at(".stone/sessions")).into_iter().flatten();
        let mut ids: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        ids.sort();
        ids
    }

    /// The file of a session.
    pub fn file(&self, id: &str, name: &str) -> PathBuf {
        self.at(".stone/sessions").join(id).join(name)
    }

    /// The records of the last session.
    #[track_caller]
    pub fn records(&self) -> Vec<Value> {
        let id = self.sessions().pop().expect("there is a session");
        let text = fs::read_to_string(self.file(&id, "events.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The events of the last session without what differs from run to run.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let mut records = self.records();
        records.remove(0);
        records.pop();
        for record in &mut records {
            let fields = record.as_object_mut().unwrap();
            fields.remove("ts");
            fields.remove("prev");
        }
        records
    }

    /// The events of the last session: type and paths.
    #[track_caller]
    pub fn told(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().trim_start_matches("file.").to_owned();
        let told = |event: &Value| {
            let from = event.get("path_before").map_or_else(String::new, |path| format!("{} > ", text(path)));
            format!("{} {from}{}", text(&event["type"]), text(&event["path"]))
        };
        self.events().iter().map(told).collect()
    }

    /// The last record of the last session: outcome and exit code.
    #[track_caller]
    pub fn end(&self) -> (String, i64) {
        let records = self.records();
        let last = records.last().unwrap();
        (last["outcome"].as_str().unwrap().to_owned(), last["exit_code"].as_i64().unwrap())
    }
}

/// Every whole session of a test is kept where `CORDON_TEST_LEDGERS` says, for whoever verifies them all with the older
/// program.
impl Drop for Space {
    fn drop(&mut self) {
        let Some(kept) = std::env::var_os("CORDON_TEST_LEDGERS") else { return };
        let kept = Path::new(&kept).join(".stone/sessions");
        for id in self.sessions() {
            let path = self.file(&id, "events.jsonl");
            // What a test has broken or replaced is no ledger of ours any more.
            let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
            let Some(bytes) = is_file.then(|| fs::read(&path).unwrap()) else { continue };
            if cordon::ledger::verify::verify(&bytes, Some(&id)).is_ok() {
                fs::create_dir_all(kept.join(&id)).unwrap();
                fs::write(kept.join(&id).join("events.jsonl"), bytes).unwrap();
            }
        }
    }
}

/// The `stone` under test.
pub fn ours() -> OsString {
    let neighbour = std::env::var_os("CORDON_BIN").map(|cordon| Path::new(&cordon).with_file_name("stone").into());
    neighbour.unwrap_or_else(|| env!("CARGO_BIN_EXE_stone").into())
}

/// Whether this test may do what only root can; says so when it may not, and fails when all tests were asked for.
pub fn privileged() -> bool {
    let root = rustix::process::geteuid().is_root();
    assert!(root || std::env::var_os("CORDON_TEST_ALL").is_none(), "this test needs root");
    if !root {
        eprintln!("skipped: only root can prepare this");
    }
    root
}

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

#[track_caller]
pub fn run(mut command: Command) -> Outcome {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}")))
}

/// Waits for the end of a child whose output is collected.
#[track_caller]
pub fn finish(mut child: Child) -> Outcome {
    let began = Instant::now();
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().ok();
            panic!("no end after {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(1));
    };
    let code =
        std::os::unix::process::ExitStatusExt::signal(&status).map_or_else(|| status.code().unwrap(), |signal| -signal);
    Outcome { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn collect(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).ok();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Numbers that look random and are the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}
