//! Transmit DMA and queues (data sheet 8.2.3.9).

use super::bits;

bits! {
    /// Transmit DMA control.
    Dmatxctl {
        TE 0 "transmit DMA enabled";
        NS 1 "no-snoop for TSO headers, named by drivers, reserved in the data sheet";
        RSV2 2 "reserved, reads one";
        GDV 3 "double VLAN mode";
    } fields {
        VT [31:16] vt with_vt "inserted VLAN ethertype, stays 0x8100";
    }
    /// Most bytes of transmit data that may be requested and not yet arrived.
    Dtxmxszrq {
    } fields {
        MAX_BYTES [11:0] units with_units "outstanding data reads in 256 byte units";
    }
    /// Transmit queue control.
    Txdctl {
        ENABLE 25 "queue enable, reads the actual state";
        SWFLSH 26 "flush pending write-backs, self-clearing";
    } fields {
        PTHRESH [6:0] pthresh with_pthresh "prefetch when fewer descriptors than this are on the chip";
        HTHRESH [14:8] hthresh with_hthresh "descriptors the host must have ready for a prefetch";
        WTHRESH [22:16] wthresh with_wthresh "descriptors written back at once, 0 is each RS descriptor";
    }
    /// Head write-back address, low half.
    Tdwbal {
        HEAD_WB_EN 0 "write the head to memory instead of the descriptor";
    } fields {
        ADDR [31:2] addr with_addr "address bits 31:2";
    }
    /// Direct cache access and ordering of a transmit queue.
    DcaTxctrl {
        DESC_DCA_EN 5 "DCA for descriptors";
        DESC_RRO_EN 9 "relaxed-order descriptor reads";
        DESC_WRO_EN 11 "relaxed-order descriptor write-back, must be cleared";
        DATA_RRO_EN 13 "relaxed-order data reads";
    } fields {
        CPUID [31:24] cpuid with_cpuid "target processor for DCA";
    }
    /// Threshold of one transmit packet buffer.
    Txpbthresh {
    } fields {
        THRESH [9:0] kb with_kb "no new data reads above this fill, in KB";
    }
    /// Multiple transmit queues command. Changed only with `Rttdcs::ARBDIS` set.
    Mtqc {
        RT_ENA 0 "DCB mode";
        VT_ENA 1 "virtualization mode";
    } fields {
        NUM_TC_OR_Q [3:2] num_tc_or_q with_num_tc_or_q "traffic classes, or queues of a pool";
    }
    /// Gap between packets in the transmit security block.
    Sectxminifg {
    } fields {
        MINSECIFG [3:0] minsecifg with_minsecifg "least gap between packets";
        SECTX_DCB [12:8] sectx_dcb with_sectx_dcb "gap with several Tx buffers, 0x1F then";
    }
}

impl Mtqc {
    /// 64 queues, one packet buffer, no DCB: the reset value.
    pub const QUEUES_64: Self = Self::empty();
    /// DCB with four traffic classes.
    pub const DCB_4_TC: Self = Self::from_bits_retain(0x9);
    /// DCB with eight traffic classes.
    pub const DCB_8_TC: Self = Self::from_bits_retain(0xD);

    /// Number of transmit traffic classes: 1, 4 or 8; `None` when the value is not a valid mode.
    pub const fn traffic_classes(self) -> Option<u8> {
        match self.bits() & 0xF {
            0x0 | 0x6 | 0xA => Some(1),
            0x9 | 0xB => Some(4),
            0xD | 0xF => Some(8),
            _ => None,
        }
    }

    /// The traffic class that a queue (0 to 127) transmits in, without virtualization. Queues that the mode
    /// does not use give `None`.
    pub const fn tc_of_queue(self, queue: usize) -> Option<u8> {
        match (self.bits() & 0xF, queue) {
            (0x0 | 0x9, 0..=63) | (0xD, 0..=31) => Some(0),
            (0x9, 64..=95) | (0xD, 32..=63) => Some(1),
            (0x9, 96..=111) | (0xD, 64..=79) => Some(2),
            (0x9, 112..=127) | (0xD, 80..=95) => Some(3),
            (0xD, 96..=103) => Some(4),
            (0xD, 104..=111) => Some(5),
            (0xD, 112..=119) => Some(6),
            (0xD, 120..=127) => Some(7),
            _ => None,
        }
    }

    /// The first queue and the number of queues of a traffic class, without virtualization.
    pub const fn queues_of_tc(self, tc: u8) -> Option<(usize, usize)> {
        match (self.bits() & 0xF, tc) {
            (0x0 | 0x9, 0) => Some((0, 64)),
            (0x9, 1) => Some((64, 32)),
            (0x9, 2) => Some((96, 16)),
            (0x9, 3) => Some((112, 16)),
            (0xD, 0) => Some((0, 32)),
            (0xD, 1) => Some((32, 32)),
            (0xD, 2) => Some((64, 16)),
            (0xD, 3) => Some((80, 16)),
            (0xD, 4) => Some((96, 8)),
            (0xD, 5) => Some((104, 8)),
            (0xD, 6) => Some((112, 8)),
            (0xD, 7) => Some((120, 8)),
            _ => None,
        }
    }
}
