//! A process group: signalled as a whole, and asked who is left of it.
//!
//! Everything here is meant for a group whose leader has not been reaped, so its id cannot have passed to strangers.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::exit_watch::open_pidfd;

/// So many members are watched at a time, which bounds the descriptors that a flood of forks can cost.
const WATCHED_AT_ONCE: usize = 64;

/// A process group.
#[derive(Clone, Copy)]
pub(super) struct Group(Pid);

/// Who is left of a group whose leader has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nobody.
    Gone,
    /// These.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells who"))]
    Alive(Vec<Pid>),
    /// The system does not tell.
    Unknown,
}

impl Group {
    /// The group that `leader` leads.
    pub(super) fn led_by(leader: Pid) -> Self {
        Group(leader)
    }

    /// Sends `signal` to every member.
    pub(super) fn signal(self, signal: Signal) {
        // The failures say that nobody is left, or that nobody who is left may be signalled. Neither is decided here:
        // `rest` tells who is left, and the caller gives up after a while.
        let _ = kill_process_group(self.0, signal);
    }

    /// Asks every member to end, also those that are stopped and would not read the request.
    pub(super) fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Who is left, the unreaped leader and other zombies not counted.
    #[cfg(target_os = "linux")]
    pub(super) fn rest(self) -> Rest {
        proc_table::rest_of(self.0)
    }

    /// Who is left, the unreaped leader and other zombies not counted.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn rest(self) -> Rest {
        match rustix::process::test_kill_process_group(self.0) {
            Err(rustix::io::Errno::SRCH) => Rest::Gone,
            _ => Rest::Unknown,
        }
    }
}

/// Descriptors of processes that are waited for although they are no children of ours.
#[derive(Default)]
pub(super) struct Watch(Vec<OwnedFd>);

impl Watch {
    /// Watches the first of `pids`. One that has ended meanwhile is left out.
    pub(super) fn on(pids: &[Pid]) -> Self {
        Watch(pids.iter().take(WATCHED_AT_ONCE).filter_map(|pid| open_pidfd(*pid)).collect())
    }

    /// What to poll for.
    pub(super) fn sources(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.0.iter().map(AsFd::as_fd)
    }

    /// Whether nobody is watched.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets those that have ended.
    pub(super) fn forget_ended(&mut self) {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.0.retain(|pidfd| !matches!(poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&now)), Ok(1..)));
    }
}

/// Linux's table of processes.
#[cfg(target_os = "linux")]
mod proc_table {
    use std::fs::{self, File};
    use std::io::Read;

    use rustix::process::Pid;

    use super::Rest;

    /// Longer than any line of the table: some fifty numbers and a short name.
    const LINE: usize = 2048;

    /// What one line of the table says.
    #[derive(Debug, PartialEq, Eq)]
    struct Line {
        group: i32,
        /// An ended process, all of whose threads have ended, that waits to be reaped.
        zombie: bool,
    }

    pub(super) fn rest_of(group: Pid) -> Rest {
        let Ok(entries) = fs::read_dir("/proc") else { return Rest::Unknown };
        let group = group.as_raw_nonzero().get();
        let mut leader_seen = false;
        let mut alive = Vec::new();
        let mut buffer = [0; LINE];
        for entry in entries {
            let Ok(entry) = entry else { return Rest::Unknown };
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            // A process that ends while the table is read has no line any more, and need not be waited for. One read
            // gives the whole line, which matters on a machine with many processes.
            let read = File::open(format!("/proc/{id}/stat")).and_then(|mut file| file.read(&mut buffer));
            let Some(line) = read.ok().and_then(|length| parse(&buffer[..length])) else { continue };
            if line.group == group {
                leader_seen |= id == group;
                if !line.zombie {
                    alive.extend(Pid::from_raw(id));
                }
            }
        }
        // The leader is there, because nobody has reaped it: a table without it is another namespace's or is filtered.
        match (leader_seen, alive.is_empty()) {
            (false, _) => Rest::Unknown,
            (true, true) => Rest::Gone,
            (true, false) => Rest::Alive(alive),
        }
    }

    /// Reads `PID (NAME) STATE PPID PGRP ... NUM_THREADS ...`, where the name may hold any byte, also `)` and spaces.
    fn parse(stat: &[u8]) -> Option<Line> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
        let state = fields.next()?;
        let _parent = fields.next()?;
        let group = fields.next()?.parse().ok()?;
        let threads: u64 = fields.nth(14)?.parse().ok()?;
        // A process whose first thread has ended reads as a zombie while its other threads run on.
        let zombie = matches!(state, "Z" | "X" | "x") && threads <= 1;
        Some(Line { group, zombie })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const MIDDLE: &str = "1 77 78 0 -1 4194304 1 2 3 4 5 6 7 8 20 0";

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
                let line = format!("12 ({name}) {state} {MIDDLE} {threads} 0 99\n");
                assert_eq!(parse(line.as_bytes()), Some(Line { group: 77, zombie }), "{line}");
            }
            let undecodable = [b"12 (\xff) Z ", MIDDLE.as_bytes(), b" 1 0 99\n"].concat();
            assert_eq!(parse(&undecodable), Some(Line { group: 77, zombie: true }));
        }

        #[test]
        fn a_short_line_is_no_line() {
            for line in [&b""[..], b"12 (x", b"12 (x) S 1 77", b"12 (x) S 1 77 78 0"] {
                assert_eq!(parse(line), None);
            }
        }
    }
}
