//! Bring-up, in the order that the data sheet and its errata ask for.

pub(crate) mod dcb;
pub(crate) mod identity;
pub(crate) mod interrupts;
pub(crate) mod link;
pub(crate) mod rate;
pub(crate) mod reset;
pub(crate) mod rx;
pub(crate) mod tx;

use xoff_regs::{Reg, RegArray};

use crate::bus::{Bar, DmaMemory};
use crate::regs::Regs;

/// The four registers that describe one ring's memory.
#[derive(Debug, Clone, Copy)]
struct RingMemory {
    low: Reg<u32>,
    high: Reg<u32>,
    len: Reg<u32>,
}

impl RingMemory {
    fn at(low: RegArray<u32>, high: RegArray<u32>, len: RegArray<u32>, queue: usize) -> Self {
        Self { low: low.at(queue), high: high.at(queue), len: len.at(queue) }
    }

    /// Tells the device where the ring is and how long, in bytes.
    #[allow(clippy::cast_possible_truncation)] // the two halves of an address; rings are under 128 KB
    fn write<R: Bar>(self, regs: &Regs<R>, memory: &impl DmaMemory, bytes: usize) {
        regs.write(self.low, memory.iova() as u32);
        regs.write(self.high, (memory.iova() >> 32) as u32);
        regs.write(self.len, bytes as u32);
    }
}
