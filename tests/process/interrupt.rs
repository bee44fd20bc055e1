//! Cordon is asked to end while a verifier runs.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cordon::process::verifier::Stopped;
use rustix::process::{Pid, Signal, kill_process};

use super::{LIMITS, SOON, alone, pid_in, run_commands, runs, wait_until, words};

/// Starts `run_until_interrupted` in `root` and waits until its verifier is up.
fn interrupted_in(root: &Path) -> Child {
    started(alone("interrupt::run_until_interrupted"), root)
}

fn started(mut cordon: Command, root: &Path) -> Child {
    let cordon = cordon.current_dir(root).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the verifier is up", || root.join("up").exists());
    cordon
}

fn send(cordon: &Child, signal: Signal) {
    kill_process(Pid::from_child(cordon), signal).unwrap();
}

/// Whether this process was started to ignore `signal`, as background jobs of a shell are; its children are then, too.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (signal.as_raw() - 1)) != 0
}

#[test]
fn an_interrupted_cordon_ends_the_group() {
    let signals = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
    for signal in signals.into_iter().filter(|signal| !is_ignored(*signal)) {
        let root = tempfile::tempdir().unwrap();
        let cordon = interrupted_in(root.path());
        send(&cordon, signal);
        let output = cordon.wait_with_output().unwrap();
        let told = fs::read_to_string(root.path().join("told")).unwrap();
        assert_eq!(told, format!("interrupted by {}", signal.as_raw()));
        assert!(!runs(pid_in(&root.path().join("child"))));
        assert!(!root.path().join("second").exists(), "no verifier starts after the signal");
        // Nobody watches any more, so the same signal does what it does by default.
        assert_eq!(output.status.signal(), Some(Signal::TERM.as_raw()));
    }
}

#[test]
fn a_signal_that_cordon_was_started_to_ignore_stays_ignored() {
    let root = tempfile::tempdir().unwrap();
    let plain = alone("interrupt::run_until_interrupted");
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
    let cordon = started(nohup, root.path());
    send(&cordon, Signal::HUP);
    std::thread::sleep(Duration::from_millis(200));
    assert!(runs(pid_in(&root.path().join("child"))), "the verifier was ended by what Cordon ignores");
    send(&cordon, Signal::TERM);
    cordon.wait_with_output().unwrap();
    assert_eq!(fs::read_to_string(root.path().join("told")).unwrap(), "interrupted by 15");
}

#[test]
fn a_second_signal_does_not_wait_for_the_grace() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("stubborn"), "").unwrap();
    let cordon = interrupted_in(root.path());
    let started = Instant::now();
    send(&cordon, Signal::TERM);
    wait_until("the verifier was asked", || root.path().join("asked").exists());
    assert!(runs(pid_in(&root.path().join("child"))));
    send(&cordon, Signal::TERM);
    cordon.wait_with_output().unwrap();
    assert!(started.elapsed() < LIMITS.grace);
    assert!(!runs(pid_in(&root.path().join("child"))));
}

#[test]
#[ignore = "an_interrupted_cordon_ends_the_group starts it in a process of its own"]
fn run_until_interrupted() {
    let root = std::env::current_dir().unwrap();
    let script = "[ -e stubborn ] && trap 'touch asked' TERM; \
                  (trap '' TERM; [ -e stubborn ] || trap - TERM; exec sleep 100) & \
                  echo $! >child; touch up; wait; wait";
    let commands = [words(&["sh", "-c", script]), words(&["touch", "second"])];
    match run_commands(&commands, &root, &LIMITS) {
        Err(Stopped::Interrupted(signal)) => fs::write("told", format!("interrupted by {signal}")).unwrap(),
        other => panic!("not interrupted: {other:?}"),
    }
    kill_process(rustix::process::getpid(), Signal::TERM).unwrap();
    std::thread::sleep(SOON);
}
