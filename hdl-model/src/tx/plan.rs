//! How the descriptors of a packet are read: which bytes with the next read, and where frames end.

use super::offload::wants_segments;
use super::packet::tx_len;
use super::queue::TxQueue;
use super::segment::Cut;

/// The packet whose descriptors are being read, from its first to its last.
#[allow(clippy::struct_excessive_bools)] // independent facts
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PacketPlan {
    /// A packet has begun and its last descriptor has not been read.
    pub(super) in_packet: bool,
    /// A frame of it has begun and its last part has not been read.
    pub(super) in_frame: bool,
    /// The class of the frame: what the queue's was at its first part.
    pub(super) tc: u8,
    /// Bytes reserved so far for the frame.
    pub(super) reserved: u32,
    /// Bytes of the frame read so far, a replicated header included.
    pub(super) bytes: u32,
    /// Descriptors read for the frame.
    pub(super) descriptors: u16,
    /// Bytes already read of the descriptor in front.
    pub(super) offset: u16,
    /// No frame of the packet may be sent.
    pub(super) refused: bool,
    /// A VLAN tag will be inserted.
    pub(super) tagged: bool,
    /// How a TSO falls into segments.
    pub(super) cut: Option<Cut>,
}

impl TxQueue {
    /// Bytes that the next read brings, when there is a descriptor to read: the descriptor, or as much of it as belongs
    /// to the segment.
    #[inline]
    pub(super) fn next_read_len(&self) -> Option<u16> {
        let [_, flags] = self.ring.store.front()?.desc;
        let len = tx_len(flags);
        if !self.plan.in_packet {
            if wants_segments(flags) && len > 0 {
                return Some(first_part(len, self.plan_cut(flags)));
            }
            return Some(len);
        }
        match &self.plan.cut {
            None => Some(len),
            Some(_) if len == 0 => Some(0),
            Some(cut) => Some(part_of(len - self.plan.offset, cut)),
        }
    }

    /// The segments of the packet that begins with this descriptor.
    pub(super) fn plan_cut(&self, flags: u64) -> Option<Cut> {
        Cut::plan(flags, self.contexts[super::offload::context_index(flags)]).ok()
    }
}

fn first_part(len: u16, cut: Option<Cut>) -> u16 {
    cut.map_or(len, |cut| part_of(len, &cut))
}

/// The part of `rest` that belongs to the segment in progress; all of it once there is no segment left.
fn part_of(rest: u16, cut: &Cut) -> u16 {
    if cut.segment_left == 0 {
        rest
    } else {
        u16::try_from(cut.segment_left).map_or(rest, |left| rest.min(left))
    }
}

/// Bytes of headers that a context describes: MACLEN + IPLEN + L4LEN.
pub(super) fn header_length(context: xoff_regs::desc::Qwords) -> u32 {
    super::offload::context_of(context)
        .map_or(0, |c| u32::from(c.maclen) + u32::from(c.iplen) + u32::from(c.l4len))
}
