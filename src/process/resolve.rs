//! Where the executable of a command is, and whether the system can start it, asked before anything is started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags, access};

use crate::policy::escape::plain;

/// Where programs are looked for when there is no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The system reads no more of a script's first line.
const FIRST_LINE: u64 = 256;

/// The system follows no longer chain of scripts that interpret scripts.
const INTERPRETERS: usize = 5;

/// Why an executable cannot start.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unstartable {
    /// Its name is empty.
    Unnamed,
    /// No directory of the search path has it.
    NotOnPath,
    /// There is nothing at the path that was named.
    Missing(PathBuf),
    /// Something stands there that is no regular file.
    NoFile(PathBuf),
    /// It may not be executed.
    NotExecutable(PathBuf),
    /// The program that its first line names cannot start.
    Interpreter(PathBuf, Box<Unstartable>),
    /// Its first line names no program, or the chain of them does not end.
    NoInterpreter(PathBuf),
}

impl fmt::Display for Unstartable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| plain(path.as_os_str().as_bytes());
        match self {
            Unstartable::Unnamed => write!(f, "the command is empty"),
            Unstartable::NotOnPath => write!(f, "no such program on the search path"),
            Unstartable::Missing(path) => write!(f, "{} does not exist", shown(path)),
            Unstartable::NoFile(path) => write!(f, "{} is not a file", shown(path)),
            Unstartable::NotExecutable(path) => write!(f, "{} is not executable", shown(path)),
            Unstartable::Interpreter(path, why) => write!(f, "{}: its interpreter cannot start: {why}", shown(path)),
            Unstartable::NoInterpreter(path) => write!(f, "{}: its first line names no interpreter", shown(path)),
        }
    }
}

/// The file to start for the command `name`, run in `root`: a name with a slash is a path relative to `root`, any other
/// is looked for in the directories of `search_path`.
pub(super) fn resolve(name: &OsStr, root: &Path, search_path: Option<&OsStr>) -> Result<PathBuf, Unstartable> {
    let path = if name.is_empty() {
        return Err(Unstartable::Unnamed);
    } else if name.as_bytes().contains(&b'/') {
        root.join(name)
    } else {
        look_up(name, root, search_path.unwrap_or(OsStr::new(DEFAULT_PATH)))?
    };
    check(&path, root, INTERPRETERS)?;
    Ok(path)
}

/// The first executable file of that name, as `execvp` looks it up; an empty directory name is the working directory.
fn look_up(name: &OsStr, root: &Path, search_path: &OsStr) -> Result<PathBuf, Unstartable> {
    let mut not_executable = None;
    for directory in search_path.as_bytes().split(|byte| *byte == b':') {
        let candidate = root.join(OsStr::from_bytes(directory)).join(name);
        match check_file(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(why @ Unstartable::NotExecutable(_)) => not_executable = not_executable.or(Some(why)),
            Err(_) => {}
        }
    }
    Err(not_executable.unwrap_or(Unstartable::NotOnPath))
}

/// Whether `path` can start: an executable file, and if it is a script, one with an interpreter that can start.
fn check(path: &Path, root: &Path, interpreters: usize) -> Result<(), Unstartable> {
    check_file(path)?;
    match interpreter(path) {
        Interpreter::None => Ok(()),
        Interpreter::Named(name) if interpreters > 0 && !name.is_empty() => {
            check(&root.join(name), root, interpreters - 1)
                .map_err(|why| Unstartable::Interpreter(path.to_owned(), Box::new(why)))
        }
        Interpreter::Named(_) => Err(Unstartable::NoInterpreter(path.to_owned())),
    }
}

fn check_file(path: &Path) -> Result<(), Unstartable> {
    // A file in a directory that may not be searched is as good as missing, as it is for the system.
    let metadata = fs::metadata(path).map_err(|_| Unstartable::Missing(path.to_owned()))?;
    if !metadata.is_file() {
        return Err(Unstartable::NoFile(path.to_owned()));
    }
    access(path, Access::EXEC_OK).map_err(|_| Unstartable::NotExecutable(path.to_owned()))
}

