//! Writes to the interrupt block.

use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// An interrupt register now holds `v`. Returns whether the register was one of them.
    pub(super) fn apply_interrupts(&mut self, id: RegId, i: usize, v: u32) -> bool {
        let now = self.now;
        let irq = &mut self.blocks.interrupts;
        match id {
            RegId::EIAC => irq.set_auto_clear(v),
            RegId::EIAM => irq.set_auto_mask_all(v),
            RegId::EIAM_EX => irq.set_auto_mask(half(i, u32::MAX), half(i, v)),
            RegId::GPIE => irq.set_mode(Gpie::from_bits_retain(v)),
            RegId::IVAR => irq.set_ivar(i, Ivar::from_bits_retain(v)),
            RegId::IVAR_MISC => irq.set_ivar_misc(Ivar::from_bits_retain(v)),
            RegId::EITR => irq.set_throttle(i, Eitr::from_bits_retain(v), now),
            RegId::TCPTIMER => irq.set_timer(v, now),
            _ => return false,
        }
        true
    }

    /// Registers whose writes are commands rather than values.
    pub(super) fn write_command(&mut self, id: RegId, i: usize, v: u32) {
        let v = v & id.info().write_mask;
        let irq = &mut self.blocks.interrupts;
        match id {
            RegId::EICR => irq.clear(v),
            RegId::EICS => irq.raise(v),
            RegId::EIMS => {
                irq.unmask_vectors(u64::from(v & 0xFFFF));
                irq.unmask_others(v);
            }
            RegId::EIMC => {
                irq.mask_vectors(u64::from(v & 0xFFFF));
                irq.mask_others(v);
            }
            RegId::EICS_EX => irq.raise_vectors(half(i, v)),
            RegId::EIMS_EX => irq.unmask_vectors(half(i, v)),
            RegId::EIMC_EX => irq.mask_vectors(half(i, v)),
            RegId::PBACL if i < 2 => irq.clear_pending(half(i, v)),
            _ => self.write_other_command(id, i, v),
        }
    }

    /// Registers of no block that act by the ones written.
    fn write_other_command(&mut self, id: RegId, i: usize, ones: u32) {
        let old = self.registers.get(id, i);
        match id.info().access {
            Access::W1c => self.registers.set(id, i, old & !ones),
            Access::W1s => self.registers.set(id, i, old | ones),
            // Keys and the like: taken in, never shown.
            _ => {}
        }
    }

    /// An interrupt register is read that is not storage.
    #[allow(clippy::cast_possible_truncation)] // halves are wanted
    pub(super) fn read_interrupts(&mut self, id: RegId, i: usize, stored: u32) -> Option<u32> {
        let now = self.now;
        let irq = &mut self.blocks.interrupts;
        let half = |vectors: u64| (vectors >> (32 * i)) as u32;
        Some(match id {
            RegId::EICR => {
                let causes = irq.read_causes().bits();
                self.wake_all();
                causes
            }
            // Reading EICS gives EICR and clears nothing: the workaround of Linux for a link-change erratum needs it.
            RegId::EICS => irq.causes().bits(),
            RegId::EIMS => irq.mask(),
            RegId::EICS_EX => half(u64::from(irq.causes().rtxq()) | irq.pending()),
            RegId::EIMS_EX => half(irq.vector_mask()),
            RegId::EIAM => irq.auto_mask_all(),
            RegId::EIAM_EX => half(irq.auto_mask()),
            RegId::PBACL if i < 2 => half(irq.pending()),
            RegId::PBACL => 0,
            RegId::EITR => {
                let shown = Eitr::from_bits_retain(stored) - Eitr::CNT_WDIS;
                shown.with_counter(irq.throttle_counter(i, now)).bits()
            }
            _ => return None,
        })
    }
}

/// A 32-bit half of the 64 vectors.
fn half(i: usize, v: u32) -> u64 {
    u64::from(v) << (32 * i)
}
