//! Commands to a served device, and their replies.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::protocol::{
    Capabilities, Command, DeviceInfo, DmaFlags, DmaMap, DmaUnmap, HeaderFlags, IrqInfo,
    RegionAccess, RegionInfo, Reply, Request, SetIrqs, SetIrqsFlags, UnmapFlags, Version,
};
use super::stream::{Deadline, MAX_FDS, Message, Stream, StreamError};
use crate::bus::BusError;

/// Ids of commands that want no reply have this bit, so that an error that comes all the same can be told.
const POSTED: u16 = 1 << 15;
/// Between two tries to connect to a server whose queue is full.
const RETRY: Duration = Duration::from_millis(1);

/// A connection to a server, over which one command at a time is sent. After a failure of the connection itself (not
/// a refusal) it stays failed: nobody knows what state the other side is in.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    /// What the server takes.
    server: Capabilities,
    /// Time for each command.
    limit: Duration,
    id: u16,
    out: Vec<u8>,
    failed: Option<Failure>,
}

/// Why a connection is of no more use.
#[derive(Debug, Clone)]
enum Failure {
    Timeout(Command),
    Other(Command, String),
}

impl Failure {
    fn error(&self, limit: Duration) -> BusError {
        match self {
            Self::Timeout(command) => BusError::Timeout { operation: command.describe(), limit },
            Self::Other(command, detail) => {
                BusError::Failed { operation: command.describe(), detail: detail.clone() }
            }
        }
    }
}

impl Connection {
    /// Connects and agrees on a version.
    pub(super) fn connect(path: &Path, limit: Duration) -> Result<Self, BusError> {
        let stream = connect(path, limit).map_err(|errno| match errno {
            Errno::TIMEDOUT => BusError::Timeout { operation: "connecting", limit },
            errno => BusError::NoDevice {
                address: format!("vfio-user:{}", path.display()),
                detail: errno.to_string(),
            },
        })?;
        Self::over(stream, limit)
    }

    /// Agrees on a version over a stream.
    pub(super) fn over(stream: Stream, limit: Duration) -> Result<Self, BusError> {
        let (server, out, failed) = (Capabilities::default(), Vec::new(), None);
        let mut connection = Self { stream, server, limit, id: 0, out, failed };
        let ours = Version::ours(Capabilities::default().with_max_msg_fds(MAX_FDS as u64));
        let version = connection.call(&Request::Version(ours), &[], |reply| match reply {
            Reply::Version(version) => Some(version),
            _ => None,
        })?;
        if version.major != Version::MAJOR {
            return Err(BusError::Failed {
                operation: Command::Version.describe(),
                detail: format!(
                    "the server speaks version {}.{}, this is {}.{}",
                    version.major,
                    version.minor,
                    Version::MAJOR,
                    Version::MINOR
                ),
            });
        }
        connection.server = version.capabilities;
        Ok(connection)
    }

    /// Mappings that the server keeps.
    pub(super) fn max_dma_maps(&self) -> u32 {
        u32::try_from(self.server.max_dma_maps).unwrap_or(u32::MAX)
    }

    /// Why the connection is of no more use, if so.
    pub(super) fn failure(&self) -> Option<BusError> {
        self.failed.as_ref().map(|failure| failure.error(self.limit))
    }

    pub(super) fn device(&mut self) -> Result<DeviceInfo, BusError> {
        let asked = DeviceInfo { argsz: size_of_u32::<DeviceInfo>(), ..DeviceInfo::default() };
        self.call(&Request::DeviceGetInfo(asked), &[], |reply| match reply {
            Reply::DeviceGetInfo(info) => Some(info),
            _ => None,
        })
    }

    pub(super) fn region(&mut self, index: u32) -> Result<RegionInfo, BusError> {
        let argsz = size_of_u32::<RegionInfo>();
        let asked = RegionInfo { argsz, index, ..RegionInfo::default() };
        self.call(&Request::RegionGetInfo(asked), &[], |reply| match reply {
            Reply::RegionGetInfo(info, _) if info.index == index => Some(info),
            _ => None,
        })
    }

