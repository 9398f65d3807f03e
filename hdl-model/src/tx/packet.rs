//! From descriptors to a frame: what a descriptor brings, and which packets are legal.

use crate::frame::Frame;
use xoff_regs::desc;

/// Longest packet the adapter sends with DCB off, in bytes (82599.md section 3.2); longer ones are dropped.
pub(super) const MAX_PACKET_BYTES: usize = 15_872;
/// Shortest packet it accepts from software when it pads (82599.md section 2.3).
const MIN_PACKET_BYTES: usize = 17;

/// A descriptor whose data is on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InFlight {
    pub(super) queue: u8,
    /// The class whose packet buffer the packet goes to.
    pub(super) tc: u8,
    pub(super) index: u16,
    pub(super) len: u16,
    pub(super) flags: u64,
    /// Bytes reserved for it in that buffer.
    pub(super) reserved: u32,
    /// No data to wait for: a context descriptor, or one without length.
    pub(super) instant: bool,
    /// Its packet will never be complete: the queue was disabled.
    pub(super) cut: bool,
}

/// Makes the frame, or gives the bytes back when they are no legal packet. Without IFCS the last four bytes software
/// gave are the FCS.
pub(super) fn frame_of(mut bytes: Vec<u8>, flags: u64) -> Result<Frame, Vec<u8>> {
    if bytes.len() < MIN_PACKET_BYTES || bytes.len() > MAX_PACKET_BYTES {
        return Err(bytes);
    }
    if flags & desc::TX_IFCS != 0 {
        return Ok(Frame::new(bytes));
    }
    let fcs = bytes.split_off(bytes.len() - 4);
    let mut frame = Frame::new(bytes);
    frame.damaged = frame.fcs()[..] != fcs[..];
    Ok(frame)
}

/// Advanced context descriptor: state for later packets, no data.
pub(super) fn is_context(qword1: u64) -> bool {
    const KIND: u64 = desc::TX_DEXT | 0xF << 20;
    qword1 & KIND == desc::TX_DEXT | desc::TX_DTYP_CONTEXT
}

/// The descriptor ends a packet.
pub(super) fn ends_packet(qword1: u64) -> bool {
    qword1 & desc::TX_EOP != 0 && !is_context(qword1)
}

/// Bytes of data the descriptor brings.
#[allow(clippy::cast_possible_truncation)] // the field is 16 bits wide
pub(super) fn tx_len(qword1: u64) -> u16 {
    if is_context(qword1) { 0 } else { qword1 as u16 }
}
