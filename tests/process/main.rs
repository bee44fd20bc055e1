//! Verifiers as they are started, limited, ended and told about, with real programs.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod interrupt;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cordon::error::Kind;
use cordon::policy::caches::CacheRule;
use cordon::process::capture::Caps;
use cordon::process::child::{Limits, Outcome, Status};
use cordon::process::supervisor::Supervisor;
use cordon::process::verifier::{Step, Stopped, Verified, Verifier, run_all};

const MIB: u64 = 1024 * 1024;

/// Far more than anything here takes when it works, and less than the sleeps that must not be waited for.
const SOON: Duration = Duration::from_secs(30);

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(60),
    grace: Duration::from_secs(20),
    hint: false,
    caps: Caps { cap: 4 * MIB, keep: 16 * 1024 },
};

fn words(argv: &[&str]) -> Vec<String> {
    argv.iter().map(ToString::to_string).collect()
}

fn supervisor() -> Supervisor {
    Supervisor::with_executable(env!("CARGO_BIN_EXE_cordon")).unwrap()
}

fn run_commands(commands: &[Vec<String>], root: &Path, limits: &Limits) -> Result<Vec<Verified>, Stopped> {
    let verifiers: Vec<Verifier<'_>> = commands.iter().map(|argv| Verifier { source: &argv[0], argv }).collect();
    run_all(&verifiers, root, limits, CacheRule::Private, &mut supervisor(), &mut |_| {})
}

fn run_in(root: &Path, argv: &[&str], limits: &Limits) -> Outcome {
    run_commands(&[words(argv)], root, limits).unwrap().remove(0).outcome
}

fn run(argv: &[&str]) -> Outcome {
    run_in(tempfile::tempdir().unwrap().path(), argv, &LIMITS)
}

fn sh(script: &str) -> Outcome {
    run(&["sh", "-c", script])
}

