//! Where the objects of a push are while a hook looks at them: Git keeps them apart until the hook has accepted them, and
//! says where in variables.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::objects::Store;
use super::open::Repository;
use crate::error::{Error, Result};
use crate::policy::escape::plain;

/// The variables that name one directory.
const DIRECTORIES: [&str; 2] = ["GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY"];

/// The variable that names several.
const ALTERNATES: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// The stores that the variables of a hook name, beside the repository's own.
///
/// # Errors
/// Where one of them is no directory: what it should hold would be missing.
pub fn stores(repository: &Repository, variables: &dyn Fn(&str) -> Option<OsString>) -> Result<Vec<Store>> {
    let named = DIRECTORIES.iter().filter_map(|name| variables(name)).map(PathBuf::from);
    let alternates = variables(ALTERNATES).unwrap_or_default();
    let own = std::fs::canonicalize(repository.location.common_dir.join("objects")).ok();
    let (mut seen, mut stores) = (Vec::new(), Vec::new());
    for path in named.filter(|path| !path.as_os_str().is_empty()).chain(split(alternates.as_bytes())) {
        let shown = plain(path.as_os_str().as_bytes());
        let directory = std::fs::canonicalize(&path)
            .map_err(|error| Error::io(format!("the objects of the push in {shown} cannot be found"), error))?;
        if !directory.is_dir() {
            return Err(Error::repository(format!("{shown} is no directory of objects"))
                .hint("Git sets GIT_QUARANTINE_PATH and its kin for its hooks; unset them elsewhere."));
        }
        if Some(&directory) != own.as_ref() && !seen.contains(&directory) {
            stores.push(Store::at(&directory, repository.gix.object_hash())?);
            seen.push(directory);
        }
    }
    Ok(stores)
}

/// The paths of a list as Git writes it: parted by colons, and in double quotes with C escapes where one holds any.
fn split(mut list: &[u8]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    while !list.is_empty() {
        let (path, rest) = if let Some(quoted) = list.strip_prefix(b"\"") {
            unquoted(quoted)
        } else {
            let end = list.iter().position(|byte| *byte == b':').unwrap_or(list.len());
            (list[..end].to_vec(), &list[end..])
        };
        if !path.is_empty() {
            paths.push(PathBuf::from(OsString::from_vec(path)));
        }
        list = rest.strip_prefix(b":").unwrap_or(rest);
        if rest.len() == list.len() && !rest.is_empty() {
            // What follows a quotation without a colon belongs to no path that Git would write.
            break;
        }
    }
    paths
}

/// What stands before the closing quote, and what follows it.
fn unquoted(quoted: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::new();
    let mut at = 0;
    while at < quoted.len() {
        match quoted[at] {
            b'"' => return (out, &quoted[at + 1..]),
            b'\\' => {
                let octal = quoted
                    .get(at + 1..at + 4)
                    .filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
                if let Some(digits) = octal {
                    out.push(digits.iter().fold(0_u8, |value, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')));
                    at += 4;
                } else {
                    out.extend(quoted.get(at + 1).map(|escaped| plain_of(*escaped)));
                    at += 2;
                }
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    (out, &[])
}

fn plain_of(escaped: u8) -> u8 {
    match escaped {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_git_writes_it() {
        let read = |list: &str| -> Vec<Vec<u8>> {
            split(list.as_bytes()).into_iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect()
        };
        assert_eq!(read("/a:/b"), [b"/a".to_vec(), b"/b".to_vec()]);
        assert_eq!(read("\"/a:\\\"b\\n\\303\\274\":/c"), ["/a:\"b\n\u{fc}".as_bytes().to_vec(), b"/c".to_vec()]);
        assert_eq!(read("::/x:"), [b"/x".to_vec()]);
        assert_eq!(read("\"/open"), [b"/open".to_vec()]);
        assert_eq!(read(""), Vec::<Vec<u8>>::new());
    }
}
