//! PURE. The order of names in a ledger: that of their characters, where a byte that is no UTF-8 counts as the lone
//! surrogate that it is written as.

use std::cmp::Ordering;

/// Compares two names.
pub fn names(left: &[u8], right: &[u8]) -> Ordering {
    match (str::from_utf8(left), str::from_utf8(right)) {
        // The bytes of UTF-8 are in the order of the characters.
        (Ok(left), Ok(right)) => left.cmp(right),
        _ => units(left).cmp(units(right)),
    }
}

fn units(name: &[u8]) -> impl Iterator<Item = u32> {
    name.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(u32::from);
        valid.chain(chunk.invalid().iter().map(|byte| 0xdc00 + u32::from(*byte)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_decide_and_escapes_stand_between_them() {
        let sorted: [&[u8]; 8] =
            [b"", b"a", b"a\xff", "a\u{e000}".as_bytes(), b"b", "\u{d7ff}".as_bytes(), b"\x80", "\u{1f600}".as_bytes()];
        for (at, left) in sorted.iter().enumerate() {
            for (other, right) in sorted.iter().enumerate() {
                assert_eq!(names(left, right), at.cmp(&other), "{left:?} {right:?}");
            }
        }
    }
}
