//! Interrupts: causes, vectors by IVAR, masks, throttling by EITR, messages and the INTx level (82599.md section 1.6).
//!
//! With GPIE.MSIX_MODE a queue's IVAR entry names one of 64 vectors, and EICR bits 15:0 stand for vectors 0 to 15. Without
//! it there is one interrupt, INTx, MSI or MSI-X vector 0, and the entry names the EICR bit.
//!
//! The erratum by which a cause set through EICS may stay set (auto-clear without auto-mask and PBA support) is not
//! modelled: EICR is cleared as EIAC says.

mod throttle;

use crate::clock::{Cycle, LineSpeed};
use crate::fifo::Fifo;
use crate::port::World;
use throttle::{TcpTimer, Throttle};
use xoff_regs::{Eicr, Eitr, Gpie, Ivar};

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
    /// Any other cause: its bit of EICR (receive miss, link status change).
    Other(Eicr),
}

/// How the PCI configuration space lets interrupts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Delivery {
    /// MSI-X enabled.
    #[default]
    MsiX,
    /// MSI enabled, one vector.
    Msi,
    /// Neither: the INTx level.
    Intx,
}

/// FIFOs of the block: each writer has its own, so that the order of evaluation cannot matter.
#[derive(Debug)]
pub struct InterruptPorts<'a> {
    /// Causes seen by the receive MAC.
    pub rx_mac: &'a mut Fifo<Cause>,
    /// Causes seen by the link.
    pub link: &'a mut Fifo<Cause>,
}

/// Bits of EICR that belong to queues, that go by IVAR_MISC's second entry, and the TCP timer's.
const QUEUES: u32 = 0x0000_FFFF;
const OTHER: u32 = 0x3FFF_0000;
const TIMER: u32 = Eicr::TCP_TIMER.bits();

/// The interrupt block.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupts {
    speed: LineSpeed,
    /// How configuration space lets interrupts out.
    pub delivery: Delivery,
    /// Messages that configuration space holds back: bit v is vector v, bit 0 that of MSI.
    pub message_mask: u64,
    mode: Gpie,
    /// EICR.
    causes: Eicr,
    /// Vectors of queues that want to fire: the pending bits of the MSI-X table.
    pending: u64,
    /// Other causes that came and were not yet reported.
    other_pending: u32,
    /// The one interrupt of the single mode wants to fire.
    single_pending: bool,
    /// Level of INTx.
    intx: bool,
    /// EIMS_EX: vectors that may fire; the low 16 are the queue bits of EIMS.
    vector_mask: u64,
    /// EIMS bits 30:16: other causes that may fire.
    other_mask: u32,
    /// EIAC: causes cleared by the MSI-X message.
    auto_clear: u32,
    /// EIAM_EX and EIAM, as the masks above.
    auto_mask: u64,
    auto_mask_other: u32,
    ivar: [Ivar; 64],
    ivar_misc: Ivar,
    throttles: [Throttle; 64],
    timer: TcpTimer,
}

impl Interrupts {
    /// All masked.
    pub fn new(speed: LineSpeed) -> Interrupts {
        Interrupts {
            speed,
            delivery: Delivery::default(),
            message_mask: 0,
            mode: Gpie::empty(),
            causes: Eicr::empty(),
            pending: 0,
            other_pending: 0,
            single_pending: false,
            intx: false,
            vector_mask: 0,
            other_mask: 0,
            auto_clear: 0,
            auto_mask: 0,
            auto_mask_other: 0,
            ivar: [Ivar::empty(); 64],
            ivar_misc: Ivar::empty(),
            throttles: [Throttle::default(); 64],
            timer: TcpTimer::OFF,
        }
    }

    /// GPIE.
    pub fn set_mode(&mut self, mode: Gpie) {
        self.mode = mode;
    }

    /// IVAR(n).
    pub fn set_ivar(&mut self, n: usize, value: Ivar) {
        self.ivar[n] = value;
    }

