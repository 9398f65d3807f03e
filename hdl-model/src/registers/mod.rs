//! The register file: decode, access kind, reset value and write mask, all from the table in `xoff-regs`; the side
//! effects of writes stand in a file for each block, reads that a block answers in `read`.

mod flow_control;
mod general;
mod inert;
mod interrupts;
mod read;
mod receive;
mod statistics;
mod timesync;
mod transmit;

pub use inert::INERT;

use crate::blocks::{Block, Blocks};
use crate::board::PowerState;
use crate::config::Profile;
use crate::nic::Nic;
use xoff_regs::{
    Access, Autoc, Autoc2, Ctrl, Mflcn, Offset, Pbsize, QueueMap, RegId, RegValue, SLOTS, Up2tc,
    lookup,
};

/// The storage behind the registers. What a block keeps itself (heads, causes, counters) is asked of the block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegisterFile {
    values: Vec<u32>,
    /// High part of a 36-bit counter, latched when its low part was read.
    latched_high: u32,
}

impl RegisterFile {
    pub(crate) fn new() -> RegisterFile {
        let mut values = vec![0; SLOTS];
        for &id in RegId::ALL {
            for index in 0..usize::from(id.info().count) {
                values[id.slot(index)] = id.info().reset_of(index);
            }
        }
        RegisterFile { values, latched_high: 0 }
    }

    fn get(&self, id: RegId, index: usize) -> u32 {
        self.values[id.slot(index)]
    }

    fn set(&mut self, id: RegId, index: usize, value: u32) {
        self.values[id.slot(index)] = value;
    }
}

impl Nic {
    /// Reads a register at the current cycle, side effects included (read-to-clear counters, semaphores). An address
    /// without a register reads 0.
    pub fn read32(&mut self, offset: Offset) -> u32 {
        if self.board.power == PowerState::D3Hot {
            return u32::MAX;
        }
        match lookup(offset) {
            Some((id, index)) => self.read_register(id, usize::from(index)),
            None => 0,
        }
    }

    /// Writes a register; it takes effect in the cycle that is evaluated next. An address without a register, and bits
    /// outside the register's write mask, ignore the write.
    pub fn write32(&mut self, offset: Offset, value: u32) {
        if self.board.power == PowerState::D3Hot {
            return;
        }
        let Some((id, index)) = lookup(offset) else { return };
        let index = usize::from(index);
        match id {
            // The doorbells are most of the traffic and concern one block each.
            RegId::TDT => {
                let tail = self.masked(id, index, value);
                self.ring_tx(index, tail);
            }
            RegId::RDT => {
                let tail = self.masked(id, index, value);
                self.ring_rx(index, tail);
            }
            _ => {
                self.write_register(id, index, value);
                self.wake_all();
            }
        }
    }

    /// Stores a write under the register's mask and returns what the register now holds.
    fn masked(&mut self, id: RegId, index: usize, value: u32) -> u32 {
        let info = id.info();
        let old = self.registers.get(id, index);
        let writable = info.write_mask | self.bits_of_profile(id);
        let new = (old & !writable) | (value & writable & !info.self_clearing);
        self.registers.set(id, index, new);
        new
    }

    /// Writable bits that only later members of the family have; the table is the 82599's.
    fn bits_of_profile(&self, id: RegId) -> u32 {
        if id == RegId::MFLCN && self.config.profile != Profile::I82599 {
            Mflcn::empty().with_priorities(0xFF).to_bits()
        } else {
            0
        }
    }

    fn write_register(&mut self, id: RegId, index: usize, value: u32) {
        match id.info().access {
            Access::Ro | Access::Rc => self.write_read_only(id, index, value),
            Access::W1c | Access::W1s | Access::Wo => self.write_command(id, index, value),
            Access::Rw | Access::Sc => {
                let stored = self.masked(id, index, value);
                self.apply(id, index, stored, value & id.info().self_clearing);
            }
        }
    }