enum Interpreter {
    /// The file is no script, or cannot be read, which a program need not be to run.
    None,
    /// What stands behind the `#!`.
    Named(OsString),
}

fn interpreter(path: &Path) -> Interpreter {
    let mut head = Vec::new();
    // Without blocking, should a FIFO have taken the file's place.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).expect("the flag is a low bit");
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    if opened.and_then(|file| file.take(FIRST_LINE).read_to_end(&mut head)).is_err() {
        return Interpreter::None;
    }
    let Some(line) = head.strip_prefix(b"#!") else { return Interpreter::None };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let name = line.split(|byte| matches!(byte, b' ' | b'\t' | b'\0')).find(|word| !word.is_empty());
    Interpreter::Named(OsString::from_vec(name.unwrap_or_default().to_vec()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(root: &Path, name: &str, content: &str, mode: u32) -> PathBuf {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn told(name: &str, root: &Path, search_path: &str) -> String {
        resolve(OsStr::new(name), root, Some(OsStr::new(search_path))).unwrap_err().to_string()
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_root() {
        let root = tempfile::tempdir().unwrap();
        let script = file(root.path(), "tools/ok", "#!/bin/sh -e\n", 0o755);
        let found = |name: &str| resolve(OsStr::new(name), root.path(), Some(OsStr::new(""))).unwrap();
        assert_eq!(found("tools/ok"), script);
        assert_eq!(found("./tools/ok"), root.path().join("./tools/ok"));
        assert_eq!(found(script.to_str().unwrap()), script);
        assert_eq!(found("/bin/sh"), Path::new("/bin/sh"));
    }

    #[test]
    fn a_plain_name_is_looked_up_and_what_cannot_run_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/tool")).unwrap();
        file(root.path(), "b/tool", "#!/bin/sh\n", 0o644);
        let tool = file(root.path(), "c/tool", "#! /bin/sh\n", 0o755);
        let search = format!("/nowhere:{0}/a:{0}/b:c", root.path().display());
        assert_eq!(resolve(OsStr::new("tool"), root.path(), Some(OsStr::new(&search))).unwrap(), tool);
        assert_eq!(resolve(OsStr::new("sh"), root.path(), None).unwrap().file_name().unwrap(), "sh");
        assert_eq!(told("tool", root.path(), "/nowhere:a"), "no such program on the search path");
        assert!(told("tool", root.path(), "a:b").ends_with("b/tool is not executable"));
        assert_eq!(told("", root.path(), "a:b"), "the command is empty");
    }

    #[test]
    fn what_cannot_start_is_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir(root.join("folder")).unwrap();
        file(root, "plain", "#!/bin/sh\n", 0o644);
        file(root, "bad", "#!/no/such/interpreter -x\n", 0o755);
        file(root, "crlf", "#!/bin/sh\r\n", 0o755);
        file(root, "none", "#!  \n", 0o755);
        file(root, "loop", &format!("#!{}/loop\n", root.display()), 0o755);
        file(root, "chained", &format!("#!{}/bad\n", root.display()), 0o755);
        for (name, end) in [
            ("./missing", "/missing does not exist"),
            ("./folder", "/folder is not a file"),
            ("/dev/null", "/dev/null is not a file"),
            ("./plain", "/plain is not executable"),
            ("./bad", "/bad: its interpreter cannot start: /no/such/interpreter does not exist"),
            ("./crlf", r"/crlf: its interpreter cannot start: /bin/sh\r does not exist"),
            ("./none", "/none: its first line names no interpreter"),
            ("./loop", "/loop: its first line names no interpreter"),
            ("./chained", "/no/such/interpreter does not exist"),
            ("./plain/below", "/plain/below does not exist"),
        ] {
            let told = told(name, root, "/bin");
            assert!(told.ends_with(end), "{name}: {told}");
        }
    }
}