    pub(super) fn irqs(&mut self, index: u32) -> Result<IrqInfo, BusError> {
        let argsz = size_of_u32::<IrqInfo>();
        let asked = IrqInfo { argsz, index, ..IrqInfo::default() };
        self.call(&Request::IrqGetInfo(asked), &[], |reply| match reply {
            Reply::IrqGetInfo(info) if info.index == index => Some(info),
            _ => None,
        })
    }

    pub(super) fn reset(&mut self) -> Result<(), BusError> {
        self.call(&Request::DeviceReset, &[], |reply| {
            matches!(reply, Reply::DeviceReset).then_some(())
        })
    }

    pub(super) fn read(
        &mut self,
        region: u32,
        offset: u64,
        out: &mut [u8],
    ) -> Result<(), BusError> {
        for (offset, piece) in (offset..).step_by(self.piece()).zip(out.chunks_mut(self.piece())) {
            let access = access(region, offset, piece.len());
            self.call(&Request::RegionRead(access), &[], |reply| match reply {
                Reply::RegionRead(got, data) if got.count == access.count => {
                    piece.copy_from_slice(data);
                    Some(())
                }
                _ => None,
            })?;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), BusError> {
        for (offset, piece) in (offset..).step_by(self.piece()).zip(data.chunks(self.piece())) {
            let access = access(region, offset, piece.len());
            self.call(&Request::RegionWrite(access, piece), &[], |reply| match reply {
                Reply::RegionWrite(done) if done.count == access.count => Some(()),
                _ => None,
            })?;
        }
        Ok(())
    }

    /// Writes without waiting for the server, like a write over PCIe. Order with everything else is kept; a refusal
    /// comes with a later command.
    pub(super) fn post(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), BusError> {
        self.usable()?;
        let request = Request::RegionWrite(access(region, offset, data.len()), data);
        self.id = self.id.wrapping_add(1) & !POSTED;
        self.out.clear();
        request.encode(self.id | POSTED, HeaderFlags::NO_REPLY, &mut self.out);
        let sent = self.stream.send(&self.out, &[], Deadline::after(self.limit));
        sent.map_err(|error| self.fail(Command::RegionWrite, &error))
    }

    pub(super) fn map(
        &mut self,
        iova: u64,
        size: u64,
        file: (BorrowedFd<'_>, u64),
    ) -> Result<(), BusError> {
        let argsz = size_of_u32::<DmaMap>();
        let flags = DmaFlags::READ | DmaFlags::WRITE;
        let map = DmaMap { argsz, flags, offset: file.1, iova, size };
        self.call(&Request::DmaMap(map), &[file.0], |reply| {
            matches!(reply, Reply::DmaMap).then_some(())
        })
    }

    pub(super) fn unmap(&mut self, iova: u64, size: u64) -> Result<(), BusError> {
        let argsz = size_of_u32::<DmaUnmap>();
        let unmap = DmaUnmap { argsz, flags: UnmapFlags::empty(), iova, size };
        self.call(&Request::DmaUnmap(unmap), &[], |reply| match reply {
            Reply::DmaUnmap(done) if done.size >= size => Some(()),
            _ => None,
        })
    }

    /// Connects the interrupts of an index with events, as many at a time as the server takes; none turns it off.
    pub(super) fn set_irqs(
        &mut self,
        index: u32,
        events: &[BorrowedFd<'_>],
    ) -> Result<(), BusError> {
        if events.is_empty() {
            let flags = SetIrqsFlags::DATA_NONE | SetIrqsFlags::TRIGGER;
            return self.set_some_irqs(SetIrqs { flags, index, ..SetIrqs::default() }, &[]);
        }
        let most = usize::try_from(self.server.max_msg_fds).unwrap_or(MAX_FDS).clamp(1, MAX_FDS);
        let mut start = 0;
        for events in events.chunks(most) {
            let flags = SetIrqsFlags::DATA_EVENTFD | SetIrqsFlags::TRIGGER;
            let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
            let irqs = SetIrqs { flags, index, start, count, ..SetIrqs::default() };
            self.set_some_irqs(irqs, events)?;
            start += count;
        }
        Ok(())
    }

    fn set_some_irqs(&mut self, irqs: SetIrqs, fds: &[BorrowedFd<'_>]) -> Result<(), BusError> {
        let irqs = SetIrqs { argsz: size_of_u32::<SetIrqs>(), ..irqs };
        self.call(&Request::SetIrqs(irqs, &[]), fds, |reply| {
            matches!(reply, Reply::SetIrqs).then_some(())
        })
    }

    /// Bytes of data in one message.
    fn piece(&self) -> usize {
        usize::try_from(self.server.max_data_xfer_size).unwrap_or(1).clamp(1, 1 << 20)
    }

    fn usable(&self) -> Result<(), BusError> {
        self.failure().map_or(Ok(()), Err)
    }

    fn fail(&mut self, command: Command, error: &StreamError) -> BusError {
        let failure = match error {
            StreamError::Timeout { .. } => Failure::Timeout(command),
            other => Failure::Other(command, other.to_string()),
        };
        let error = failure.error(self.limit);
        self.failed = Some(failure);
        error
    }

    /// Sends a command and waits for its reply, of which `take` makes the result, or nothing if it does not fit.
    fn call<T>(
        &mut self,
        request: &Request<'_>,
        fds: &[BorrowedFd<'_>],
        take: impl FnOnce(Reply<'_>) -> Option<T>,
    ) -> Result<T, BusError> {
        self.usable()?;
        let command = request.command();
        let deadline = Deadline::after(self.limit);
        self.id = self.id.wrapping_add(1) & !POSTED;
        self.out.clear();
        request.encode(self.id, HeaderFlags::empty(), &mut self.out);
        let sent = self.stream.send(&self.out, fds, deadline);
        let message = sent.and_then(|()| self.reply(deadline));
        let message = message.map_err(|error| self.fail(command, &error))?;
        if message.header.id & POSTED != 0 {
            let detail = match message.header.error() {
                Some(errno) => Errno::from_raw_os_error(errno).to_string(),
                None => "it was answered, which it was not to be".into(),
            };
            self.failed = Some(Failure::Other(Command::RegionWrite, detail.clone()));
            let operation = Command::RegionWrite.describe();
            return Err(BusError::Failed { operation, detail });
        }
        if let (Some(errno), true) = (message.header.error(), message.header.id == self.id) {
            return Err(BusError::Refused { operation: command.describe(), errno });
        }
        let fits = message.header.id == self.id && message.header.command == command.number();
        let reply = Reply::decode(command, &message.body);
        let wrong = match reply {
            Ok(reply) if fits => match take(reply) {
                Some(result) => return Ok(result),
                None => "the reply does not fit the command".into(),
            },
            Ok(_) => "the reply is to another command".into(),
            Err(error) => error.to_string(),
        };
        self.failed = Some(Failure::Other(command, wrong.clone()));
        Err(BusError::Failed { operation: command.describe(), detail: wrong })
    }

    /// The next reply. Commands of the server are declined: all memory it has was mapped with a file, so that it
    /// need not ask for it.
    fn reply(&mut self, deadline: Deadline) -> Result<Message, StreamError> {
        loop {
            let message = self.stream.receive(deadline)?;
            if message.header.is_reply() {
                return Ok(message);
            }
            let declined = message.header.error_reply(Errno::NOTSUP.raw_os_error());
            self.stream.send(&declined, &[], deadline)?;
        }
    }
}

fn access(region: u32, offset: u64, len: usize) -> RegionAccess {
    RegionAccess { offset, region, count: u32::try_from(len).unwrap_or(u32::MAX) }
}

/// What `argsz` says.
#[allow(clippy::cast_possible_truncation)] // structures of a few words
const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

fn connect(path: &Path, limit: Duration) -> Result<Stream, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let address = SocketAddrUnix::new(path)?;
    let start = Instant::now();
    loop {
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match rustix::net::connect(&socket, &address) {
            Ok(()) => return Stream::new(socket).map_err(|_| Errno::NOTSOCK),
            // A Unix socket connects at once or, when the server's queue is full, not at all.
            Err(Errno::AGAIN | Errno::INTR) if start.elapsed() < limit => std::thread::sleep(RETRY),
            Err(Errno::AGAIN | Errno::INTR) => return Err(Errno::TIMEDOUT),
            Err(errno) => return Err(errno),
        }
    }
}
