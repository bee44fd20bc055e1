//! One output stream of an observed command: passed on as it comes, and the end of it kept, where errors stand.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionread, read};

/// How many bytes are asked for at once; the usual capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// A thread that reads a stream.
pub(super) struct Pump {
    thread: JoinHandle<Vec<u8>>,
    /// Closed to tell the thread that nobody of the command is left.
    stop: OwnedFd,
}

impl Pump {
    /// Reads `pipe`, passes everything on to `sink`, and keeps the last `keep` bytes.
    pub(super) fn start(pipe: OwnedFd, sink: File, keep: usize) -> io::Result<Pump> {
        let (stopped, stop) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let reader = Reader { pipe, sink: Some(sink), keep, tail: VecDeque::new() };
        let thread = std::thread::Builder::new().name("output".into()).spawn(move || reader.read_all(&stopped))?;
        Ok(Pump { thread, stop })
    }

    /// Waits until what was written so far is passed on, and gives back the end of it. Whoever else holds the stream open,
    /// a daemon for example, is neither waited for nor able to prolong this by writing on.
    pub(super) fn finish(self) -> Vec<u8> {
        drop(self.stop);
        self.thread.join().expect("a reading thread does not panic")
    }
}

struct Reader {
    pipe: OwnedFd,
    /// Gone once nobody reads it any more: the command is not ended by that.
    sink: Option<File>,
    keep: usize,
    tail: VecDeque<u8>,
}

impl Reader {
    fn read_all(mut self, stopped: &OwnedFd) -> Vec<u8> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let mut fds = [PollFd::new(&self.pipe, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
            let polled = poll(&mut fds, None);
            let [_, stop] = fds.map(|fd| !fd.revents().is_empty());
            match polled {
                Ok(_) if stop => break,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => break,
            }
            if self.read(&mut chunk) == 0 {
                break;
            }
        }
        let mut left = ioctl_fionread(&self.pipe).unwrap_or(0);
        while left > 0 {
            match self.read(&mut chunk) {
                0 => break,
                read => left = left.saturating_sub(read as u64),
            }
        }
        self.tail.into()
    }

    /// Takes one chunk; 0 at the end of the stream.
    fn read(&mut self, chunk: &mut [u8]) -> usize {
        let length = loop {
            match read(&self.pipe, &mut *chunk) {
                Ok(length) => break length,
                Err(Errno::INTR) => {}
                Err(_) => return 0,
            }
        };
        let bytes = &chunk[..length];
        if self.sink.as_mut().is_some_and(|sink| sink.write_all(bytes).is_err()) {
            self.sink = None;
        }
        self.tail.extend(&bytes[length.saturating_sub(self.keep)..]);
        self.tail.drain(..self.tail.len().saturating_sub(self.keep));
        length
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn pumped(chunks: &[&[u8]], keep: usize) -> (Vec<u8>, Vec<u8>) {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        let (mut passed, sink) =
            rustix::pipe::pipe().map(|(read, write)| (File::from(read), File::from(write))).unwrap();
        let pump = Pump::start(reader, sink, keep).unwrap();
        for bytes in chunks {
            rustix::io::write(&writer, bytes).unwrap();
        }
        // The writer stays: a daemon would hold it as well.
        let kept = pump.finish();
        let mut all = Vec::new();
        passed.read_to_end(&mut all).unwrap();
        (all, kept)
    }

    #[test]
    fn everything_is_passed_on_and_the_end_is_kept() {
        assert_eq!(pumped(&[b"abc", b"def"], 100), (b"abcdef".to_vec(), b"abcdef".to_vec()));
        assert_eq!(pumped(&[b"abc", b"def"], 4), (b"abcdef".to_vec(), b"cdef".to_vec()));
        assert_eq!(pumped(&[b"abcdefgh"], 3), (b"abcdefgh".to_vec(), b"fgh".to_vec()));
        assert_eq!(pumped(&[], 3), (vec![], vec![]));
    }

    #[test]
    fn a_reader_that_goes_away_ends_nothing() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        let (passed, sink) = rustix::pipe::pipe().unwrap();
        drop(passed);
        let pump = Pump::start(reader, File::from(sink), 100).unwrap();
        for _ in 0..3 {
            rustix::io::write(&writer, b"x").unwrap();
        }
        assert_eq!(pump.finish(), b"xxx");
    }
}