fn refusal(commands: &[Vec<String>], root: &Path) -> cordon::error::Error {
    match run_commands(commands, root, &LIMITS) {
        Err(Stopped::Failed(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

fn pid_in(file: &Path) -> i32 {
    fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

/// Whether a process runs; an orphan that nobody has reaped yet does not.
fn runs(pid: i32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat[stat.rfind(')').unwrap()..].starts_with(") Z")
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let give_up = Instant::now() + SOON;
    while !condition() {
        assert!(Instant::now() < give_up, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs one of the ignored tests below in a process of its own.
fn alone(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", test, "--test-threads=1", "--nocapture"]);
    command
}

#[test]
fn exit_codes_and_signals_are_told() {
    for code in [0, 1, 77, 255] {
        let outcome = sh(&format!("exit {code}"));
        assert_eq!((outcome.status, outcome.status.returncode()), (Status::Exited(code), code));
        assert_eq!(outcome.passed(), code == 0);
        assert!(!outcome.timed_out && !outcome.output_limited);
    }
    for signal in [9, 15, 6] {
        let outcome = sh(&format!("kill -{signal} $$"));
        assert_eq!((outcome.status, outcome.status.returncode()), (Status::Signaled(signal), -signal));
        assert!(!outcome.passed());
    }
}

#[test]
fn standard_input_is_empty() {
    let outcome = run(&["cat"]);
    assert!(outcome.passed());
    assert_eq!(outcome.stdout.total, 0);
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let outcome = run(&["printf", "<%s>", "a b", "$HOME", "*", "", "x;y", "q'\""]);
    assert_eq!(outcome.stdout.bytes, b"<a b><$HOME><*><><x;y><q'\">");
}

#[test]
fn verifiers_run_in_the_root_without_git_variables() {
    let root = tempfile::tempdir().unwrap();
    let outcome = run_in(root.path(), &["sh", "-c", "pwd -P; echo $CORDON_VERIFIER; env | grep -c ^GIT_"], &LIMITS);
    let expected = format!("{}\n1\n0\n", root.path().canonicalize().unwrap().display());
    assert_eq!(String::from_utf8(outcome.stdout.bytes).unwrap(), expected);
}

#[test]
fn a_verifier_leads_its_own_group() {
    let outcome = sh("echo $$; cut -d' ' -f5 /proc/$$/stat");
    let text = String::from_utf8(outcome.stdout.bytes).unwrap();
    let (pid, group) = text.trim().split_once('\n').unwrap();
    assert_eq!(pid, group);
}

#[test]
fn output_that_is_no_text_is_kept_byte_for_byte() {
    let outcome = sh(r"printf '\377\376\000\200ok'; printf '\303' >&2");
    assert_eq!(outcome.stdout.stored(), b"\xff\xfe\0\x80ok");
    assert_eq!(outcome.stderr.stored(), b"\xc3");
}

#[test]
fn long_output_is_kept_in_part_and_marked() {
    let outcome = sh("head -c 70000 /dev/zero | tr '\\0' x");
    assert!(outcome.passed());
    assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.total), (16384, 70000));
    assert!(outcome.stdout.stored().ends_with(b"x\n[... truncated: 16384 of 70000 bytes shown]\n"));
}

#[test]
fn exactly_the_cap_passes_and_one_byte_more_does_not() {
    let at_the_cap = sh("head -c 4194304 /dev/zero >&2");
    assert!(at_the_cap.passed());
    assert_eq!(at_the_cap.stderr.total, 4 * MIB);
    let over = sh("head -c 4194305 /dev/zero >&2");
    assert!(over.output_limited && !over.passed() && !over.timed_out);
    assert!(over.stderr.stored().ends_with(b"[... truncated: 16384 of more than 4194304 bytes shown]\n"));
}

#[test]
fn a_flood_on_either_stream_ends_the_group() {
    for redirect in ["", " >&2"] {
        let outcome = sh(&format!("(yes & yes){redirect}"));
        assert!(outcome.output_limited && !outcome.timed_out, "{outcome:?}");
        assert_eq!(outcome.status, Status::Signaled(15));
        assert!(outcome.duration < SOON);
    }
    let ten_megabytes = sh("head -c 10000000 /dev/zero >&2; sleep 100");
    assert!(ten_megabytes.output_limited);
    assert_eq!(ten_megabytes.stderr.bytes.len(), 16384);
    assert!(ten_megabytes.duration < SOON);
}

#[test]
fn both_streams_are_read_at_the_same_time() {
    let outcome = sh("for i in 1 2 3 4 5; do head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; done");
    assert!(outcome.passed());
    assert_eq!((outcome.stdout.total, outcome.stderr.total), (1_500_000, 1_500_000));
}

#[test]
fn a_verifier_that_closes_its_streams_is_waited_for() {
    let outcome = sh("exec >&- 2>&-; sleep 0.3; exit 7");
    assert_eq!(outcome.status, Status::Exited(7));
    assert!(outcome.duration >= Duration::from_millis(300));
}

#[test]
fn a_timeout_asks_first() {
    let limits = Limits { timeout: Duration::from_millis(300), ..LIMITS };
    let root = tempfile::tempdir().unwrap();
    let obeys = run_in(root.path(), &["sleep", "100"], &limits);
    assert!(obeys.timed_out && !obeys.output_limited && !obeys.passed());
    assert_eq!(obeys.status, Status::Signaled(15));
    assert!(obeys.duration >= limits.timeout && obeys.duration < limits.grace);

    let script = "trap 'echo bye; exit 0' TERM; sleep 100 & echo up; wait";
    let polite = run_in(root.path(), &["sh", "-c", script], &limits);
    assert!(polite.timed_out && !polite.passed(), "an exit with 0 after the time is no pass");
    assert_eq!((polite.status, polite.stdout.bytes), (Status::Exited(0), b"up\nbye\n".to_vec()));
}

#[test]
fn a_timeout_kills_what_does_not_listen() {
    let limits = Limits { timeout: Duration::from_millis(300), grace: Duration::from_millis(200), ..LIMITS };
    let root = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; sleep 100 & echo $! >child; while :; do sleep 0.1; done";
    let outcome = run_in(root.path(), &["sh", "-c", script], &limits);
    assert!(outcome.timed_out);
    assert_eq!(outcome.status, Status::Signaled(9));
    assert!(outcome.duration >= Duration::from_millis(500) && outcome.duration < SOON);
    assert!(!runs(pid_in(&root.path().join("child"))));
}

#[test]
fn a_stopped_verifier_is_ended_too() {
    let limits = Limits { timeout: Duration::from_millis(300), ..LIMITS };
    let outcome = run_in(tempfile::tempdir().unwrap().path(), &["sh", "-c", "kill -STOP $$"], &limits);
    assert!(outcome.timed_out);
    assert_eq!(outcome.status, Status::Signaled(15));
    assert!(outcome.duration < limits.grace, "a stopped process must be woken to hear the request");
}

#[test]
fn a_leader_that_obeys_does_not_save_a_child_that_does_not() {
    let limits = Limits { timeout: Duration::from_millis(300), grace: Duration::from_millis(300), ..LIMITS };
    let root = tempfile::tempdir().unwrap();
    let script = "(trap '' TERM; sleep 100 & echo $! >child; wait) & sleep 100";
    let outcome = run_in(root.path(), &["sh", "-c", script], &limits);
    assert_eq!((outcome.timed_out, outcome.status), (true, Status::Signaled(15)));
    assert!(!runs(pid_in(&root.path().join("child"))));
}

#[test]
fn children_that_outlive_a_success_are_ended() {
    let root = tempfile::tempdir().unwrap();
    let obeys = run_in(root.path(), &["sh", "-c", "sleep 100 & echo $! >child; echo done"], &LIMITS);
    assert!(obeys.passed());
    assert_eq!(obeys.stdout.bytes, b"done\n");
    assert!(obeys.duration < LIMITS.grace, "whoever obeys is not waited for longer");
    assert!(!runs(pid_in(&root.path().join("child"))));

    let limits = Limits { grace: Duration::from_millis(200), ..LIMITS };
    let script = "(trap '' TERM; sleep 100 & echo $! >child; wait) >/dev/null 2>&1 & until [ -s child ]; do :; done";
    let ignores = run_in(root.path(), &["sh", "-c", &format!("rm -f child; {script}")], &limits);
    assert!(ignores.passed());
    assert!(ignores.duration >= limits.grace && ignores.duration < SOON);
    assert!(!runs(pid_in(&root.path().join("child"))));
}

#[test]
fn a_crowd_is_ended_to_the_last_one() {
    let root = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 150 ]; do sleep 100 & echo $! >>crowd; i=$((i+1)); done";
    let outcome = run_in(root.path(), &["sh", "-c", script], &LIMITS);
    assert!(outcome.passed());
    let crowd = fs::read_to_string(root.path().join("crowd")).unwrap();
    assert_eq!(crowd.lines().count(), 150);
    assert!(!crowd.lines().any(|pid| runs(pid.parse().unwrap())));
}

/// A shell script that starts a daemon in a session of its own and goes on once it runs.
fn with_daemon(daemon: &str, rest: &str) -> String {
    format!("setsid sh -c 'echo $$ >new; mv new daemon; {daemon}' & until [ -s daemon ]; do sleep 0.01; done; {rest}")
}

#[test]
fn a_daemon_that_holds_the_pipe_is_ended_and_the_leaders_outcome_stands() {
    let root = tempfile::tempdir().unwrap();
    let script = with_daemon("exec sleep 100", "echo done; echo bad >&2; exit 3");
    let outcome = run_in(root.path(), &["sh", "-c", &script], &LIMITS);
    assert!(!runs(pid_in(&root.path().join("daemon"))));
    assert_eq!(outcome.status, Status::Exited(3));
    assert_eq!((outcome.stdout.bytes, outcome.stderr.bytes), (b"done\n".to_vec(), b"bad\n".to_vec()));
    assert!(outcome.duration < LIMITS.grace);
}

#[test]
fn a_daemon_that_floods_the_pipe_cannot_prolong_the_run() {
    let root = tempfile::tempdir().unwrap();
    let caps = Caps { cap: u64::MAX, keep: 10 };
    let outcome = run_in(root.path(), &["sh", "-c", &with_daemon("exec yes", "")], &Limits { caps, ..LIMITS });
    assert!(outcome.passed() && outcome.duration < LIMITS.grace);
    assert!(!runs(pid_in(&root.path().join("daemon"))));
}

#[test]
fn all_run_and_each_is_told() {
    let commands = [words(&["false"]), words(&["sh", "-c", "exit 4"]), words(&["true"])];
    let verifiers: Vec<Verifier<'_>> = commands.iter().map(|argv| Verifier { source: &argv[0], argv }).collect();
    let root = tempfile::tempdir().unwrap();
    let mut steps = Vec::new();
    let verified = run_all(&verifiers, root.path(), &LIMITS, CacheRule::Keep, &mut supervisor(), &mut |step| {
        steps.push(match step {
            Step::Starts(index, verifier) => format!("{index} {}", verifier.source),
            Step::Ended(index, outcome) => format!("{index} = {}", outcome.status.returncode()),
        });
    })
    .unwrap();
    assert_eq!(steps, ["0 false", "0 = 1", "1 sh", "1 = 4", "2 true", "2 = 0"]);
    assert_eq!(verified.iter().map(|one| one.outcome.passed()).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(verified[1].source, "sh");
}

#[test]
fn nothing_runs_when_one_cannot_start() {
    let root = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &str, mode: u32| {
        fs::write(root.path().join(name), content).unwrap();
        fs::set_permissions(root.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    put("plain", "#!/bin/sh\n", 0o644);
    put("bad", "#!/no/such/interpreter\n", 0o755);
    fs::create_dir(root.path().join("folder")).unwrap();
    for (name, why) in [
        ("no-such-program-anywhere", "no such program on the search path"),
        ("./missing", "does not exist"),
        ("./plain", "is not executable"),
        ("./bad", "its interpreter cannot start: /no/such/interpreter does not exist"),
        ("./folder", "is not a file"),
        ("", "the command is empty"),
    ] {
        let error = refusal(&[words(&["touch", "ran"]), words(&[name])], root.path());
        assert_eq!(error.kind, Kind::Verifier);
        assert!(error.message.starts_with("verifier cannot start: "), "{error}");
        assert!(error.message.ends_with(why), "{error}");
        assert!(!root.path().join("ran").exists(), "{name}: a verifier ran before the refusal");
    }
}

#[test]
fn what_only_the_system_can_refuse_is_the_same_error() {
    let root = tempfile::tempdir().unwrap();
    // No system takes an empty file for a program, and no shell may be asked instead.
    fs::write(root.path().join("empty"), "").unwrap();
    fs::set_permissions(root.path().join("empty"), fs::Permissions::from_mode(0o755)).unwrap();
    let error = refusal(&[words(&["./empty"])], root.path());
    assert_eq!(error.kind, Kind::Verifier);
    assert!(error.message.starts_with("verifier cannot start: ./empty: "), "{error}");

    // An earlier verifier may take away what stood there when all were looked up.
    fs::write(root.path().join("tool"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.path().join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let error = refusal(&[words(&["rm", "tool"]), words(&["./tool"])], root.path());
    assert_eq!(error.kind, Kind::Verifier);
}

#[test]
fn a_relative_program_is_called_by_its_name_and_started_from_the_root() {
    let root = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/sh", root.path().join("shell")).unwrap();
    let outcome = run_in(root.path(), &["./shell", "-c", "echo $0; exit 5"], &LIMITS);
    assert_eq!((outcome.status, outcome.stdout.bytes), (Status::Exited(5), b"./shell\n".to_vec()));
}

#[test]
fn many_runs_leave_nothing_behind() {
    let output = alone("run_three_hundred").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "many_runs_leave_nothing_behind starts it in a process of its own"]
fn run_three_hundred() {
    let root = tempfile::tempdir().unwrap();
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    run_in(root.path(), &["true"], &LIMITS);
    let before = descriptors();
    for round in 0..300 {
        let expected = round % 7;
        let outcome = run_in(root.path(), &["sh", "-c", &format!("echo {round}; exit {expected}")], &LIMITS);
        assert_eq!(outcome.status, Status::Exited(expected));
        assert_eq!(outcome.stdout.bytes, format!("{round}\n").as_bytes());
    }
    refusal(&[words(&["./missing"])], root.path());
    assert_eq!(descriptors(), before);
    let no_child = rustix::process::waitpid(None, rustix::process::WaitOptions::NOHANG);
    assert_eq!(no_child.unwrap_err(), rustix::io::Errno::CHILD, "a zombie is left");
}
