//! Device control, pins, EEPROM, link and registers of no block.

use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// A general register now holds `v`; `pulse` are the self-clearing bits that were written as 1. Returns whether the
    /// register was one of them.
    pub(super) fn apply_general(&mut self, id: RegId, _i: usize, v: u32, pulse: u32) -> bool {
        match id {
            RegId::CTRL => {
                self.blocks.pcie.blocked = Ctrl::from_bits_retain(v).contains(Ctrl::MASTER_DIS);
                let reset = pulse & (Ctrl::RST | Ctrl::LRST).bits();
                if reset != 0 {
                    self.reset(reset);
                }
            }
            RegId::I2CCTL => {
                let pins = I2cctl::from_bits_retain(v);
                let (clock, data) =
                    (pins.contains(I2cctl::CLK_OUT), pins.contains(I2cctl::DATA_OUT));
                self.board.i2c.drive(clock, data);
            }
            RegId::EEC => {
                let pins = Eec::from_bits_retain(v);
                // Without the grant the pins are the device's own, and the chip is not selected.
                let off = !pins.contains(Eec::REQ);
                self.board.eeprom.drive(
                    pins.contains(Eec::SK),
                    off || pins.contains(Eec::CS),
                    pins.contains(Eec::DI),
                );
            }
            RegId::EERD if pulse & Eerd::START.bits() != 0 => {
                // A word takes microseconds on a card. Here it is there at once: software polls DONE either way.
                let eerd = Eerd::from_bits_retain(v);
                let word = self.board.eeprom.word(eerd.addr() as usize);
                let done = (eerd | Eerd::DONE).with_data(word.into());
                self.registers.set(RegId::EERD, 0, done.bits());
            }
            RegId::MSCA if pulse & Msca::MDI_CMD.bits() != 0 => {
                // Nobody answers on the management bus: an undriven line reads as ones.
                if Msca::from_bits_retain(v).op_code() >= 2 {
                    let data = self.registers.get(RegId::MSRWD, 0) | 0xFFFF_0000;
                    self.registers.set(RegId::MSRWD, 0, data);
                }
            }
            RegId::AUTOC => {
                self.blocks.link.configure(Autoc::from_bits_retain(v));
                if pulse & Autoc::RESTART_AN.bits() != 0 {
                    self.blocks.link.restart(self.now);
                }
                self.update_link();
            }
            RegId::GCR_EXT => {
                if GcrExt::from_bits_retain(v).contains(GcrExt::BUFFERS_CLEAR) {
                    self.blocks.flush_tx();
                }
            }
            _ => return self.apply_timesync(id, v),
        }
        true
    }

    /// Registers that ignore software, but for the heads, which may be set while the queue is off.
    pub(super) fn write_read_only(&mut self, id: RegId, i: usize, v: u32) {
        let head = (v & 0xFFFF) as u16;
        match id {
            RegId::TDH if !self.blocks.tx_dma.queue(i).ring.enabled => {
                self.blocks.tx_dma.configure_queue(i, |q| q.ring.head = head);
            }
            RegId::RDH if !self.blocks.rx_dma.queue(i).ring.enabled => {
                self.blocks.rx_dma.configure_queue(i, |q| q.ring.head = head);
            }
            _ => {}
        }
    }
}
