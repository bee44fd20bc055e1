//! A team with a policy, and a branch that wants to be merged.

use std::path::{Path, PathBuf};

use crate::common::outcome::Outcome;
use crate::common::run::{PATIENCE, run};
use crate::common::sandbox::{Sandbox, cordon_program, git_program};

/// The policy of the team.
pub const TEAM: &str = r#"version = 1
[role.docs]
allow = ["docs/**", "*.md"]
branches = ["docs/**"]
owner = "Jane"
[role.core]
allow = ["src/**", "Cargo.lock"]
deny = ["src/secret/**"]
uncounted = ["Cargo.lock"]
branches = ["core/**"]
max_added_lines = 20
[role.ci]
allow = [".github/**", "cordon.toml", ".gitmodules", "ci/**"]
allow_protected = ["cordon.toml"]
branches = ["ci/**"]
[role.all]
allow = ["**"]
verify = ["sh ci/check.sh"]
"#;

/// A repository with the policy on `main`.
pub fn team() -> Sandbox {
    team_with(TEAM)
}

/// The same with another policy.
pub fn team_with(policy: &str) -> Sandbox {
    let sandbox = Sandbox::project();
    sandbox.write("cordon.toml", policy);
    sandbox.write("ci/check.sh", "exit 0\n");
    sandbox.commit("policy");
    sandbox
}

/// Switches to a new branch.
pub fn branch(sandbox: &Sandbox, name: &str) {
    sandbox.git(&["switch", "-q", "-c", name]).ok();
}

/// Writes a file and commits it.
pub fn change(sandbox: &Sandbox, path: &str, content: &str) {
    sandbox.write(path, content);
    sandbox.commit(path);
}

/// What git prints in one line.
pub fn line(sandbox: &Sandbox, args: &[&str]) -> String {
    String::from_utf8(sandbox.git(args).ok().stdout).unwrap().trim().to_owned()
}

/// Runs `cordon gate` with these arguments.
#[track_caller]
pub fn gate(sandbox: &Sandbox, args: &[&str]) -> Outcome {
    sandbox.cordon(&[&["gate", "--no-verify"], args].concat())
}

/// Runs `cordon` in another directory.
#[track_caller]
pub fn cordon_at(sandbox: &Sandbox, at: &Path, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(cordon_program());
    command.current_dir(at).args(args);
    run(command, b"", PATIENCE).orderly()
}

/// Runs git in another directory.
#[track_caller]
pub fn git_at(sandbox: &Sandbox, at: &Path, args: &[&str]) -> Outcome {
    let mut command = sandbox.command(git_program());
    command.current_dir(at).args(["-c", "protocol.file.allow=always"]).args(args);
    run(command, b"", PATIENCE)
}

/// A clone of the repository beside it, made with these options.
pub fn clone(sandbox: &Sandbox, name: &str, options: &[&str]) -> PathBuf {
    let (to, from) = (sandbox.outside().join(name), format!("file://{}", sandbox.root.display()));
    let args = [&["clone", "-q"], options, &[from.as_str(), to.to_str().unwrap()]].concat();
    git_at(sandbox, sandbox.outside(), &args).ok();
    to
}
