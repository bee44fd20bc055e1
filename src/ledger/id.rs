//! PURE. The names of sessions: ULIDs, which sort as the sessions began.

use ulid::Ulid;

/// How long an id is.
pub const LENGTH: usize = 26;

/// Whether a text is the id of a session: then it is also a safe name of a directory.
pub fn is_id(text: &[u8]) -> bool {
    let digit =
        |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'H' | b'J' | b'K' | b'M' | b'N' | b'P'..=b'T' | b'V'..=b'Z');
    text.len() == LENGTH && text.iter().all(digit)
}

/// An id for a session that begins `millis` after the epoch. It sorts behind `last`, also when the clock was set back or
/// both began in the same millisecond.
pub fn next(millis: u64, random: u128, last: Option<&str>) -> String {
    let fresh = Ulid::from_parts(millis, random);
    let after = last.and_then(|last| Ulid::from_string(last).ok()).filter(|last| *last >= fresh);
    // Behind the very last id of all there is none; then the order gives way.
    after.and_then(|last| last.increment()).unwrap_or(fresh).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_each_other() {
        let first = next(1_700_000_000_000, 7, None);
        assert!(is_id(first.as_bytes()), "{first}");
        let second = next(1_700_000_000_000, 3, Some(&first));
        assert!(second > first, "{first} {second}");
        assert!(next(1_600_000_000_000, 9, Some(&second)) > second, "the clock went back");
        assert_eq!(&next(1_800_000_000_000, 9, Some(&second))[..10], &next(1_800_000_000_000, 1, None)[..10]);
        assert_eq!(next(5, 1, Some("nonsense")), next(5, 1, None));
        let end = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";
        assert_eq!(next(5, 1, Some(end)), next(5, 1, None), "nothing follows the end");
    }

    #[test]
    fn what_is_no_id_is_told() {
        assert!(is_id(b"01K0EJ3V9CJ0Q6ZM3S1R8T5W2X"));
        for text in [
            "",
            "latest",
            "01K0EJ3V9CJ0Q6ZM3S1R8T5W2",
            "01k0ej3v9cj0q6zm3s1r8t5w2x",
            "01K0EJ3V9CJ0Q6ZM3S1R8T5W/X",
            "../../../../../../../../etc",
            "01K0EJ3V9CJ0Q6ZM3S1R8T5WIX",
        ] {
            assert!(!is_id(text.as_bytes()), "{text}");
        }
    }
}
