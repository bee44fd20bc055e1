//! Files that claim any size: a verdict that their size alone decides does not wait for their last byte, and a check that has
//! to read them can be ended.

use std::fs::{File, OpenOptions};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::run::{PATIENCE, start};
use crate::common::sandbox::{Sandbox, cordon_program};

/// More than can be read in a day; ext4 has no larger files.
const HUGE: u64 = 15 << 40;

/// A little more than the largest text.
const LARGE: u64 = (512 << 20) + 1;

fn grow(sandbox: &Sandbox, path: &str, size: u64) {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(sandbox.at(path)).unwrap();
    file.set_len(size).unwrap();
}

#[test]
fn a_file_whose_size_alone_breaks_the_budget_is_not_read() {
    for (path, before) in [
        ("src/new.bin", &[][..]),
        ("src/app.py", &[]),
        ("src/app.py", &["git", "rm", "-q", "--cached", "src/app.py"]),
        ("src/link", &["ln", "-s", "app.py", "src/link"]),
    ] {
        let sandbox = Sandbox::project();
        sandbox.write(".gitattributes", "*.py text\n");
        sandbox.commit("attributes");
        sandbox.arm(&["--allow", "**"]).ok();
        if let [program, arguments @ ..] = before {
            assert!(sandbox.command(program).args(arguments).status().unwrap().success());
        }
        grow(&sandbox, path, HUGE);
        let verdict = sandbox.check().violates(&["working-byte budget exceeded: "]).json();
        let name = if path == "src/link" { "src/app.py" } else { path };
        let change = verdict["changes"].as_array().unwrap().iter().find(|change| change["path"] == name).unwrap();
        assert_eq!((&change["binary"], &change["size_after"]), (&true.into(), &HUGE.into()), "{verdict}");
        assert_eq!(verdict["tree"], serde_json::Value::Null, "{verdict}");
        let unobserved = verdict["unobserved"].as_array().unwrap();
        assert!(
            unobserved.iter().any(|row| row["zone"] == name && row["reason"] == "too large to be read"),
            "{verdict}"
        );
        sandbox.cordon(&["diff"]).ok().says(&["512 MiB"]);
        sandbox.cordon(&["ledger", "verify"]).ok();
        File::create(sandbox.at(path)).unwrap();
        sandbox.check().ok();
    }
}

/// An ignored file counts in no budget; that it is not what it was is known from its size.
#[test]
fn an_ignored_file_that_grew_beyond_measure_is_not_read() {
    let sandbox = Sandbox::project();
    sandbox.write(".env", "KEY=1\n");
    sandbox.arm(&["--allow", "src/**"]).ok();
    grow(&sandbox, ".env", HUGE);
    sandbox.check().violates(&["ignored file changed: .env"]);
    sandbox.write(".env", "KEY=1\n");
    sandbox.check().ok();
}

/// What Git itself would read as a whole into memory: it is refused before memory is asked for.
#[test]
fn small_files_of_git_that_claim_any_size_are_refused() {
    for path in [".gitmodules", ".git/info/exclude", ".git/packed-refs", ".git/index", ".git/config"] {
        let sandbox = Sandbox::project();
        sandbox.arm(&["--allow", "**"]).ok();
        grow(&sandbox, path, HUGE);
        sandbox.check().never_accepts();
    }
}

/// Within the budget every byte counts, whatever the size is.
#[test]
fn a_large_file_within_the_budget_is_read_and_told() {
    let sandbox = Sandbox::project();
    sandbox.arm(&["--allow", "src/**", "--max-working-bytes", "600000000"]).ok();
    grow(&sandbox, "src/large.bin", LARGE);
    let verdict = sandbox.check().ok().json();
    assert_ne!(verdict["tree"], serde_json::Value::Null, "{verdict}");
    assert_eq!(verdict["unobserved"].as_array().unwrap().len(), 0, "{verdict}");
    let told = sandbox.cordon(&["ledger", "show"]).ok().json();
    assert_eq!(told["effects"][0]["after"]["size"], LARGE, "{told}");
}

/// A large tracked file that was only touched is read, also where its size is more than the budget: it is no change.
#[test]
fn a_large_tracked_file_that_was_touched_is_no_change() {
    let sandbox = Sandbox::project();
    grow(&sandbox, "src/large.bin", LARGE);
    sandbox.git(&["config", "core.compression", "1"]).ok();
    sandbox.commit("large");
    sandbox.arm(&["--allow", "docs/**"]).ok();
    assert!(sandbox.command("touch").arg("src/large.bin").status().unwrap().success());
    assert_eq!(sandbox.check().ok().json()["changed_files"].as_array().unwrap().len(), 0);
}

/// The verifier makes Cordon watch for signals itself, and the budget makes it read.
#[test]
fn a_check_that_reads_can_be_ended() {
    for signal in [Signal::INT, Signal::TERM] {
        let sandbox = Sandbox::project();
        let budget = (HUGE + 1).to_string();
        sandbox.arm(&["--allow", "src/**", "--max-working-bytes", &budget, "--verify", "true"]).ok();
        grow(&sandbox, "src/new.bin", HUGE);
        let mut command = sandbox.command("env");
        command.args(["--default-signal=INT,TERM"]).arg(cordon_program()).arg("check");
        let running = start(command, b"");
        std::thread::sleep(Duration::from_secs(1));
        kill_process(Pid::from_raw(running.id().cast_signed()).unwrap(), signal).unwrap();
        running.finish(PATIENCE).ends_with(128 + signal.as_raw()).says(&["interrupted"]);
        assert_eq!(sandbox.cordon(&["status"]).ok().json()["phase"], "interrupted");
        std::fs::remove_file(sandbox.at("src/new.bin")).unwrap();
        sandbox.check().ok();
    }
}
