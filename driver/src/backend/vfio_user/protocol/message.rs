//! Bodies of commands and of their replies.

use super::{
    Command, DecodeError, DeviceInfo, DmaMap, DmaUnmap, HEADER_LEN, Header, HeaderFlags, IrqInfo,
    RegionAccess, RegionInfo, SetIrqs, Version,
};

/// The body of a command. Bytes after a structure that a later version may have put there are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request<'a> {
    /// Version and limits of the client.
    Version(Version),
    /// Maps memory; its file descriptor comes beside the message.
    DmaMap(DmaMap),
    /// Unmaps memory.
    DmaUnmap(DmaUnmap),
    /// Asks what the device is: `argsz` says how much the client takes.
    DeviceGetInfo(DeviceInfo),
    /// Asks for the region `index`.
    RegionGetInfo(RegionInfo),
    /// Asks for the interrupts of `index`.
    IrqGetInfo(IrqInfo),
    /// Sets interrupts up; events come beside the message, other data after the structure.
    SetIrqs(SetIrqs, &'a [u8]),
    /// Reads `count` bytes.
    RegionRead(RegionAccess),
    /// Writes `count` bytes.
    RegionWrite(RegionAccess, &'a [u8]),
    /// Resets the device.
    DeviceReset,
}

impl<'a> Request<'a> {
    /// Reads a command's body.
    ///
    /// # Errors
    /// When the body is too short for `command` or announces another number of bytes than it has.
    pub fn decode(command: Command, body: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(match command {
            Command::Version => Self::Version(Version::decode(body)?),
            Command::DmaMap => Self::DmaMap(DmaMap::decode(command, body)?.0),
            Command::DmaUnmap => Self::DmaUnmap(DmaUnmap::decode(command, body)?.0),
            Command::DeviceGetInfo => Self::DeviceGetInfo(DeviceInfo::decode(command, body)?.0),
            Command::RegionGetInfo => Self::RegionGetInfo(RegionInfo::decode(command, body)?.0),
            Command::IrqGetInfo => Self::IrqGetInfo(IrqInfo::decode(command, body)?.0),
            Command::SetIrqs => {
                let (irqs, data) = SetIrqs::decode(command, body)?;
                Self::SetIrqs(irqs, data)
            }
            Command::RegionRead => Self::RegionRead(RegionAccess::decode(command, body)?.0),
            Command::RegionWrite => {
                let (access, data) = region_data(command, body)?;
                Self::RegionWrite(access, data)
            }
            Command::DeviceReset => Self::DeviceReset,
        })
    }

    /// Which command it is the body of.
    pub const fn command(&self) -> Command {
        match self {
            Self::Version(_) => Command::Version,
            Self::DmaMap(_) => Command::DmaMap,
            Self::DmaUnmap(_) => Command::DmaUnmap,
            Self::DeviceGetInfo(_) => Command::DeviceGetInfo,
            Self::RegionGetInfo(_) => Command::RegionGetInfo,
            Self::IrqGetInfo(_) => Command::IrqGetInfo,
            Self::SetIrqs(..) => Command::SetIrqs,
            Self::RegionRead(_) => Command::RegionRead,
            Self::RegionWrite(..) => Command::RegionWrite,
            Self::DeviceReset => Command::DeviceReset,
        }
    }

    /// Appends the message, header included. `flags` are those besides the type.
    pub fn encode(&self, id: u16, flags: HeaderFlags, out: &mut Vec<u8>) {
        message(id, self.command(), flags, out, |out| match self {
            Self::Version(version) => version.encode(out),
            Self::DmaMap(map) => map.encode(out),
            Self::DmaUnmap(unmap) => unmap.encode(out),
            Self::DeviceGetInfo(info) => info.encode(out),
            Self::RegionGetInfo(info) => info.encode(out),
            Self::IrqGetInfo(info) => info.encode(out),
            Self::RegionRead(access) => access.encode(out),
            Self::SetIrqs(irqs, data) => {
                irqs.encode(out);
                out.extend_from_slice(data);
            }
            Self::RegionWrite(access, data) => {
                access.encode(out);
                out.extend_from_slice(data);
            }
            Self::DeviceReset => {}
        });
    }
}

/// The body of a reply that is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply<'a> {
    /// Version and limits of the server.
    Version(Version),
    /// The memory is mapped.
    DmaMap,
    /// What is unmapped.
    DmaUnmap(DmaUnmap),
    /// What the device is.
    DeviceGetInfo(DeviceInfo),
    /// What the region is, and the capabilities that follow.
    RegionGetInfo(RegionInfo, &'a [u8]),
    /// What the interrupts are.
    IrqGetInfo(IrqInfo),
    /// The interrupts are set up.
    SetIrqs,
    /// The bytes read.
    RegionRead(RegionAccess, &'a [u8]),
    /// How many bytes are written.
    RegionWrite(RegionAccess),
    /// The device is reset.
    DeviceReset,
}

impl<'a> Reply<'a> {
    /// Reads a reply's body.
    ///
    /// # Errors
    /// When the body is too short for `command` or announces another number of bytes than it has.
    pub fn decode(command: Command, body: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(match command {
            Command::Version => Self::Version(Version::decode(body)?),
            Command::DmaMap => Self::DmaMap,
            Command::DmaUnmap => Self::DmaUnmap(DmaUnmap::decode(command, body)?.0),
            Command::DeviceGetInfo => Self::DeviceGetInfo(DeviceInfo::decode(command, body)?.0),
            Command::RegionGetInfo => {
                let (info, capabilities) = RegionInfo::decode(command, body)?;
                Self::RegionGetInfo(info, capabilities)
            }
            Command::IrqGetInfo => Self::IrqGetInfo(IrqInfo::decode(command, body)?.0),
            Command::SetIrqs => Self::SetIrqs,
            Command::RegionRead => {
                let (access, data) = region_data(command, body)?;
                Self::RegionRead(access, data)
            }
            Command::RegionWrite => Self::RegionWrite(RegionAccess::decode(command, body)?.0),
            Command::DeviceReset => Self::DeviceReset,
        })
    }

    /// Which command it is the reply to.
    pub const fn command(&self) -> Command {
        match self {
            Self::Version(_) => Command::Version,
            Self::DmaMap => Command::DmaMap,
            Self::DmaUnmap(_) => Command::DmaUnmap,
            Self::DeviceGetInfo(_) => Command::DeviceGetInfo,
            Self::RegionGetInfo(..) => Command::RegionGetInfo,
            Self::IrqGetInfo(_) => Command::IrqGetInfo,
            Self::SetIrqs => Command::SetIrqs,
            Self::RegionRead(..) => Command::RegionRead,
            Self::RegionWrite(_) => Command::RegionWrite,
            Self::DeviceReset => Command::DeviceReset,
        }
    }

    /// Appends the message, header included.
    pub fn encode(&self, id: u16, out: &mut Vec<u8>) {
        message(id, self.command(), HeaderFlags::REPLY, out, |out| match self {
            Self::Version(version) => version.encode(out),
            Self::DmaUnmap(unmap) => unmap.encode(out),
            Self::DeviceGetInfo(info) => info.encode(out),
            Self::RegionGetInfo(info, capabilities) => {
                info.encode(out);
                out.extend_from_slice(capabilities);
            }
            Self::IrqGetInfo(info) => info.encode(out),
            Self::RegionRead(access, data) => {
                access.encode(out);
                out.extend_from_slice(data);
            }
            Self::RegionWrite(access) => access.encode(out),
            Self::DmaMap | Self::SetIrqs | Self::DeviceReset => {}
        });
    }
}

/// A region access and exactly the data that it announces.
fn region_data(command: Command, body: &[u8]) -> Result<(RegionAccess, &[u8]), DecodeError> {
    let (access, data) = RegionAccess::decode(command, body)?;
    if usize::try_from(access.count) != Ok(data.len()) {
        return Err(DecodeError::Count { command, count: access.count, len: data.len() });
    }
    Ok((access, data))
}

fn message(
    id: u16,
    command: Command,
    flags: HeaderFlags,
    out: &mut Vec<u8>,
    body: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_LEN]);
    body(out);
    let size = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
    let header = Header { id, command: command.number(), size, flags, errno: 0 };
    out[start..start + HEADER_LEN].copy_from_slice(&header.encode());
}
