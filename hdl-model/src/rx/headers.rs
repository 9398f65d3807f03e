//! Which headers a frame has and where: what packet type, checksums and RSS are made of (82599.md section 5).
//!
//! Recognised behind the tags: IPv4, IPv6 with its extension headers, and in them TCP, UDP, SCTP, ESP and AH. NFS,
//! FCoE, LinkSec and LLC/SNAP are not: such frames are reported without, or with the outer headers only.

use core::ops::Range;

/// Bits of the packet type field (descriptor bits 16:4).
pub mod packet_type {
    /// IPv4 header.
    pub const IPV4: u16 = 1 << 0;
    /// IPv4 header with options.
    pub const IPV4_OPTIONS: u16 = 1 << 1;
    /// IPv6 header.
    pub const IPV6: u16 = 1 << 2;
    /// IPv6 header with extension headers.
    pub const IPV6_EXTENSIONS: u16 = 1 << 3;
    /// TCP header.
    pub const TCP: u16 = 1 << 4;
    /// UDP header.
    pub const UDP: u16 = 1 << 5;
    /// SCTP header.
    pub const SCTP: u16 = 1 << 6;
    /// IPsec encapsulating security payload.
    pub const ESP: u16 = 1 << 8;
    /// IPsec authentication header.
    pub const AH: u16 = 1 << 9;
}

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86DD;
/// IP protocol number of TCP.
pub(super) const TCP: u8 = 6;
/// IP protocol number of UDP.
pub(super) const UDP: u8 = 17;
/// IP protocol number of SCTP.
pub(super) const SCTP: u8 = 132;
const ESP: u8 = 50;
const AH: u8 = 51;
const IPV6_HOP_BY_HOP: u8 = 0;
const IPV6_ROUTING: u8 = 43;
const IPV6_FRAGMENT: u8 = 44;
const IPV6_DESTINATION: u8 = 60;

/// A datagram's place in a fragmented packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// Not fragmented.
    No,
    /// The first fragment: the layer 4 header is here, the rest of the packet is not.
    First,
    /// Another fragment.
    Later,
}

/// The headers of an IP packet inside a frame. All positions are bytes from the destination address on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Packet type as in the descriptor.
    pub packet_type: u16,
    /// The IPv4 header, or the fixed IPv6 header.
    pub network: Range<usize>,
    /// IPv6 rather than IPv4.
    pub is_ipv6: bool,
    /// Protocol of the payload.
    pub protocol: u8,
    /// What follows the IP header and its extensions, to the end that the IP length gives. Empty when that length does
    /// not fit the frame.
    pub payload: Range<usize>,
    /// Whether the payload is the whole of it.
    pub fragment: Fragment,
    /// An IPv6 routing header that has not been worked off: the pseudo header would need another destination.
    pub routed: bool,
}

impl Headers {
    /// Looks at the frame whose ethertype, behind the tags, is at byte `type_at`. `None` when it is not IP or its IP
    /// header is not whole.
    pub fn parse(frame: &[u8], type_at: usize) -> Option<Headers> {
        let at = type_at + 2;
        match be16(frame, type_at)? {
            ETHERTYPE_IPV4 => Self::ipv4(frame, at),
            ETHERTYPE_IPV6 => Self::ipv6(frame, at),
            _ => None,
        }
    }

    fn ipv4(frame: &[u8], at: usize) -> Option<Headers> {
        let first = *frame.get(at)?;
        let header = usize::from(first & 0xF) * 4;
        if first >> 4 != 4 || header < 20 || frame.len() < at + header {
            return None;
        }
        let flags = be16(frame, at + 6)?;
        let (offset, more) = (flags & 0x1FFF, flags & 0x2000 != 0);
        let mut found = Headers {
            packet_type: packet_type::IPV4,
            network: at..at + header,
            is_ipv6: false,
            protocol: *frame.get(at + 9)?,
            payload: span(frame, at + header, at + usize::from(be16(frame, at + 2)?)),
            fragment: fragment_of(offset, more),
            routed: false,
        };
        if header > 20 {
            found.packet_type |= packet_type::IPV4_OPTIONS;
        }
        found.name_protocol();
        Some(found)
    }

    fn ipv6(frame: &[u8], at: usize) -> Option<Headers> {
        if frame.get(at)? >> 4 != 6 || frame.len() < at + 40 {
            return None;
        }
        let end = at + 40 + usize::from(be16(frame, at + 4)?);
        let mut found = Headers {
            packet_type: packet_type::IPV6,
            network: at..at + 40,
            is_ipv6: true,
            protocol: *frame.get(at + 6)?,
            payload: span(frame, at + 40, end),
            fragment: Fragment::No,
            routed: false,
        };
        while found.fragment != Fragment::Later && found.skip_extension(frame) {
            found.packet_type |= packet_type::IPV6_EXTENSIONS;
        }
        found.name_protocol();
        Some(found)
    }

    /// Steps over one extension header, each of at least 8 bytes. False when there is none, or it is not whole.
    fn skip_extension(&mut self, frame: &[u8]) -> bool {
        let from = self.payload.start;
        let Some(&[next, length, b2, b3]) =
            frame.get(from..self.payload.end).and_then(|p| p.first_chunk())
        else {
            return false;
        };
        let bytes = match self.protocol {
            IPV6_HOP_BY_HOP | IPV6_DESTINATION => (usize::from(length) + 1) * 8,
            IPV6_ROUTING => {
                self.routed |= b3 != 0;
                (usize::from(length) + 1) * 8
            }
            IPV6_FRAGMENT => {
                let field = u16::from_be_bytes([b2, b3]);
                self.fragment = fragment_of(field >> 3, field & 1 != 0);
                8
            }
            _ => return false,
        };
        if from + bytes > self.payload.end {
            return false;
        }
        self.payload.start = from + bytes;
        self.protocol = next;
        true
    }

    /// Names the protocol in the packet type. A fragment's layer 4 header, if it is there, is not looked at.
    fn name_protocol(&mut self) {
        self.packet_type |= match self.protocol {
            ESP => packet_type::ESP,
            AH => packet_type::AH,
            _ if self.fragment != Fragment::No => 0,
            TCP if self.payload.len() >= 20 => packet_type::TCP,
            UDP if self.payload.len() >= 8 => packet_type::UDP,
            SCTP if self.payload.len() >= 12 => packet_type::SCTP,
            _ => 0,
        };
    }

    /// Whether the packet type names any of these layers.
    pub const fn has(&self, layers: u16) -> bool {
        self.packet_type & layers != 0
    }
}

const fn fragment_of(offset: u16, more: bool) -> Fragment {
    match (offset, more) {
        (0, false) => Fragment::No,
        (0, true) => Fragment::First,
        _ => Fragment::Later,
    }
}

/// The bytes that a length field claims, or none when the frame does not have them.
fn span(frame: &[u8], from: usize, to: usize) -> Range<usize> {
    if to < from || to > frame.len() { from..from } else { from..to }
}

/// The big-endian number at a byte offset.
pub(super) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_be_bytes)
}
