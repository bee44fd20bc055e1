//! `working-tree-encoding`: from the encoding of the work tree to the UTF-8 that Git stores.
//!
//! Git asks iconv and has rules of its own about byte order marks; where either says no, `git diff` shows the raw bytes.
//! The encodings that gitoxide reads otherwise than iconv does (it follows the web's reading of the names, in which
//! UTF-16 is little-endian, UTF-32 is unknown and Latin-1 is Windows-1252) are decoded here.

use gix::bstr::BStr;
use gix::filter::plumbing::worktree;

/// How the units of a Unicode encoding lie in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As the name says; a byte order mark is not allowed.
    Little,
    /// As the name says; a byte order mark is not allowed.
    Big,
    /// As the byte order mark says, which must be there.
    Marked,
    /// As the byte order mark says, little-endian without one.
    MaybeMarked,
}

/// The encodings that are decoded here.
#[derive(Clone, Copy)]
enum Own {
    Utf16(Order),
    Utf32(Order),
    Latin1,
    Ascii,
}

/// Names without the letters `UTF` and an optional hyphen, as Git compares them.
const UNICODE: [(&str, Own); 7] = [
    ("16", Own::Utf16(Order::Marked)),
    ("16LE", Own::Utf16(Order::Little)),
    ("16BE", Own::Utf16(Order::Big)),
    ("16LE-BOM", Own::Utf16(Order::MaybeMarked)),
    ("32", Own::Utf32(Order::Marked)),
    ("32LE", Own::Utf32(Order::Little)),
    ("32BE", Own::Utf32(Order::Big)),
];

/// Names that iconv knows for the two encodings that the web reads as Windows-1252.
const WESTERN: [(&str, Own); 8] = [
    ("ISO-8859-1", Own::Latin1),
    ("ISO8859-1", Own::Latin1),
    ("ISO_8859-1", Own::Latin1),
    ("LATIN1", Own::Latin1),
    ("L1", Own::Latin1),
    ("US-ASCII", Own::Ascii),
    ("ASCII", Own::Ascii),
    ("ANSI_X3.4-1968", Own::Ascii),
];

/// Whether `name` is the encoding that Git stores, so that there is nothing to do.
pub fn is_utf8(name: &[u8]) -> bool {
    unicode_name(name).is_some_and(|rest| rest == b"8")
}

/// The UTF-8 for `bytes` in the encoding called `name`, or `None` where Git would take the bytes as they are: the name is
/// unknown, the content is malformed, or a byte order mark is missing or not allowed.
pub fn to_utf8(name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    match own(name) {
        Some(Own::Utf16(order)) => utf16(order, bytes),
        Some(Own::Utf32(order)) => utf32(order, bytes),
        Some(Own::Latin1) => Some(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes()),
        Some(Own::Ascii) => bytes.is_ascii().then(|| bytes.to_vec()),
        None => foreign(name, bytes),
    }
}

fn own(name: &[u8]) -> Option<Own> {
    let find = |table: &[(&str, Own)], name: &[u8]| {
        table.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)).map(|(_, own)| *own)
    };
    unicode_name(name).and_then(|rest| find(&UNICODE, rest)).or_else(|| find(&WESTERN, name))
}

/// What follows `UTF` and an optional hyphen.
fn unicode_name(name: &[u8]) -> Option<&[u8]> {
    let (head, rest) = name.split_at_checked(3)?;
    head.eq_ignore_ascii_case(b"utf").then(|| rest.strip_prefix(b"-").unwrap_or(rest))
}

/// Whether the units are big-endian, and the bytes behind the mark.
fn unmark<'a>(order: Order, bytes: &'a [u8], little: &[u8], big: &[u8]) -> Option<(bool, &'a [u8])> {
    let marked = match (bytes.strip_prefix(little), bytes.strip_prefix(big)) {
        (Some(rest), _) => Some((false, rest)),
        (None, Some(rest)) => Some((true, rest)),
        (None, None) => None,
    };
    match order {
        Order::Little | Order::Big => marked.is_none().then_some((order == Order::Big, bytes)),
        Order::Marked => marked,
        Order::MaybeMarked => Some(marked.unwrap_or((false, bytes))),
    }
}

fn utf16(order: Order, bytes: &[u8]) -> Option<Vec<u8>> {
    let (big, bytes) = unmark(order, bytes, b"\xFF\xFE", b"\xFE\xFF")?;
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let units = units.iter().map(|unit| if big { u16::from_be_bytes(*unit) } else { u16::from_le_bytes(*unit) });
    char::decode_utf16(units).collect::<Result<String, _>>().ok().map(String::into_bytes)
}

fn utf32(order: Order, bytes: &[u8]) -> Option<Vec<u8>> {
    let (big, bytes) = unmark(order, bytes, b"\xFF\xFE\0\0", b"\0\0\xFE\xFF")?;
    let (units, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let units = units.iter().map(|unit| if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) });
    units.map(char::from_u32).collect::<Option<String>>().map(String::into_bytes)
}

/// Everything else goes by the web's reading of the name.
fn foreign(name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let encoding = worktree::encoding::for_label(<&BStr>::from(name)).ok()?;
    let mut text = Vec::new();
    worktree::encode_to_git(bytes, encoding, &mut text, worktree::encode_to_git::RoundTripCheck::Skip).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_names_of_utf_8() {
        for (name, expected) in [("UTF-8", true), ("utf8", true), ("UTF-16", false), ("UT", false), ("", false)] {
            assert_eq!(is_utf8(name.as_bytes()), expected, "{name}");
        }
    }

    /// A name, bytes, and what they are in UTF-8.
    type Case = (&'static str, &'static [u8], Option<&'static [u8]>);

    #[test]
    fn byte_order_marks_follow_git() {
        let cases: [Case; 16] = [
            ("UTF-16", b"\xFF\xFEa\0", Some(b"a")),
            ("utf16", b"\xFE\xFF\0a", Some(b"a")),
            ("UTF-16", b"a\0", None),
            ("UTF-16LE", b"a\0", Some(b"a")),
            ("UTF-16LE", b"\xFF\xFEa\0", None),
            ("UTF-16BE", b"\0a", Some(b"a")),
            ("UTF-16LE-BOM", b"\xFF\xFEa\0", Some(b"a")),
            ("UTF-16LE-BOM", b"a\0", Some(b"a")),
            ("UTF-16LE", b"a\0b", None),
            ("UTF-16LE", b"\0\xD8", None),
            ("UTF-32", b"\xFF\xFE\0\0a\0\0\0", Some(b"a")),
            ("UTF-32LE", b"a\0\0\0", Some(b"a")),
            ("UTF-32BE", b"\0\x11\0\0", None),
            ("latin1", b"\xE4\x80", Some("\u{e4}\u{80}".as_bytes())),
            ("ascii", b"\xE4", None),
            ("no-such-encoding", b"a", None),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(to_utf8(name.as_bytes(), bytes).as_deref(), expected, "{name} {bytes:?}");
        }
        assert_eq!(to_utf8(b"shift-jis", b"\x83\x65").as_deref(), Some("\u{30c6}".as_bytes()));
    }
}
