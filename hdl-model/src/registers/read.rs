//! Reads that a block answers, or that change something.

use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // as in `write`
use xoff_regs::*;

impl Nic {
    pub(super) fn read_register(&mut self, id: RegId, i: usize) -> u32 {
        if id.info().access == Access::Rc {
            return self.read_statistic(id, i);
        }
        let stored = self.registers.get(id, i);
        let b = &mut self.blocks;
        match id {
            RegId::STATUS => self.status().bits(),
            RegId::LINKS => self.links().bits(),
            RegId::TDH => u32::from(b.tx_dma.queue(i).head),
            RegId::RTTDCS => Rttdcs::from_bits_retain(stored)
                .with_lttdesc(u32::from(b.tx_dma.last_class()))
                .bits(),
            RegId::RDH => u32::from(b.rx_dma.queue(i).head),
            RegId::RXDCTL if b.rx_dma.queue(i).reads_enabled() => stored | Rxdctl::ENABLE.bits(),
            // The EEPROM is there and was read before anybody could ask.
            RegId::EEC => stored | (Eec::PRES | Eec::AUTO_RD).bits(),
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
                // A read that returns SMBI = 0 has taken the lock.
                self.registers.set(id, i, stored | Swsm::SMBI.bits());
                stored
            }
            RegId::EICR => {
                let causes = b.interrupts.causes;
                let only_other =
                    Gpie::from_bits_retain(self.registers.get(RegId::GPIE, 0)).contains(Gpie::OCD);
                let clears = if only_other { 0x3FFF_0000 } else { u32::MAX };
                b.interrupts.causes.remove(Eicr::from_bits_retain(clears));
                causes.bits()
            }
            RegId::EICS => b.interrupts.causes.bits(),
            #[allow(clippy::cast_possible_truncation)] // the low half is wanted
            RegId::EIMS => (b.interrupts.vector_mask & 0xFFFF) as u32 | b.interrupts.other_mask,
            #[allow(clippy::cast_possible_truncation)] // one half is wanted
            RegId::EIMS_EX => (b.interrupts.vector_mask >> (32 * i)) as u32,
            RegId::EIMC | RegId::EIMC_EX => 0,
            _ => stored,
        }
    }

    fn status(&self) -> Status {
        let mut s = Status::empty();
        s.set(Status::LINK_UP, self.blocks.tx_mac.link_up);
        let drained = self.blocks.pcie.blocked && self.blocks.pcie.idle();
        s.set(Status::MASTER_EN_STAT, !drained);
        s
    }

    fn links(&self) -> Links {
        let speed = match self.config.speed.mbps {
            100 => Links::SPEED_100M,
            1_000 => Links::SPEED_1G,
            _ => Links::SPEED_10G,
        };
        let mut l = Links::empty().with_speed(speed);
        l.set(Links::UP, self.blocks.tx_mac.link_up);
        l
    }
}