    /// A read-write register now holds `v`; `pulse` are the self-clearing bits that were written as 1. A register without
    /// a side effect is storage only.
    fn apply(&mut self, id: RegId, index: usize, v: u32, pulse: u32) {
        let _ = self.apply_general(id, index, v, pulse)
            || self.apply_transmit(id, index, v, pulse)
            || self.apply_receive(id, index, v)
            || self.apply_flow_control(id, index, v)
            || self.apply_interrupts(id, index, v);
    }

    /// Puts every register at its reset value and lets the blocks know, as after power-on.
    pub(crate) fn load_reset_values(&mut self) {
        for &id in RegId::ALL {
            let info = id.info();
            if matches!(info.access, Access::Rw | Access::Sc) {
                for index in 0..usize::from(info.count) {
                    self.apply(id, index, info.reset_of(index), 0);
                }
            }
        }
        self.auto_load();
        self.wake_all();
    }

    /// What the EEPROM puts into registers after a reset.
    fn auto_load(&mut self) {
        let [b0, b1, b2, b3, b4, b5] = self.board.eeprom.mac();
        self.write_register(RegId::RAL, 0, u32::from_le_bytes([b0, b1, b2, b3]));
        self.write_register(RegId::RAH, 0, u32::from_le_bytes([b4, b5, 0, 0x80]));
        let media = self.config.media;
        let autoc = Autoc::from_bits_retain(RegId::AUTOC.info().reset).with_lms(media.link_mode());
        self.write_register(RegId::AUTOC, 0, autoc.bits());
        let autoc2 = Autoc2::empty().with_pma_10g_ser(media.serial_mode());
        self.write_register(RegId::AUTOC2, 0, autoc2.bits());
        let rx_kb = self.config.profile.rx_buffer_kb();
        self.write_register(RegId::RXPBSIZE, 0, Pbsize::empty().with_kb(rx_kb).bits());
    }

    /// Everything but the clock, the cable, the semaphores of both ports and a frame already on the wire starts anew.
    /// `bits` are those of CTRL that asked for it, RST or LRST, which brings the link down and up as well.
    pub(crate) fn reset(&mut self, bits: u32) {
        let on_the_wire = self.blocks.tx_mac.line_free();
        let link = self.blocks.link.clone();
        let (delivery, message_mask) =
            (self.blocks.interrupts.delivery, self.blocks.interrupts.message_mask);
        let bus_master = self.blocks.pcie.bus_master;
        let shared = [RegId::SWSM, RegId::SW_FW_SYNC].map(|id| (id, self.registers.get(id, 0)));
        self.blocks = Blocks::new(&self.config);
        self.blocks.tx_mac.link_up = link.up();
        self.blocks.link = link;
        self.blocks.tx_mac.set_line_free(on_the_wire);
        self.blocks.interrupts.delivery = delivery;
        self.blocks.interrupts.message_mask = message_mask;
        self.blocks.pcie.bus_master = bus_master;
        self.registers = RegisterFile::new();
        for (id, value) in shared {
            self.registers.set(id, 0, value);
        }
        self.board.latched_time = None;
        self.board.reset_bits = bits;
        self.board.reset_ends =
            self.now + self.config.reset_ps.div_ceil(self.config.speed.cycle_ps);
        self.load_reset_values();
        if bits & Ctrl::LRST.bits() != 0 {
            self.blocks.link.reset(self.now);
        }
        self.update_link();
    }

    fn ring_tx(&mut self, queue: usize, tail: u32) {
        #[allow(clippy::cast_possible_truncation)] // the mask leaves 16 bits
        self.blocks.tx_dma.configure_queue(queue, |q| q.ring.tail = tail as u16);
        self.wake_at(Block::TxDma, self.now);
    }

    fn ring_rx(&mut self, queue: usize, tail: u32) {
        #[allow(clippy::cast_possible_truncation)] // the mask leaves 16 bits
        self.blocks.rx_dma.configure_queue(queue, |q| q.ring.tail = tail as u16);
        self.wake_at(Block::RxDma, self.now);
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
