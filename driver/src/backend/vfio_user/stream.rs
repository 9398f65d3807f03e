//! Messages over a Unix stream socket, with the file descriptors beside them. Nothing here waits longer than it is
//! told to, and what has come of a message so far is kept.

use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

use super::protocol::{DecodeError, HEADER_LEN, Header, MAX_BODY};

/// File descriptors beside one message that are taken at most.
pub const MAX_FDS: usize = 64;
/// Bytes of a body that memory is taken for before they have come.
const STEP: usize = 1 << 16;

/// What is wrong with a stream. After any of these it is of no more use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The end, between two messages.
    #[error("the other side closed the connection")]
    Closed,
    /// The end, inside a message.
    #[error(
        "the other side closed the connection inside a message, after {got} of {expected} bytes"
    )]
    Truncated {
        /// Bytes that came.
        got: usize,
        /// Bytes of the message, or of its header.
        expected: usize,
    },
    /// What came is no message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// More file descriptors than are taken.
    #[error("more than {MAX_FDS} file descriptors came with one message")]
    TooManyFds,
    /// The time is over.
    #[error("the other side took longer than {limit:?}")]
    Timeout {
        /// The time there was.
        limit: Duration,
    },
    /// The system said no.
    #[error("the socket failed: {0}")]
    Io(#[from] Errno),
}

/// A message as it came.
#[derive(Debug)]
pub struct Message {
    /// Its header.
    pub header: Header,
    /// What follows the header.
    pub body: Vec<u8>,
    /// File descriptors, in their order.
    pub fds: Vec<OwnedFd>,
}

/// A time by which something must have happened.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    end: Instant,
    limit: Duration,
}

impl Deadline {
    /// `limit` from now.
    pub fn after(limit: Duration) -> Self {
        // A limit beyond what the clock can tell is an hour.
        let now = Instant::now();
        let end = now.checked_add(limit).unwrap_or(now + Duration::from_secs(3600));
        Self { end, limit }
    }

    /// Waits until the socket is ready, if there is time.
    fn wait(self, socket: BorrowedFd<'_>, what: PollFlags) -> Result<(), StreamError> {
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(|_| Errno::INVAL)?;
            match rustix::event::poll(&mut [PollFd::new(&socket, what)], Some(&timeout)) {
                Ok(0) if left.is_zero() => return Err(StreamError::Timeout { limit: self.limit }),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct Stream {
    socket: OwnedFd,
    /// What has come of the next message.
    got: Vec<u8>,
    fds: Vec<OwnedFd>,
    /// What has still to go out, and the file descriptors that go with a message's first byte.
    out: VecDeque<(Vec<u8>, Vec<OwnedFd>)>,
    /// Bytes of the first of them that are gone.
    gone: usize,
}

impl Stream {
    /// Over a connected Unix stream socket, which becomes non-blocking.
    ///
    /// # Errors
    /// When it is no socket.
    pub fn new(socket: OwnedFd) -> Result<Self, StreamError> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        let (got, fds, out) = (Vec::new(), Vec::new(), VecDeque::new());
        Ok(Self { socket, got, fds, out, gone: 0 })
    }

    /// The next message if all of it has come.
    ///
    /// # Errors
    /// Any but [`StreamError::Timeout`].
    pub fn try_receive(&mut self) -> Result<Option<Message>, StreamError> {
        loop {
            let header = self.got.first_chunk().map(Header::decode);
            let whole = match header {
                None => HEADER_LEN,
                Some(header) => HEADER_LEN + header.body_len(MAX_BODY)?,
            };
            if let Some(header) = header.filter(|_| self.got.len() == whole) {
                let body = self.got.split_off(HEADER_LEN);
                self.got.clear();
                return Ok(Some(Message { header, body, fds: std::mem::take(&mut self.fds) }));
            }
            let have = self.got.len();
            self.got.resize(whole.min(have + STEP), 0);
            let received = receive(&self.socket, &mut self.got[have..], &mut self.fds);
            self.got.truncate(have + *received.as_ref().unwrap_or(&0));
            match received {
                Ok(0) if have == 0 => return Err(StreamError::Closed),
                Ok(0) => return Err(StreamError::Truncated { got: have, expected: whole }),
                Ok(_) => {}
                Err(StreamError::Io(Errno::AGAIN)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// The next message, waited for.
    ///
    /// # Errors
    /// Any.
    pub fn receive(&mut self, deadline: Deadline) -> Result<Message, StreamError> {
        loop {
            if let Some(message) = self.try_receive()? {
                return Ok(message);
            }
            deadline.wait(self.socket.as_fd(), PollFlags::IN)?;
        }
    }

    /// Puts a whole message, and file descriptors beside it, behind what has still to go out.
    pub fn queue(&mut self, message: Vec<u8>, fds: Vec<OwnedFd>) {
        self.out.push_back((message, fds));
    }

    /// Whether nothing has still to go out.
    pub fn is_flushed(&self) -> bool {
        self.out.is_empty()
    }

    /// Sends as much as the other side takes now. Whether that was all.
    ///
    /// # Errors
    /// Any but [`StreamError::Timeout`].
    pub fn try_flush(&mut self) -> Result<bool, StreamError> {
        while let Some((message, fds)) = self.out.front_mut() {
            let borrowed: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
            match send(&self.socket, &message[self.gone..], &borrowed) {
                Ok(n) => self.gone += n,
                Err(StreamError::Io(Errno::AGAIN)) => return Ok(false),
                Err(error) => return Err(error),
            }
            fds.clear();
            if self.gone == message.len() {
                self.out.pop_front();
                self.gone = 0;
            }
        }
        Ok(true)
    }

    /// Sends a message after what has still to go out, all of it.
    ///
    /// # Errors
    /// Any.
    pub fn send(
        &mut self,
        message: &[u8],
        mut fds: &[BorrowedFd<'_>],
        deadline: Deadline,
    ) -> Result<(), StreamError> {
        while !self.try_flush()? {
            deadline.wait(self.socket.as_fd(), PollFlags::OUT)?;
        }
        let mut rest = message;
        while !rest.is_empty() {
            match send(&self.socket, rest, fds) {
                Ok(n) => {
                    rest = &rest[n..];
                    fds = &[];
                }
                Err(StreamError::Io(Errno::AGAIN)) => {
                    deadline.wait(self.socket.as_fd(), PollFlags::OUT)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Receives into `bytes`, which are not empty; file descriptors go behind those there are.
fn receive(
    socket: &OwnedFd,
    bytes: &mut [u8],
    fds: &mut Vec<OwnedFd>,
) -> Result<usize, StreamError> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = retry_on_intr(|| {
        let bytes = &mut [IoSliceMut::new(bytes)];
        rustix::net::recvmsg(socket, bytes, &mut control, RecvFlags::CMSG_CLOEXEC)
    });
    let received = match received {
        // A peer that died with unread messages before it.
        Err(Errno::CONNRESET) => return Ok(0),
        received => received?,
    };
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if fds.len() > MAX_FDS || received.flags.contains(ReturnFlags::CTRUNC) {
        return Err(StreamError::TooManyFds);
    }
    Ok(received.bytes)
}

fn send(socket: &OwnedFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<usize, StreamError> {
    if fds.len() > MAX_FDS {
        return Err(StreamError::TooManyFds);
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(fds));
    }
    let bytes = [IoSlice::new(bytes)];
    match retry_on_intr(|| rustix::net::sendmsg(socket, &bytes, &mut control, SendFlags::NOSIGNAL))
    {
        Err(Errno::PIPE | Errno::CONNRESET) => Err(StreamError::Closed),
        sent => Ok(sent?),
    }
}
