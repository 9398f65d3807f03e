//! Messages of the vfio-user protocol, version 0.1 (specification: `docs/interop/vfio-user.rst` of QEMU). All
//! numbers are little-endian on the machines we serve; the specification says host order, both ends being on
//! one host.
//!
//! A message is a [`Header`] and a body. [`Request`] and [`Reply`] are views of a body: they borrow its data.
//! Decoding takes any bytes and never panics; what it accepts, encoding gives back.
//!
//! Messages nobody here sends (device writes into client memory by message, migration, dirty pages) are
//! [`DecodeError::UnknownCommand`], to be answered with [`DecodeError::errno`].

mod message;
mod structs;
mod version;

use rustix::io::Errno;

pub use message::{Reply, Request};
pub use structs::{
    DeviceFlags, DeviceInfo, DmaFlags, DmaMap, DmaUnmap, IrqFlags, IrqInfo, RegionAccess,
    RegionFlags, RegionInfo, SetIrqs, SetIrqsFlags, UnmapFlags,
};
pub use version::{Capabilities, Version};

/// Bytes of a header.
pub const HEADER_LEN: usize = 16;
/// Largest body that anybody here accepts: one transfer of the largest size that is agreed on, and what
/// describes it.
pub const MAX_BODY: usize = (1 << 20) + 64;

/// Region of BAR 0.
pub const REGION_BAR0: u32 = 0;
/// Region of configuration space.
pub const REGION_CONFIG: u32 = 7;
/// Regions of a PCI device: six BARs, expansion ROM, configuration space, VGA.
pub const PCI_REGIONS: u32 = 9;
/// Interrupt index of the INTx pin.
pub const IRQ_INTX: u32 = 0;
/// Interrupt index of MSI.
pub const IRQ_MSI: u32 = 1;
/// Interrupt index of MSI-X.
pub const IRQ_MSIX: u32 = 2;
/// Interrupt index of error reports.
pub const IRQ_ERR: u32 = 3;
/// Interrupt index of requests to give the device back.
pub const IRQ_REQ: u32 = 4;
/// Interrupt indices of a PCI device.
pub const PCI_IRQS: u32 = 5;

/// What a message asks for; the numbers are those on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
#[non_exhaustive]
pub enum Command {
    /// Agreement on version and limits; the first message.
    Version = 1,
    /// Client memory becomes reachable.
    DmaMap = 2,
    /// Client memory is taken back.
    DmaUnmap = 3,
    /// What the device is.
    DeviceGetInfo = 4,
    /// What a region is.
    RegionGetInfo = 5,
    /// How many interrupts an index has.
    IrqGetInfo = 7,
    /// Connects interrupts with events.
    SetIrqs = 8,
    /// Reads from a region.
    RegionRead = 9,
    /// Writes to a region.
    RegionWrite = 10,
    /// Resets the device.
    DeviceReset = 13,
}

impl Command {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Version,
        Self::DmaMap,
        Self::DmaUnmap,
        Self::DeviceGetInfo,
        Self::RegionGetInfo,
        Self::IrqGetInfo,
        Self::SetIrqs,
        Self::RegionRead,
        Self::RegionWrite,
        Self::DeviceReset,
    ];

    /// The number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// What it does, as a noun phrase.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Version => "agreeing on a version",
            Self::DmaMap => "mapping memory",
            Self::DmaUnmap => "unmapping memory",
            Self::DeviceGetInfo => "asking what the device is",
            Self::RegionGetInfo => "asking for a region",
            Self::IrqGetInfo => "asking for interrupts",
            Self::SetIrqs => "setting interrupts up",
            Self::RegionRead => "reading a region",
            Self::RegionWrite => "writing a region",
            Self::DeviceReset => "resetting the device",
        }
    }
}

impl TryFrom<u16> for Command {
    type Error = DecodeError;

    fn try_from(number: u16) -> Result<Self, DecodeError> {
        Self::ALL
            .into_iter()
            .find(|command| command.number() == number)
            .ok_or(DecodeError::UnknownCommand { number })
    }
}

