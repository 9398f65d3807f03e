//! One transmit queue's context: the ring in host memory and the descriptors fetched from it.

use super::offload::Offload;
use super::plan::PacketPlan;
use super::rate::RateLimiter;
use super::segment::Segments;
use super::writeback::WriteBack;
use std::collections::VecDeque;
use xoff_regs::desc::Qwords;

/// Descriptors the adapter holds for one queue. Intel's drivers tune for 40 (PTHRESH + WTHRESH ≤ 40); one passage of
/// the data sheet speaks of 64.
pub const ON_DIE_DESCRIPTORS: u16 = 40;

/// A fetched descriptor and its place in the ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnDie {
    /// Ring position.
    pub index: u16,
    /// The descriptor.
    pub desc: [u64; 2],
}

/// Context of one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TxQueue {
    /// Bus address of the ring (TDBAL/TDBAH).
    pub base: u64,
    /// Descriptors in the ring (TDLEN / 16).
    pub len: u16,
    /// TDH: the first descriptor the adapter has not finished with.
    pub head: u16,
    /// TDT: one past the last descriptor software has handed over.
    pub tail: u16,
    /// The next descriptor to fetch.
    pub fetch: u16,
    /// TXDCTL.ENABLE.
    pub enabled: bool,
    /// TXDCTL.PTHRESH: prefetch when fewer than this are on die.
    pub pthresh: u16,
    /// TXDCTL.HTHRESH: and at least this many are ready in the host.
    pub hthresh: u16,
    /// Fetched and not yet used.
    pub store: VecDeque<OnDie>,
    /// Descriptors asked for and not yet here.
    pub requested: u16,
    /// Descriptor completions still to come that belong to a time before the queue was disabled.
    pub discard: u16,
    /// The two contexts that context descriptors have written.
    pub(super) contexts: [Qwords; 2],
    /// The packet whose descriptors are being read.
    pub(super) plan: PacketPlan,
    /// The packet whose data is arriving.
    pub(super) assembly: Assembly,
    /// Descriptors that are done and not reported yet.
    pub(super) write_back: WriteBack,
    /// The rate limiter.
    pub(super) rate: RateLimiter,
    /// RTTDT1C: the queue's credits; storage, as pools are not arbitrated by weight.
    pub(super) t1_credits: u32,
}

/// A packet whose data is arriving.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Assembly {
    /// Bytes of the frame whose last part has not arrived yet.
    pub(super) partial: Option<Vec<u8>>,
    /// Bytes reserved in the packet buffer for what has arrived of that frame.
    pub(super) reserved: u32,
    /// What the packet asks for beyond being sent.
    pub(super) offload: Option<Offload>,
    /// The packet is sent in segments.
    pub(super) segmented: bool,
    /// Nothing of the packet can be sent (any more).
    pub(super) refused: bool,
    pub(super) segments: Segments,
}

impl TxQueue {
    /// Descriptors software has handed over that have not been asked for.
    pub fn host_ready(&self) -> u16 {
        if self.tail >= self.len || self.fetch >= self.len {
            0 // a tail or head beyond the ring hands over nothing
        } else if self.tail >= self.fetch {
            self.tail - self.fetch
        } else {
            self.len - self.fetch + self.tail
        }
    }

    /// Descriptors to ask for now, or 0: as many as fit when the store is empty, else only below PTHRESH and with
    /// HTHRESH ready (82599.md section 2.4). A request never wraps round the end of the ring.
    pub fn fetch_now(&self) -> u16 {
        if !self.enabled || self.requested != 0 {
            return 0;
        }
        let ready = self.host_ready();
        #[allow(clippy::cast_possible_truncation)] // the store holds at most 40
        let held = self.store.len() as u16;
        let wanted =
            ready > 0 && (held == 0 || (held < self.pthresh && ready >= self.hthresh.max(1)));
        if wanted { ready.min(ON_DIE_DESCRIPTORS - held).min(self.len - self.fetch) } else { 0 }
    }

    /// Bus address of the descriptor at a ring position. Software may have put the ring anywhere; addresses wrap.
    pub fn descriptor_addr(&self, index: u16) -> u64 {
        self.base.wrapping_add(u64::from(index) * 16)
    }

    /// The ring position after `index`.
    pub fn next(&self, index: u16) -> u16 {
        if index >= self.len.saturating_sub(1) { 0 } else { index + 1 }
    }

    /// TXDCTL.WTHRESH.
    pub(crate) fn set_write_back_threshold(&mut self, descriptors: u16) {
        self.write_back.threshold = descriptors;
    }

    /// TDWBAL.
    pub(crate) fn set_head_addr_low(&mut self, v: u32) {
        let addr = &mut self.write_back.head_addr;
        *addr = *addr >> 32 << 32 | u64::from(v);
    }

    /// TDWBAH.
    pub(crate) fn set_head_addr_high(&mut self, v: u32) {
        let addr = &mut self.write_back.head_addr;
        *addr = u64::from(v) << 32 | *addr & 0xFFFF_FFFF;
    }

    /// TXDCTL.ENABLE goes 0 → 1: fetching starts at the head, and contexts have to be written anew.
    pub fn enable(&mut self) {
        self.enabled = true;
        self.fetch = self.head;
        self.contexts = Default::default();
    }

    /// TXDCTL.ENABLE goes 1 → 0: what was fetched is forgotten, what is being read is sent.
    pub fn disable(&mut self) {
        self.enabled = false;
        self.store.clear();
        if self.requested > 0 {
            self.discard += 1;
            self.requested = 0;
        }
    }
}
