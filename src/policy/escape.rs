//! Raw bytes of a name made safe to show: as ASCII JSON for programs, and as plain text for terminals and logs.
//!
//! Every human format goes through [`plain`], and every JSON output through [`json_string`], so a file name can
//! neither move a cursor nor start a line of its own.

use std::fmt::Write as _;

/// `bytes` as a JSON string literal, quotes included: ASCII only, and an undecodable byte 0xNN as the escape `\udcNN`.
///
/// This is the form in which Python's `json` prints a name that was decoded with `surrogateescape`.
pub fn json_string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push_json_char(&mut out, c);
        }
        for &byte in chunk.invalid() {
            push_unit(&mut out, 0xdc00 + u16::from(byte));
        }
    }
    out.push('"');
    out
}

/// The short escape that JSON has for a character, if it has one.
pub fn json_short(c: char) -> Option<&'static str> {
    Some(match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        _ => return None,
    })
}

fn push_json_char(out: &mut String, c: char) {
    match (json_short(c), c) {
        (Some(short), _) => out.push_str(short),
        (None, ' '..='~') => out.push(c),
        _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push_unit(out, *unit)),
    }
}

fn push_unit(out: &mut String, unit: u16) {
    write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
}

/// The raw bytes behind a string that a JSON reader decoded to WTF-8: the lone surrogates U+DC80 to U+DCFF become the
/// bytes that [`json_string`] escaped. `None` when anything else in it is no UTF-8, which no output of Cordon holds.
pub fn from_wtf8(decoded: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(decoded.len());
    let mut rest = decoded;
    while let Err(error) = std::str::from_utf8(rest) {
        let (valid, tail) = rest.split_at(error.valid_up_to());
        let [0xed, second @ 0xb2..=0xb3, third @ 0x80..=0xbf, after @ ..] = tail else { return None };
        out.extend_from_slice(valid);
        out.push(0x80 | ((second & 1) << 6) | (third & 0x3f));
        rest = after;
    }
    out.extend_from_slice(rest);
    Some(out)
}

/// `bytes` as text that is safe in a terminal, a log and a CI runner's output: one line, no control characters, no
/// characters that reorder or hide text; undecodable bytes as `\xNN`, the rest as Rust-like escapes.
///
/// A backslash is always doubled, so that a name never looks like another one's escape. Every other text that needs no
/// escape comes back as it is.
pub fn plain(bytes: &[u8]) -> String {
    escaped(bytes, "\\\\")
}

/// Text that a user typed, a command or a pattern, as it was typed: as [`plain`] has it, but a backslash stays single.
pub fn typed(text: &[u8]) -> String {
    escaped(text, "\\")
}

/// Whether a `[` behind `text` would begin a command to a CI runner that reads it out of any line of a log: `##[error]` of
/// GitHub Actions, `##vso[task.setvariable]` of Azure, `##teamcity[message]`.
pub fn opens_runner_command(text: &[u8]) -> bool {
    let letters = text.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    text[..text.len() - letters].ends_with(b"##")
}

fn escaped(bytes: &[u8], backslash: &str) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str(backslash),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if is_hostile(c) || (c == '[' && opens_runner_command(out.as_bytes())) => {
                    write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String cannot fail");
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}").expect("writing to a String cannot fail");
        }
    }
    out
}

/// Characters that control a terminal, end a line, reorder or hide text: the controls, and what Unicode ignores by
/// default.
pub fn is_hostile(c: char) -> bool {
    c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Characters that show nothing of themselves, some of which reorder what others show.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_leaves_what_is_safe() {
        for text in ["", "src/a b.py", "\u{e9}\u{65e5}\u{1f600}", "\"'`$(x)"] {
            assert_eq!(plain(text.as_bytes()), text);
        }
    }

    #[test]
    fn plain_escapes_what_controls_hides_or_reorders() {
        let cases: [(&[u8], &str); 18] = [
            (b"##[error]x", "##\\u{5b}error]x"),
            (b"a ##vso[task.setvariable]", "a ##vso\\u{5b}task.setvariable]"),
            (b"#[x] ##a1[x] ##\\[", "#[x] ##a1[x] ##\\\\["),
            (b"##\n[", "##\\n["),
            (b"a\nb", "a\\nb"),
            (b"\r\t", "\\r\\t"),
            (b"\x1b[2J\x07\0", "\\u{1b}[2J\\u{7}\\u{0}"),
            (b"\x7f", "\\u{7f}"),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            ("\u{85}".as_bytes(), "\\u{85}"),
            ("a\u{202e}b\u{2066}".as_bytes(), "a\\u{202e}b\\u{2066}"),
            ("\u{200b}\u{200d}\u{feff}\u{ad}".as_bytes(), "\\u{200b}\\u{200d}\\u{feff}\\u{ad}"),
            ("\u{2028}\u{2029}".as_bytes(), "\\u{2028}\\u{2029}"),
            ("\u{e0041}\u{fe0f}\u{1d173}\u{1bca0}".as_bytes(), "\\u{e0041}\\u{fe0f}\\u{1d173}\\u{1bca0}"),
            (b"\xff\xc3\xa9\xe6\x97", "\\xff\u{e9}\\xe6\\x97"),
            (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
            (b"a\\nb", "a\\\\nb"),
            (b"\\xff", "\\\\xff"),
        ];
        for (bytes, shown) in cases {
            assert_eq!(plain(bytes), shown, "{bytes:?}");
        }
    }

    #[test]
    fn what_was_typed_keeps_its_backslashes() {
        assert_eq!(typed(br"grep '\d\.' a"), r"grep '\d\.' a");
        assert_eq!(typed(b"a\\\x1b[2J\n\xff"), "a\\\\u{1b}[2J\\n\\xff");
    }

    #[test]
    fn every_byte_comes_back_from_json() {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let bytes = [first, second];
                let json = json_string(&bytes);
                assert!(json.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{json}");
                let mut reader = serde_json::Deserializer::from_str(&json);
                let read: crate::policy::path::RepoPath = serde::Deserialize::deserialize(&mut reader).unwrap();
                assert_eq!(read.as_bytes(), bytes, "{json}");
            }
        }
    }

    #[test]
    fn a_surrogate_that_stands_for_no_byte_is_refused() {
        for json in [r#""\ud800""#, r#""\udc7f""#, r#""\udd00""#, r#""\udfff""#, r#""\udc00""#] {
            assert!(serde_json::from_str::<crate::policy::path::RepoPath>(json).is_err(), "{json}");
        }
        for json in [&b"\"\xff\""[..], b"\"\xed\xb2A\"", b"\"\xed\xb2", b"\"\xed\""] {
            assert!(serde_json::from_slice::<crate::policy::path::RepoPath>(json).is_err(), "{json:?}");
        }
        for (json, bytes) in [(r#""\udc80""#, b"\x80"), (r#""\udcff""#, b"\xff")] {
            let read: crate::policy::path::RepoPath = serde_json::from_str(json).unwrap();
            assert_eq!(read.as_bytes(), bytes);
        }
    }
}
