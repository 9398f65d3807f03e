//! Device control, and registers of no block.

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
                if pulse & (Ctrl::RST | Ctrl::LRST).bits() != 0 {
                    self.reset();
                }
            }
            _ => return false,
        }
        true
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
}