bitflags::bitflags! {
    /// Flags of a header. Bits 0 to 3 are its type.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct HeaderFlags: u32 {
        /// A reply; otherwise a command.
        const REPLY = 1;
        /// The sender of a command wants no reply.
        const NO_REPLY = 1 << 4;
        /// A reply that says what went wrong.
        const ERROR = 1 << 5;
        const _ = !0;
    }
}

/// First bytes of every message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Chosen by the sender of a command; its reply has the same.
    pub id: u16,
    /// The command's number; see [`Command::try_from`].
    pub command: u16,
    /// Bytes of the message, header included.
    pub size: u32,
    /// Flags.
    pub flags: HeaderFlags,
    /// Error number of an error reply.
    pub errno: u32,
}

impl Header {
    /// Takes any bytes; what is wrong with them is said by [`Header::body_len`] and [`Command::try_from`].
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Self {
        let word = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(word)
        };
        let [id_low, id_high, command_low, command_high] = word(0).to_le_bytes();
        Self {
            id: u16::from_le_bytes([id_low, id_high]),
            command: u16::from_le_bytes([command_low, command_high]),
            size: word(4),
            flags: HeaderFlags::from_bits_retain(word(8)),
            errno: word(12),
        }
    }

    /// Its bytes.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..2].copy_from_slice(&self.id.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.command.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.flags.bits().to_le_bytes());
        bytes[12..].copy_from_slice(&self.errno.to_le_bytes());
        bytes
    }

    /// Whether it is a reply. Any other type than 0 and 1 counts as a command and has no such command.
    pub const fn is_reply(&self) -> bool {
        self.flags.bits() & 0xF == HeaderFlags::REPLY.bits()
    }

    /// The error number of an error reply. A peer that gives none means "something": EIO.
    pub fn error(&self) -> Option<i32> {
        let errno = i32::try_from(self.errno).unwrap_or(0);
        let errno = if errno == 0 { Errno::IO.raw_os_error() } else { errno };
        self.flags.contains(HeaderFlags::ERROR).then_some(errno)
    }

    /// Bytes that follow the header.
    ///
    /// # Errors
    /// [`DecodeError::Size`] when the size is less than a header or the body more than `limit` bytes. The
    /// stream cannot be followed after that.
    pub fn body_len(&self, limit: usize) -> Result<usize, DecodeError> {
        let body = usize::try_from(self.size).ok().and_then(|size| size.checked_sub(HEADER_LEN));
        body.filter(|body| *body <= limit).ok_or(DecodeError::Size { size: self.size, limit })
    }

    /// An error reply to a command with this header, whole.
    pub fn error_reply(&self, errno: i32) -> [u8; HEADER_LEN] {
        Self {
            size: 16,
            flags: HeaderFlags::REPLY | HeaderFlags::ERROR,
            errno: errno.unsigned_abs(),
            ..*self
        }
        .encode()
    }
}

/// Why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No command has this number, or none that is known here.
    #[error("vfio-user command {number} is unknown")]
    UnknownCommand {
        /// The number.
        number: u16,
    },
    /// The size in a header cannot be.
    #[error("a message of {size} bytes: the header alone has 16, and the body may have {limit}")]
    Size {
        /// The size.
        size: u32,
        /// Bytes a body may have.
        limit: usize,
    },
    /// A body ends too soon.
    #[error("{}: the body has {len} bytes, {needed} are needed", .command.describe())]
    Short {
        /// The message.
        command: Command,
        /// Bytes there are.
        len: usize,
        /// Bytes there must be.
        needed: usize,
    },
    /// A body says that it has another number of bytes of data than it has.
    #[error("{}: {count} bytes of data are announced, {len} follow", .command.describe())]
    Count {
        /// The message.
        command: Command,
        /// Bytes announced.
        count: u32,
        /// Bytes there are.
        len: usize,
    },
    /// The text with the capabilities is not one.
    #[error("the capabilities are not JSON that ends with a zero byte: {detail}")]
    Capabilities {
        /// What is wrong with it.
        detail: String,
    },
}

impl DecodeError {
    /// What to answer to a command that cannot be decoded.
    pub const fn errno(&self) -> i32 {
        match self {
            Self::UnknownCommand { .. } => Errno::NOTSUP.raw_os_error(),
            _ => Errno::INVAL.raw_os_error(),
        }
    }
}
