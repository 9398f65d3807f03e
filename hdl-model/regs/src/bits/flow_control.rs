//! Link pause, priority flow control and the packet buffers (data sheet 8.2.3.3 and 3.7.7).

use super::bits;

bits! {
    /// Reaction to received pause frames.
    Mflcn {
        PMCF 0 "pass MAC control frames to the host";
        DPF 1 "discard pause frames after acting on them";
        RPFCE 2 "obey priority flow control, excludes RFCE";
        RFCE 3 "obey 802.3x pause, excludes RPFCE";
    } fields {
        RPFCM [11:4] priorities with_priorities "X540 and X550: priorities whose PFC is obeyed, one bit each; reserved on the 82599";
    }
    /// Which pause frames are sent (field TFCE, bits 4:3; both bits set is reserved).
    Fccfg {
        TFCE_LINK 3 "send 802.3x pause";
        TFCE_PRIORITY 4 "send priority flow control, in DCB mode only";
    }
    /// Pause time of two traffic classes.
    Fcttv {
    } fields {
        TTV_EVEN [15:0] even with_even "pause time of TC 2n in quanta; entry 0 is also that of 802.3x";
        TTV_ODD [31:16] odd with_odd "pause time of TC 2n+1 in quanta";
    }
    /// Low mark of one receive packet buffer.
    Fcrtl {
        XONE 31 "send XON when the fill comes down to the mark";
    } fields {
        RTL [18:4] steps with_steps "low mark in 16 byte steps; the data sheet also speaks of 32 byte steps";
    }
    /// High mark of one receive packet buffer. Non-zero even when no pause is sent.
    Fcrth {
        FCEN 31 "send XOFF when the fill reaches the mark";
    } fields {
        RTH [18:4] steps with_steps "high mark in 16 byte steps; the data sheet also speaks of 32 byte steps";
    }
    /// When an XOFF is repeated.
    Fcrtv {
    } fields {
        REFRESH [15:0] quanta with_quanta "XOFF is repeated when the pause time left falls to this, in quanta";
    }
    /// Type and opcode of the priority flow control frames sent and recognised.
    Pfctop {
    } fields {
        FCT [15:0] ethertype with_ethertype "ethertype, 0x8808";
        FCOP [31:16] opcode with_opcode "opcode, 0x0101";
    }
    /// Which traffic classes may transmit (X550 layout; not confirmed on the 82599).
    Tfcs {
    } fields {
        TC_XON [7:0] tc_xon with_tc_xon "one bit a class, 1 is not paused";
    }
    /// Size of one packet buffer: RXPBSIZE and TXPBSIZE.
    Pbsize {
    } fields {
        SIZE [19:10] kb with_kb "buffer size in KB";
    }
}

/// The marks are compared in bytes; bits 18:4 can be stored.
const MARK_MASK: u32 = 0x0007_FFF0;

impl Fcrtl {
    /// The low mark in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits() & MARK_MASK
    }

    /// Sets the low mark, a multiple of 32 below 512 KB (lower and higher bits are dropped).
    #[must_use]
    pub const fn with_bytes(self, bytes: u32) -> Self {
        Self::from_bits_retain((self.bits() & !MARK_MASK) | (bytes & MARK_MASK))
    }
}

impl Fcrth {
    /// The high mark in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits() & MARK_MASK
    }

    /// Sets the high mark, a multiple of 32 below 512 KB (lower and higher bits are dropped).
    #[must_use]
    pub const fn with_bytes(self, bytes: u32) -> Self {
        Self::from_bits_retain((self.bits() & !MARK_MASK) | (bytes & MARK_MASK))
    }
}

impl Fcttv {
    /// The pause time of a traffic class in quanta, from the register of entry `tc / 2`.
    pub const fn quanta(self, tc: usize) -> u16 {
        let [a, b, c, d] = self.bits().to_le_bytes();
        if tc.is_multiple_of(2) { u16::from_le_bytes([a, b]) } else { u16::from_le_bytes([c, d]) }
    }

    /// Sets the pause time of a traffic class in quanta, in the register of entry `tc / 2`.
    #[must_use]
    pub const fn with_quanta(self, tc: usize, quanta: u16) -> Self {
        if tc.is_multiple_of(2) {
            self.with_even(quanta as u32)
        } else {
            self.with_odd(quanta as u32)
        }
    }
}
