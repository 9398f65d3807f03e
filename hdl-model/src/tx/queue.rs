//! One transmit queue's context: the ring, what its packets are made with and how far they are.

use super::offload::Offload;
use super::plan::PacketPlan;
use super::rate::RateLimiter;
use super::segment::Segments;
use super::writeback::WriteBack;
use crate::ring::Ring;
use xoff_regs::desc::Qwords;

/// Descriptors the adapter holds for one queue. Intel's drivers tune for 40 (PTHRESH + WTHRESH ≤ 40); one passage of
/// the data sheet speaks of 64.
pub const ON_DIE_DESCRIPTORS: u16 = 40;

/// Context of one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TxQueue {
    /// The ring.
    pub ring: Ring,
    /// TXDCTL.PTHRESH: prefetch when fewer than this are on die.
    pub pthresh: u16,
    /// TXDCTL.HTHRESH: and at least this many are ready in the host.
    pub hthresh: u16,
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
    /// Descriptors to ask for now, or 0: as many as fit when the store is empty, else only below PTHRESH and with
    /// HTHRESH ready (82599.md section 2.4).
    pub fn fetch_now(&self) -> u16 {
        if !self.ring.enabled || self.ring.waits() {
            return 0;
        }
        let (ready, held) = (self.ring.host_ready(), self.ring.held());
        let wanted =
            ready > 0 && (held == 0 || (held < self.pthresh && ready >= self.hthresh.max(1)));
        if wanted { self.ring.request_size(ready, ON_DIE_DESCRIPTORS) } else { 0 }
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

    /// TXDCTL.ENABLE goes 0 → 1: contexts have to be written anew.
    pub fn enable(&mut self) {
        self.ring.enable();
        self.contexts = Default::default();
    }
}
