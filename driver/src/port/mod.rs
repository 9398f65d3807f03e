//! The seam above the rings: a daemon written against [`Port`] runs on a card, on a model and, for want of both, on any
//! network interface of the kernel.
//!
//! Frames are copied in and out, on every port alike. A daemon that must not copy uses the rings themselves
//! ([`crate::TxRing::push`]) and keeps a port for where there is no card.

mod nic;
mod packet;
#[cfg(feature = "smoltcp")]
mod smoltcp;
mod tap;

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;

use crate::device::Link;
use crate::error::Error;

#[cfg(feature = "smoltcp")]
pub use self::smoltcp::{SmoltcpDevice, SmoltcpRxToken, SmoltcpTxToken};
pub use nic::NicPort;
pub use packet::PacketPort;
pub use tap::open_tap;

/// Why a port could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PortError {
    /// There is no such device: fall back on another kind of port.
    #[error("no device at {address}: {detail}")]
    NoDevice {
        /// Where it was looked for.
        address: String,
        /// Why it is not there.
        detail: String,
    },
    /// No room now: complete what was sent, then try again.
    #[error("the port is full; take completions and try again")]
    Full,
    /// A frame of this length cannot be sent.
    #[error("the frame has {len} bytes, allowed are {min} to {max}")]
    Length {
        /// Its length, bytes without FCS.
        len: usize,
        /// Shortest length allowed.
        min: usize,
        /// Longest length allowed.
        max: usize,
    },
    /// There is no such traffic class.
    #[error("traffic class {class} does not exist; classes are 0 to {}", classes - 1)]
    NoSuchClass {
        /// The class asked for.
        class: u8,
        /// How many there are.
        classes: u8,
    },
    /// A PAUSE or PFC frame from software could stop the whole network.
    #[error("the frame is MAC control (Ethertype 0x8808), which a port does not send")]
    MacControlForbidden,
    /// The device failed.
    #[error(transparent)]
    Device(Error),
    /// The system failed.
    #[error("{operation}: {source}")]
    System {
        /// What was being done.
        operation: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl From<Error> for PortError {
    fn from(error: Error) -> Self {
        match error {
            Error::Bus(crate::BusError::NoDevice { address, detail }) => {
                Self::NoDevice { address, detail }
            }
            other => Self::Device(other),
        }
    }
}

/// What has passed through a port since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PortStatistics {
    /// Frames received.
    pub rx_frames: u64,
    /// Frames sent.
    pub tx_frames: u64,
    /// Bytes received, FCS not included.
    pub rx_bytes: u64,
    /// Bytes sent, FCS not included.
    pub tx_bytes: u64,
    /// Frames lost for want of room.
    pub rx_missed: u64,
    /// Frames received with a fault, and not given to the daemon.
    pub rx_errors: u64,
}

/// Sending and receiving of frames, whatever does it.
///
/// Lengths are bytes without FCS. A port never waits.
pub trait Port {
    /// The station address.
    fn mac(&self) -> [u8; 6];

    /// Largest layer-3 packet, bytes.
    fn mtu(&self) -> u16;

    /// Traffic classes: 1, 4 or 8.
    fn classes(&self) -> u8;

    /// Takes a frame, given in pieces, for traffic class `class`. It goes out with the next [`Port::flush`]; `token` comes
    /// back from [`Port::complete`]. Short frames are padded.
    ///
    /// # Errors
    /// [`PortError::Full`] when there is no room now; when the frame cannot be sent, or the device fails.
    fn send(&mut self, class: u8, frame: &[IoSlice<'_>], token: u64) -> Result<(), PortError>;

    /// Sends what was taken.
    ///
    /// # Errors
    /// When the device fails.
    fn flush(&mut self) -> Result<(), PortError>;

    /// Gives up to `max` received frames to `take`, each with its class, oldest first in each class. Returns how many. A
    /// VLAN tag is in the frame, unless the configuration has it taken out.
    ///
    /// # Errors
    /// When the device fails.
    fn receive(&mut self, max: usize, take: &mut dyn FnMut(u8, &[u8])) -> Result<usize, PortError>;

    /// Appends the tokens of frames that the port is done with, oldest first in each class. Returns how many.
    ///
    /// # Errors
    /// When the device fails.
    fn complete(&mut self, tokens: &mut Vec<u64>) -> Result<usize, PortError>;

    /// The link now.
    ///
    /// # Errors
    /// When the device fails.
    fn link(&mut self) -> Result<Link, PortError>;

    /// What has passed so far.
    ///
    /// # Errors
    /// When the device fails.
    fn statistics(&mut self) -> Result<PortStatistics, PortError>;

    /// File descriptors for an `epoll` set: after [`Port::arm`] one is readable as soon as there is something to receive
    /// or to complete. None for a port that has to be polled.
    fn events(&self) -> Vec<BorrowedFd<'_>>;

    /// Asks for the next event. Receive once more after this, then wait: what came before it is signalled as well.
    ///
    /// # Errors
    /// When the device fails.
    fn arm(&mut self) -> Result<(), PortError>;
}
