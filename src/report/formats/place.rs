//! Where a finding stands, as other programs are told: a path as text, or as a relative URI.

use std::fmt::Write as _;

use crate::audit::finding::Finding;
use crate::policy::escape::plain;
use crate::policy::path::RepoPath;

/// The path that stands for a finding about the whole change: the root of the repository.
const ROOT: &str = ".";

/// The path of a finding as a relative URI: every byte that is not unreserved is percent-encoded, also one that is no UTF-8.
pub fn uri(finding: &Finding) -> String {
    let Some(path) = &finding.path else { return ROOT.to_owned() };
    let mut out = String::with_capacity(path.as_bytes().len());
    for byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(*byte)),
            byte => write!(out, "%{byte:02X}").expect("writing to a String cannot fail"),
        }
    }
    out
}

/// The path of a finding for a program that matches it with a file: as it is where it is text, else escaped.
pub fn text(finding: &Finding) -> String {
    match finding.path.as_ref().map(RepoPath::as_bytes) {
        None => ROOT.to_owned(),
        Some(path) => String::from_utf8(path.to_vec()).unwrap_or_else(|_| plain(path)),
    }
}

/// The path of a finding for a line of a log: only one that is safe to show as it is, line ends aside, which a format
/// escapes itself.
pub fn shown(finding: &Finding) -> Option<&str> {
    let path = std::str::from_utf8(finding.path.as_ref()?.as_bytes()).ok()?;
    let bare: Vec<u8> = path.bytes().filter(|byte| !b"\\\r\n".contains(byte)).collect();
    (plain(&bare).as_bytes() == bare).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::finding::{Code, Severity};

    fn about(path: Option<&[u8]>) -> Finding {
        Finding {
            code: Code::PathOutside,
            severity: Severity::Violation,
            path: path.map(RepoPath::from),
            message: "x".into(),
            help: "x".into(),
            undo: None,
            owners: None,
        }
    }

    #[test]
    fn every_path_has_a_uri_of_unreserved_characters() {
        let of = |path: &[u8]| uri(&about(Some(path)));
        assert_eq!(of(b"src/a-b_c.~rs"), "src/a-b_c.~rs");
        assert_eq!(of(b"a b/c:d?#%\xff\n"), "a%20b/c%3Ad%3F%23%25%FF%0A");
        assert_eq!(of("\u{e9}".as_bytes()), "%C3%A9");
        assert_eq!(uri(&about(None)), ".");
    }

    #[test]
    fn text_is_the_path_where_it_is_one() {
        assert_eq!(text(&about(Some(b"a\\\nb"))), "a\\\nb");
        assert_eq!(text(&about(Some(b"a\xff"))), "a\\xff");
        assert_eq!(text(&about(None)), ".");
    }

    #[test]
    fn a_log_is_shown_what_cannot_harm_it() {
        let whole = about(None);
        assert_eq!(shown(&whole), None);
        for (path, is_shown) in [
            (&b"a\nb:,%\\"[..], true),
            ("\u{e9}".as_bytes(), true),
            (b"a\x1b", false),
            (b"a\xff", false),
            (b"##[error]", false),
            ("a\u{202e}".as_bytes(), false),
        ] {
            assert_eq!(shown(&about(Some(path))).is_some(), is_shown, "{path:?}");
        }
    }
}
