//! A directory that a process and everything that it starts can only read: a read-only mount in namespaces of its own.
//!
//! The mount belongs to a first user namespace, in which this process may mount, and the process goes on in a second one,
//! in which it is who it was. So nothing that it starts has a right over the mount, and a namespace made further down only
//! gets a locked copy of it.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{StatVfsMountFlags, fstat, fstatvfs, stat};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
use rustix::process::{getegid, geteuid};

use super::keeper::errno;

/// What a mount may be that a copy of it must be as well.
const INHERITED: [(StatVfsMountFlags, MountFlags); 3] = [
    (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
    (StatVfsMountFlags::NODEV, MountFlags::NODEV),
    (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
];

/// The exit code of a probe that was not allowed to write.
pub const DENIED: i32 = 30;

/// The exit code of a probe that could not write for a reason that says nothing.
const UNCLEAR: u8 = 31;

/// Tries to write the new file `target`, if there is one; what it found out is its exit code.
pub(super) fn probe(target: Option<PathBuf>) -> ExitCode {
    let Some(target) = target else { return ExitCode::SUCCESS };
    match OpenOptions::new().write(true).create_new(true).open(target) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            ExitCode::from(u8::try_from(DENIED).expect("it is a small number"))
        }
        Err(_) => ExitCode::from(UNCLEAR),
    }
}

/// Makes `place`, which must be the directory `held`, read-only for this process, which has a single thread, and for all
/// that it starts.
pub(super) fn put_on(place: &Path, held: &OwnedFd) -> Result<(), Errno> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    enter(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS, (0, user), (0, group))?;
    // Nothing of this is seen outside, and nothing of outside takes the mask away.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let (named, meant) = (stat(place)?, fstat(held)?);
    if (named.st_dev, named.st_ino) != (meant.st_dev, meant.st_ino) {
        return Err(Errno::STALE);
    }
    let known = fstatvfs(held)?.f_flag;
    let inherited = INHERITED.into_iter().filter(|(flag, _)| known.contains(*flag)).map(|(_, flag)| flag);
    mount_bind(place, place)?;
    mount_remount(place, inherited.fold(MountFlags::BIND | MountFlags::RDONLY, MountFlags::union), "")?;
    enter(CloneFlags::CLONE_NEWUSER, (user, 0), (group, 0))
}

/// Enters new namespaces, in which the second of each pair of ids appears as the first.
fn enter(namespaces: CloneFlags, user: (u32, u32), group: (u32, u32)) -> Result<(), Errno> {
    unshare(namespaces).map_err(|error| Errno::from_raw_os_error(error as i32))?;
    let write = |name: &str, text: String| std::fs::write(format!("/proc/self/{name}"), text);
    let denied = match write("setgroups", "deny".into()) {
        // Old systems have no such file, and ask for nothing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    denied
        .and_then(|()| write("uid_map", format!("{} {} 1", user.0, user.1)))
        .and_then(|()| write("gid_map", format!("{} {} 1", group.0, group.1)))
        .map_err(|error| errno(&error))
}
