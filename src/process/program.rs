//! What to start, and the form in which it travels to the process that starts it.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, memfd_create};

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file to start; absolute, because a relative one would depend on the working directory.
    pub file: PathBuf,
    /// The name that the program sees itself called by.
    pub name: OsString,
    /// Its arguments, passed as they are.
    pub arguments: Vec<OsString>,
    /// The directory that it runs in.
    pub directory: PathBuf,
    /// All variables that it sees.
    pub environment: Vec<(OsString, OsString)>,
}

/// The program as the system wants it.
pub(super) struct Call {
    /// The file to start.
    pub(super) file: CString,
    /// The name and the arguments.
    pub(super) arguments: Vec<CString>,
    /// The directory to start it in.
    pub(super) directory: PathBuf,
    /// `NAME=VALUE` of each variable.
    pub(super) environment: Vec<CString>,
}

impl Program {
    /// Writes the program into a file without a name, so that neither its arguments nor its environment can be seen
    /// anywhere on the way.
    ///
    /// # Errors
    /// Of kind `InvalidInput` for a NUL byte, which the system cannot pass on.
    pub(super) fn pack(&self) -> io::Result<File> {
        let file = [self.file.as_os_str(), self.directory.as_os_str()].map(OsStr::as_bytes).map(<[u8]>::to_vec);
        let arguments: Vec<Vec<u8>> =
            [&self.name].into_iter().chain(&self.arguments).map(|word| word.as_bytes().to_vec()).collect();
        let environment: Vec<Vec<u8>> =
            self.environment.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()).collect();
        let count = arguments.len().to_string().into_bytes();
        let fields: Vec<Vec<u8>> = file.into_iter().chain([count]).chain(arguments).chain(environment).collect();
        if fields.iter().flatten().any(|byte| *byte == 0) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it holds a NUL byte"));
        }
        let bytes: Vec<u8> = fields.into_iter().flat_map(|field| field.into_iter().chain([0])).collect();
        let mut packed = File::from(memfd_create("cordon-program", MemfdFlags::CLOEXEC)?);
        packed.write_all(&bytes)?;
        packed.rewind()?;
        Ok(packed)
    }
}

impl Call {
    /// Reads what [`Program::pack`] has written.
    pub(super) fn unpack(mut packed: File) -> Option<Call> {
        let mut bytes = Vec::new();
        packed.read_to_end(&mut bytes).ok()?;
        let mut fields = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
        let text = |field: &[u8]| CString::new(field).ok();
        let file = text(fields.next()?)?;
        let directory = PathBuf::from(OsString::from_vec(fields.next()?.to_vec()));
        let count: usize = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let arguments: Vec<CString> = fields.by_ref().take(count).map(text).collect::<Option<_>>()?;
        let environment = fields.map(text).collect::<Option<_>>()?;
        (arguments.len() == count).then_some(Call { file, arguments, directory, environment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(arguments: &[&str], environment: &[(&str, &str)]) -> Program {
        Program {
            file: "/bin/a b".into(),
            name: "a".into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            directory: "/tmp".into(),
            environment: environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        }
    }

    #[test]
    fn it_arrives_as_it_was_packed() {
        for (arguments, environment) in [
            (&[][..], &[][..]),
            (&["", "-x", "\n"][..], &[("A", ""), ("B", "c=d")][..]),
            (&[""][..], &[][..]),
            (&[][..], &[("A", "")][..]),
        ] {
            let call = Call::unpack(program(arguments, environment).pack().unwrap()).unwrap();
            let seen = |strings: &[CString]| strings.iter().map(|s| s.to_str().unwrap().to_owned()).collect::<Vec<_>>();
            assert_eq!(call.file.to_str(), Ok("/bin/a b"));
            assert_eq!(call.directory, PathBuf::from("/tmp"));
            assert_eq!(seen(&call.arguments), [&["a"], arguments].concat());
            let expected: Vec<String> = environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(seen(&call.environment), expected);
        }
    }

    #[test]
    fn what_cannot_be_passed_on_is_refused() {
        assert_eq!(program(&["a\0b"], &[]).pack().unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let file = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            file
        };
        for bytes in [&b""[..], b"/bin/a\0/\0", b"/bin/a\0/\0x\0", b"/bin/a\0/\x002\0a\0", b"/bin/a"] {
            assert!(Call::unpack(file(bytes)).is_none(), "{bytes:?}");
        }
    }
}