    /// IVAR_MISC.
    pub fn set_ivar_misc(&mut self, value: Ivar) {
        self.ivar_misc = value;
    }

    /// EITR(n). Entries from 64 on are those of virtual functions and throttle nothing.
    pub fn set_throttle(&mut self, n: usize, value: Eitr, now: Cycle) {
        if let Some(throttle) = self.throttles.get_mut(n) {
            throttle.write(value, now, self.speed);
        }
    }

    /// The counter field of EITR(n).
    pub fn throttle_counter(&self, n: usize, now: Cycle) -> u32 {
        self.throttles.get(n).map_or(0, |t| t.counter(now, self.speed))
    }

    /// TCPTIMER.
    pub fn set_timer(&mut self, value: u32, now: Cycle) {
        self.timer.write(value, now, self.speed.cycle_ps);
    }

    /// EIAC.
    pub fn set_auto_clear(&mut self, value: u32) {
        self.auto_clear = value;
    }

    /// Bits `of` the EIAM_EX registers, as one number.
    pub fn set_auto_mask(&mut self, of: u64, value: u64) {
        self.auto_mask = self.auto_mask & !of | value & of;
    }

    /// EIAM: its low 16 bits are those of EIAM_EX.
    pub fn set_auto_mask_all(&mut self, value: u32) {
        self.set_auto_mask(QUEUES.into(), value.into());
        self.auto_mask_other = value & !QUEUES;
    }

    /// EIAM_EX as one number.
    pub fn auto_mask(&self) -> u64 {
        self.auto_mask
    }

    /// EIAM.
    pub fn auto_mask_all(&self) -> u32 {
        low16(self.auto_mask) | self.auto_mask_other
    }

    /// EIMS_EX as one number.
    pub fn vector_mask(&self) -> u64 {
        self.vector_mask
    }

    /// EIMS.
    pub fn mask(&self) -> u32 {
        low16(self.vector_mask) | self.other_mask
    }

    /// EICR without the effects of reading it.
    pub fn causes(&self) -> Eicr {
        self.causes
    }

    /// Reads EICR: clears all causes, or with GPIE.OCD only bits 29:16, and without GPIE.EIAME masks what EIAM says.
    pub fn read_causes(&mut self) -> Eicr {
        let causes = self.causes;
        self.clear(if self.mode.contains(Gpie::OCD) { OTHER } else { u32::MAX });
        causes
    }

    /// Writes EICR: ones clear, and without GPIE.EIAME EIAM masks.
    pub fn clear(&mut self, causes: u32) {
        self.causes.remove(Eicr::from_bits_retain(causes));
        self.other_pending &= self.causes.bits();
        // With EIAME the message has masked already, and an access must not mask again what software has re-armed.
        if !self.mode.contains(Gpie::EIAME) {
            self.vector_mask &= !(self.auto_mask & u64::from(QUEUES));
            self.other_mask &= !self.auto_mask_other;
        }
    }

    /// Raises causes by software (EICS). With GPIE.EIMEN throttling does not hold them back.
    pub fn raise(&mut self, causes: u32) {
        self.causes |= Eicr::from_bits_retain(causes);
        self.other_pending |= causes & !QUEUES;
        self.single_pending = true;
        self.raise_vectors(u64::from(causes & QUEUES));
    }

    /// Raises vectors by software (EICS_EX).
    pub fn raise_vectors(&mut self, vectors: u64) {
        self.pending |= vectors;
        self.causes |= Eicr::from_bits_retain(low16(vectors));
        self.single_pending |= low16(vectors) != 0;
        if self.mode.contains(Gpie::EIMEN) {
            for v in (0..64).filter(|v| vectors & (1 << v) != 0) {
                self.throttles[v].not_before = Cycle(0);
            }
        }
    }

