//! Transmit descriptors (data sheet 7.2.3.2). All masks are of the second half.

// A field narrower than its Rust type is cut out by `field` first, so narrowing loses nothing.
#![allow(clippy::cast_possible_truncation)]

use super::{Qwords, bit_if, field, place};

/// End of packet: last descriptor of the frame.
pub const TX_EOP: u64 = 1 << 24;
/// Insert the FCS.
pub const TX_IFCS: u64 = 1 << 25;
/// Insert a checksum; legacy descriptors only.
pub const TX_IC: u64 = 1 << 26;
/// Report status: set DD when done. Only with [`TX_EOP`].
pub const TX_RS: u64 = 1 << 27;
/// Advanced descriptor.
pub const TX_DEXT: u64 = 1 << 29;
/// Insert a VLAN tag.
pub const TX_VLE: u64 = 1 << 30;
/// TCP segmentation; advanced descriptors only.
pub const TX_TSE: u64 = 1 << 31;
/// Type bits of an advanced context descriptor.
pub const TX_DTYP_CONTEXT: u64 = 2 << 20;
/// Type bits of an advanced data descriptor.
pub const TX_DTYP_DATA: u64 = 3 << 20;
/// Check context: the context in IDX matters.
pub const TX_CC: u64 = 1 << 39;
/// Descriptor done, written by the device: the data has been read into the Tx packet buffer, not yet sent.
pub const TX_DD: u64 = 1 << 32;
/// Lowest bit of the payload length (18 bits).
pub const TX_PAYLEN_SHIFT: u32 = 46;
/// What the device writes over a descriptor that is done and had [`TX_RS`] set.
pub const TX_WRITE_BACK: Qwords = [0, TX_DD];

/// The second half of an advanced data descriptor for a frame in one buffer: FCS inserted, no offloads.
/// `report` sets RS.
pub const fn tx_single(len: u16, report: bool) -> u64 {
    let fixed = TX_EOP | TX_IFCS | TX_DEXT | TX_DTYP_DATA;
    fixed | len as u64 | (len as u64) << TX_PAYLEN_SHIFT | bit_if(report, TX_RS)
}

/// Whether the device has marked the descriptor done, from its second half.
pub const fn tx_done(qword1: u64) -> bool {
    qword1 & TX_DD != 0
}

/// Advanced transmit data descriptor. Values wider than their field are cut to it by [`to_qwords`](Self::to_qwords).
#[allow(clippy::struct_excessive_bools)] // each is one bit of the hardware's command field
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AdvTxData {
    /// Bus address of the buffer.
    pub addr: u64,
    /// Bytes in the buffer (DTALEN).
    pub len: u16,
    /// Last descriptor of the frame.
    pub eop: bool,
    /// Insert the FCS.
    pub ifcs: bool,
    /// Report status.
    pub rs: bool,
    /// Insert the VLAN tag of the context.
    pub vle: bool,
    /// TCP segmentation.
    pub tse: bool,
    /// Bytes of the whole frame without FCS; with TSE, of the payload. 18 bits.
    pub paylen: u32,
    /// Context, 0 or 1 (3 bits).
    pub idx: u8,
    /// The context matters.
    pub cc: bool,
    /// Packet options (6 bits): bit 0 IP checksum, bit 1 TCP/UDP checksum, bit 2 IPsec.
    pub popts: u8,
}

impl AdvTxData {
    /// The descriptor as the device reads it.
    pub const fn to_qwords(&self) -> Qwords {
        let command = bit_if(self.eop, TX_EOP)
            | bit_if(self.ifcs, TX_IFCS)
            | bit_if(self.rs, TX_RS)
            | bit_if(self.vle, TX_VLE)
            | bit_if(self.tse, TX_TSE);
        let options = place(self.idx as u64, 38, 36)
            | bit_if(self.cc, TX_CC)
            | place(self.popts as u64, 45, 40)
            | place(self.paylen as u64, 63, TX_PAYLEN_SHIFT);
        [self.addr, self.len as u64 | TX_DTYP_DATA | TX_DEXT | command | options]
    }

    const fn parse([addr, q1]: Qwords) -> Self {
        Self {
            addr,
            len: q1 as u16,
            eop: q1 & TX_EOP != 0,
            ifcs: q1 & TX_IFCS != 0,
            rs: q1 & TX_RS != 0,
            vle: q1 & TX_VLE != 0,
            tse: q1 & TX_TSE != 0,
            paylen: field(q1, 63, TX_PAYLEN_SHIFT) as u32,
            idx: field(q1, 38, 36) as u8,
            cc: q1 & TX_CC != 0,
            popts: field(q1, 45, 40) as u8,
        }
    }
}

