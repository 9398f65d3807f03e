//! A frame as the MAC hands it over: destination address to last payload byte, and what is known of its FCS.

use xoff_regs::frame::{FCS_BYTES, MIN_BYTES, wire_bytes};

/// An Ethernet frame without preamble and FCS.
///
/// The FCS is not carried but derived: [`Frame::fcs`] computes it when somebody looks (a capture, a receiver that does
/// not strip it). A frame whose FCS on the wire is wrong says so in `damaged`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    /// Destination address first; at least 60 bytes once a MAC has padded it.
    pub bytes: Vec<u8>,
    /// The FCS on the wire does not match the bytes.
    pub damaged: bool,
}

impl Frame {
    /// A frame with a correct FCS.
    pub fn new(bytes: Vec<u8>) -> Frame {
        Frame { bytes, damaged: false }
    }

    /// Length without FCS, in bytes.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of line time the frame takes: preamble, frame, padding, FCS and gap.
    pub fn wire_bytes(&self) -> u64 {
        wire_bytes(self.bytes.len()) as u64
    }

    /// Bytes from the first of the destination address to the last of the FCS.
    pub fn bytes_with_fcs(&self) -> u64 {
        (self.bytes.len().max(MIN_BYTES) + FCS_BYTES) as u64
    }

    /// Appends zeros up to the smallest legal frame.
    pub fn pad(&mut self) {
        if self.bytes.len() < MIN_BYTES {
            self.bytes.resize(MIN_BYTES, 0);
        }
    }

    /// The FCS as it stands on the wire: CRC-32, least significant byte first; inverted when the frame is damaged.
    pub fn fcs(&self) -> [u8; 4] {
        let crc = crc32fast::hash(&self.bytes);
        (if self.damaged { !crc } else { crc }).to_le_bytes()
    }
}
