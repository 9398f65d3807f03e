//! One client: its messages are taken one after the other, and each gets its answer.
//!
//! Whatever a client sends costs it at most its connection: a message that cannot be understood gets an error, one
//! whose length cannot be is the end of the connection. A client that does not read its answers is not listened to
//! until it does, and nobody waits for it.

use super::card::Card;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use xoff_driver::backend::vfio_user::protocol::{
    Capabilities, Command, DecodeError, DeviceFlags, DeviceInfo, DmaUnmap, HeaderFlags, PCI_IRQS,
    PCI_REGIONS, Reply, Request, UnmapFlags, Version,
};
use xoff_driver::backend::vfio_user::stream::{Message, Stream, StreamError};

/// File descriptors taken with one message; what QEMU offers.
const MAX_MSG_FDS: u64 = 16;
/// Bytes of one region access.
const MAX_ACCESS: u32 = 1 << 20;
/// Messages taken in one turn, so that the card's time passes while a client keeps talking.
const TURN: usize = 64;

/// What a turn has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// There may be more to do at once.
    More,
    /// Nothing until the client sends something.
    Receive,
    /// Nothing until the client takes its answers.
    Send,
}

/// A connected client.
#[derive(Debug)]
pub struct Session {
    stream: Stream,
    /// Whether a version is agreed on.
    agreed: bool,
    answer: Vec<u8>,
}

impl Session {
    /// Over a socket that was accepted.
    ///
    /// # Errors
    /// When it is no socket.
    pub fn new(socket: OwnedFd) -> Result<Session, StreamError> {
        Ok(Session { stream: Stream::new(socket)?, agreed: false, answer: Vec::new() })
    }

    /// Takes what has come and answers it.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn turn(&mut self, card: &mut Card) -> Result<Turn, StreamError> {
        for _ in 0..TURN {
            if !self.stream.try_flush()? {
                return Ok(Turn::Send);
            }
            let Some(message) = self.stream.try_receive()? else { return Ok(Turn::Receive) };
            self.take(message, card);
        }
        Ok(Turn::More)
    }

    /// Answers one message.
    fn take(&mut self, message: Message, card: &mut Card) {
        let Message { header, body, fds } = message;
        if header.is_reply() {
            return; // nothing was asked
        }
        self.answer.clear();
        let done = self.serve(header.command, header.id, &body, fds, card);
        if header.flags.contains(HeaderFlags::NO_REPLY) {
            return;
        }
        let answer = match done {
            Ok(()) => std::mem::take(&mut self.answer),
            Err(errno) => header.error_reply(errno.raw_os_error()).to_vec(),
        };
        self.stream.queue(answer, Vec::new());
    }

    /// Does what is asked and makes the answer.
    fn serve(
        &mut self,
        command: u16,
        id: u16,
        body: &[u8],
        fds: Vec<OwnedFd>,
        card: &mut Card,
    ) -> Result<(), Errno> {
        let errno = |error: DecodeError| Errno::from_raw_os_error(error.errno());
        let command = Command::try_from(command).map_err(errno)?;
        if !self.agreed && command != Command::Version {
            return Err(Errno::INVAL);
        }
        let mut data = Vec::new();
        let reply = match Request::decode(command, body).map_err(errno)? {
            Request::Version(version) => {
                if version.major != Version::MAJOR {
                    return Err(Errno::NOTSUP);
                }
                self.agreed = true;
                let ours = Capabilities::default().with_max_msg_fds(MAX_MSG_FDS);
                // The lower minor counts, and QEMU, which has 0, takes no answer with a higher one.
                let minor = version.minor.min(Version::MINOR);
                Reply::Version(Version { minor, ..Version::ours(ours) })
            }
            Request::DmaMap(map) => {
                card.memory_mut().map(&map, fds.into_iter().next())?;
                Reply::DmaMap
            }
            Request::DmaUnmap(unmap) => {
                let size = if unmap.flags.contains(UnmapFlags::ALL) {
                    card.memory_mut().clear();
                    unmap.size
                } else if unmap.flags.is_empty() {
                    card.memory_mut().unmap(unmap.iova, unmap.size)?;
                    unmap.size
                } else {
                    return Err(Errno::NOTSUP); // dirty pages are for migration
                };
                Reply::DmaUnmap(DmaUnmap { size, ..unmap })
            }
            Request::DeviceGetInfo(_) => Reply::DeviceGetInfo(DeviceInfo {
                argsz: length(DeviceInfo::LEN),
                flags: DeviceFlags::RESET | DeviceFlags::PCI,
                num_regions: PCI_REGIONS,
                num_irqs: PCI_IRQS,
            }),
            Request::RegionGetInfo(info) => {
                Reply::RegionGetInfo(card.region(info.index).ok_or(Errno::INVAL)?, &[])
            }
            Request::IrqGetInfo(info) => {
                Reply::IrqGetInfo(card.irqs(info.index).ok_or(Errno::INVAL)?)
            }
            Request::SetIrqs(irqs, data) => {
                card.set_irqs(&irqs, data, fds)?;
                Reply::SetIrqs
            }
            Request::RegionRead(access) => {
                if access.count > MAX_ACCESS {
                    return Err(Errno::INVAL);
                }
                data.resize(access.count as usize, 0);
                card.read(access.region, access.offset, &mut data).map_err(|_| Errno::INVAL)?;
                Reply::RegionRead(access, &data)
            }
            Request::RegionWrite(access, data) => {
                card.write(access.region, access.offset, data).map_err(|_| Errno::INVAL)?;
                Reply::RegionWrite(access)
            }
            Request::DeviceReset => {
                card.reset();
                Reply::DeviceReset
            }
            _ => return Err(Errno::NOTSUP),
        };
        reply.encode(id, &mut self.answer);
        Ok(())
    }
}

impl AsFd for Session {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// A length on the wire.
#[allow(clippy::cast_possible_truncation)] // structures of a few words
const fn length(bytes: usize) -> u32 {
    bytes as u32
}
