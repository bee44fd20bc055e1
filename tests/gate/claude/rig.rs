//! One attempt of the real program, started with the very command line that Cordon gives it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cordon::agent::launch::{Asked, Launch, Worker};
use cordon::agent::preset::Agent;
use cordon::agent::result::Reported;
use cordon::agent::settings::settings;

use serde_json::json;

use super::service::{Service, Turn, tool};
use crate::common::outcome::Outcome;
use crate::common::run::run;
use crate::common::sandbox::{Sandbox, cordon_program};

/// How long an attempt may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(180);

/// The real program; says so when there is none, and fails when all tests were asked for.
pub fn claude() -> Option<OsString> {
    let program = std::env::var_os("CORDON_TEST_CLAUDE").filter(|program| !program.is_empty());
    assert!(
        program.is_some() || std::env::var_os("CORDON_TEST_ALL").is_none(),
        "this test needs the real claude, named by CORDON_TEST_CLAUDE, and all tests were asked for"
    );
    if program.is_none() {
        eprintln!("skipped: CORDON_TEST_CLAUDE names no claude");
    }
    program
}

/// The command line that Cordon gives an attempt.
pub fn launch(sandbox: &Sandbox, program: &OsStr, prompt: &str, asked: &Asked) -> Launch {
    let cordon = std::fs::canonicalize(cordon_program()).unwrap();
    let settings = settings(cordon.as_os_str().as_bytes(), Some(sandbox.root.as_os_str().as_bytes())).unwrap();
    let worker = Worker::Known(Agent::Claude, Some(program.to_owned()));
    worker.launch(prompt, Path::new("unused").as_os_str(), asked, Some(&settings)).unwrap()
}

/// The command of a launch, in a clean environment that knows the service and no other.
pub fn command(sandbox: &Sandbox, service: &Service, launch: &Launch) -> Command {
    let mut command = sandbox.command(&launch.argv[0]);
    command.args(&launch.argv[1..]);
    served(command, service)
}

/// `cordon` with these arguments, whose agent will be the real program. Of `resume` the envelope knows the program.
pub fn supervised(sandbox: &Sandbox, service: &Service, program: &OsStr, args: &[&str]) -> Command {
    let mut command = sandbox.cordon_command(args);
    if args.first() == Some(&"run") {
        command.arg("--claude").arg(program);
    }
    served(command, service)
}

/// The environment that leads the program to the stand-in.
fn served(mut command: Command, service: &Service) -> Command {
    command.envs([
        ("ANTHROPIC_BASE_URL", service.url.as_str()),
        ("ANTHROPIC_API_KEY", "anything"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ]);
    command
}

/// One attempt, and what it reported.
pub fn attempt(
    sandbox: &Sandbox,
    service: &Service,
    program: &OsStr,
    prompt: &str,
    asked: &Asked,
) -> (Outcome, Reported) {
    let launch = launch(sandbox, program, prompt, asked);
    let input = if launch.on_input { prompt.as_bytes() } else { b"" };
    let outcome = run(command(sandbox, service, &launch), input, PATIENCE);
    let reported = Reported::read(Agent::Claude, &outcome.stdout);
    (outcome, reported)
}

/// Turns that read a file and then edit it.
pub fn edit(sandbox: &Sandbox, path: &str, old: &str, new: &str) -> Vec<Turn> {
    let path = sandbox.at(path);
    vec![
        tool("Read", &json!({"file_path": path})),
        tool("Edit", &json!({"file_path": path, "old_string": old, "new_string": new})),
    ]
}
