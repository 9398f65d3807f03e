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
    pub(super) fn apply_transmit(&mut self, id: RegId, i: usize, v: u32, pulse: u32) -> bool {
        let now = self.now;
        let selected = Rttdqsel::from_bits_retain(self.registers.get(RegId::RTTDQSEL, 0)).queue();
        let selected = selected as usize & 127;
        let b = &mut self.blocks;
        match id {
            RegId::TDBAL => b.tx_dma.configure_queue(i, |q| q.ring.set_base_low(v)),
            RegId::TDBAH => b.tx_dma.configure_queue(i, |q| q.ring.set_base_high(v)),
            RegId::TDLEN => b.tx_dma.configure_queue(i, |q| q.ring.set_bytes(v)),
            RegId::TXDCTL => {
                let c = Txdctl::from_bits_retain(v);
                let gathers = c.contains(Txdctl::ENABLE) && c.wthresh() > 0;
                if !gathers || pulse & Txdctl::SWFLSH.bits() != 0 {
                    b.tx_dma.flush_write_back(i);
                }
                b.tx_dma.configure_queue(i, |q| {
                    q.pthresh = c.pthresh() as u16;
                    q.hthresh = c.hthresh() as u16;
                    q.set_write_back_threshold(c.wthresh() as u16);
                    match (q.ring.enabled, c.contains(Txdctl::ENABLE)) {
                        (false, true) => q.enable(),
                        (true, false) => q.ring.disable(),
                        _ => {}
                    }
                });
            }
            RegId::TDWBAL => b.tx_dma.configure_queue(i, |q| q.set_head_addr_low(v)),
            RegId::TDWBAH => b.tx_dma.configure_queue(i, |q| q.set_head_addr_high(v)),
            RegId::DMATXCTL => b.tx_dma.set_control(Dmatxctl::from_bits_retain(v)),
            RegId::DTXTCPFLGL | RegId::DTXTCPFLGH => {
                let low = self.registers.get(RegId::DTXTCPFLGL, 0);
                b.tx_dma.set_flag_masks(low, self.registers.get(RegId::DTXTCPFLGH, 0));
            }
            RegId::DTXMXSZRQ => {
                b.tx_dma.set_max_read_bytes(Dtxmxszrq::from_bits_retain(v).units() * 256);
            }
            RegId::TXPBTHRESH => {
                b.tx_dma.set_threshold(i, Txpbthresh::from_bits_retain(v).kb() * 1024);
            }
            RegId::MTQC => b.tx_dma.set_mode(Mtqc::from_bits_retain(v)),
            RegId::RTTDCS => {
                let c = Rttdcs::from_bits_retain(v);
                b.tx_dma.set_arbiter(
                    c.contains(Rttdcs::ARBDIS),
                    c.contains(Rttdcs::TDPAC),
                    c.contains(Rttdcs::TDRM),
                );
            }
            RegId::RTTDT2C => b.tx_dma.credits().configure(i, Rttdt2c::from_bits_retain(v)),
            RegId::RTTPCS => {
                let c = Rttpcs::from_bits_retain(v);
                b.tx_mac.arbiter_off = c.contains(Rttpcs::ARBDIS);
                b.tx_mac.weighted = c.contains(Rttpcs::TPPAC);
                b.tx_mac.credits().set_recycle(c.contains(Rttpcs::TPRM));
            }
            RegId::RTTPT2C => b.tx_mac.credits().configure(i, Rttdt2c::from_bits_retain(v)),
            // The registers behind RTTDQSEL show what the queue it names has.
            RegId::RTTDQSEL => {
                let (credits, rate) = b.tx_dma.selected(selected);
                self.registers.set(RegId::RTTDT1C, 0, credits);
                self.registers.set(RegId::RTTBCNRC, 0, rate);
            }
            RegId::RTTDT1C => b.tx_dma.set_queue_credits(selected, v),
            RegId::RTTBCNRC => b.tx_dma.set_rate(selected, Rttbcnrc::from_bits_retain(v), now),
            RegId::RTTBCNRM => b.tx_dma.set_catch_up(Rttbcnrm::from_bits_retain(v).mmw_kb() * 1024),
            RegId::PAP => b.tx_mac.set_pace(Pap::from_bits_retain(v).pace()),
            RegId::RTTUP2TC => b.tx_mac.class_of_priority = up_to_tc(v),
            RegId::TQSM => queue_map(&mut b.tx_mac.stats.counter_of, i, v),

            // Other blocks' registers that transmit listens to as well.
            RegId::HLREG0 => {
                b.tx_mac.loopback = Hlreg0::from_bits_retain(v).contains(Hlreg0::LPBK);
                return false;
            }
            RegId::IVAR => {
                b.tx_dma.set_vectors(i, Ivar::from_bits_retain(v));
                return false;
            }
            RegId::EITR => {
                b.tx_dma.set_timer(i, Eitr::from_bits_retain(v));
                return false;
            }
            _ => return false,
        }
        true
    }
}
