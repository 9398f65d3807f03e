//! Receive descriptors (data sheet 7.1.5 and 7.1.6).

// A field narrower than its Rust type is cut out by `field` first, so narrowing loses nothing.
#![allow(clippy::cast_possible_truncation)]

use super::{Qwords, bit_if, field, place};

/// Descriptor done, in the second half of an advanced descriptor. (In the read format this is bit 0 of the header
/// address, so that must be even.)
pub const RX_DD: u64 = 1;
/// End of packet, in the second half of an advanced descriptor.
pub const RX_EOP: u64 = 1 << 1;

bitflags::bitflags! {
    /// Status (bits 19:0) and errors (31:20) that the device writes back.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct RxStatus: u32 {
        /// Descriptor done.
        const DD = 1;
        /// End of packet.
        const EOP = 1 << 1;
        /// Flow director match.
        const FLM = 1 << 2;
        /// The frame carried a VLAN tag; with stripping on, it is in the descriptor.
        const VP = 1 << 3;
        /// UDP checksum was checked.
        const UDPCS = 1 << 4;
        /// Layer 4 checksum was checked.
        const L4I = 1 << 5;
        /// IP checksum was checked.
        const IPCS = 1 << 6;
        /// Passed an inexact filter.
        const PIF = 1 << 7;
        /// Outer VLAN tag found.
        const VEXT = 1 << 9;
        /// UDP checksum field valid.
        const UDPV = 1 << 10;
        /// Raised a low-latency interrupt.
        const LLINT = 1 << 11;
        /// Time stamp taken.
        const TS = 1 << 16;
        /// Went through the security engine.
        const SECP = 1 << 17;
        /// Came from the local loopback.
        const LB = 1 << 18;
        /// Error: header buffer too small.
        const HBO = 1 << 23;
        /// Error: MAC receive error.
        const RXE = 1 << 29;
        /// Error: layer 4 checksum wrong.
        const TCPE = 1 << 30;
        /// Error: IP checksum wrong.
        const IPE = 1 << 31;
        // Names every bit, so that no operation drops the nameless ones.
        const _ = !0;
    }
}

impl RxStatus {
    /// The error bits alone (31:20); empty for a good frame.
    #[must_use]
    pub const fn errors(self) -> Self {
        Self::from_bits_retain(self.bits() & 0xFFF0_0000)
    }
}

/// Status and errors, from the second half of an advanced write-back.
pub const fn rx_status(qword1: u64) -> RxStatus {
    RxStatus::from_bits_retain(qword1 as u32)
}

/// Bytes in the buffer, from the second half of an advanced write-back.
pub const fn rx_len(qword1: u64) -> u16 {
    (qword1 >> 32) as u16
}

/// VLAN tag control information, from the second half of an advanced write-back. Valid with [`RxStatus::VP`] and
/// stripping on.
pub const fn rx_vlan(qword1: u64) -> u16 {
    (qword1 >> 48) as u16
}

/// Advanced receive descriptor as software hands it over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AdvRxRead {
    /// Bus address of the packet buffer.
    pub packet_addr: u64,
    /// Bus address of the header buffer, even; 0 without header split.
    pub header_addr: u64,
}

impl AdvRxRead {
    /// The descriptor as the device reads it.
    pub const fn to_qwords(&self) -> Qwords {
        [self.packet_addr, self.header_addr]
    }

    /// Reads a descriptor that software made ready.
    pub const fn parse(qwords: Qwords) -> Self {
        Self { packet_addr: qwords[0], header_addr: qwords[1] }
    }
}

/// Advanced receive descriptor as the device writes it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AdvRxWriteBack {
    /// Hash type (4 bits): 0 none, 1 TCPv4, 2 IPv4, 3 TCPv6, 5 IPv6, 7 UDPv4, 8 UDPv6.
    pub rss_type: u8,
    /// Headers found (13 bits).
    pub packet_type: u16,
    /// Descriptors coalesced (4 bits).
    pub rsc_count: u8,
    /// Header length in bytes (10 bits), with header split.
    pub header_len: u16,
    /// The header was split.
    pub sph: bool,
    /// RSS hash; or IP identification (15:0) and fragment checksum (31:16).
    pub hash: u32,
    /// Status and errors.
    pub status: RxStatus,
    /// Bytes in this buffer.
    pub len: u16,
    /// VLAN tag control information, host order.
    pub vlan: u16,
}

impl AdvRxWriteBack {
    /// The descriptor as the device writes it.
    pub const fn to_qwords(&self) -> Qwords {
        let q0 = place(self.rss_type as u64, 3, 0)
            | place(self.packet_type as u64, 16, 4)
            | place(self.rsc_count as u64, 20, 17)
            | place(self.header_len as u64, 30, 21)
            | bit_if(self.sph, 1 << 31)
            | place(self.hash as u64, 63, 32);
        let q1 = self.status.bits() as u64
            | place(self.len as u64, 47, 32)
            | place(self.vlan as u64, 63, 48);
        [q0, q1]
    }

    /// Reads what the device wrote. Complete only when [`RxStatus::DD`] is set.
    pub const fn parse([q0, q1]: Qwords) -> Self {
        Self {
            rss_type: field(q0, 3, 0) as u8,
            packet_type: field(q0, 16, 4) as u16,
            rsc_count: field(q0, 20, 17) as u8,
            header_len: field(q0, 30, 21) as u16,
            sph: field(q0, 31, 31) != 0,
            hash: field(q0, 63, 32) as u32,
            status: rx_status(q1),
            len: rx_len(q1),
            vlan: rx_vlan(q1),
        }
    }
}

/// Legacy receive descriptor as the device writes it back; the buffer address stays in the first half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LegacyRxWriteBack {
    /// Bus address of the buffer.
    pub addr: u64,
    /// Bytes in this buffer.
    pub len: u16,
    /// Raw packet checksum.
    pub checksum: u16,
    /// Status (8 bits); places as in [`RxStatus`] bits 7:0.
    pub status: u8,
    /// Receive errors (8 bits).
    pub errors: u8,
    /// VLAN tag control information.
    pub vlan: u16,
}

impl LegacyRxWriteBack {
    /// Descriptor done, in the second half.
    pub const DD: u64 = 1 << 32;

    /// The descriptor as the device writes it.
    pub const fn to_qwords(&self) -> Qwords {
        let q1 = self.len as u64
            | place(self.checksum as u64, 31, 16)
            | place(self.status as u64, 39, 32)
            | place(self.errors as u64, 47, 40)
            | place(self.vlan as u64, 63, 48);
        [self.addr, q1]
    }

    /// Reads what the device wrote. Complete only when [`DD`](Self::DD) is set.
    pub const fn parse([addr, q1]: Qwords) -> Self {
        Self {
            addr,
            len: q1 as u16,
            checksum: field(q1, 31, 16) as u16,
            status: field(q1, 39, 32) as u8,
            errors: field(q1, 47, 40) as u8,
            vlan: field(q1, 63, 48) as u16,
        }
    }
}
