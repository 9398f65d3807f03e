//! Writes to receive queues, filters and receive packet buffers.

use super::{queue_map, up_to_tc};
use crate::nic::Nic;
use crate::rx::Format;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

/// Largest frame of the adapter, with FCS: 15.5 KB (82599.md section 3.2).
const JUMBO_BYTES: u64 = 15_872;
/// Largest frame with traffic classes: 9.5 KB.
const DCB_BYTES: u64 = 9728;

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
            RegId::RDBAL => b.rx_dma.configure_queue(i, |q| q.ring.set_base_low(v)),
            RegId::RDBAH => b.rx_dma.configure_queue(i, |q| q.ring.set_base_high(v)),
            RegId::RDLEN => b.rx_dma.configure_queue(i, |q| q.ring.set_bytes(v)),
            RegId::SRRCTL => {
                let c = Srrctl::from_bits_retain(v);
                b.rx_dma.configure_queue(i, |q| {
                    q.buffer_bytes = c.bsizepkt_kb() * 1024;
                    q.drop_en = c.contains(Srrctl::DROP_EN);
                    q.header_buffer_bytes = (c.bsizehdr() * 64) as u16;
                    q.format = Format::of(c);
                });
            }
            RegId::RXDCTL => {
                let c = Rxdctl::from_bits_retain(v);
                b.rx_dma.configure_queue(i, |q| {
                    q.strip_tag = c.contains(Rxdctl::VME);
                    match (q.ring.enabled, c.contains(Rxdctl::ENABLE)) {
                        (false, true) => q.ring.enable(),
                        (true, false) => q.disable(),
                        _ => {}
                    }
                });
            }
            RegId::RXCTRL | RegId::SECRXCTRL => {
                let on = Rxctrl::from_bits_retain(self.registers.get(RegId::RXCTRL, 0));
                let halt = Secrxctrl::from_bits_retain(self.registers.get(RegId::SECRXCTRL, 0));
                let receives = on.contains(Rxctrl::RXEN) && !halt.contains(Secrxctrl::RX_DIS);
                self.blocks.rx_mac.enable(self.now, receives);
            }
            RegId::FCTRL => {
                let c = Fctrl::from_bits_retain(v);
                b.rx_mac.filter.set_modes(c);
                b.rx_mac.mode.store_bad = c.contains(Fctrl::SBP);
            }
            RegId::VLNCTRL => b.rx_mac.vlan.set_control(Vlnctrl::from_bits_retain(v)),
            RegId::CTRL_EXT => b.rx_mac.vlan.set_extended(CtrlExt::from_bits_retain(v)),
            // The outer type has no published reset value; 0 stands for the usual one.
            RegId::EXVET => {
                let outer = (v >> 16) as u16;
                b.rx_mac.vlan.outer_ethertype = if outer == 0 { 0x8100 } else { outer };
            }
            RegId::PSRTYPE if i == 0 => {
                b.rx_mac.inspector.steering.set_pool_bits(v);
                b.rx_mac.inspector.split_after = Psrtype::from_bits_retain(v) & Psrtype::LAYERS;
            }
            RegId::VFTA => b.rx_mac.vlan.set_table(i, v),
            RegId::MCSTCTRL => b.rx_mac.filter.set_hash(Mcstctrl::from_bits_retain(v)),
            RegId::MTA => b.rx_mac.filter.set_multicast(i, v),
            RegId::PFUTA => b.rx_mac.filter.set_unicast(i, v),
            RegId::MRQC => {
                let c = Mrqc::from_bits_retain(v);
                b.rx_mac.inspector.steering.set_mode(c);
                b.rx_mac.inspector.rss.fields = c.rss_fields() as u16;
                self.apply_mac_mode();
            }
            RegId::RQTC => b.rx_mac.inspector.steering.set_class_bits(v),
            RegId::RETA => b.rx_mac.inspector.rss.set_table(i, v),
            RegId::RSSRK => b.rx_mac.inspector.rss.set_key(i, v),
            RegId::RXCSUM => b.rx_mac.inspector.checksum = Rxcsum::from_bits_retain(v),
            RegId::RXPBSIZE => {
                b.rx_mac.buffers.set_size(i, Pbsize::from_bits_retain(v).kb() * 1024);
            }
            RegId::RTRUP2TC => b.rx_mac.class_of_priority = up_to_tc(v),
            RegId::RTRPCS => b.rx_dma.arbiter.set_mode(Rtrpcs::from_bits_retain(v)),
            RegId::RTRPT4C => b.rx_dma.arbiter.set_share(i, Rttdt2c::from_bits_retain(v)),
            RegId::RQSMR => queue_map(&mut b.rx_dma.stats.counter_of, i, v),
            RegId::RAL | RegId::RAH => self.apply_address(i),
            RegId::HLREG0 | RegId::MAXFRS | RegId::RDRXCTL => self.apply_mac_mode(),
            RegId::PFQDE => {
                let c = Pfqde::from_bits_retain(v);
                if c.contains(Pfqde::WE) {
                    let on = c.contains(Pfqde::QDE);
                    b.rx_dma.configure_queue(c.queue() as usize & 127, |q| q.drop_by_pfqde = on);
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
        b.rx_mac.mode.check_length = hlreg0.contains(Hlreg0::RXLNGTHERREN);
        let limit = if b.rx_mac.inspector.steering.classes() > 1 { DCB_BYTES } else { JUMBO_BYTES };
        b.rx_mac.mode.max_bytes = if hlreg0.contains(Hlreg0::JUMBOEN) {
            u64::from(maxfrs.bytes()).min(limit)
        } else {
            1518
        };
    }
}
