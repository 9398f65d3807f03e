//! The receive ring (82599 data sheet 7.1; fact sheet 5).
//!
//! Advanced one-buffer descriptors. Every buffer is as large as the longest frame, so a frame never
//! spans two. What the device writes back is not trusted: a length or status that cannot be is reported
//! as a fault of that frame, never followed.

use std::collections::VecDeque;

use xoff_regs::Reg;
use xoff_regs::desc::{RX_DD, RxStatus, rx_len, rx_status, rx_vlan};

use super::tx::DESCRIPTOR_LEN;
use crate::buffer::{Buffer, Owner, Pool};
use crate::bus::{Bar, DmaMemory};
use crate::init::interrupts;

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
#[derive(Debug, Clone, Copy)]
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
    /// With the device, oldest first; the oldest sits in descriptor `head`.
    posted: VecDeque<Buffer>,
    head: u16,
    tail: u16,
    pool: Option<core::num::NonZeroU16>,
    /// The previous buffer did not end its frame.
    spans: bool,
}

impl<R: Bar, D: DmaMemory> RxRing<R, D> {
    /// A ring over zeroed memory for `setup.len` descriptors; the queue is enabled, head = tail = 0.
    pub(crate) fn new(bar: R, memory: D, setup: RxSetup) -> Self {
        let posted = VecDeque::with_capacity(setup.len.into());
        Self { bar, memory, setup, posted, head: 0, tail: 0, pool: None, spans: false }
    }

    /// Gives the device as many buffers as the ring and the pool have room for. Call it once before
    /// traffic is expected: until then frames wait in the packet buffer and raise XOFF. Returns how many.
    ///
    /// # Errors
    /// When the pool does not fit the ring.
    pub fn fill(&mut self, pool: &mut Pool<D>) -> Result<usize, RxError> {
        self.check(pool)?;
        let mut count = 0;
        while self.posted.len() + 1 < usize::from(self.setup.len)
            && let Some(buffer) = pool.alloc()
        {
            let at = usize::from(self.tail) * DESCRIPTOR_LEN;
            // Clears the DD of the frame that was here before.
            self.memory.store(at + 8, 0);
            self.memory.store(at, buffer.iova());
            self.posted.push_back(buffer);
            self.tail = self.next(self.tail);
            count += 1;
        }
        if count > 0 {
            self.bar.write(self.setup.tail, u32::from(self.tail));
        }
        Ok(count)
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
        let mut count = 0;
        while count < max && !self.posted.is_empty() {
            let word = self.memory.load(usize::from(self.head) * DESCRIPTOR_LEN + 8);
            if word & RX_DD == 0 {
                break;
            }
            let Some(buffer) = self.posted.pop_front() else { break };
            self.head = self.next(self.head);
            out.push(self.receive(pool, buffer, word));
            count += 1;
        }
        self.fill(pool)?;
        Ok(count)
    }

    /// Lets this ring's interrupt vector fire again; for daemons that do not poll. Call it when `poll` has
    /// found nothing more: a frame that came in between fires at once.
    pub fn arm(&self) {
        interrupts::arm_queue(&self.bar, self.setup.traffic_class);
    }

    /// Buffers that the device can still fill.
    pub fn posted(&self) -> usize {
        self.posted.len()
    }

    /// The class whose frames arrive here.
    pub const fn traffic_class(&self) -> u8 {
        self.setup.traffic_class
    }

    /// Gives all buffers back. Returns how many frames had arrived in them. The device must not reach memory any more.
    pub(crate) fn give_back(mut self, out: &mut Vec<Buffer>) -> u64 {
        let mut unread = 0;
        let mut slot = self.head;
        while let Some(buffer) = self.posted.pop_front() {
            let word = self.memory.load(usize::from(slot) * DESCRIPTOR_LEN + 8);
            unread += u64::from(word & RX_DD != 0 && rx_status(word).contains(RxStatus::EOP));
            slot = self.next(slot);
            out.push(buffer);
        }
        unread
    }

    fn receive(&mut self, pool: &Pool<D>, mut buffer: Buffer, word: u64) -> Received {
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
        pool.received(&mut buffer, if fits { reported } else { 0 });
        // VP says that the frame is tagged; the tag is here only if it was taken out.
        let stripped = self.setup.strip_vlan && status.contains(RxStatus::VP);
        let vlan_tci = stripped.then(|| rx_vlan(word));
        Received { buffer, vlan_tci, fault }
    }

    fn check(&mut self, pool: &Pool<D>) -> Result<(), RxError> {
        if pool.owner() != self.setup.owner || self.pool.is_some_and(|id| id != pool.id()) {
            return Err(RxError::ForeignPool);
        }
        let (pool_len, ring_len) = (pool.buffer_len(), usize::from(self.setup.buffer_len));
        if pool_len < ring_len {
            return Err(RxError::SmallBuffers { pool_len, ring_len });
        }
        self.pool = Some(pool.id());
        Ok(())
    }

    fn next(&self, slot: u16) -> u16 {
        if slot + 1 == self.setup.len { 0 } else { slot + 1 }
    }
}
