//! What a write does besides being stored.

use crate::nic::Nic;
use crate::rx::FlowControlMode;
#[allow(clippy::wildcard_imports)] // the file names most register types
use xoff_regs::*;

impl Nic {
    /// A read-write register now holds `v`; `pulse` are the self-clearing bits that were written as 1.
    // One arm a register, as in the data sheet; each narrowing is to the width of the field.
    #[allow(
        clippy::too_many_lines,
        clippy::many_single_char_names,
        clippy::cast_possible_truncation
    )]
    pub(super) fn apply(&mut self, id: RegId, i: usize, v: u32, pulse: u32) {
        let b = &mut self.blocks;
        match id {
            RegId::CTRL => {
                b.pcie.blocked = Ctrl::from_bits_retain(v).contains(Ctrl::MASTER_DIS);
                if pulse & (Ctrl::RST | Ctrl::LRST).bits() != 0 {
                    self.reset();
                }
            }

            // ---- transmit ----
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

            // ---- receive ----
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

            // ---- flow control ----
            RegId::MFLCN => {
                let c = Mflcn::from_bits_retain(v);
                let m = &mut b.rx_mac.mode;
                m.pass_control = c.contains(Mflcn::PMCF);
                m.discard_pause = c.contains(Mflcn::DPF);
                // The two exclude each other; with both set PFC wins, because DCB mode ignores 802.3x.
                m.obey_class_pause = c.contains(Mflcn::RPFCE);
                m.obey_link_pause = c.contains(Mflcn::RFCE) && !m.obey_class_pause;
            }
            RegId::FCCFG => {
                let c = Fccfg::from_bits_retain(v);
                b.rx_mac.buffers.mode = if c.contains(Fccfg::TFCE_PRIORITY) {
                    FlowControlMode::Priority
                } else if c.contains(Fccfg::TFCE_LINK) {
                    FlowControlMode::Link
                } else {
                    FlowControlMode::Off
                };
            }
            RegId::FCTTV => {
                b.rx_mac.buffers.set_pause_quanta(2 * i, (v & 0xFFFF) as u16);
                b.rx_mac.buffers.set_pause_quanta(2 * i + 1, (v >> 16) as u16);
            }
            RegId::FCRTL => {
                let c = Fcrtl::from_bits_retain(v);
                b.rx_mac.buffers.set_low(i, c.bytes(), c.contains(Fcrtl::XONE));
            }
            RegId::FCRTH => {
                let c = Fcrth::from_bits_retain(v);
                b.rx_mac.buffers.set_high(i, c.bytes(), c.contains(Fcrth::FCEN));
            }
            RegId::FCRTV => b.rx_mac.buffers.refresh_quanta = (v & 0xFFFF) as u16,

            // ---- interrupts ----
            RegId::EIAC => b.interrupts.auto_clear = v,
            RegId::EIAM => b.interrupts.auto_mask = v,
            RegId::GPIE => {
                b.interrupts.mask_on_message = Gpie::from_bits_retain(v).contains(Gpie::EIAME);
            }
            RegId::IVAR => b.interrupts.set_ivar(i, Ivar::from_bits_retain(v)),
            RegId::IVAR_MISC => b.interrupts.set_ivar_misc(Ivar::from_bits_retain(v)),
            RegId::EITR => b.interrupts.set_interval(i, Eitr::from_bits_retain(v)),
            _ => {}
        }
    }

    /// Registers whose writes are commands rather than values.
    pub(super) fn write_command(&mut self, id: RegId, i: usize, v: u32) {
        let irq = &mut self.blocks.interrupts;
        let half = |v: u32| u64::from(v) << (32 * i);
        match id {
            RegId::EICR => irq.causes.remove(Eicr::from_bits_retain(v)),
            RegId::EICS => irq.raise(v),
            RegId::EIMS => {
                irq.vector_mask |= u64::from(v & 0xFFFF);
                irq.other_mask |= v & 0xFFFF_0000;
            }
            RegId::EIMC => {
                irq.vector_mask &= !u64::from(v & 0xFFFF);
                irq.other_mask &= !(v & 0xFFFF_0000);
            }
            RegId::EICS_EX => irq.raise_vectors(half(v)),
            RegId::EIMS_EX => irq.vector_mask |= half(v),
            RegId::EIMC_EX => irq.vector_mask &= !half(v),
            _ => {
                self.masked(id, i, v);
            }
        }
    }

    /// Registers that ignore software, but for the heads, which may be set while the queue is off.
    pub(super) fn write_read_only(&mut self, id: RegId, i: usize, v: u32) {
        let head = (v & 0xFFFF) as u16;
        match id {
            RegId::TDH if !self.blocks.tx_dma.queue(i).enabled => {
                self.blocks.tx_dma.configure_queue(i, |q| q.head = head);
            }
            RegId::RDH if !self.blocks.rx_dma.queue(i).enabled => {
                self.blocks.rx_dma.configure_queue(i, |q| q.head = head);
            }
            _ => {}
        }
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

fn up_to_tc(v: u32) -> [u8; 8] {
    let map = Up2tc::from_bits_retain(v);
    [0, 1, 2, 3, 4, 5, 6, 7].map(|up| map.tc_of(up))
}

fn queue_map(counter_of: &mut [u8; 128], register: usize, v: u32) {
    let map = QueueMap::from_bits_retain(v);
    for place in 0..4 {
        counter_of[4 * register + place] = map.set_of(place);
    }
}
