//! Header split: which bytes of a packet go into a header buffer rather than the packet buffer (data sheet 7.1.10; the
//! conditions as an open model of the 82576, which has the same table, implements them).

use super::headers::{Headers, packet_type};
use xoff_regs::{Psrtype, Srrctl};

/// The longest header that the device can split off, in bytes: what HDR_LEN can say.
const LONGEST: u16 = 1023;

/// How the descriptors of a queue are used (SRRCTL.DESCTYPE).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Legacy descriptors.
    #[default]
    Legacy,
    /// Advanced, one buffer each. Reserved types count as this one.
    OneBuffer,
    /// Advanced, header buffers used for headers that are found and fit.
    Split,
    /// Advanced, header buffers used for the first bytes of every packet.
    SplitAlways,
}

impl Format {
    /// SRRCTL.DESCTYPE.
    pub fn of(srrctl: Srrctl) -> Format {
        match srrctl.desctype() {
            Srrctl::DESCTYPE_LEGACY => Format::Legacy,
            Srrctl::DESCTYPE_SPLIT => Format::Split,
            Srrctl::DESCTYPE_SPLIT_ALWAYS => Format::SplitAlways,
            _ => Format::OneBuffer,
        }
    }
}

/// What goes into the header buffer, and what the descriptor says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Bytes at the start of the packet that go into the header buffer.
    pub bytes: u16,
    /// HDR_LEN: length of the header, or of what the header buffer holds when no header was found.
    pub header_len: u16,
    /// SPH: a header was found.
    pub found: bool,
    /// HBO: it is longer than the header buffer.
    pub overflow: bool,
}

impl Split {
    /// Divides a packet of `packet` bytes whose header has `header` bytes (0: none was found) for a header buffer of
    /// `buffer` bytes.
    #[inline]
    pub fn new(format: Format, buffer: u16, header: u16, packet: usize) -> Split {
        match format {
            Format::Legacy | Format::OneBuffer => Split::default(),
            Format::Split => Split::into_buffer(false, buffer, header, packet),
            Format::SplitAlways => Split::into_buffer(true, buffer, header, packet),
        }
    }

    /// [`Split::new`] with a header buffer.
    fn into_buffer(always: bool, buffer: u16, header: u16, packet: usize) -> Split {
        let buffer = buffer.min(LONGEST);
        let header = header.min(LONGEST);
        let found = header > 0;
        if let Ok(all) = u16::try_from(packet)
            && always
            && all <= buffer
        {
            Split { bytes: all, header_len: all, found: false, overflow: false }
        } else if found && header <= buffer {
            Split { bytes: header, header_len: header, found, overflow: false }
        } else {
            let bytes = if always { buffer } else { 0 };
            let header_len = if found { header } else { bytes };
            Split { bytes, header_len, found, overflow: found }
        }
    }
}

/// Bytes of a packet up to the end of the last of its headers that `after` names; 0 when it has none of them. `l2` is
/// the length of the Ethernet header with its tags.
#[inline]
pub(super) fn header_bytes(
    after: Psrtype,
    frame: &[u8],
    l2: usize,
    headers: Option<&Headers>,
) -> u16 {
    if after.is_empty() {
        return 0; // the usual case
    }
    let layer4 = headers.and_then(|h| {
        let bytes = if h.has(packet_type::TCP) && after.contains(Psrtype::TCPHDR) {
            // The data offset counts words; a header that is not whole is none.
            let words = frame.get(h.payload.start + 12)? >> 4;
            (20..=h.payload.len()).contains(&(usize::from(words) * 4)).then_some(words * 4)?
        } else if h.has(packet_type::UDP) && after.contains(Psrtype::UDPHDR) {
            8
        } else {
            return None;
        };
        Some(h.payload.start + usize::from(bytes))
    });
    let end = layer4.or_else(|| {
        let h = headers?;
        let layer3 = if h.is_ipv6 { Psrtype::IPV6HDR } else { Psrtype::IPV4HDR };
        after.contains(layer3).then_some(h.payload.start)
    });
    let end = end.unwrap_or(if after.contains(Psrtype::L2HDR) { l2 } else { 0 });
    u16::try_from(end).unwrap_or(u16::MAX)
}
