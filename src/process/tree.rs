//! Linux's table of processes: who descends from whom, and signals that reach nobody else.
//!
//! A process id may pass to a stranger as soon as its process was reaped. A signal therefore goes to a child of this very
//! process, which nobody else can reap, or through a descriptor of the process whose identity and line of ancestors were
//! compared after it was opened.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::policy::escape::plain;

/// Longer than any line of the table: some fifty numbers and a short name.
const LINE: usize = 2048;

/// No line of ancestors is longer on a system that hands out as many ids as Linux can.
const DEEPEST: usize = 4 * 1024 * 1024;

/// What one line of the table says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    /// Its id.
    pub(super) pid: i32,
    /// Its name, as far as the system keeps one.
    pub(super) name: Vec<u8>,
    /// Who waits for its end.
    parent: i32,
    /// Its session.
    pub(super) session: i32,
    /// When it started, in ticks since the system did; together with the id it is nobody else.
    pub(super) start: u64,
    /// Whether it has ended, with all of its threads, and waits to be reaped.
    pub(super) zombie: bool,
}

impl Process {
    /// Sends it signals, if it is still the process that was seen and descends from `ancestor`.
    ///
    /// While the table was read, ids may have passed from one process to another, so its line may have led to a wrong
    /// ancestor.
    pub(super) fn signal_below(&self, ancestor: Pid, signals: &[Signal]) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        if self.descends_from(ancestor) {
            for signal in signals {
                // Whoever may not be signalled or has just ended is seen by the next look at the table.
                let _ = pidfd_send_signal(&descriptor, *signal);
            }
        }
    }

    /// Whether the line of its ancestors leads to `ancestor`, read twice: whoever is a parent at both times was so in
    /// between, because a process that ends loses its children, and so the lines that were read in between are theirs.
    fn descends_from(&self, ancestor: Pid) -> bool {
        let line = ancestors(self.pid, ancestor);
        let same = line.first() == Some(&(self.pid, self.start));
        let leads_there = line.last().is_some_and(|(pid, _)| *pid == ancestor.as_raw_nonzero().get());
        same && leads_there && line == ancestors(self.pid, ancestor)
    }
}

/// A process and those above it up to `last`, or as far as they are known: id and start of each.
fn ancestors(pid: i32, last: Pid) -> Vec<(i32, u64)> {
    let mut line: Vec<(i32, u64)> = Vec::new();
    let mut next = pid;
    while let Some(process) = find(next) {
        line.push((process.pid, process.start));
        if next == last.as_raw_nonzero().get() || line.len() > DEEPEST {
            break;
        }
        next = process.parent;
    }
    line
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pid, plain(&self.name))
    }
}

/// All processes. One that ends while the table is read has no line any more.
pub(super) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| find(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// One process.
pub(super) fn find(pid: i32) -> Option<Process> {
    let mut buffer = [0; LINE];
    // One read gives the whole line, which matters on a machine with many processes.
    let length = File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read(&mut buffer)).ok()?;
    parse(&buffer[..length])
}

/// Everybody below `ancestor` who has not ended, parents first.
pub(super) fn descendants(ancestor: Pid) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = children.remove(&ancestor.as_raw_nonzero().get()).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let below = children.remove(&process.pid).unwrap_or_default();
        found.extend(below);
        next += 1;
    }
    found.retain(|process| !process.zombie);
    found
}

/// The children of this process, ended ones included.
pub(super) fn children() -> Vec<Pid> {
    let listed = fs::read_dir("/proc/self/task").ok().and_then(|tasks| {
        let lists = tasks.flatten().map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists.collect::<Option<Vec<String>>>()
    });
    if let Some(lists) = listed {
        return lists.iter().flat_map(|list| list.split_ascii_whitespace()).filter_map(parse_pid).collect();
    }
    // A system that keeps no such lists has its table all the same.
    let own = rustix::process::getpid().as_raw_nonzero().get();
    all().iter().filter(|process| process.parent == own).filter_map(|one| Pid::from_raw(one.pid)).collect()
}

