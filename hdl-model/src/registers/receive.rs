//! Writes to receive queues, filters and receive packet buffers.

use super::{queue_map, up_to_tc};
use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// A receive register now holds `v`. Returns whether the register was one of them.
    // One arm a register, as in the data sheet; each narrowing is to the width of the field.
    #[allow(
        clippy::too_many_lines,
        clippy::many_single_char_names,
        clippy::cast_possible_truncation
    )]
    pub(super) fn apply_receive(&mut self, id: RegId, i: usize, v: u32) -> bool {
        let b = &mut self.blocks;
        match id {
            RegId::RDBAL => {
                b.rx_dma.configure_queue(i, |q| q.base = q.base >> 32 << 32 | u64::from(v));
            }
            RegId::RDBAH => {
                b.rx_dma.configure_queue(i, |q| q.base = u64::from(v) << 32 | q.base & 0xFFFF_FFFF);
            }
            RegId::RDLEN => b.rx_dma.configure_queue(i, |q| q.len = (v / 16) as u16),
            RegId::SRRCTL => {
                let c = Srrctl::from_bits_retain(v);
                b.rx_dma.configure_queue(i, |q| {
                    q.buffer_bytes = c.bsizepkt_kb() * 1024;
                    q.drop_when_empty = c.contains(Srrctl::DROP_EN);
                    q.advanced = c.desctype() != 0;
                });
            }
            RegId::RXDCTL => {
                let on = Rxdctl::from_bits_retain(v).contains(Rxdctl::ENABLE);
                b.rx_dma.configure_queue(i, |q| match (q.enabled, on) {
                    (false, true) => q.enable(),
                    (true, false) => q.disable(),
                    _ => {}
                });
            }
            RegId::RXCTRL => {
                b.rx_mac.mode.enabled = Rxctrl::from_bits_retain(v).contains(Rxctrl::RXEN);
            }
            RegId::FCTRL => {
                let c = Fctrl::from_bits_retain(v);
                b.rx_mac.filter.unicast_promiscuous = c.contains(Fctrl::UPE);
                b.rx_mac.filter.multicast_promiscuous = c.contains(Fctrl::MPE);
                b.rx_mac.filter.broadcast = c.contains(Fctrl::BAM);
            }
            RegId::MRQC => {
                let (classes, shift) = match Mrqc::from_bits_retain(v).mrqe() {
                    2 | 4 => (8, 4),
                    3 | 5 => (4, 5),
                    _ => (1, 4),
                };
                b.rx_mac.mode.classes = classes;
                b.rx_dma.class_shift = shift;
            }
            RegId::RXPBSIZE => {
                b.rx_mac.buffers.set_size(i, Pbsize::from_bits_retain(v).kb() * 1024);
            }
            RegId::RTRUP2TC => b.rx_mac.class_of_priority = up_to_tc(v),
            RegId::RQSMR => queue_map(&mut b.rx_dma.stats.counter_of, i, v),
            RegId::RAL | RegId::RAH => self.apply_address(i),
            RegId::HLREG0 | RegId::MAXFRS | RegId::RDRXCTL => self.apply_mac_mode(),
            RegId::PFQDE => {
                let c = Pfqde::from_bits_retain(v);
                if c.contains(Pfqde::WE) {
                    let on = c.contains(Pfqde::QDE);
                    b.rx_dma.configure_queue(c.queue() as usize & 127, |q| q.drop_when_empty = on);
                }
            }

            _ => return false,
        }
        true
    }

    fn apply_address(&mut self, n: usize) {
        let ral = self.registers.get(RegId::RAL, n);
        let rah = self.registers.get(RegId::RAH, n);
        let valid = Rah::from_bits_retain(rah).contains(Rah::AV);
        self.blocks.rx_mac.filter.set(n, ral, rah, valid);
    }

    fn apply_mac_mode(&mut self) {
        let hlreg0 = Hlreg0::from_bits_retain(self.registers.get(RegId::HLREG0, 0));
        let maxfrs = Maxfrs::from_bits_retain(self.registers.get(RegId::MAXFRS, 0));
        let b = &mut self.blocks;
        b.tx_mac.pad = hlreg0.contains(Hlreg0::TXPADEN);
        b.rx_dma.keep_fcs = !hlreg0.contains(Hlreg0::RXCRCSTRP);
        b.rx_mac.mode.max_bytes =
            if hlreg0.contains(Hlreg0::JUMBOEN) { u64::from(maxfrs.bytes()) } else { 1518 };
    }
}