/// Legacy transmit descriptor; not allowed with DCB, virtualization or the rate limiter.
#[allow(clippy::struct_excessive_bools)] // each is one bit of the hardware's command field
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LegacyTx {
    /// Bus address of the buffer.
    pub addr: u64,
    /// Bytes in the buffer.
    pub len: u16,
    /// Where to insert the checksum, in bytes from the start.
    pub cso: u8,
    /// Last descriptor of the frame.
    pub eop: bool,
    /// Insert the FCS.
    pub ifcs: bool,
    /// Insert a checksum.
    pub ic: bool,
    /// Report status.
    pub rs: bool,
    /// Insert `vlan`.
    pub vle: bool,
    /// Where the checksum starts, in bytes.
    pub css: u8,
    /// VLAN tag control information.
    pub vlan: u16,
}

impl LegacyTx {
    /// The descriptor as the device reads it.
    pub const fn to_qwords(&self) -> Qwords {
        let command = bit_if(self.eop, TX_EOP)
            | bit_if(self.ifcs, TX_IFCS)
            | bit_if(self.ic, TX_IC)
            | bit_if(self.rs, TX_RS)
            | bit_if(self.vle, TX_VLE);
        let places = place(self.cso as u64, 23, 16)
            | place(self.css as u64, 47, 40)
            | place(self.vlan as u64, 63, 48);
        [self.addr, self.len as u64 | command | places]
    }

    const fn parse([addr, q1]: Qwords) -> Self {
        Self {
            addr,
            len: q1 as u16,
            cso: field(q1, 23, 16) as u8,
            eop: q1 & TX_EOP != 0,
            ifcs: q1 & TX_IFCS != 0,
            ic: q1 & TX_IC != 0,
            rs: q1 & TX_RS != 0,
            vle: q1 & TX_VLE != 0,
            css: field(q1, 47, 40) as u8,
            vlan: field(q1, 63, 48) as u16,
        }
    }
}

/// Advanced transmit context descriptor: sets up offloads and the VLAN tag for the data descriptors that name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TxContext {
    /// IP header length in bytes (9 bits).
    pub iplen: u16,
    /// MAC header length in bytes (7 bits).
    pub maclen: u8,
    /// VLAN tag control information.
    pub vlan: u16,
    /// IPsec SA index or FCoE parameters.
    pub sa_fcoe: u32,
    /// Offload command (11 bits, descriptor bits 19:9): bit 1 IPv4, bits 3:2 UDP 0, TCP 1, SCTP 2.
    pub tucmd: u16,
    /// Context written, 0 or 1 (3 bits).
    pub idx: u8,
    /// Layer 4 header length in bytes.
    pub l4len: u8,
    /// Largest segment payload in bytes.
    pub mss: u16,
}

impl TxContext {
    /// The descriptor as the device reads it.
    pub const fn to_qwords(&self) -> Qwords {
        let q0 = place(self.iplen as u64, 8, 0)
            | place(self.maclen as u64, 15, 9)
            | place(self.vlan as u64, 31, 16)
            | place(self.sa_fcoe as u64, 63, 32);
        let q1 = place(self.tucmd as u64, 19, 9)
            | place(self.idx as u64, 38, 36)
            | place(self.l4len as u64, 47, 40)
            | place(self.mss as u64, 63, 48);
        [q0, q1 | TX_DTYP_CONTEXT | TX_DEXT]
    }

    const fn parse([q0, q1]: Qwords) -> Self {
        Self {
            iplen: field(q0, 8, 0) as u16,
            maclen: field(q0, 15, 9) as u8,
            vlan: field(q0, 31, 16) as u16,
            sa_fcoe: field(q0, 63, 32) as u32,
            tucmd: field(q1, 19, 9) as u16,
            idx: field(q1, 38, 36) as u8,
            l4len: field(q1, 47, 40) as u8,
            mss: field(q1, 63, 48) as u16,
        }
    }
}

/// A transmit descriptor as the device sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TxDesc {
    /// Legacy descriptor.
    Legacy(LegacyTx),
    /// Advanced data descriptor.
    Data(AdvTxData),
    /// Advanced context descriptor.
    Context(TxContext),
    /// Advanced descriptor of a type that does not exist; carries the type (bits 23:20).
    Reserved(u8),
}

impl TxDesc {
    /// Reads a descriptor that software made ready. Never fails: every bit pattern is some descriptor.
    pub const fn parse(qwords: Qwords) -> Self {
        if qwords[1] & TX_DEXT == 0 {
            return Self::Legacy(LegacyTx::parse(qwords));
        }
        match field(qwords[1], 23, 20) {
            2 => Self::Context(TxContext::parse(qwords)),
            3 => Self::Data(AdvTxData::parse(qwords)),
            other => Self::Reserved(other as u8),
        }
    }
}
