//! Agents that are shell scripts, and the question whether anybody of them is left.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::outcome::Outcome;
use crate::common::run::{Running, run, start};
use crate::common::sandbox::{Sandbox, cordon_program};

/// An agent that edits a file inside of the envelope.
pub const EDIT: &str = "echo 'X = 1' >> src/app.py";

/// Far more than an attempt takes when it works, on a machine that has much else to do.
pub const LONG: Duration = Duration::from_secs(120);

/// Calls a test as often as the environment asks for.
pub fn repeat(test: impl Fn()) {
    let times = std::env::var("CORDON_TEST_REPEAT").map_or(1, |times| times.parse().unwrap());
    (0..times).for_each(|_| test());
}

/// The arguments of a run whose agent is this script.
pub fn arguments<'a>(more: &[&'a str], script: &'a str) -> Vec<&'a str> {
    let mut all = vec!["run", "do it", "--allow", "src/**"];
    all.extend(more);
    all.extend(["--", "sh", "-c", script]);
    all
}

/// Runs a script as an agent; afterwards nobody of it may be left.
#[track_caller]
pub fn attempt(sandbox: &Sandbox, more: &[&str], script: &str) -> Outcome {
    let outcome = run(sandbox.cordon_command(&arguments(more, script)), b"", LONG);
    assert!(!outcome.text().contains("panicked at"), "{outcome:?}");
    assert_eq!(processes(sandbox), Vec::<String>::new(), "somebody is left after {outcome:?}");
    outcome
}

/// Starts a run whose agent is this script and returns once the agent has made a file.
///
/// The signals do what they do by default, also where the tests themselves run under `nohup` or in the background of a
/// shell: what Cordon was started to ignore it goes on to ignore.
#[track_caller]
pub fn started(sandbox: &Sandbox, more: &[&str], script: &str) -> Running {
    let mut command = sandbox.command("env");
    command.arg("--default-signal=INT,TERM,HUP,QUIT").arg(cordon_program()).args(arguments(more, script));
    let running = start(command, b"");
    wait_until("the agent is up", || sandbox.at("build/up").exists());
    running
}

/// Waits until something is so.
#[track_caller]
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let give_up = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < give_up, "waited in vain until {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Every process that belongs to a sandbox: it carries the sandbox in its environment or works in it.
pub fn processes(sandbox: &Sandbox) -> Vec<String> {
    let base = sandbox.outside().as_os_str().as_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let stat = fs::read(process.join("stat")).unwrap_or_default();
        let state = stat.iter().rposition(|byte| *byte == b')').and_then(|end| stat.get(end + 2));
        if matches!(state, None | Some(b'Z' | b'X')) {
            continue;
        }
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let works_in_it =
            fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.as_os_str().as_bytes().starts_with(base));
        if works_in_it || environment.windows(base.len()).any(|window| window == base) {
            found.push(String::from_utf8_lossy(&stat).into_owned());
        }
    }
    found
}

/// The phase that `status` tells.
#[track_caller]
pub fn phase(sandbox: &Sandbox) -> String {
    sandbox.cordon(&["status"]).ok().json()["phase"].as_str().unwrap().to_owned()
}

/// Copies the program under test. A child does it: a file that this process had open for writing cannot be started while
/// another thread's child holds it open still.
#[track_caller]
pub fn copy_program(to: &Path) {
    let copied = Command::new("cp").arg(cordon_program()).arg(to).status().unwrap();
    assert!(copied.success());
}
