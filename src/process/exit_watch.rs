//! A descriptor that becomes readable when a child ends, while the child stays unreaped.
//!
//! An unreaped child keeps its process id, and with it the id of its group, from being given to anybody else; that is
//! what makes it safe to signal the group after the child ended.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// A descriptor to poll for reading: ready from the moment on when the child `pid` has ended.
pub(super) fn watch_exit(pid: Pid) -> io::Result<OwnedFd> {
    match open_pidfd(pid) {
        Some(pidfd) => Ok(pidfd),
        None => watch_from_thread(pid),
    }
}

/// Linux's own descriptor for a process; `None` on other systems, and where a kernel or a sandbox lacks it.
#[cfg(target_os = "linux")]
pub(super) fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

/// Linux's own descriptor for a process; `None` on other systems, and where a kernel or a sandbox lacks it.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_pidfd(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// A thread that waits for the child, without reaping it, and then closes its end of a pipe.
fn watch_from_thread(pid: Pid) -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    thread::Builder::new().name("exit-watch".into()).spawn(move || {
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {
        }
        drop(writer);
    })?;
    Ok(reader.into())
}

/// Whether the child `pid` has ended; it stays unreaped.
pub(super) fn has_exited(pid: Pid) -> rustix::io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(pid), options)?.is_some())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::process::{Command, Stdio};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn is_ready(watch: &impl AsFd, milliseconds: i64) -> bool {
        let timeout = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
        poll(&mut [PollFd::new(watch, PollFlags::IN)], Some(&timeout)).unwrap() > 0
    }

    #[test]
    fn both_kinds_of_watch_tell_the_end_and_reap_nothing() {
        for watch in [watch_exit, watch_from_thread] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let pid = Pid::from_child(&child);
            let watch = watch(pid).unwrap();
            assert!(!is_ready(&watch, 20));
            assert!(!has_exited(pid).unwrap());
            drop(child.stdin.take());
            assert!(is_ready(&watch, 900));
            assert!(has_exited(pid).unwrap());
            assert!(child.wait().unwrap().success());
        }
    }
}
