//! The group of the observed command: it is waited for as a whole, and signals reach it.

use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::common::{Random, Space, finish, setting};

#[test]
fn the_whole_group_is_waited_for() {
    let space = Space::new();
    space.observe("(sleep 0.4; echo late > late) & exit 5").exits(5);
    assert_eq!(space.told(), ["created late"]);
    assert!(space.records().last().unwrap()["duration_s"].as_f64().unwrap() >= 0.4);
}

#[test]
fn the_command_leads_a_session_of_its_own() {
    let space = Space::new();
    let outcome = space.observe("ps -o pid= -o pgid= -o sid= -p $$").exits(0);
    let numbers: Vec<&str> = outcome.stdout.lines().next().unwrap().split_whitespace().collect();
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
}

#[test]
fn who_leaves_the_group_is_not_waited_for() {
    let space = Space::new();
    let began = Instant::now();
    let args = ["run", "--capture-output", "--", "sh", "-c", "echo said; setsid sleep 20 &"];
    let outcome = space.stone(&args).exits(0);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(outcome.stdout.starts_with("said\n"));
}

#[test]
fn a_signal_reaches_the_group_and_the_record_is_written() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let space = Space::new();
        // The shell itself waits: one that has just forked may lose a signal on the way to its child.
        let script = "mkfifo pipe; echo x > begun; read line < pipe; echo y > ended";
        let mut command = space.ours_command(&["run", "--", "sh", "-c", script]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
        until(|| space.at("begun").exists());
        kill_process(Pid::from_child(&child), signal).unwrap();
        finish(child).exits(code);
        assert_eq!(space.told(), ["created begun"]);
        assert_eq!(space.end(), ("interrupted".into(), i64::from(code)));
    }
}

#[test]
fn a_command_that_heeds_a_signal_in_its_own_way_ends_as_it_likes() {
    let space = Space::new();
    let script = "trap 'echo bye > bye; exit 7' TERM; echo x > begun; while :; do sleep 0.05; done";
    let mut command = space.ours_command(&["run", "--", "sh", "-c", script]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(|| space.at("begun").exists());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    finish(child).exits(7);
    assert_eq!(space.told(), ["created begun", "created bye"]);
    assert_eq!(space.end(), ("interrupted".into(), 7));
}

#[test]
fn no_signal_is_lost_whenever_it_comes() {
    let mut random = Random::new(setting("CORDON_SEED", 1));
    let space = Space::new();
    for number in 0..200 {
        space.write(&format!("files/{number}"), "x");
    }
    for _ in 0..40 {
        let sessions = space.sessions().len();
        let mut command = space.ours_command(&["run", "--", "sleep", "60"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_micros(u64::try_from(random.below(60_000)).unwrap()));
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let outcome = finish(child);
        let recorded = space.sessions().len() > sessions;
        // Before anything is watched for, the signal ends the process itself.
        assert!(outcome.code == 143 || (outcome.code == -15 && !recorded), "{} {}", outcome.code, outcome.stderr);
        if recorded {
            assert_eq!(space.end(), ("interrupted".into(), 143));
        }
    }
    space.observe("true").exits(0);
}

#[track_caller]
fn until(done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(20), "it did not happen");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_command_gets_what_it_would_get_without_stone() {
    let space = Space::new();
    let script = "cat > in; pwd > where; echo \"$0 $1 $MARK ${GIT_DIR-none}\" > who; ls /proc/self/fd | wc -l > open
        grep -E 'Sig(Ign|Blk)' /proc/self/status > signals";
    let mut command = space.ours_command(&["run", "--", "sh", "-c", script, "name", "a b"]);
    command.env("MARK", "mark").env("GIT_DIR", "/x").env("CORDON_AGENT", "kept");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"input\n").unwrap();
    finish(child).exits(0);
    let read = |name: &str| std::fs::read_to_string(space.at(name)).unwrap();
    assert_eq!(read("in"), "input\n");
    assert_eq!(read("where").trim(), space.root.to_str().unwrap());
    assert_eq!(read("who"), "name a b mark /x\n");
    let without = |script: &str| super::common::run(space.command("sh".as_ref(), &["-c", script])).exits(0).stdout;
    assert_eq!(read("open"), without("ls /proc/self/fd | wc -l"), "nothing else is open");
    let signals = without("grep -E 'Sig(Ign|Blk)' /proc/self/status");
    assert_eq!(read("signals"), signals, "no signal is ignored or held back");
}

#[test]
fn what_is_ignored_from_the_beginning_stays_ignored() {
    let space = Space::new();
    let ours = super::common::ours().into_string().unwrap();
    let script = format!("trap '' HUP; exec {ours} run -- sh -c 'kill -HUP $$; echo x > survived'");
    super::common::run(space.command("sh".as_ref(), &["-c", &script])).exits(0);
    assert_eq!(space.told(), ["created survived"]);
}
