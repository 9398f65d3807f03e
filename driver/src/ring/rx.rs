//! The receive ring (82599 data sheet 7.1; fact sheet 5).
//!
//! Advanced one-buffer descriptors. Every buffer is as large as the longest frame, so a frame never
//! spans two. What the device writes back is not trusted: a length or status that cannot be is reported
//! as a fault of that frame, never followed.

use xoff_regs::Reg;
use xoff_regs::desc::{RX_DD, RX_EOP, RxStatus, rx_len, rx_status, rx_vlan};

use super::tx::DESCRIPTOR_LEN;
use crate::buffer::{Buffer, Owner, Pool, PoolName};
use crate::bus::{Bar, DmaMemory};
use crate::init::interrupts;

/// Bits of a write-back by which a good frame is known: the end, and no error.
const DECISIVE: u64 = RX_EOP | RxStatus::RXE.bits() as u64;

/// What was wrong with a received frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RxFault {
    /// The MAC saw an error (for example a wrong FCS) and passes bad frames up.
    Mac,
    /// A part of a frame that was longer than the MTU allows and went on in the next buffer.
    Spans,
    /// The device reports a length that the buffer cannot hold, or none.
    Length {
        /// The reported length, bytes.
        reported: u16,
    },
}

/// One received frame.
#[derive(Debug, PartialEq, Eq)]
pub struct Received {
    /// The buffer; its length is the frame's, without FCS, and 0 for a frame of impossible length.
    pub buffer: Buffer,
    /// Tag control information of the stripped outer VLAN tag: PCP 15:13, DEI 12, VID 11:0.
    pub vlan_tci: Option<u16>,
    /// What was wrong with it; `None` for a good frame.
    pub fault: Option<RxFault>,
}

/// Why a ring cannot take buffers from a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RxError {
    /// The device could write past the end of such a buffer.
    #[error("the pool's buffers have {pool_len} bytes, the ring's rx_buffer_len is {ring_len}")]
    SmallBuffers {
        /// Size of the pool's buffers.
        pool_len: usize,
        /// Size the device may fill.
        ring_len: usize,
    },
    /// The pool is another device's, or not the one the ring was filled from.
    #[error(
        "the pool is not the one this ring was first filled from; keep to one pool for each ring"
    )]
    ForeignPool,
}

/// How a receive ring is set up.
#[derive(Debug, Clone)]
pub(crate) struct RxSetup {
    pub(crate) tail: Reg<u32>,
    pub(crate) traffic_class: u8,
    pub(crate) owner: Owner,
    pub(crate) len: u16,
    pub(crate) buffer_len: u16,
    pub(crate) strip_vlan: bool,
}

/// One hardware receive queue with the buffers it can fill.
#[derive(Debug)]
pub struct RxRing<R, D> {
    bar: R,
    memory: D,
    setup: RxSetup,
    /// The buffer of each descriptor. Those from `head` up to `tail` are with the device.
    slots: Box<[Buffer]>,
    /// Oldest descriptor with the device.
    head: usize,
    /// Next descriptor to fill.
    tail: usize,
    posted: usize,
    pool: Option<PoolName>,
    /// The previous buffer did not end its frame.
    spans: bool,
}

impl<R: Bar, D: DmaMemory> RxRing<R, D> {
    /// A ring over zeroed memory for `setup.len` descriptors; the queue is enabled, head = tail = 0.
    pub(crate) fn new(bar: R, memory: D, setup: RxSetup) -> Self {
        let slots = (0..setup.len).map(|_| Buffer::VACANT).collect();
        Self { bar, memory, setup, slots, head: 0, tail: 0, posted: 0, pool: None, spans: false }
    }

    /// Gives the device as many buffers as the ring and the pool have room for. Call it once before
    /// traffic is expected: until then frames wait in the packet buffer and raise XOFF. Returns how many.
    ///
    /// # Errors
    /// When the pool does not fit the ring.
    pub fn fill(&mut self, pool: &mut Pool<D>) -> Result<usize, RxError> {
        self.check(pool)?;
        Ok(self.post(pool))
    }

    /// Gives the device what ring and pool have room for, in at most two runs: up to the end of the ring, and from its
    /// start on. One descriptor always stays empty.
    fn post(&mut self, pool: &mut Pool<D>) -> usize {
        let mut count = 0;
        while self.posted + 1 < self.slots.len() && pool.available() > 0 {
            let room = self.slots.len() - 1 - self.posted;
            let run = room.min(self.slots.len() - self.tail).min(pool.available());
            let mut at = self.tail * DESCRIPTOR_LEN;
            for (slot, buffer) in self.slots[self.tail..].iter_mut().zip(pool.draw(run)) {
                // Clears the DD of the frame that was here before.
                self.memory.store(at + 8, 0);
                self.memory.store(at, buffer.iova());
                *slot = buffer;
                at += DESCRIPTOR_LEN;
            }
            self.tail = self.wrap(self.tail + run);
            self.posted += run;
            count += run;
        }
        if count > 0 {
            #[allow(clippy::cast_possible_truncation)] // below the ring length
            self.bar.write(self.setup.tail, self.tail as u32);
        }
        count
    }