    /// Unmasks vectors (EIMS_EX, or the low bits of EIMS).
    pub fn unmask_vectors(&mut self, vectors: u64) {
        self.vector_mask |= vectors;
        self.single_pending |= self.causes.bits() & low16(vectors) != 0;
    }

    /// Unmasks other causes (EIMS); those that stand in EICR are reported.
    pub fn unmask_others(&mut self, causes: u32) {
        let causes = causes & !QUEUES;
        self.other_mask |= causes;
        self.other_pending |= causes & self.causes.bits();
        self.single_pending |= causes & self.causes.bits() != 0;
    }

    /// Masks vectors (EIMC_EX, or the low bits of EIMC).
    pub fn mask_vectors(&mut self, vectors: u64) {
        self.vector_mask &= !vectors;
    }

    /// Masks other causes (EIMC).
    pub fn mask_others(&mut self, causes: u32) {
        self.other_mask &= !(causes & !QUEUES);
    }

    /// Vectors of queues that wait for their mask or their throttle (PBACL).
    pub fn pending(&self) -> u64 {
        self.pending
    }

    /// The pending bits of the MSI-X table, or with MSI its one in bit 0: those vectors, and what other causes, or the
    /// one interrupt of the single mode, have to report.
    pub fn messages_pending(&self) -> u64 {
        if self.mode.contains(Gpie::MSIX_MODE) {
            self.pending
                | self.other_vector(OTHER, Ivar::OTHER)
                | self.other_vector(TIMER, Ivar::TCP_TIMER)
        } else {
            u64::from(self.single_pending && self.standing() != 0)
        }
    }

    /// PBACL: clears pending bits.
    pub fn clear_pending(&mut self, vectors: u64) {
        self.pending &= !vectors;
    }

    /// Level of INTx: up while an unmasked cause stands.
    pub fn intx_asserted(&self) -> bool {
        self.intx && self.standing() != 0
    }

    /// Unmasked causes.
    fn standing(&self) -> u32 {
        self.causes.bits() & self.mask()
    }

    /// A cause from a block, or the timer.
    pub(crate) fn record(&mut self, cause: Cause) {
        let (register, entry) = match cause {
            Cause::Tx { queue } => Ivar::tx_entry(usize::from(queue)),
            Cause::Rx { queue } => Ivar::rx_entry(usize::from(queue)),
            Cause::Other(bits) => {
                self.causes |= bits;
                self.other_pending |= bits.bits();
                self.single_pending = true;
                return;
            }
        };
        let Some(v) = self.ivar.get(register).and_then(|ivar| ivar.entry(entry)) else { return };
        if !self.mode.contains(Gpie::MSIX_MODE) {
            self.causes |= Eicr::from_bits_retain(1 << (v & 15));
            self.single_pending = true;
            return;
        }
        self.pending |= 1 << v;
        if v < 16 {
            self.causes |= Eicr::from_bits_retain(1 << v);
        }
    }

    /// One cycle. Returns when the block next changes by itself.
    pub fn eval<W: World>(
        &mut self,
        now: Cycle,
        ports: &mut InterruptPorts<'_>,
        world: &mut W,
    ) -> Cycle {
        while let Some(cause) = ports.rx_mac.pop() {
            self.record(cause);
        }
        while let Some(cause) = ports.link.pop() {
            self.record(cause);
        }
        if self.timer.expired(now) {
            self.record(Cause::Other(Eicr::TCP_TIMER));
        }
        let wake = if !self.mode.contains(Gpie::MSIX_MODE) {
            self.fire_single(now, world)
        } else if self.delivery == Delivery::MsiX {
            self.fire_vectors(now, world)
        } else {
            // Several vectors without MSI-X: software has contradicted itself, and nothing can be sent.
            Cycle::NEVER
        };
        wake.min(self.timer.due)
    }

    /// The clock edge: causes of the write-backs that reached memory in the cycle that ends. Returns whether one of them
    /// can do anything before software unmasks it.
    #[inline]
    pub(crate) fn take_causes(&mut self, causes: &mut Fifo<Cause>) -> bool {
        !causes.is_empty() && self.record_all(causes)
    }

