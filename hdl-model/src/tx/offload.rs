//! Offloads of one packet: checksum insertion, VLAN insertion, and what its context says of its headers
//! (82599.md section 2.3).

use super::checksum::{add, complement, crc32c};
use xoff_regs::desc::{self, Qwords, TxContext, TxDesc};

/// The packet cannot be sent as its descriptors ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused;

/// POPTS of an advanced data descriptor.
const IXSM: u64 = 1 << 40;
const TXSM: u64 = 1 << 41;
const IPSEC: u64 = 1 << 42;
/// IDX: the 82599 has two contexts a queue; of the three bits only the lowest selects.
const IDX: u64 = 1 << 36;
/// TUCMD bits of a context, counted from its own bit 0.
const TUCMD_IPV4: u16 = 1 << 1;
const TUCMD_ESP: u16 = 1 << 4;
const TUCMD_FCOE: u16 = 1 << 6;

/// Layer 4 protocol whose checksum is inserted (TUCMD.L4T).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer4 {
    Udp,
    Tcp,
    Sctp,
}

impl Layer4 {
    fn of(tucmd: u16) -> Option<Layer4> {
        match (tucmd >> 2) & 3 {
            0 => Some(Layer4::Udp),
            1 => Some(Layer4::Tcp),
            2 => Some(Layer4::Sctp),
            _ => None,
        }
    }

    /// Where the checksum stands in the header.
    const fn checksum_at(self) -> usize {
        match self {
            Layer4::Udp => 6,
            Layer4::Tcp => 16,
            Layer4::Sctp => 8,
        }
    }
}

/// What an advanced packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offload {
    pub(super) vlan: Option<u16>,
    ip_checksum: bool,
    layer4: Option<Layer4>,
    pub(super) ipv4: bool,
    /// MACLEN, and where layer 4 begins: MACLEN + IPLEN. Bytes.
    pub(super) ip_at: usize,
    pub(super) layer4_at: usize,
}

/// Whether the first descriptor of a packet asks for an offload at all.
pub(super) fn wants_offload(flags: u64) -> bool {
    flags & desc::TX_DEXT != 0 && flags & (desc::TX_VLE | desc::TX_TSE | IXSM | TXSM | IPSEC) != 0
}

/// Whether the first descriptor of a packet asks for segmentation.
pub(super) fn wants_segments(flags: u64) -> bool {
    flags & (desc::TX_DEXT | desc::TX_TSE) == desc::TX_DEXT | desc::TX_TSE
}

/// Which of the queue's two contexts a descriptor names.
pub(super) fn context_index(flags: u64) -> usize {
    usize::from(flags & IDX != 0)
}

pub(super) fn context_of(context: Qwords) -> Option<TxContext> {
    match TxDesc::parse(context) {
        TxDesc::Context(c) => Some(c),
        _ => None, // nothing was written into this context
    }
}

impl Offload {
    /// Reads what a packet wants from its first descriptor and its context.
    ///
    /// IPsec, and FCoE's CRC and segmentation, are not modelled; a packet that asks for them is refused rather than
    /// sent in clear or without its CRC.
    pub(super) fn parse(flags: u64, context: Qwords) -> Result<Offload, Refused> {
        let c = context_of(context).ok_or(Refused)?;
        if flags & IPSEC != 0 || c.tucmd & (TUCMD_ESP | TUCMD_FCOE) != 0 {
            return Err(Refused);
        }
        let layer4 =
            if flags & TXSM != 0 { Some(Layer4::of(c.tucmd).ok_or(Refused)?) } else { None };
        let ipv4 = c.tucmd & TUCMD_IPV4 != 0;
        let ip_at = usize::from(c.maclen);
        Ok(Offload {
            vlan: (flags & desc::TX_VLE != 0).then_some(c.vlan),
            // An IPv6 header has no checksum to insert.
            ip_checksum: flags & IXSM != 0 && ipv4,
            layer4,
            ipv4,
            ip_at,
            layer4_at: ip_at + usize::from(c.iplen),
        })
    }

    /// Inserts the checksums. Software has put the pseudo header's sum into the TCP or UDP field, with the length for a
    /// packet, without it for a TSO: `segment` says that the length is to be added. The IPv4 and SCTP fields count as
    /// zero whatever they hold.
    pub(super) fn insert_checksums(self, bytes: &mut [u8], segment: bool) -> Result<(), Refused> {
        if self.ip_checksum {
            let header = bytes.get_mut(self.ip_at..self.layer4_at).ok_or(Refused)?;
            if header.len() < 20 {
                return Err(Refused);
            }
            header[10..12].fill(0);
            let sum = complement(add(0, header));
            header[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        let Some(layer4) = self.layer4 else { return Ok(()) };
        let payload = bytes.get_mut(self.layer4_at..).ok_or(Refused)?;
        let at = layer4.checksum_at();
        if layer4 == Layer4::Sctp {
            let (head, tail) = payload.split_at_checked(at + 4).ok_or(Refused)?;
            let crc = crc32c([&head[..at], &[0; 4], tail]);
            payload[at..at + 4].copy_from_slice(&crc.to_le_bytes());
            return Ok(());
        }
        let length = if segment { payload.len() as u64 } else { 0 };
        let mut sum = complement(add(length, payload));
        if layer4 == Layer4::Udp && sum == 0 {
            sum = 0xFFFF; // RFC 768: zero means that there is none
        }
        payload.get_mut(at..at + 2).ok_or(Refused)?.copy_from_slice(&sum.to_be_bytes());
        Ok(())
    }
}

/// The legacy checksum: from byte CSS to the end, put at byte CSO. Places outside the packet insert nothing.
pub(super) fn insert_legacy_checksum(bytes: &mut [u8], eop_flags: u64) {
    let [_, _, cso, _, _, css, ..] = eop_flags.to_le_bytes();
    let Some(covered) = bytes.get(usize::from(css)..) else { return };
    let sum = complement(add(0, covered));
    let at = usize::from(cso);
    if let Some(field) = bytes.get_mut(at..at + 2) {
        field.copy_from_slice(&sum.to_be_bytes());
    }
}

/// Inserts a VLAN tag: behind the addresses, or in double VLAN mode behind the outer tag that software has written.
pub(super) fn insert_tag(bytes: &mut Vec<u8>, ethertype: u16, tci: u16, behind_outer: bool) {
    let at = if behind_outer { 16 } else { 12 };
    let end = bytes.len();
    if end < at {
        return; // shorter than any packet that gets here
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.copy_within(at..end, at + 4);
    bytes[at..at + 2].copy_from_slice(&ethertype.to_be_bytes());
    bytes[at + 2..at + 4].copy_from_slice(&tci.to_be_bytes());
}
