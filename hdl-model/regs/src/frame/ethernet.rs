//! Sizes of an Ethernet frame (IEEE 802.3 clause 3 and 4.4.2) and its header. Frames here are without FCS.

/// A MAC address, first byte on the wire first.
pub type MacAddr = [u8; 6];

/// Preamble and start delimiter before each frame, in bytes.
pub const PREAMBLE_BYTES: usize = 8;
/// Gap after each frame, in bytes.
pub const GAP_BYTES: usize = 12;
/// Frame check sequence, in bytes.
pub const FCS_BYTES: usize = 4;
/// Destination, source and ethertype, in bytes.
pub const HEADER_BYTES: usize = 14;
/// Shortest frame without FCS, in bytes; shorter ones are padded.
pub const MIN_BYTES: usize = 60;
/// Largest standard frame without FCS and tag, in bytes: 1500 of payload.
pub const MAX_BYTES: usize = 1514;
/// What a frame costs on the wire beyond its bytes without FCS: preamble, FCS and gap.
pub const OVERHEAD_BYTES: usize = PREAMBLE_BYTES + FCS_BYTES + GAP_BYTES;
/// One pause quantum, in bit times (IEEE 802.3 annex 31B): 51.2 ns at 10 Gb/s.
pub const QUANTUM_BITS: u32 = 512;

/// Ethertype of MAC control frames.
pub const ETHERTYPE_MAC_CONTROL: u16 = 0x8808;
/// Ethertype of an 802.1Q tag.
pub const ETHERTYPE_VLAN: u16 = 0x8100;

/// Byte times that a frame of `len` bytes without FCS takes on the wire, padding, preamble, FCS and gap included.
pub const fn wire_bytes(len: usize) -> usize {
    (if len < MIN_BYTES { MIN_BYTES } else { len }) + OVERHEAD_BYTES
}

/// The ethertype that follows the two addresses (of a tagged frame: [`ETHERTYPE_VLAN`]); `None` for a frame too short
/// to have one.
pub fn ethertype(frame: &[u8]) -> Option<u16> {
    be16(frame, 12)
}

/// Destination address; `None` for a frame too short to have one.
pub fn destination(frame: &[u8]) -> Option<MacAddr> {
    frame.first_chunk().copied()
}

/// Source address; `None` for a frame too short to have one.
pub fn source(frame: &[u8]) -> Option<MacAddr> {
    frame.get(6..)?.first_chunk().copied()
}

/// The big-endian number at a byte offset.
pub(super) fn be16(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..)?.first_chunk().copied().map(u16::from_be_bytes)
}