    fn record_all(&mut self, causes: &mut Fifo<Cause>) -> bool {
        let before = (self.pending, self.other_pending);
        while let Some(cause) = causes.take() {
            self.record(cause);
        }
        if !self.mode.contains(Gpie::MSIX_MODE) {
            return true;
        }
        // A vector that was pending already has its time, or waits to be unmasked.
        let new = (self.pending & !before.0, self.other_pending & !before.1);
        new.0 & self.vector_mask != 0 || new.1 & self.other_mask != 0
    }

    /// Bits of `group` that are to be reported by the entry of IVAR_MISC, and the vector as a bit.
    fn other_vector(&self, group: u32, entry: usize) -> u64 {
        if self.other_pending & self.other_mask & group == 0 {
            return 0;
        }
        self.ivar_misc.entry(entry).map_or(0, |v| 1 << v)
    }

    fn fire_vectors<W: World>(&mut self, now: Cycle, world: &mut W) -> Cycle {
        let queues = self.pending & self.vector_mask;
        let (mut other, mut timer) = (0, 0);
        if self.other_pending != 0 {
            other = self.other_vector(OTHER, Ivar::OTHER);
            timer = self.other_vector(TIMER, Ivar::TCP_TIMER);
        }
        let mut wake = Cycle::NEVER;
        let mut ready = (queues | other | timer) & !self.message_mask;
        while ready != 0 {
            let v = ready.trailing_zeros() as usize;
            let bit = 1 << v;
            ready &= ready - 1;
            if self.throttles[v].not_before > now {
                wake = wake.min(self.throttles[v].not_before);
                continue;
            }
            self.throttles[v].fire(now);
            if queues & bit != 0 {
                self.pending &= !bit;
                self.message_sent(low16(bit), bit);
            }
            if other & bit != 0 {
                self.message_sent(self.other_pending & OTHER, 0);
                self.other_pending &= !OTHER;
            }
            if timer & bit != 0 {
                self.message_sent(TIMER, 0);
                self.other_pending &= !TIMER;
            }
            #[allow(clippy::cast_possible_truncation)] // v < 64
            world.interrupt(v as u16);
        }
        wake
    }

    /// What an MSI-X message does to the causes and vectors it reports.
    fn message_sent(&mut self, causes: u32, vectors: u64) {
        self.causes.remove(Eicr::from_bits_retain(causes & self.auto_clear));
        if self.mode.contains(Gpie::EIAME) {
            self.vector_mask &= !(vectors & self.auto_mask);
            self.other_mask &= !(causes & self.auto_mask_other);
        }
    }

    fn fire_single<W: World>(&mut self, now: Cycle, world: &mut W) -> Cycle {
        let standing = self.standing();
        let wanted = match self.delivery {
            Delivery::Intx => {
                self.intx &= standing != 0;
                standing != 0 && !self.intx
            }
            Delivery::Msi | Delivery::MsiX => {
                standing != 0 && self.single_pending && self.message_mask & 1 == 0
            }
        };
        if !wanted {
            return Cycle::NEVER;
        }
        let throttle = &mut self.throttles[0];
        if throttle.not_before > now {
            return throttle.not_before;
        }
        throttle.fire(now);
        self.single_pending = false;
        self.other_pending &= !standing;
        match self.delivery {
            Delivery::Intx => self.intx = true,
            Delivery::Msi => world.interrupt(0),
            Delivery::MsiX => {
                self.message_sent(standing, u64::from(standing & QUEUES));
                world.interrupt(0);
            }
        }
        Cycle::NEVER
    }
}

#[allow(clippy::cast_possible_truncation)] // the low 16 bits are wanted
fn low16(vectors: u64) -> u32 {
    (vectors & 0xFFFF) as u32
}
