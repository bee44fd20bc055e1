//! The line between Cordon and its keeper: small messages over a socket pair, which also tells each side that the other
//! one is gone, however it ended.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::child::Status;

/// So many descriptors may come with a message: a program, its three streams, and a directory that it may only read.
pub(super) const DESCRIPTORS: usize = 5;

/// A message is its kind and a number.
const LENGTH: usize = 5;

/// What one side tells the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    /// Start the program whose description and streams come with this; the number is the process id of who asks.
    Start(i32),
    /// Send this signal to the group of the leader, as a terminal does.
    Hint(i32),
    /// Send this signal to the leader and all its descendants, and wake those that are stopped.
    Ask(i32),
    /// Kill all descendants.
    Kill,
    /// The program runs.
    Started,
    /// The program could not be started, for the reason that this error number gives.
    CannotStart(i32),
    /// The program could not be kept from writing, for the reason that this error number gives.
    CannotMask(i32),
    /// The leader ended by itself or by a signal.
    Ended(Status),
    /// No descendant is left.
    Gone,
}

impl Message {
    fn encode(self) -> [u8; LENGTH] {
        let (kind, number) = match self {
            Message::Start(pid) => (b'S', pid),
            Message::Hint(signal) => (b'H', signal),
            Message::Ask(signal) => (b'A', signal),
            Message::Kill => (b'K', 0),
            Message::Started => (b's', 0),
            Message::CannotStart(errno) => (b'c', errno),
            Message::CannotMask(errno) => (b'm', errno),
            Message::Ended(Status::Exited(code)) => (b'e', code),
            Message::Ended(Status::Signaled(signal)) => (b'k', signal),
            Message::Gone => (b'g', 0),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [kind, a, b, c, d]
    }

    fn decode(bytes: [u8; LENGTH]) -> Option<Message> {
        let [kind, number @ ..] = bytes;
        let number = i32::from_le_bytes(number);
        Some(match kind {
            b'S' => Message::Start(number),
            b'H' => Message::Hint(number),
            b'A' => Message::Ask(number),
            b'K' => Message::Kill,
            b's' => Message::Started,
            b'c' => Message::CannotStart(number),
            b'm' => Message::CannotMask(number),
            b'e' => Message::Ended(Status::Exited(number)),
            b'k' => Message::Ended(Status::Signaled(number)),
            b'g' => Message::Gone,
            _ => return None,
        })
    }
}

/// One end of the line.
pub(super) struct Link(OwnedFd);

impl From<OwnedFd> for Link {
    fn from(socket: OwnedFd) -> Self {
        Link(socket)
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Link {
    /// Both ends: the own one, and the one to hand over.
    pub(super) fn pair() -> Result<(Link, OwnedFd), Errno> {
        let (own, other) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok((Link(own), other))
    }

    /// Sends a message. That nobody is there any more is no failure here: [`Link::receive`] tells it.
    pub(super) fn send(&self, message: Message) -> Result<(), Errno> {
        self.send_with(message, &[])
    }

    /// Sends a message together with descriptors, at most [`DESCRIPTORS`] of them.
    pub(super) fn send_with(&self, message: Message, descriptors: &[BorrowedFd<'_>]) -> Result<(), Errno> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(Errno::INVAL);
        }
        match sendmsg(&self.0, &[IoSlice::new(&message.encode())], &mut control, SendFlags::NOSIGNAL) {
            Ok(_) | Err(Errno::PIPE | Errno::CONNRESET) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Waits for the next message and the descriptors that come with it; `None` when the other side is gone, or talks
    /// nonsense, which is as bad.
    pub(super) fn receive(&self) -> Result<Option<(Message, Vec<OwnedFd>)>, Errno> {
        let mut bytes = [0; LENGTH];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let mut slices = [IoSliceMut::new(&mut bytes)];
            match recvmsg(&self.0, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => return Ok(None),
                other => break other?.bytes,
            }
        };
        let descriptors = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        let descriptors = descriptors.flatten().collect();
        let message = if received == LENGTH { Message::decode(bytes) } else { None };
        Ok(message.map(|message| (message, descriptors)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_arrives_as_it_was_sent() {
        let (here, there) = Link::pair().unwrap();
        let there = Link::from(there);
        for message in [
            Message::Start(12),
            Message::Hint(2),
            Message::Ask(15),
            Message::Kill,
            Message::Started,
            Message::CannotStart(8),
            Message::CannotMask(1),
            Message::Ended(Status::Exited(255)),
            Message::Ended(Status::Signaled(9)),
            Message::Gone,
        ] {
            here.send(message).unwrap();
            assert_eq!(there.receive().unwrap().unwrap().0, message);
        }
    }

    #[test]
    fn descriptors_travel_and_the_end_is_told() {
        let (here, there) = Link::pair().unwrap();
        let there = Link::from(there);
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        here.send_with(Message::Start(1), &[writer.as_fd()]).unwrap();
        drop(writer);
        let (_, descriptors) = there.receive().unwrap().unwrap();
        rustix::io::write(&descriptors[0], b"x").unwrap();
        let mut byte = [0];
        assert_eq!(rustix::io::read(&reader, &mut byte).unwrap(), 1);
        drop(here);
        assert!(there.receive().unwrap().is_none());
        there.send(Message::Gone).unwrap();
    }

    #[test]
    fn nonsense_is_the_end() {
        let (here, there) = Link::pair().unwrap();
        for bytes in [&b"?\0\0\0\0"[..], b"S", b""] {
            rustix::net::send(&here, bytes, SendFlags::empty()).unwrap();
            assert!(Link::from(there.try_clone().unwrap()).receive().unwrap().is_none(), "{bytes:?}");
        }
    }
}
