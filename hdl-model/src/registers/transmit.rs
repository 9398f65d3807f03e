//! Writes to transmit queues, transmit DMA, both transmit arbiters.

use super::{queue_map, up_to_tc};
use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// A transmit register now holds `v`. Returns whether the register was one of them.
    // One arm a register, as in the data sheet; each narrowing is to the width of the field.
    #[allow(
        clippy::too_many_lines,
        clippy::many_single_char_names,
        clippy::cast_possible_truncation
    )]
    pub(super) fn apply_transmit(&mut self, id: RegId, i: usize, v: u32) -> bool {
        let b = &mut self.blocks;
        match id {
            RegId::TDBAL => {
                b.tx_dma.configure_queue(i, |q| q.base = q.base >> 32 << 32 | u64::from(v));
            }
            RegId::TDBAH => {
                b.tx_dma.configure_queue(i, |q| q.base = u64::from(v) << 32 | q.base & 0xFFFF_FFFF);
            }
            RegId::TDLEN => b.tx_dma.configure_queue(i, |q| q.len = (v / 16) as u16),
            RegId::TXDCTL => {
                let c = Txdctl::from_bits_retain(v);
                b.tx_dma.configure_queue(i, |q| {
                    q.pthresh = c.pthresh() as u16;
                    q.hthresh = c.hthresh() as u16;
                    match (q.enabled, c.contains(Txdctl::ENABLE)) {
                        (false, true) => q.enable(),
                        (true, false) => q.disable(),
                        _ => {}
                    }
                });
            }
            RegId::DMATXCTL => {
                b.tx_dma.set_enabled(Dmatxctl::from_bits_retain(v).contains(Dmatxctl::TE));
            }
            RegId::DTXMXSZRQ => {
                b.tx_dma.set_max_read_bytes(Dtxmxszrq::from_bits_retain(v).units() * 256);
            }
            RegId::TXPBTHRESH => {
                b.tx_dma.set_threshold(i, Txpbthresh::from_bits_retain(v).kb() * 1024);
            }
            RegId::MTQC => {
                let mode = Mtqc::from_bits_retain(v);
                // Outside DCB every queue feeds the one buffer, the upper 64 included, which that mode does not use.
                b.tx_dma.map_queues(|q| mode.tc_of_queue(q).unwrap_or(0));
            }
            RegId::RTTDCS => {
                b.tx_dma.set_arbiter_off(Rttdcs::from_bits_retain(v).contains(Rttdcs::ARBDIS));
            }
            RegId::RTTPCS => {
                b.tx_mac.arbiter_off = Rttpcs::from_bits_retain(v).contains(Rttpcs::ARBDIS);
            }
            RegId::RTTUP2TC => b.tx_mac.class_of_priority = up_to_tc(v),
            RegId::TQSM => queue_map(&mut b.tx_mac.stats.counter_of, i, v),

            _ => return false,
        }
        true
    }
}
