//! From descriptors to a frame: what a descriptor brings, and which packets are legal.

use crate::frame::Frame;
use xoff_regs::desc::{self, Qwords};

/// Longest packet the adapter sends with DCB off, in bytes (82599.md section 3.2); longer ones are dropped.
pub(super) const MAX_PACKET_BYTES: usize = 15_872;
/// The same in DCB mode.
pub(super) const MAX_DCB_PACKET_BYTES: usize = 9_728;
/// Shortest packet it accepts from software when it pads (82599.md section 2.3).
const MIN_PACKET_BYTES: usize = 17;

/// A part of a packet whose data is on its way: what one read brings, a whole descriptor unless a TSO cuts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InFlight {
    pub(super) queue: u8,
    /// The class whose packet buffer the packet goes to.
    pub(super) tc: u8,
    pub(super) index: u16,
    pub(super) len: u16,
    pub(super) marks: Marks,
    /// The second half of the descriptor.
    pub(super) flags: u64,
    /// Bytes reserved for the part in that buffer.
    pub(super) reserved: u32,
    /// Of the part that starts a packet: the context it names.
    pub(super) context: Qwords,
}

/// Facts about a part, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    /// No data to wait for: a context descriptor, or one without length.
    pub(super) const INSTANT: Marks = Marks(1);
    /// Its frame will never be complete: the queue was disabled.
    pub(super) const CUT: Marks = Marks(1 << 1);
    /// The first part of a packet.
    pub(super) const STARTS_PACKET: Marks = Marks(1 << 2);
    /// The last part of a descriptor.
    pub(super) const ENDS_DESCRIPTOR: Marks = Marks(1 << 3);
    /// The last part of a frame: a packet, or a segment of one.
    pub(super) const ENDS_FRAME: Marks = Marks(1 << 4);
    /// The frame that ends here must not be sent.
    pub(super) const REFUSED: Marks = Marks(1 << 5);
    /// The packet is sent in segments.
    pub(super) const SEGMENTED: Marks = Marks(1 << 6);
    /// The queue was disabled meanwhile: the ring that it is of may be another one now.
    pub(super) const STALE: Marks = Marks(1 << 7);

    pub(super) const fn has(self, mark: Marks) -> bool {
        self.0 & mark.0 != 0
    }

    pub(super) const fn set(&mut self, mark: Marks) {
        self.0 |= mark.0;
    }

    pub(super) const fn set_if(&mut self, on: bool, mark: Marks) {
        if on {
            self.set(mark);
        }
    }
}

/// Whether a packet is of a length the adapter sends.
pub(super) fn legal_length(bytes: usize, longest: usize) -> bool {
    (MIN_PACKET_BYTES..=longest).contains(&bytes)
}

/// Splits off the FCS that software gave as the last four bytes of a packet without IFCS.
pub(super) fn split_fcs(bytes: &mut Vec<u8>) -> [u8; 4] {
    let fcs = bytes.last_chunk().copied().unwrap_or_default();
    bytes.truncate(bytes.len().saturating_sub(fcs.len()));
    fcs
}

/// The frame of a packet, with the FCS that software gave, if it gave one.
pub(super) fn frame_of(bytes: Vec<u8>, fcs: Option<[u8; 4]>) -> Frame {
    let mut frame = Frame::new(bytes);
    frame.damaged = fcs.is_some_and(|fcs| frame.fcs() != fcs);
    frame
}

/// Advanced context descriptor: state for later packets, no data.
pub(super) fn is_context(qword1: u64) -> bool {
    const KIND: u64 = desc::TX_DEXT | 0xF << 20;
    qword1 & KIND == desc::TX_DEXT | desc::TX_DTYP_CONTEXT
}

/// Advanced data descriptor.
pub(super) fn is_advanced_data(qword1: u64) -> bool {
    const KIND: u64 = desc::TX_DEXT | 0xF << 20;
    qword1 & KIND == desc::TX_DEXT | desc::TX_DTYP_DATA
}

/// Advanced data descriptor that asks for an IEEE 1588 stamp (MAC field, bit 19).
pub(super) fn wants_stamp(qword1: u64) -> bool {
    is_advanced_data(qword1) && qword1 & 1 << 19 != 0
}

/// Legacy descriptor.
pub(super) fn is_legacy(qword1: u64) -> bool {
    qword1 & desc::TX_DEXT == 0
}

/// Bytes of data the descriptor brings.
#[allow(clippy::cast_possible_truncation)] // the field is 16 bits wide
pub(super) fn tx_len(qword1: u64) -> u16 {
    if is_context(qword1) { 0 } else { qword1 as u16 }
}
