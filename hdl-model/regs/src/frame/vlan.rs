//! The 802.1Q tag (IEEE 802.1Q clause 9.6).

use super::{ETHERTYPE_VLAN, ethernet::be16, ethertype};

/// Bytes that a tag adds to a frame.
pub const TAG_BYTES: usize = 4;

/// Where the tag sits: after the two addresses.
const TAG_AT: usize = 12;

/// An 802.1Q tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VlanTag {
    /// Priority code point, 0 to 7: the user priority.
    pub pcp: u8,
    /// Drop eligible.
    pub dei: bool,
    /// VLAN identifier, 0 to 4095; 0 tags the priority only.
    pub vid: u16,
}

impl VlanTag {
    /// A tag of this priority (low 3 bits) and VLAN (low 12 bits), not drop eligible.
    pub const fn new(pcp: u8, vid: u16) -> Self {
        Self { pcp: pcp & 7, dei: false, vid: vid & 0xFFF }
    }

    /// The tag in 16 bits of tag control information: PCP 15:13, DEI 12, VID 11:0.
    pub const fn tci(self) -> u16 {
        ((self.pcp & 7) as u16) << 13 | (self.dei as u16) << 12 | self.vid & 0xFFF
    }

    /// The tag from its tag control information.
    pub const fn from_tci(tci: u16) -> Self {
        Self { pcp: (tci >> 13) as u8, dei: tci & 0x1000 != 0, vid: tci & 0xFFF }
    }

    /// The tag of a frame; `None` when it has none, or ends inside it.
    pub fn parse(frame: &[u8]) -> Option<Self> {
        if ethertype(frame) != Some(ETHERTYPE_VLAN) {
            return None;
        }
        be16(frame, TAG_AT + 2).map(Self::from_tci)
    }

    /// Puts the tag into the frame in the first `len` bytes of `buffer`, and returns the new length.
    /// `None`, with the buffer unchanged, when the frame has no room for both addresses or the buffer none for the tag.
    pub fn insert(self, buffer: &mut [u8], len: usize) -> Option<usize> {
        if len < TAG_AT || len > buffer.len() || buffer.len() - len < TAG_BYTES {
            return None;
        }
        buffer.copy_within(TAG_AT..len, TAG_AT + TAG_BYTES);
        buffer[TAG_AT..TAG_AT + 2].copy_from_slice(&ETHERTYPE_VLAN.to_be_bytes());
        buffer[TAG_AT + 2..TAG_AT + 4].copy_from_slice(&self.tci().to_be_bytes());
        Some(len + TAG_BYTES)
    }

    /// Takes the tag out of the frame in the first `len` bytes of `buffer`; returns the tag and the new length.
    /// `None`, with the buffer unchanged, when there is no whole tag.
    pub fn strip(buffer: &mut [u8], len: usize) -> Option<(Self, usize)> {
        let tag = Self::parse(buffer.get(..len)?)?;
        buffer.copy_within(TAG_AT + TAG_BYTES..len, TAG_AT);
        Some((tag, len - TAG_BYTES))
    }
}
