//! Reads that a block answers, or that change something.

use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // as in `write`
use xoff_regs::*;

/// Pin 2 in the fields of ESDP.
const SDP2: u32 = 1 << 2;

impl Nic {
    pub(super) fn read_register(&mut self, id: RegId, i: usize) -> u32 {
        if id.info().access == Access::Rc {
            return self.read_statistic(id, i);
        }
        if id.info().access == Access::Wo {
            return 0;
        }
        let stored = self.registers.get(id, i);
        if let Some(value) = self.read_interrupts(id, i, stored) {
            return value;
        }
        if let Some(value) = self.read_timesync(id, stored) {
            return value;
        }
        let resetting = self.now < self.board.reset_ends;
        let b = &mut self.blocks;
        match id {
            RegId::STATUS => self.status().bits(),
            RegId::CTRL if resetting => stored | self.board.reset_bits,
            RegId::LINKS => b.link.links().bits(),
            RegId::ANLP1 => {
                let state = u32::from(b.link.arbitrates());
                Anlp1::from_bits_retain(stored).with_an_state(state).bits()
            }
            RegId::TDH => u32::from(b.tx_dma.queue(i).ring.head),
            RegId::RTTDCS => Rttdcs::from_bits_retain(stored)
                .with_lttdesc(u32::from(b.tx_dma.last_class()))
                .bits(),
            RegId::RDH => u32::from(b.rx_dma.queue(i).ring.head),
            RegId::TXDCTL if b.tx_dma.reads_enabled(i) => stored | Txdctl::ENABLE.bits(),
            RegId::RXDCTL if b.rx_dma.queue(i).reads_enabled() => stored | Rxdctl::ENABLE.bits(),
            RegId::EEC => self.eec(stored, !resetting).bits(),
            RegId::FWSM => {
                // Firmware is there, is well, and offers no manageability.
                Fwsm::FW_VALID.bits()
            }
            RegId::RDRXCTL if resetting => stored & !Rdrxctl::DMAIDONE.bits(),
            RegId::ESDP => {
                // SDP2 is an input unless software makes it an output: 1 while a module is in the cage (Linux; the
                // sheet leaves the pins to the board).
                let pins = Esdp::from_bits_retain(stored);
                let input = pins.iodir() & SDP2 == 0;
                let present = if self.board.i2c.present() { SDP2 } else { 0 };
                if input { pins.with_data(pins.data() & !SDP2 | present).bits() } else { stored }
            }
            RegId::I2CCTL => {
                let mut pins = I2cctl::from_bits_retain(stored);
                pins.set(I2cctl::CLK_IN, self.board.i2c.clock_line());
                pins.set(I2cctl::DATA_IN, self.board.i2c.data_line());
                pins.bits()
            }
            RegId::TFCS => Tfcs::from_bits_retain(stored)
                .with_tc_xon(u32::from(!b.tx_mac.pause.stopped()))
                .bits(),
            RegId::SECRXSTAT => {
                // The path drains at once: nothing is left in it between two frames of the model.
                let halted = Secrxctrl::from_bits_retain(self.registers.get(RegId::SECRXCTRL, 0))
                    .contains(Secrxctrl::RX_DIS);
                if halted {
                    stored | Secrxstat::SECRX_RDY.bits()
                } else {
                    stored & !Secrxstat::SECRX_RDY.bits()
                }
            }
            RegId::SWSM => {
                // A read that returns SMBI = 0 has taken the lock. SWESMBI is granted as asked: firmware never holds it.
                self.registers.set(id, i, stored | Swsm::SMBI.bits());
                stored
            }
            // No filter table to initialise.
            RegId::FDIRCTRL => stored | Fdirctrl::INIT_DONE.bits(),
            _ => stored,
        }
    }

    /// EEC: the chip is there, was read after reset, and is software's as soon as it asks.
    fn eec(&self, stored: u32, loaded: bool) -> Eec {
        let mut eec = Eec::from_bits_retain(stored) | Eec::PRES | Eec::RSV10;
        eec.set(Eec::AUTO_RD, loaded);
        eec.set(Eec::GNT, eec.contains(Eec::REQ));
        eec.set(Eec::DO, self.board.eeprom.data_out());
        // 2^(4 + 6) words.
        eec.with_size(4)
    }

    /// A register's stored value, without effects.
    pub(crate) fn peek<T: RegValue>(&self, reg: Reg<T>) -> u32 {
        lookup(reg.offset()).map_or(0, |(id, i)| self.registers.get(id, usize::from(i)))
    }

    fn status(&self) -> Status {
        let mut s = Status::empty();
        s.set(Status::LINK_UP, self.blocks.link.up());
        let drained = self.blocks.pcie.blocked && self.blocks.pcie.idle();
        s.set(Status::MASTER_EN_STAT, !drained);
        s
    }
}
