//! From class and RSS index to a queue: the modes of MRQC (82599.md section 5).

use xoff_regs::Mrqc;

/// MRQC.MRQE and the registers that narrow RSS.
///
/// Virtualisation is not modelled: the modes with pools (8, A to D) put everything into pool 0, as a card does whose
/// address and VLAN filters name no other pool. Reserved modes (6, 7, 9, E, F) use one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Steering {
    mode: u8,
    /// RQTC: bits of the RSS index used in each class.
    rss_bits_of_class: [u8; 8],
    /// PSRTYPE(0).RQPL: bits of the RSS index used in pool 0.
    rss_bits_of_pool: u8,
}

/// The RSS index has four bits.
const RSS_BITS: u8 = 4;

impl Steering {
    /// MRQC.
    pub fn set_mode(&mut self, mrqc: Mrqc) {
        self.mode = mrqc.bits().to_le_bytes()[0] & 0xF;
    }

    /// RQTC.
    pub fn set_class_bits(&mut self, rqtc: u32) {
        self.rss_bits_of_class = core::array::from_fn(|tc| (rqtc >> (4 * tc)).to_le_bytes()[0] & 7);
    }

    /// PSRTYPE(0).RQPL.
    pub fn set_pool_bits(&mut self, psrtype: u32) {
        self.rss_bits_of_pool = (psrtype >> 29).to_le_bytes()[0];
    }

    /// Receive packet buffers in use: 1, 4 or 8.
    pub fn classes(self) -> u8 {
        Mrqc::from_bits_retain(self.mode.into()).traffic_classes().unwrap_or(1)
    }

    /// Whether the queue, or the hash in the descriptor, depends on RSS.
    pub fn uses_rss(self) -> bool {
        matches!(self.mode, 0x1 | 0x4 | 0x5 | 0xA | 0xB)
    }

    /// The queue, 0 to 127, of a packet of class `tc` with RSS index `index`.
    pub fn queue(self, tc: u8, index: u8) -> u8 {
        let tc = tc & 7;
        let low = |bits: u8| index & ((1 << bits.min(RSS_BITS)) - 1);
        let of_class = low(self.rss_bits_of_class[usize::from(tc)]);
        // Four classes have 32 queues each; a class above the third is left from a mode with eight.
        match self.mode {
            0x1 => low(RSS_BITS),
            0x2 => tc << 4,
            0x3 => (tc & 3) << 5,
            0x4 => tc << 4 | of_class,
            0x5 => (tc & 3) << 5 | of_class,
            0xA => low(self.rss_bits_of_pool.min(2)),
            0xB => low(self.rss_bits_of_pool.min(1)),
            0xC => tc,
            0xD => tc & 3,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(mrqe: u32) -> Steering {
        let mut s = Steering::default();
        s.set_mode(Mrqc::empty().with_mrqe(mrqe));
        s.set_class_bits(0x0123_4567);
        s.set_pool_bits(3 << 29);
        s
    }

    #[test]
    fn each_mode_uses_its_bits_of_class_and_index() {
        // Class 5 has 2 bits of index in RQTC, class 1 six, of which an index has four.
        for (mrqe, of_5, of_1) in [
            (0x0, 0, 0),
            (0x1, 0xF, 0xF),
            (0x2, 0x50, 0x10),
            (0x3, 0x20, 0x20),
            (0x4, 0x53, 0x1F),
            (0x5, 0x23, 0x2F),
            (0x8, 0, 0),
            (0xA, 3, 3),
            (0xB, 1, 1),
            (0xC, 5, 1),
            (0xD, 1, 1),
            (0xF, 0, 0),
        ] {
            assert_eq!(mode(mrqe).queue(5, 0xF), of_5, "mode {mrqe:#x}, class 5");
            assert_eq!(mode(mrqe).queue(1, 0xF), of_1, "mode {mrqe:#x}, class 1");
        }
    }
}
