//! The content of a binary file in the form that `git apply` takes: deflated, and in Git's base 85.

use zlib_rs::{DeflateConfig, compress_bound, compress_slice};

/// The digits of Git's base 85.
const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// How many bytes one line carries at most: its first letter says how many it does.
const LINE: usize = 52;

/// Both directions of a change: the new content, and the old one for `git apply --reverse`.
pub fn patch(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = b"GIT binary patch\n".to_vec();
    for content in [new, old] {
        out.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
        for line in deflated(content).chunks(LINE) {
            push_line(&mut out, line);
        }
        out.push(b'\n');
    }
    out
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; compress_bound(content.len())];
    // The bound is what the library promises to stay within, so there is no second outcome.
    let length = compress_slice(&mut buffer, content, DeflateConfig::default()).0.len();
    buffer.truncate(length);
    buffer
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    let letter = match line.len() {
        short @ 0..=26 => b'A' + u8::try_from(short.saturating_sub(1)).unwrap_or(0),
        long => b'a' + u8::try_from(long - 27).unwrap_or(0),
    };
    out.push(letter);
    for group in line.chunks(4) {
        let mut word = [0; 4];
        word[..group.len()].copy_from_slice(group);
        let number = u32::from_be_bytes(word);
        for power in (0..5).rev() {
            out.push(DIGITS[(number / 85_u32.pow(power) % 85) as usize]);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_git_writes_it() {
        let mut line = Vec::new();
        push_line(&mut line, b"\x78\x01\x03\x00\x00\x00\x00\x01");
        assert_eq!(line, b"HcmV?d00001\n", "what Git itself writes of an empty file");
        for (length, letter) in [(1, b'A'), (26, b'Z'), (27, b'a'), (52, b'z')] {
            line.clear();
            push_line(&mut line, &vec![0; length]);
            assert_eq!((line[0], line.len()), (letter, length.div_ceil(4) * 5 + 2));
        }
    }

    #[test]
    fn lines_are_full_but_the_last_and_say_how_long_they_are() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let noise: Vec<u8> = (0..1_000).map(|_| next()).collect();
        let text = String::from_utf8(patch(b"\0", &noise)).unwrap();
        assert!(text.starts_with("GIT binary patch\nliteral 1000\nz"), "{text}");
        assert!(text.contains("\n\nliteral 1\n"), "{text}");
        let full = text.lines().filter(|line| line.starts_with('z'));
        assert!(full.clone().count() > 10 && full.into_iter().all(|line| line.len() == 66), "{text}");
    }
}