    /// Takes up to `max` received frames, oldest first, appends them to `out` and gives the device new
    /// buffers from `pool`, with one tail write. Returns how many.
    ///
    /// # Errors
    /// When the pool does not fit the ring; nothing is taken then.
    pub fn poll(
        &mut self,
        pool: &mut Pool<D>,
        out: &mut Vec<Received>,
        max: usize,
    ) -> Result<usize, RxError> {
        self.check(pool)?;
        let most = max.min(self.posted);
        let mut count = 0;
        while count < most {
            let word = self.memory.load(self.head * DESCRIPTOR_LEN + 8);
            if word & RX_DD == 0 {
                break;
            }
            let buffer = core::mem::replace(&mut self.slots[self.head], Buffer::VACANT);
            self.head = self.wrap(self.head + 1);
            let received = self.receive(pool, buffer, word);
            out.push(received);
            count += 1;
        }
        self.posted -= count;
        self.post(pool);
        Ok(count)
    }

    /// Lets this ring's interrupt vector fire again; for daemons that do not poll. Call it when `poll` has
    /// found nothing more: a frame that came in between fires at once.
    pub fn arm(&self) {
        interrupts::arm_queue(&self.bar, self.setup.traffic_class);
    }

    /// Buffers that the device can still fill.
    pub const fn posted(&self) -> usize {
        self.posted
    }

    /// The class whose frames arrive here.
    pub const fn traffic_class(&self) -> u8 {
        self.setup.traffic_class
    }

    /// Gives all buffers back. Returns how many frames had arrived in them. The device must not reach memory any more.
    pub(crate) fn give_back(mut self, out: &mut Vec<Buffer>) -> u64 {
        let mut unread = 0;
        for _ in 0..self.posted {
            let word = self.memory.load(self.head * DESCRIPTOR_LEN + 8);
            unread += u64::from(word & RX_DD != 0 && rx_status(word).contains(RxStatus::EOP));
            out.push(core::mem::replace(&mut self.slots[self.head], Buffer::VACANT));
            self.head = self.wrap(self.head + 1);
        }
        unread
    }

    #[inline]
    fn receive(&mut self, pool: &Pool<D>, mut buffer: Buffer, word: u64) -> Received {
        let len = rx_len(word);
        let is_good =
            word & DECISIVE == RX_EOP && !self.spans && (1..=self.setup.buffer_len).contains(&len);
        let (len, fault) = if is_good { (len, None) } else { self.fault_of(word) };
        pool.received(&mut buffer, len);
        // VP says that the frame is tagged; the tag is here only if it was taken out.
        let stripped = self.setup.strip_vlan && rx_status(word).contains(RxStatus::VP);
        Received { buffer, vlan_tci: stripped.then(|| rx_vlan(word)), fault }
    }

    /// The length to believe, and what is wrong.
    #[cold]
    fn fault_of(&mut self, word: u64) -> (u16, Option<RxFault>) {
        let (reported, status) = (rx_len(word), rx_status(word));
        let ends = status.contains(RxStatus::EOP);
        let fits = (1..=self.setup.buffer_len).contains(&reported);
        let fault = if !fits {
            Some(RxFault::Length { reported })
        } else if !ends || self.spans {
            Some(RxFault::Spans)
        } else if status.contains(RxStatus::RXE) {
            Some(RxFault::Mac)
        } else {
            None
        };
        self.spans = !ends;
        (if fits { reported } else { 0 }, fault)
    }

    fn check(&mut self, pool: &Pool<D>) -> Result<(), RxError> {
        if self.pool == Some(pool.name()) {
            return Ok(());
        }
        if self.pool.is_some() || *pool.owner() != self.setup.owner {
            return Err(RxError::ForeignPool);
        }
        let (pool_len, ring_len) = (pool.buffer_len(), usize::from(self.setup.buffer_len));
        if pool_len < ring_len {
            return Err(RxError::SmallBuffers { pool_len, ring_len });
        }
        self.pool = Some(pool.name());
        Ok(())
    }

    const fn wrap(&self, slot: usize) -> usize {
        if slot == self.slots.len() { 0 } else { slot }
    }
}
