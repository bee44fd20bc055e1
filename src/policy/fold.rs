//! Names as other file systems see them: those of macOS and Windows take names for one that differ in case, in Unicode form,
//! in characters that are not shown, or in dots and spaces at the end.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use super::escape;

/// A name as a file system sees it that ignores case and normalises Unicode. Going by upper case first makes `ß` and `ss`
/// one, as full case folding does.
pub fn name(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(name) => {
            let decomposed: String = name.nfd().collect();
            decomposed.to_uppercase().to_lowercase().nfc().collect::<String>().into_bytes()
        }
        Err(_) => name.to_ascii_lowercase(),
    }
}

/// A path whose components are folded as [`name`] does, without what is not shown and without dots and spaces at their
/// ends: HFS+ ignores the former, Windows drops the latter, and what follows a colon is a stream of the same file there.
pub fn path(path: &[u8]) -> Cow<'_, [u8]> {
    if path.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/_-".contains(byte)) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.split(|byte| *byte == b'/').map(component).collect::<Vec<_>>().join(&b'/'))
}

fn component(raw: &[u8]) -> Vec<u8> {
    let shown: Vec<u8> = match std::str::from_utf8(raw) {
        Ok(text) => text.chars().filter(|c| !escape::is_hidden(*c)).collect::<String>().into_bytes(),
        Err(_) => raw.to_vec(),
    };
    let folded = name(&shown);
    let stream = folded.iter().skip(1).position(|byte| *byte == b':').map_or(folded.len(), |at| at + 1);
    without_end(&folded[..stream]).to_vec()
}

/// Without dots and spaces at the end, unless there is nothing else.
fn without_end(name: &[u8]) -> &[u8] {
    let kept = name.iter().rposition(|byte| !b". ".contains(byte)).map_or(name.len(), |at| at + 1);
    &name[..kept]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_form_only_are_one() {
        for (a, b) in
            [("README.md", "readme.MD"), ("\u{e9}", "e\u{301}"), ("\u{c9}", "e\u{301}"), ("stra\u{df}e", "STRASSE")]
        {
            assert_eq!(name(a.as_bytes()), name(b.as_bytes()), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("e", "\u{e9}"), ("a", "a ")] {
            assert_ne!(name(a.as_bytes()), name(b.as_bytes()), "{a} {b}");
        }
        assert_eq!(name(b"A\xff"), b"a\xff");
    }

    #[test]
    fn a_path_that_means_another_elsewhere_is_that_one() {
        for (other, meant) in [
            (".Claude/x", ".claude/x"),
            (".hus\u{212a}y/pre-commit", ".husky/pre-commit"),
            (".mcp.j\u{17f}on", ".mcp.json"),
            (".clau\u{200c}de/settings.json", ".claude/settings.json"),
            (".claude. ./x", ".claude/x"),
            (".mcp.json::$DATA", ".mcp.json"),
            ("a/b.c", "a/b.c"),
        ] {
            assert_eq!(path(other.as_bytes()), meant.as_bytes(), "{other}");
        }
        for same in [&b".."[..], b"...", b":", b"a\xff", b"src/main.rs"] {
            assert_eq!(path(same), same);
        }
    }
}
