//! Names as Git writes them in a patch: in double quotes with C escapes where a plain name could be misread.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `name` with `prefix` (`a/`, `b/` or nothing) in front, quoted as Git does with `core.quotePath` on.
pub fn quoted(prefix: &str, name: &[u8]) -> String {
    let escaped = escaped(name);
    match &escaped {
        Cow::Borrowed(plain) => format!("{prefix}{plain}"),
        Cow::Owned(escaped) => format!("\"{prefix}{escaped}\""),
    }
}

/// The name for a `---` or `+++` line: a plain name with a space gets a tab behind it, which tells where it ends.
pub fn quoted_on_its_line(prefix: &str, name: &[u8]) -> String {
    let mut text = quoted(prefix, name);
    if !text.starts_with('"') && text.contains(' ') {
        text.push('\t');
    }
    text
}

fn escaped(name: &[u8]) -> Cow<'_, str> {
    let harmless = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    match std::str::from_utf8(name) {
        Ok(text) if name.iter().all(harmless) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut out = String::with_capacity(name.len() + 8);
    for byte in name {
        match byte {
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0b => out.push_str("\\v"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => write!(out, "\\{byte:03o}").expect("writing to a String cannot fail"),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_look_as_git_writes_them() {
        let cases: [(&[u8], &str); 6] = [
            (b"src/a.rs", "a/src/a.rs"),
            (b"a b", "a/a b"),
            (b"a\nb\t\"c\"\\", r#""a/a\nb\t\"c\"\\""#),
            ("\u{fc}".as_bytes(), r#""a/\303\274""#),
            (b"\xff\x01\x7f", r#""a/\377\001\177""#),
            (b"\x07\x08\x0b\x0c\r", r#""a/\a\b\v\f\r""#),
        ];
        for (name, expected) in cases {
            assert_eq!(quoted("a/", name), expected);
        }
        assert_eq!(quoted_on_its_line("b/", b"a b"), "b/a b\t");
        assert_eq!(quoted_on_its_line("b/", b"a \n"), "\"b/a \\n\"");
    }
}
