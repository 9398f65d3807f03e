//! Interrupts: causes, vectors by IVAR, masks, throttling by EITR, MSI-X messages (82599.md section 1.6).

use crate::clock::{Cycle, LineSpeed};
use crate::fifo::Fifo;
use crate::port::World;
use xoff_regs::{Eicr, Eitr, Ivar};

/// Why an interrupt is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A transmit queue wrote back a descriptor.
    Tx {
        /// The queue.
        queue: u8,
    },
    /// A receive queue wrote back a packet.
    Rx {
        /// The queue.
        queue: u8,
    },
}

/// The interrupt block.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupts {
    cycle_ps: u64,
    /// EICR as software reads it.
    pub causes: Eicr,
    /// Vectors that want to fire.
    pending: u64,
    /// EIMS_EX: vectors that may fire; the low 16 are the queue bits of EIMS.
    pub vector_mask: u64,
    /// EIMS bits 31:16: other causes that may fire.
    pub other_mask: u32,
    /// EIAC: causes cleared by the MSI-X message.
    pub auto_clear: u32,
    /// EIAM: causes masked by the MSI-X message, when GPIE.EIAME says so.
    pub auto_mask: u32,
    /// GPIE.EIAME.
    pub mask_on_message: bool,
    ivar: [Ivar; 64],
    ivar_misc: Ivar,
    interval: [u64; 64],
    not_before: [Cycle; 64],
}

impl Interrupts {
    /// All masked.
    pub fn new(speed: LineSpeed) -> Interrupts {
        Interrupts {
            cycle_ps: speed.cycle_ps,
            causes: Eicr::empty(),
            pending: 0,
            vector_mask: 0,
            other_mask: 0,
            auto_clear: 0,
            auto_mask: 0,
            mask_on_message: false,
            ivar: [Ivar::empty(); 64],
            ivar_misc: Ivar::empty(),
            interval: [0; 64],
            not_before: [Cycle(0); 64],
        }
    }

    /// IVAR(n).
    pub fn set_ivar(&mut self, n: usize, value: Ivar) {
        self.ivar[n] = value;
    }

    /// IVAR_MISC.
    pub fn set_ivar_misc(&mut self, value: Ivar) {
        self.ivar_misc = value;
    }

    /// EITR(n): least distance between two messages of a vector.
    pub fn set_interval(&mut self, n: usize, value: Eitr) {
        if let Some(cycles) = self.interval.get_mut(n) {
            *cycles = u64::from(value.interval_ns()) * 1000 / self.cycle_ps;
        }
    }

    /// Raises causes by software (EICS).
    pub fn raise(&mut self, causes: u32) {
        self.causes |= Eicr::from_bits_retain(causes);
        self.pending |= u64::from(causes & 0xFFFF);
        self.raise_other(causes);
    }

    /// Raises vectors by software (EICS_EX).
    pub fn raise_vectors(&mut self, vectors: u64) {
        self.pending |= vectors;
        self.causes |= Eicr::from_bits_retain((vectors & 0xFFFF) as u32);
    }

    fn raise_other(&mut self, causes: u32) {
        if causes & self.other_mask & 0xFFFF_0000 != 0
            && let Some(v) = self.ivar_misc.entry(Ivar::OTHER)
        {
            self.pending |= 1 << v;
        }
    }

    /// Link status change.
    pub fn link_changed(&mut self) {
        self.causes |= Eicr::LSC;
        self.raise_other(Eicr::LSC.bits());
    }

    fn vector_of(&self, cause: Cause) -> Option<u8> {
        let (register, entry) = match cause {
            Cause::Tx { queue } => Ivar::tx_entry(usize::from(queue)),
            Cause::Rx { queue } => Ivar::rx_entry(usize::from(queue)),
        };
        self.ivar.get(register)?.entry(entry)
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(&mut self, now: Cycle, causes: &mut Fifo<Cause>, world: &mut W) -> Cycle {
        while let Some(cause) = causes.pop() {
            if let Some(v) = self.vector_of(cause) {
                self.pending |= 1 << v;
                if v < 16 {
                    self.causes |= Eicr::from_bits_retain(1 << v);
                }
            }
        }
        let mut wake = Cycle::NEVER;
        let other = self.ivar_misc.entry(Ivar::OTHER).map_or(0, |v| 1u64 << v);
        let enabled = self.vector_mask | if self.other_mask == 0 { 0 } else { other };
        let mut ready = self.pending & enabled;
        while ready != 0 {
            let v = ready.trailing_zeros() as usize;
            ready &= ready - 1;
            if self.not_before[v] > now {
                wake = wake.min(self.not_before[v]);
                continue;
            }
            self.pending &= !(1 << v);
            self.not_before[v] = now + self.interval[v];
            if v < 16 && self.auto_clear & (1 << v) != 0 {
                self.causes.remove(Eicr::from_bits_retain(1 << v));
            }
            if v < 16 && self.mask_on_message && self.auto_mask & (1 << v) != 0 {
                self.vector_mask &= !(1 << v);
            }
            #[allow(clippy::cast_possible_truncation)] // v < 64
            world.interrupt(v as u16);
        }
        wake
    }
}
