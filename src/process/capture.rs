//! One output stream of a program: the head is kept, all of it goes into a file if there is one, the rest is only
//! counted, and past the cap not even that.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread, read};

/// How many bytes are asked for at once; the usual capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// How much of a stream is read and how much of that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// A stream that is longer than this has overflowed.
    pub cap: u64,
    /// So many bytes from its beginning are kept.
    pub keep: usize,
}

/// What is known of a stream once its writer has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The first bytes, at most [`Caps::keep`].
    pub bytes: Vec<u8>,
    /// How many bytes came, counted up to [`Caps::cap`].
    pub total: u64,
    /// Whether more than [`Captured::bytes`] came.
    pub truncated: bool,
    /// Whether more than [`Caps::cap`] came.
    pub overflowed: bool,
}

impl Captured {
    /// What is stored of the stream: its bytes, followed by a line that says how much is missing, if any is.
    pub fn stored(&self) -> Vec<u8> {
        if !self.truncated {
            return self.bytes.clone();
        }
        let mut stored = whole_characters(&self.bytes).to_vec();
        let more = if self.overflowed { "more than " } else { "" };
        let marker = format!("\n[... truncated: {} of {more}{} bytes shown]\n", stored.len(), self.total);
        stored.extend_from_slice(marker.as_bytes());
        stored
    }

    fn push(&mut self, chunk: &[u8], caps: Caps) {
        let room = caps.keep.saturating_sub(self.bytes.len()).min(chunk.len());
        self.bytes.extend_from_slice(&chunk[..room]);
        self.truncated |= room < chunk.len();
        let total = self.total.saturating_add(chunk.len() as u64);
        self.overflowed |= total > caps.cap;
        self.total = total.min(caps.cap);
    }
}

/// `bytes` without the beginning of a character at their end that a cut tore apart; other undecodable bytes stay.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    let torn = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_a_beginning = str::from_utf8(torn).is_err_and(|error| error.error_len().is_none());
    let end = if is_a_beginning { bytes.len() - torn.len() } else { bytes.len() };
    &bytes[..end]
}

/// The reading end of a child's output stream.
pub(super) struct Stream {
    /// `None` once every writer has closed its end.
    pipe: Option<OwnedFd>,
    captured: Captured,
    caps: Caps,
    copy: Option<File>,
    buffer: Box<[u8]>,
}

impl Stream {
    /// A stream that is read from `pipe` without ever blocking, and written to `copy` up to the cap.
    pub(super) fn new(pipe: OwnedFd, caps: Caps, copy: Option<File>) -> Result<Self, Errno> {
        let flags = fcntl_getfl(&pipe)?;
        fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
        Ok(Stream { pipe: Some(pipe), captured: Captured::default(), caps, copy, buffer: vec![0; CHUNK].into() })
    }

    /// What to poll for, as long as somebody may still write.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Whether more than the cap came.
    pub(super) fn overflowed(&self) -> bool {
        self.captured.overflowed
    }

    /// Reads one chunk if there is one, and returns how long it was.
    ///
    /// An overflowed stream is still read, and thrown away, so that a child that is being ended does not hang in a
    /// write before it can obey.
    pub(super) fn read_chunk(&mut self) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        match read(pipe, &mut self.buffer[..]) {
            Ok(0) => self.pipe = None,
            Ok(length) => {
                if let Some(copy) = &mut self.copy {
                    let room = usize::try_from(self.caps.cap - self.captured.total).unwrap_or(usize::MAX);
                    copy.write_all(&self.buffer[..length.min(room)])?;
                }
                self.captured.push(&self.buffer[..length], self.caps);
                return Ok(length);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(0)
    }

    /// Reads what lies in the pipe now, then closes it. Whoever else holds it open, a daemon that left the group for
    /// example, is neither waited for nor able to prolong this by writing on.
    pub(super) fn finish(mut self) -> io::Result<Captured> {
        let mut waiting = match &self.pipe {
            Some(pipe) => ioctl_fionread(pipe)?,
            None => 0,
        };
        while waiting > 0 {
            match self.read_chunk()? {
                0 => break,
                length => waiting = waiting.saturating_sub(length as u64),
            }
        }
        Ok(self.captured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: Caps = Caps { cap: 10, keep: 4 };

    fn captured(chunks: &[&[u8]]) -> Captured {
        let mut captured = Captured::default();
        for chunk in chunks {
            captured.push(chunk, CAPS);
        }
        captured
    }

    #[test]
    fn a_short_stream_is_stored_as_it_came() {
        let short = captured(&[b"ab", b"\xff\n"]);
        assert_eq!(short.stored(), b"ab\xff\n");
        assert!(!short.truncated && !short.overflowed);
    }

    #[test]
    fn a_longer_stream_says_how_much_is_missing() {
        let exactly_the_cap = captured(&[b"abcdef", b"ghij"]);
        assert_eq!(exactly_the_cap.stored(), b"abcd\n[... truncated: 4 of 10 bytes shown]\n");
        assert!(!exactly_the_cap.overflowed);
    }

    #[test]
    fn a_stream_past_the_cap_is_no_longer_counted() {
        let over = captured(&[b"abcdefghij", b"k", b"lmnop"]);
        assert!(over.overflowed);
        assert_eq!(over.stored(), b"abcd\n[... truncated: 4 of more than 10 bytes shown]\n");
    }

    #[test]
    fn a_cut_tears_no_character_apart() {
        for (written, stored) in [
            ("abc\u{e9}f".as_bytes(), &b"abc\n[... truncated: 3 of 6 bytes shown]\n"[..]),
            ("ab\u{e9}f".as_bytes(), "ab\u{e9}\n[... truncated: 4 of 5 bytes shown]\n".as_bytes()),
            ("a\u{20ac}bc".as_bytes(), "a\u{20ac}\n[... truncated: 4 of 6 bytes shown]\n".as_bytes()),
            ("a\u{1f600}b".as_bytes(), b"a\n[... truncated: 1 of 6 bytes shown]\n"),
            (b"abc\xffdef", b"abc\xff\n[... truncated: 4 of 7 bytes shown]\n"),
        ] {
            assert_eq!(captured(&[written]).stored(), stored);
        }
        assert_eq!(captured(&[b"abc\xc3"]).stored(), b"abc\xc3", "what ends so by itself is kept");
    }

    #[test]
    fn finishing_does_not_wait_for_a_writer_that_stays() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, b"hello").unwrap();
        let stream = Stream::new(reader, Caps { cap: 100, keep: 100 }, None).unwrap();
        assert_eq!(stream.finish().unwrap().bytes, b"hello");
        drop(writer);
    }
}
