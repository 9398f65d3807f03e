//! Read-to-clear counters, collected from the blocks that keep them.

use crate::nic::Nic;
use xoff_regs::RegId;

impl Nic {
    /// Reads and clears a counter. Counters stick at their largest value; of a 36-bit pair the low part is read first
    /// and latches the high one.
    #[allow(clippy::cast_possible_truncation)] // a low part is what is left; the others are limited to their width
    pub(super) fn read_statistic(&mut self, id: RegId, i: usize) -> u32 {
        if is_high_part(id) {
            return core::mem::take(&mut self.registers.latched_high);
        }
        let Some(counter) = self.counter(id, i) else { return 0 };
        let value = core::mem::take(counter);
        if is_low_part(id) {
            let value = value.min((1 << 36) - 1);
            self.registers.latched_high = (value >> 32) as u32;
            value as u32
        } else {
            value.min((1u64 << id.info().width) - 1) as u32
        }
    }

    fn counter(&mut self, id: RegId, i: usize) -> Option<&mut u64> {
        let tx = &mut self.blocks.tx_mac.stats;
        let rx = &mut self.blocks.rx_mac.stats;
        let q = &mut self.blocks.rx_dma.stats;
        let link = &mut self.blocks.link;
        Some(match id {
            RegId::GPTC => &mut tx.frames,
            RegId::TPT => &mut tx.total_frames,
            RegId::GOTCL => &mut tx.bytes,
            RegId::PTC64 => &mut tx.size[0],
            RegId::PTC127 => &mut tx.size[1],
            RegId::PTC255 => &mut tx.size[2],
            RegId::PTC511 => &mut tx.size[3],
            RegId::PTC1023 => &mut tx.size[4],
            RegId::PTC1522 => &mut tx.size[5],
            RegId::MPTC => &mut tx.multicast,
            RegId::BPTC => &mut tx.broadcast,
            RegId::LXONTXC => &mut tx.link_pause[0],
            RegId::LXOFFTXC => &mut tx.link_pause[1],
            RegId::PXONTXC => &mut tx.class_xon[i],
            RegId::PXOFFTXC => &mut tx.class_xoff[i],
            RegId::QPTC => &mut tx.queue_frames[i],
            RegId::QBTC_L => &mut tx.queue_bytes[i],
            RegId::TXDGPC => &mut tx.dma_frames,
            RegId::TXDGBCL => &mut tx.dma_bytes,

            RegId::GPRC => &mut rx.frames,
            RegId::GORCL => &mut rx.bytes,
            RegId::TPR => &mut rx.total_frames,
            RegId::TORL => &mut rx.total_bytes,
            RegId::PRC64 => &mut rx.size[0],
            RegId::PRC127 => &mut rx.size[1],
            RegId::PRC255 => &mut rx.size[2],
            RegId::PRC511 => &mut rx.size[3],
            RegId::PRC1023 => &mut rx.size[4],
            RegId::PRC1522 => &mut rx.size[5],
            RegId::MPRC => &mut rx.multicast,
            RegId::BPRC => &mut rx.broadcast,
            RegId::CRCERRS => &mut rx.crc_errors,
            RegId::RUC => &mut rx.undersize,
            RegId::RFC => &mut rx.fragments,
            RegId::ROC => &mut rx.oversize,
            RegId::RJC => &mut rx.jabber,
            RegId::RLEC => &mut rx.length_errors,
            RegId::XEC => &mut rx.checksum_errors,
            // A line that goes down is a local fault; the partner's never tells of one.
            RegId::MLFC => &mut link.losses,
            RegId::RXMPC => &mut rx.missed[i],
            RegId::LXONRXCNT => &mut rx.link_pause[0],
            RegId::LXOFFRXCNT => &mut rx.link_pause[1],
            RegId::PXONRXCNT => &mut rx.class_xon[i],
            RegId::PXOFFRXCNT => &mut rx.class_xoff[i],
            RegId::PXON2OFFCNT => &mut rx.xon_to_xoff[i],

            RegId::QPRC => &mut q.frames[i],
            RegId::QBRC_L => &mut q.bytes[i],
            RegId::QPRDC => &mut q.dropped[i],
            RegId::RXDGPC => &mut q.total_frames,
            RegId::RXDGBCL => &mut q.total_bytes,
            _ => return None,
        })
    }
}

fn is_low_part(id: RegId) -> bool {
    use RegId::{GORCL, GOTCL, QBRC_L, QBTC_L, RXDGBCL, TORL, TXDGBCL};
    matches!(id, GORCL | GOTCL | TORL | QBRC_L | QBTC_L | TXDGBCL | RXDGBCL)
}

fn is_high_part(id: RegId) -> bool {
    use RegId::{GORCH, GOTCH, QBRC_H, QBTC_H, RXDGBCH, TORH, TXDGBCH};
    matches!(id, GORCH | GOTCH | TORH | QBRC_H | QBTC_H | TXDGBCH | RXDGBCH)
}