/// Kills children of this process. Until this process reaps them, their ids are theirs.
pub(super) fn kill(children: &[Pid]) {
    for child in children {
        // The failure is that it has ended already, or that it runs as somebody else, which the caller finds out.
        let _ = kill_process(*child, Signal::KILL);
    }
}

/// Processes in words: id and name of each.
pub(super) fn names(pids: &[Pid]) -> String {
    let named = pids.iter().map(|pid| {
        let pid = pid.as_raw_nonzero().get();
        find(pid).map_or_else(|| pid.to_string(), |process| process.to_string())
    });
    named.collect::<Vec<_>>().join(", ")
}

fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// Reads `PID (NAME) STATE PPID PGRP SESSION ... NUM_THREADS 0 STARTTIME ...`, where the name may hold any byte, also
/// `)` and spaces.
fn parse(stat: &[u8]) -> Option<Process> {
    let name_start = stat.iter().position(|byte| *byte == b'(')?;
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let pid = str::from_utf8(&stat[..name_start]).ok()?.trim().parse().ok()?;
    let name = stat.get(name_start + 1..name_end)?.to_vec();
    let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let _group = fields.next()?;
    let session = fields.next()?.parse().ok()?;
    let threads: u64 = fields.nth(13)?.parse().ok()?;
    let began = fields.nth(1)?.parse().ok()?;
    // A process whose first thread has ended reads as a zombie while its other threads run on.
    let zombie = matches!(state, "Z" | "X" | "x") && threads <= 1;
    Some(Process { pid, name, parent, session, start: began, zombie })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const MIDDLE: &str = "33 77 78 0 -1 4194304 1 2 3 4 5 6 7 8 20 0";

    #[test]
    fn a_line_is_read_past_a_hostile_name() {
        for (name, state, threads, zombie) in [
            ("sh", "Z", 1, true),
            ("sh", "X", 0, true),
            ("sh", "S", 1, false),
            ("sh", "R", 3, false),
            ("sh", "Z", 2, false),
            ("a) Z 1 9", "S", 1, false),
            ("a) S 1 9", "Z", 1, true),
        ] {
            let line = format!("12 ({name}) {state} {MIDDLE} {threads} 0 99 5 6\n");
            let expected = Process { pid: 12, name: name.into(), parent: 33, session: 78, start: 99, zombie };
            assert_eq!(parse(line.as_bytes()), Some(expected), "{line}");
        }
        let undecodable = [b"12 (\xff) Z ", MIDDLE.as_bytes(), b" 1 0 99\n"].concat();
        assert_eq!(parse(&undecodable).unwrap().name, b"\xff");
    }

    #[test]
    fn a_short_line_is_no_line() {
        for line in [&b""[..], b"12 (x", b"12 (x) S 1 77", b"12 (x) S 1 77 78 0", b"x (x) S 1", b")("] {
            assert_eq!(parse(line), None);
        }
    }

    #[test]
    fn descendants_are_found_below_their_ancestor_and_children_are_listed() {
        let script = "sleep 100 & echo ready; wait";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut word = [0; 6];
        shell.stdout.take().unwrap().read_exact(&mut word).unwrap();
        let pid = Pid::from_child(&shell);
        assert!(children().contains(&pid));
        let below = descendants(pid);
        assert_eq!(below.len(), 1, "{below:?}");
        let stranger = Process { start: below[0].start + 1, ..below[0].clone() };
        stranger.signal_below(pid, &[Signal::KILL]);
        let mut other = Command::new("sleep").arg("100").spawn().unwrap();
        below[0].signal_below(Pid::from_child(&other), &[Signal::KILL]);
        assert_eq!(descendants(pid).len(), 1, "a process of another line or of the same id was signalled");
        other.kill().unwrap();
        other.wait().unwrap();
        below[0].signal_below(pid, &[Signal::KILL]);
        assert!(shell.wait().unwrap().success());
    }
}
