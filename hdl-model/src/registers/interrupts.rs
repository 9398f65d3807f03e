//! Writes to the interrupt block.

use crate::nic::Nic;
#[allow(clippy::wildcard_imports)] // the file names most register types of its block
use xoff_regs::*;

impl Nic {
    /// An interrupt register now holds `v`. Returns whether the register was one of them.
    // One arm a register, as in the data sheet; each narrowing is to the width of the field.
    #[allow(
        clippy::too_many_lines,
        clippy::many_single_char_names,
        clippy::cast_possible_truncation
    )]
    pub(super) fn apply_interrupts(&mut self, id: RegId, i: usize, v: u32) -> bool {
        let b = &mut self.blocks;
        match id {
            RegId::EIAC => b.interrupts.auto_clear = v,
            RegId::EIAM => b.interrupts.auto_mask = v,
            RegId::GPIE => {
                b.interrupts.mask_on_message = Gpie::from_bits_retain(v).contains(Gpie::EIAME);
            }
            RegId::IVAR => b.interrupts.set_ivar(i, Ivar::from_bits_retain(v)),
            RegId::IVAR_MISC => b.interrupts.set_ivar_misc(Ivar::from_bits_retain(v)),
            RegId::EITR => b.interrupts.set_interval(i, Eitr::from_bits_retain(v)),
            _ => return false,
        }
        true
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
}
